import { createCircuits } from '../../core/circuit.ts'
import { type Clock, minutes, seconds, systemClock } from '../../core/clock.ts'
import { type Cipher, deriveCipher } from '../../core/encryption.ts'
import { fail } from '../../core/errors.ts'
import type { Instrument } from '../../core/instrument.ts'
import { deriveSigner } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import { ProviderRefused } from '../../providers/http.ts'
import { cash } from '../../providers/payment/cash.ts'
import { createJuspay } from '../../providers/payment/juspay.ts'
import {
  type PaymentProvider,
  type ProviderAccount,
  ProviderRecordMissing,
  SessionLost,
} from '../../providers/payment/provider.ts'
import { createRazorpay } from '../../providers/payment/razorpay.ts'
import { createSandbox } from '../../providers/payment/sandbox.ts'
import { createStripe } from '../../providers/payment/stripe.ts'
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

/** The context of settlement. The webhook loads only these fields of the store. */
export type SettlementCtx = Pick<PaymentCtx, 'db' | 'clock' | 'payments'> & {
  store: Pick<Store, 'id' | 'paymentProvider'>
}

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
  urls: ProviderUrls
  clock?: Clock
  /** Added to the built-in providers; one with the same name replaces it. */
  more?: readonly PaymentProvider[]
}

/** The origins of the providers' APIs. */
export type ProviderUrls = { juspay: string; razorpay: string; stripe: string }

export const createPayments = (options: PaymentOptions): Payments => {
  const { db, publicUrl, production, secrets, urls, clock = systemClock, more = [] } = options
  const pageTokens = deriveSigner(secrets, 'sandbox')
  const builtIn = builtInProviders(
    db,
    urls,
    (storeId, paymentId) => `${publicUrl}/sandbox/pay/${makePageToken(pageTokens, storeId, paymentId)}`,
  )
  return {
    providers: byName([...builtIn, ...more]),
    production,
    pageTokens,
    webhookTokens: deriveSigner(secrets, 'sandbox-webhook'),
    accounts: deriveCipher(secrets, 'payment-account'),
    circuits: createCircuits({ nowMs: clock.now, isFailure: isProviderDown }),
    detailReads: { running: 0 },
  }
}

/** A refusal, a lost session and a missing record are answers. */
const isProviderDown = (error: unknown) =>
  !(error instanceof ProviderRefused || error instanceof SessionLost || error instanceof ProviderRecordMissing)

const builtInProviders = (db: Queries, urls: ProviderUrls, pageAddress: Parameters<typeof createSandbox>[1]) => [
  createSandbox(createSandboxLedger(db), pageAddress),
  cash,
  createJuspay(urls.juspay),
  createRazorpay(urls.razorpay),
  createStripe(urls.stripe),
]

const byName = (providers: readonly PaymentProvider[]): Payments['providers'] =>
  new Map(providers.map((provider) => [provider.name, provider]))

/** For callers that only check which providers work, and have no secrets. */
export const knownProviders = (db: Queries): Payments['providers'] =>
  byName(
    builtInProviders(db, { juspay: '', razorpay: '', stripe: '' }, () => {
      throw new Error('these providers cannot start a payment')
    }),
  )

/** The provider of a payment, which may be another one than the store has now. */
export const providerOf = ({ payments }: Pick<PaymentCtx, 'payments'>, name: string): PaymentProvider => {
  const provider = payments.providers.get(name)
  if (provider === undefined) throw new Error(`there is no payment provider ${name}`)
  return provider
}

/** Fails with 503 if the store cannot take online payments. */
export const assertPayable = ({ payments, store }: Pick<PaymentCtx, 'payments' | 'store'>): void => {
  const reason = explainUnpayable(payments, store.paymentProvider)
  if (reason !== null) throw fail('SERVICE_UNAVAILABLE', reason)
}

/** A store that was read as a whole has the account of its provider. */
export type AccountOwner = Pick<Store, 'id' | 'publicId'> &
  Partial<Pick<Store, 'paymentProvider' | 'paymentCredentials'>>

/** The provider by name (a payment may have another one than the store has now), with the store's account. */
export const openAccount = async (
  { db, payments, store }: Pick<PaymentCtx, 'db' | 'payments'> & { store: AccountOwner },
  name: string,
): Promise<{ provider: PaymentProvider; account: ProviderAccount }> => {
  const provider = providerOf({ payments }, name)
  const account = { storeId: store.publicId, credentials: {} }
  if (provider.credentials.length === 0) return { provider, account }
  const known = name === store.paymentProvider ? store.paymentCredentials : null
  const sealed = known ?? (await readCredentials(db, store.id, name))
  return { provider, account: { ...account, credentials: mustOpenCredentials(payments, store.publicId, name, sealed) } }
}

/** Credentials that the service cannot work without. */
export const mustOpenCredentials = (
  { accounts }: Pick<Payments, 'accounts'>,
  storeId: string,
  provider: string,
  sealed: string | undefined,
): Record<string, string> => {
  const credentials = sealed === undefined ? null : openCredentials(accounts, storeId, provider, sealed)
  if (credentials === null) throw new Error(`the credentials of ${storeId} at ${provider} are missing or unreadable`)
  return credentials
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

/** When to ask first about a payment that is closed or failed here, but whose page can still be paid. Null: never. */
export const lateCheckOf = (
  { payments }: Pick<PaymentCtx, 'payments'>,
  { provider, expiresAt }: { provider: string; expiresAt: Date | null },
): Date | null => {
  const isPayable = payments.providers.get(provider)?.cannotClose === true && expiresAt !== null
  return isPayable ? new Date(expiresAt.getTime() + lateCheckMs) : null
}

/** When a job reads the details of a payment that its webhook lacks, unless they are there by then. */
export const detailCheckOf = (
  { payments, clock }: Pick<PaymentCtx, 'payments' | 'clock'>,
  provider: string,
  { method }: Pick<Instrument, 'method'>,
): Date | null => {
  const isLacking = method === '' && payments.providers.get(provider)?.webhook?.lacksInstrument === true
  return isLacking ? new Date(clock.now() + detailCheckMs) : null
}

const detailCheckMs = seconds(30)

/** Juspay's pages may live longer than their payment here. */
const lateCheckMs = minutes(10)
