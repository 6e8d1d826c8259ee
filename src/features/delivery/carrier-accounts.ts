import { refuse } from '../../core/domain-errors.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { Carrier, CarrierAccount } from '../../providers/carrier/carrier.ts'
import type { Carriers, Store } from '../context.ts'
import { readCarrierCredentials, saveCarrierCredentials } from './carrier-accounts.sql.ts'

export type AccountCtx = { db: Queries; carriers: Carriers; store: Pick<Store, 'id' | 'publicId'> }
type Credentials = Readonly<Record<string, string>>

export const findCarrier = ({ byName }: Carriers, name: string): Carrier => {
  const carrier = byName.get(name)
  if (carrier === undefined) throw refuse('CARRIER_UNKNOWN', { carrier: name, carriers: [...byName.keys()] })
  return carrier
}

/** The account of the store, with its credentials decrypted. */
export const openCarrierAccount = async (
  ctx: AccountCtx,
  name: string,
): Promise<{ carrier: Carrier; account: CarrierAccount }> => {
  const carrier = findCarrier(ctx.carriers, name)
  const credentials = await readCarrierAccount(ctx, name)
  if (credentials === null) throw refuse('CARRIER_ACCOUNT_MISSING', { carrier: name })
  return { carrier, account: { storeId: ctx.store.publicId, credentials } }
}

/**
 * The account as it will be with these credentials. Those that are not given stay as they are stored. Refuses unknown
 * ones, and an account that lacks one that the carrier needs.
 */
export const planCarrierAccount = async (
  ctx: AccountCtx,
  name: string,
  given: Credentials,
): Promise<{ carrier: Carrier; account: CarrierAccount }> => {
  const carrier = findCarrier(ctx.carriers, name)
  const wanted = [...carrier.credentials, ...carrier.optionalCredentials]
  const unknown = Object.keys(given).find((field) => !wanted.includes(field))
  if (unknown !== undefined) {
    throw refuse('CARRIER_CREDENTIAL_UNKNOWN', { carrier: name, credential: unknown, wanted })
  }
  const credentials: Credentials = { ...(await readCarrierAccount(ctx, name)), ...given }
  const missing = carrier.credentials.filter((field) => !credentials[field])
  if (missing.length > 0) throw refuse('CARRIER_CREDENTIALS_MISSING', { carrier: name, missing })
  return { carrier, account: { storeId: ctx.store.publicId, credentials } }
}

export const saveCarrierAccount = (
  tx: Tx,
  { carriers, store }: Omit<AccountCtx, 'db'>,
  name: string,
  { credentials }: CarrierAccount,
) => {
  const sealed = carriers.accounts.seal(JSON.stringify(credentials), placeOf(store, name))
  return saveCarrierCredentials(tx, store.id, name, sealed)
}

/** Null if there are none, or if no secret of this service opens them. */
export const readCarrierAccount = async (
  { db, carriers, store }: AccountCtx,
  name: string,
): Promise<Credentials | null> => {
  const sealed = await readCarrierCredentials(db, store.id, name)
  const text = sealed === undefined ? null : carriers.accounts.open(sealed, placeOf(store, name))
  return text === null ? null : JSON.parse(text)
}

const placeOf = ({ publicId }: Pick<Store, 'publicId'>, carrier: string) => `${publicId} ${carrier}`
