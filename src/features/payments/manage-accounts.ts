import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { PaymentProvider, ProviderAccount } from '../../providers/payment/provider.ts'
import { recordChange } from '../audit/record.ts'
import type { AdminCtx, Author, Payments, Store } from '../context.ts'
import { changeStoreBy, unchanged } from '../stores/settings.ts'
import { noteChecked, readAccountRow } from './accounts.sql.ts'
import { type AccountRequest, changePaymentAccount, checkPaymentAccount } from './accounts.ts'
import { openCredentials } from './providers.ts'

type AccountsCtx = {
  db: Queries
  payments: Payments
  publicUrl: string
  store: Pick<Store, 'id' | 'publicId' | 'paymentProvider'>
}

/** The providers that the store can use, with what is set of each account, and none of the values. */
export const listPaymentAccounts = async (ctx: AccountsCtx) => {
  const { providers, production } = ctx.payments
  const usable = [...providers.values()].filter(({ isForTesting }) => !(isForTesting && production))
  return Promise.all(usable.map((provider) => showAccount(ctx, provider)))
}

const showAccount = async (ctx: AccountsCtx, provider: PaymentProvider) => {
  const { db, payments, store } = ctx
  const { name, credentials: needed, optionalCredentials = [] } = provider
  const row = await readAccountRow(db, store.id, name)
  const known = row === undefined ? null : openCredentials(payments.accounts, store.publicId, name, row.credentials)
  const isSet = (field: string) => Boolean(known?.[field])
  return {
    provider: name,
    active: store.paymentProvider === name,
    forTesting: provider.isForTesting === true,
    testMode: known !== null && isInTestMode(provider, { storeId: store.publicId, credentials: known }),
    complete: needed.every(isSet),
    checkedAt: row?.checkedAt?.toISOString() ?? null,
    webhook: webhookAddressOf(ctx, provider),
    credentials: [
      ...needed.map((field) => ({ name: field, optional: false, set: isSet(field) })),
      ...optionalCredentials.map((field) => ({ name: field, optional: true, set: isSet(field) })),
    ],
  }
}

const isInTestMode = (provider: PaymentProvider, account: ProviderAccount) => provider.isTestAccount?.(account) ?? false

/** What to enter at the provider, so that its events arrive. */
const webhookAddressOf = ({ publicUrl, store }: AccountsCtx, { name, webhook }: PaymentProvider) => {
  // Without a proof of its own it reports by the neutral webhook, and is for testing.
  if (webhook === null || webhook.isGenuine === null) return null
  const url = `${publicUrl}/webhook/${name}`
  return webhook.storeIn === 'path'
    ? { url: `${url}/${store.publicId}`, header: null }
    : { url, header: `X-Store-Id: ${store.publicId}` }
}

/** Stores credentials, and notes in the audit log which ones were set, without their values. */
export const changePaymentAccountBy = async (
  tx: Tx,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  by: Author,
  request: AccountRequest,
) => {
  await changePaymentAccount(tx, payments, store, request)
  const names = Object.keys(request.credentials).sort()
  if (names.length === 0) return
  const changes = { credentials: { before: null, after: names } }
  recordChange(tx, store, by, { action: 'payment_account.updated', id: request.provider, changes })
}

export const setPaymentAccount = async (
  ctx: AdminCtx,
  provider: string,
  { credentials, check = true }: { credentials: Readonly<Record<string, string>>; check?: boolean },
) => {
  const { db, payments, store, by } = ctx
  const request = { provider, credentials, isChecked: check }
  // Outside of the transaction, because it calls the provider.
  const answer = check ? await checkPaymentAccount(db, payments, store, request) : null
  await db.tx((tx) => changePaymentAccountBy(tx, payments, store, by, request))
  return { account: await readAccount(ctx, provider), answer }
}

/** New orders are paid with this account, once the provider has accepted its credentials. */
export const activatePaymentAccount = async (ctx: AdminCtx, provider: string) => {
  const { db, payments, store, by } = ctx
  const answer = await checkPaymentAccount(db, payments, store, { provider, credentials: {} })
  await db.tx(async (tx) => {
    await noteChecked(tx, store.id, provider)
    await changeStoreBy(tx, store, by, { ...unchanged, paymentProvider: provider })
  })
  return { account: await readAccount({ ...ctx, store: { ...store, paymentProvider: provider } }, provider), answer }
}

const readAccount = (ctx: AccountsCtx, name: string) =>
  showAccount(ctx, mustExist(ctx.payments.providers.get(name), `the payment provider ${name}`))
