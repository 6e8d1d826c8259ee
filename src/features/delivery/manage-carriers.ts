import type { Tx } from '../../db/database.ts'
import type { Carrier, CarrierAccount } from '../../providers/carrier/carrier.ts'
import { recordChange } from '../audit/record.ts'
import type { AdminCtx, Author, Carriers, Store } from '../context.ts'
import {
  type AccountCtx,
  findCarrier,
  planCarrierAccount,
  readCarrierAccount,
  saveCarrierAccount,
} from './carrier-accounts.ts'
import { callAccount } from './carriers.ts'

/** The carriers with what is set of each account, and none of the values. */
export const listCarrierAccounts = (ctx: AccountCtx) =>
  Promise.all([...ctx.carriers.byName.values()].map((carrier) => showAccount(ctx, carrier)))

/** Carriers that a parcel can be booked with now. */
export const listShippingCarriers = async (ctx: AccountCtx) => {
  const complete = (await listCarrierAccounts(ctx)).filter((account) => account.complete)
  return complete.map(({ carrier }) => {
    const { name, label } = findCarrier(ctx.carriers, carrier)
    return { name, label }
  })
}

const showAccount = async (ctx: AccountCtx, { name, credentials: needed, optionalCredentials }: Carrier) => {
  const known = await readCarrierAccount(ctx, name)
  const isSet = (field: string) => Boolean(known?.[field])
  return {
    carrier: name,
    complete: needed.every(isSet),
    credentials: [
      ...needed.map((field) => ({ name: field, optional: false, set: isSet(field) })),
      ...optionalCredentials.map((field) => ({ name: field, optional: true, set: isSet(field) })),
    ],
  }
}

/** Stores an account, and notes in the audit log which credentials were given, without their values. */
export const saveCarrierAccountBy = async (
  tx: Tx,
  ctx: { carriers: Carriers; store: Pick<Store, 'id' | 'publicId'> },
  by: Author,
  { name, account, given }: { name: string; account: CarrierAccount; given: readonly string[] },
): Promise<void> => {
  await saveCarrierAccount(tx, ctx, name, account)
  if (given.length === 0) return
  const changes = { credentials: { before: null, after: [...given].sort() } }
  recordChange(tx, ctx.store, by, { action: 'carrier.updated', id: name, changes })
}

export const setCarrierAccount = async (
  ctx: AdminCtx,
  name: string,
  { credentials, check = true }: { credentials: Readonly<Record<string, string>>; check?: boolean },
) => {
  const { carrier, account } = await planCarrierAccount(ctx, name, credentials)
  // Outside of the transaction, because it calls the carrier.
  const answer = check ? await callAccount(ctx, carrier, account, (one, own, signal) => one.check(own, signal)) : null
  const given = Object.keys(credentials)
  await ctx.db.tx((tx) => saveCarrierAccountBy(tx, ctx, ctx.by, { name, account, given }))
  return { account: await showAccount(ctx, findCarrier(ctx.carriers, name)), answer }
}
