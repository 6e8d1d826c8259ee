import { seconds } from '../../core/clock.ts'
import { refuse } from '../../core/domain-errors.ts'
import { errorMessage } from '../../core/thrown.ts'
import { withTimeLimit } from '../../core/time-limit.ts'
import { announceStore } from '../../db/announce.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { ProviderRefused } from '../../providers/http.ts'
import type { PaymentProvider, ProviderAccount } from '../../providers/payment/provider.ts'
import type { Payments, Store } from '../context.ts'
import { keepCredentials, readAccountRow, readCredentials } from './accounts.sql.ts'
import { openCredentials, sealCredentials } from './providers.ts'

/** Refuses an unknown provider and, in production, a provider for testing. */
export const checkProviderName = ({ providers, production }: Payments, name: string): void => {
  const usable = [...providers.values()].filter(({ isForTesting }) => !(isForTesting && production))
  if (usable.some((provider) => provider.name === name)) return
  const known = { provider: name, providers: usable.map((provider) => provider.name) }
  throw providers.has(name) ? refuse('PROVIDER_FOR_TESTING', known) : refuse('PROVIDER_UNKNOWN', known)
}

/** `isChecked`: the provider has accepted the credentials. */
export type AccountRequest = {
  provider: string
  credentials: Readonly<Record<string, string>>
  isChecked?: boolean
}

/**
 * Stores the credentials of a store at a provider, encrypted. Credentials that are not given stay as they are; in the end
 * all that the provider needs must be there.
 */
export const changePaymentAccount = async (
  tx: Tx,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  request: AccountRequest,
): Promise<void> => {
  const credentials = await completeCredentials(tx, payments, store, request)
  if (credentials === null) return
  const { provider, isChecked = false } = request
  await keepCredentials(tx, store.id, provider, {
    sealed: sealCredentials(payments.accounts, store.publicId, provider, credentials),
    isChecked,
    isChanged: Object.keys(request.credentials).length > 0,
  })
  await announceStore(tx, store.id)
}

/** The given credentials with those that are stored. Null for a provider that needs none. */
const completeCredentials = async (
  db: Queries,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  { provider: name, credentials }: AccountRequest,
): Promise<Record<string, string> | null> => {
  checkProviderName(payments, name)
  const { credentials: needed = [], optionalCredentials = [] } = payments.providers.get(name) ?? {}
  const wanted = [...needed, ...optionalCredentials]
  const unknown = Object.keys(credentials).find((field) => !wanted.includes(field))
  if (unknown !== undefined) throw refuse('CREDENTIAL_UNKNOWN', { provider: name, credential: unknown, wanted })
  if (wanted.length === 0) return null
  const sealed = await readCredentials(db, store.id, name)
  const stored = sealed === undefined ? {} : (openCredentials(payments.accounts, store.publicId, name, sealed) ?? {})
  const all: Record<string, string> = { ...stored, ...credentials }
  const missing = needed.filter((field) => !all[field])
  if (missing.length > 0) throw refuse('CREDENTIALS_MISSING', { provider: name, missing })
  return all
}

const checkLimitMs = seconds(15)

export type AccountState =
  | { state: 'unreadable' }
  | { state: 'incomplete'; missing: readonly string[] }
  | { state: 'refused' | 'unreachable'; reason: string }
  | { state: 'accepted'; answer: string; isTestAccount: boolean }

/** Tries the stored credentials of a store at a provider. Moves no money. */
export const examinePaymentAccount = async (
  db: Queries,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  provider: PaymentProvider,
): Promise<AccountState> => {
  const sealed = await readCredentials(db, store.id, provider.name)
  const credentials =
    sealed === undefined ? {} : openCredentials(payments.accounts, store.publicId, provider.name, sealed)
  // Encrypted with a secret that this service does not have.
  if (credentials === null) return { state: 'unreadable' }
  const missing = provider.credentials.filter((field) => !credentials[field])
  if (missing.length > 0) return { state: 'incomplete', missing }
  const account = { storeId: store.publicId, credentials }
  try {
    const answer = await callCheck(provider, account)
    return { state: 'accepted', answer, isTestAccount: provider.isTestAccount?.(account) ?? false }
  } catch (error) {
    return { state: error instanceof ProviderRefused ? 'refused' : 'unreachable', reason: errorMessage(error) }
  }
}

export type StoredAccount =
  | { state: 'unreadable' }
  | { state: 'incomplete'; missing: readonly string[] }
  | { state: 'unchecked' | 'checked'; isTestAccount: boolean }

/** What is known of an account without calling the provider. */
export const examineStoredAccount = async (
  db: Queries,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  provider: PaymentProvider,
): Promise<StoredAccount> => {
  const row = await readAccountRow(db, store.id, provider.name)
  const credentials =
    row === undefined ? {} : openCredentials(payments.accounts, store.publicId, provider.name, row.credentials)
  if (credentials === null) return { state: 'unreadable' }
  const missing = provider.credentials.filter((field) => !credentials[field])
  if (missing.length > 0) return { state: 'incomplete', missing }
  const isTestAccount = provider.isTestAccount?.({ storeId: store.publicId, credentials }) ?? false
  return { state: row?.checkedAt ? 'checked' : 'unchecked', isTestAccount }
}

const callCheck = (provider: PaymentProvider, account: ProviderAccount) =>
  withTimeLimit({ limitMs: checkLimitMs, name: `the check of the credentials at ${provider.name}` }, (signal) =>
    provider.check(account, signal),
  )

/** Tries credentials at the provider before they are stored, and returns what it said. Moves no money. */
export const checkPaymentAccount = async (
  db: Queries,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  request: AccountRequest,
): Promise<string | null> => {
  const credentials = await completeCredentials(db, payments, store, request)
  const provider = payments.providers.get(request.provider)
  if (credentials === null || provider === undefined) return null
  try {
    return await callCheck(provider, { storeId: store.publicId, credentials })
  } catch (error) {
    const reason = errorMessage(error)
    throw error instanceof ProviderRefused
      ? refuse('CREDENTIALS_REFUSED', { provider: provider.name, reason })
      : refuse('PROVIDER_UNREACHABLE', { provider: provider.name, reason }, { cause: error })
  }
}
