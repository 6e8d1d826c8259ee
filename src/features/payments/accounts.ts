import { refuse } from '../../core/domain-errors.ts'
import type { Tx } from '../../db/database.ts'
import type { Payments, Store } from '../context.ts'
import { keepCredentials, readCredentials } from './accounts.sql.ts'
import { openCredentials, sealCredentials } from './providers.ts'

/** Refuses a name that no provider has and, in production, a provider that moves no money. */
export const checkProviderName = ({ providers, production }: Payments, name: string): void => {
  const usable = [...providers.values()].filter(({ isForTesting }) => !(isForTesting && production))
  if (usable.some((provider) => provider.name === name)) return
  const known = { provider: name, providers: usable.map((provider) => provider.name) }
  throw providers.has(name) ? refuse('PROVIDER_FOR_TESTING', known) : refuse('PROVIDER_UNKNOWN', known)
}

export type AccountRequest = { provider: string; credentials: Readonly<Record<string, string>> }

/**
 * Notes what a store proves itself with at a provider, sealed. Credentials that are not named stay as they are; in the
 * end all that the provider asks for must be there.
 */
export const changePaymentAccount = async (
  tx: Tx,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  { provider: name, credentials }: AccountRequest,
): Promise<void> => {
  checkProviderName(payments, name)
  const wanted = payments.providers.get(name)?.credentials ?? []
  const surplus = Object.keys(credentials).find((field) => !wanted.includes(field))
  if (surplus !== undefined) throw refuse('CREDENTIAL_UNKNOWN', { provider: name, credential: surplus, wanted })
  if (wanted.length === 0) return
  const sealed = await readCredentials(tx, store.id, name)
  const kept = sealed === undefined ? {} : (openCredentials(payments.accounts, store.publicId, name, sealed) ?? {})
  const all: Record<string, string> = { ...kept, ...credentials }
  const missing = wanted.filter((field) => !all[field])
  if (missing.length > 0) throw refuse('CREDENTIALS_MISSING', { provider: name, missing })
  await keepCredentials(tx, store.id, name, sealCredentials(payments.accounts, store.publicId, name, all))
}
