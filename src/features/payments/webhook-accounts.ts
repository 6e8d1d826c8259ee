import { seconds } from '../../core/clock.ts'
import { Failure } from '../../core/errors.ts'
import { createLru } from '../../core/lru.ts'
import type { ProviderAccount } from '../../providers/payment/provider.ts'
import type { WebhookArrival } from '../access/webhooks.ts'
import type { WebhookStore } from '../stores/webhook-credentials.sql.ts'
import { findStoreOfWebhook } from './accounts.sql.ts'
import { openCredentials, type PaymentServices } from './providers.ts'

/** A store with its account at a provider. */
type WebhookAccount = { store: WebhookStore; account: ProviderAccount }

type Lookup = Pick<WebhookArrival, 'lookUp'> & {
  provider: string
  storeId: string
  /** Reads the body, so it is called only for a store with an account. */
  isGenuine(account: ProviderAccount): Promise<boolean>
}

const cacheMs = seconds(1)
const maxCached = 10_000
const maxKnown = 100_000

export type FindGenuineStore = (lookup: Lookup) => Promise<WebhookStore | undefined>

/**
 * Finds the store of a signed webhook; undefined if the signature is wrong. Providers call from the same addresses for
 * all stores, and anyone with an account there can make them call for any store. So bad calls must not stop good ones: a
 * client with too many failed attempts is judged by an account that was read within the last second.
 */
export const createGenuineStoreFinder = (services: Pick<PaymentServices, 'db' | 'payments'>): FindGenuineStore => {
  const cache = createLru<string, WebhookAccount>(maxCached, { ttl: cacheMs })
  const known = createLru<string, true>(maxKnown)

  const read = async (provider: string, storeId: string): Promise<WebhookAccount | undefined> => {
    const found = await findStoreOfWebhook(services.db, storeId, provider)
    if (found === undefined) return undefined
    const { credentials: sealed, ...store } = found
    const credentials = openCredentials(services.payments.accounts, storeId, provider, sealed)
    // Credentials that another secret encrypted open no webhook. `doctor` reports them.
    if (credentials === null) return undefined
    const account = { store, account: { storeId, credentials } }
    cache.set(`${provider} ${storeId}`, account)
    known.set(`${provider} ${storeId}`, true)
    return account
  }

  return async ({ provider, storeId, lookUp, isGenuine }) => {
    const key = `${provider} ${storeId}`
    const readNow = () => read(provider, storeId)
    let refusal: Failure | null = null
    let found: WebhookAccount | undefined
    try {
      found = await lookUp(storeId, readNow)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'RATE_LIMITED' || !known.has(key)) throw error
      refusal = error
      found = cache.get(key) ?? (await readNow())
    }
    if (found === undefined) return undefined
    if (await isGenuine(found.account)) return found.store
    if (refusal !== null) throw refusal
    // Counts as a failed attempt.
    return lookUp(storeId, async () => undefined)
  }
}
