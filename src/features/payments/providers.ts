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
import { createSandboxBook } from './sandbox.sql.ts'
import { makePageToken } from './sandbox-token.ts'

/** What use cases about payments need. A request's context fits, and so does that of a job, which sets its own limit. */
export type PaymentCtx = Pick<Services, 'db' | 'clock' | 'publicUrl' | 'payments'> & {
  store: Store
  providerCalls?: ProviderCalls
}

/** How long a provider may take to answer, and what ends the wait early (call-provider.ts). */
export type ProviderCalls = { limitMs: number; signal: AbortSignal }

/** The same without a store: for those who have yet to find out whose payment it is. */
export type PaymentServices = Omit<PaymentCtx, 'store' | 'providerCalls'>

/** Once it is known whose payment it is, the rest is the work of that store. */
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
  /** Besides those that are built in, or in their place. */
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
  createSandbox(createSandboxBook(db), pageAddress),
  cash,
]

const byName = (providers: readonly PaymentProvider[]): Payments['providers'] =>
  new Map(providers.map((provider) => [provider.name, provider]))

/** For those who only ask what a store can be paid with, which takes no secrets. */
export const knownProviders = (db: Queries): Payments['providers'] =>
  byName(
    builtInProviders(db, () => {
      throw new Error('no payment is started here')
    }),
  )

/** Ends a request of a store that cannot be paid online with 503. */
export const assertPayable = ({ payments, store }: Pick<PaymentCtx, 'payments' | 'store'>): void => {
  const reason = explainUnpayable(payments, store.paymentProvider)
  if (reason !== null) throw fail('SERVICE_UNAVAILABLE', reason)
}

/** The provider of a payment, which may be another one than the store has now, and the store's account with it. */
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
