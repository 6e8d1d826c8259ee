import { refuse } from '../../core/domain-errors.ts'
import type { Tx } from '../../db/database.ts'
import type { Payments, Store } from '../context.ts'
import { keepCredentials, readCredentials } from './accounts.sql.ts'
import { openCredentials, sealCredentials } from './providers.ts'

/** Refuses an unknown provider and, in production, a provider for testing. */
export const checkProviderName = ({ providers, production }: Payments, name: string): void => {
  const usable = [...providers.values()].filter(({ isForTesting }) => !(isForTesting && production))
  if (usable.some((provider) => provider.name === name)) return
  const known = { provider: name, providers: usable.map((provider) => provider.name) }
  throw providers.has(name) ? refuse('PROVIDER_FOR_TESTING', known) : refuse('PROVIDER_UNKNOWN', known)
}

export type AccountRequest = { provider: string; credentials: Readonly<Record<string, string>> }

/**
 * Stores the credentials of a store at a provider, encrypted. Credentials that are not given stay unchanged. Refuses the
 * change if one that the provider requires would be missing.
 */
export const changePaymentAccount = async (
  tx: Tx,
  payments: Payments,
  store: Pick<Store, 'id' | 'publicId'>,
  { provider: name, credentials }: AccountRequest,
): Promise<void> => {
  checkProviderName(payments, name)
  const wanted = payments.providers.get(name)?.credentials ?? []
  const unknown = Object.keys(credentials).find((field) => !wanted.includes(field))
  if (unknown !== undefined) throw refuse('CREDENTIAL_UNKNOWN', { provider: name, credential: unknown, wanted })
  if (wanted.length === 0) return
  const sealed = await readCredentials(tx, store.id, name)
  const stored = sealed === undefined ? {} : (openCredentials(payments.accounts, store.publicId, name, sealed) ?? {})
  const all: Record<string, string> = { ...stored, ...credentials }
  const missing = wanted.filter((field) => !all[field])
  if (missing.length > 0) throw refuse('CREDENTIALS_MISSING', { provider: name, missing })
  await keepCredentials(tx, store.id, name, sealCredentials(payments.accounts, store.publicId, name, all))
}
