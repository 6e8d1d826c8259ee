import { type Cipher, deriveCipher } from '../../core/encryption.ts'
import { fail } from '../../core/errors.ts'
import { deriveSigner } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import { cash } from '../../providers/payment/cash.ts'
import type { PaymentProvider, ProviderAccount } from '../../providers/payment/provider.ts'
import { createSandbox } from '../../providers/payment/sandbox.ts'
import { explainUnpayable } from '../catalog/payment-methods.ts'
import type { Payments, Services, Store } from '../context.ts'
import { readCredentials } from './accounts.sql.ts'
import { createSandboxLedger } from './sandbox.sql.ts'
import { makePageToken } from './sandbox-token.ts'

/** The context of payment use cases. Jobs add `providerCalls` for their own time limit. */
export type PaymentCtx = Pick<Services, 'db' | 'clock' | 'publicUrl' | 'payments'> & {
  store: Store
  providerCalls?: ProviderCalls
}

/** The time limit of a call to a provider, and the signal that aborts it earlier (call-provider.ts). */
export type ProviderCalls = { limitMs: number; signal: AbortSignal }

/** The same without a store, for callers that have yet to find the store. */
export type PaymentServices = Omit<PaymentCtx, 'store' | 'providerCalls'>

/** The database queries count towards the share of the store from here on. */
export const forStore = <Known extends Pick<Store, 'id'>>(services: PaymentServices, store: Known) => ({
  ...services,
  db: services.db.forStore(store.id),
  store,
})

export type PaymentOptions = {
  db: Queries
  publicUrl: string
  production: boolean
  secrets: readonly string[]
  /** Added to the built-in providers; one with the same name replaces it. */
  more?: readonly PaymentProvider[]
}

export const createPayments = ({ db, publicUrl, production, secrets, more = [] }: PaymentOptions): Payments => {
  const pageTokens = deriveSigner(secrets, 'sandbox')
  const builtIn = builtInProviders(
    db,
    (storeId, paymentId) => `${publicUrl}/sandbox/pay/${makePageToken(pageTokens, storeId, paymentId)}`,
  )
  return {
    providers: byName([...builtIn, ...more]),
    production,
    pageTokens,
    webhookTokens: deriveSigner(secrets, 'sandbox-webhook'),
    accounts: deriveCipher(secrets, 'payment-account'),
  }
}

const builtInProviders = (db: Queries, pageAddress: Parameters<typeof createSandbox>[1]) => [
  createSandbox(createSandboxLedger(db), pageAddress),
  cash,
]

const byName = (providers: readonly PaymentProvider[]): Payments['providers'] =>
  new Map(providers.map((provider) => [provider.name, provider]))

/** For callers that only check which providers work, and have no secrets. */
export const knownProviders = (db: Queries): Payments['providers'] =>
  byName(
    builtInProviders(db, () => {
      throw new Error('these providers cannot start a payment')
    }),
  )

/** Fails with 503 if the store cannot take online payments. */
export const assertPayable = ({ payments, store }: Pick<PaymentCtx, 'payments' | 'store'>): void => {
  const reason = explainUnpayable(payments, store.paymentProvider)
  if (reason !== null) throw fail('SERVICE_UNAVAILABLE', reason)
}

/** The provider by name (a payment may have another one than the store has now), with the store's account. */
export const openAccount = async (
  { db, payments, store }: Pick<PaymentCtx, 'db' | 'payments'> & { store: Pick<Store, 'id' | 'publicId'> },
  name: string,
): Promise<{ provider: PaymentProvider; account: ProviderAccount }> => {
  const provider = payments.providers.get(name)
  if (provider === undefined) throw new Error(`there is no payment provider ${name}`)
  const account = { storeId: store.publicId, credentials: {} }
  if (provider.credentials.length === 0) return { provider, account }
  const sealed = await readCredentials(db, store.id, name)
  const credentials = sealed === undefined ? null : openCredentials(payments.accounts, store.publicId, name, sealed)
  if (credentials === null) throw new Error(`the credentials of ${store.publicId} at ${name} are missing or unreadable`)
  return { provider, account: { ...account, credentials } }
}

const sealContextOf = (storeId: string, provider: string) => `${storeId} ${provider}`

export const sealCredentials = (
  cipher: Cipher,
  storeId: string,
  provider: string,
  credentials: Record<string, string>,
) => cipher.seal(JSON.stringify(credentials), sealContextOf(storeId, provider))

export const openCredentials = (
  cipher: Cipher,
  storeId: string,
  provider: string,
  sealed: string,
): Record<string, string> | null => {
  const text = cipher.open(sealed, sealContextOf(storeId, provider))
  return text === null ? null : JSON.parse(text)
}
