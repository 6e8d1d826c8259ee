import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../core/errors.ts'
import { type BasicCredentials, readBasicCredentials, readHeader } from '../../core/headers.ts'
import { isIdShaped } from '../../core/ids.ts'
import { equalSecrets, hashSecret } from '../../core/secrets.ts'
import type { WebhookArrival } from '../access/webhooks.ts'
import type { Payments, Store } from '../context.ts'
import { findWebhookStore, type WebhookStore } from '../stores/webhook-credentials.sql.ts'
import type { PaymentServices } from './providers.ts'
import type { FindGenuineStore } from './webhook-accounts.ts'

export type { WebhookStore }

const sandboxUser = 'sandbox'

/** Authenticates a payment provider by `X-Store-Id` and the credentials of that store. */
export const admitProvider = async (
  services: PaymentServices,
  headers: IncomingHttpHeaders,
  lookUp: WebhookArrival['lookUp'] = (_, find) => find(),
): Promise<WebhookStore> => {
  const storeId = readHeader(headers, 'x-store-id') ?? ''
  const credentials = readBasicCredentials(headers.authorization)
  const known =
    credentials !== null && isIdShaped('store', storeId)
      ? await lookUp(storeId, () => findGenuine(services, storeId, credentials))
      : undefined
  if (known === undefined) {
    throw fail('UNAUTHORIZED', 'Send X-Store-Id and the basic credentials of the payment webhook of that store.', {
      headers: { 'www-authenticate': 'Basic realm="payment webhook", charset="UTF-8"' },
    })
  }
  return known
}

const findGenuine = async ({ db, payments }: PaymentServices, storeId: string, credentials: BasicCredentials) => {
  const known = await findWebhookStore(db, storeId, credentials.username)
  if (known === undefined || !isGenuine(payments, known, known.secretHashes, credentials)) return undefined
  const { secretHashes: _, ...store } = known
  return store
}

const isGenuine = (
  payments: Payments,
  store: WebhookStore,
  secretHashes: readonly string[],
  { username, password }: BasicCredentials,
) => {
  if (username === sandboxUser) {
    return isSandboxStore(payments, store) && payments.webhookTokens.verify(store.publicId, password)
  }
  const sent = hashSecret(password)
  return secretHashes.some((hash) => equalSecrets(sent, hash))
}

const isSandboxStore = ({ production }: Payments, store: Pick<Store, 'paymentProvider'>) =>
  store.paymentProvider === 'sandbox' && !production

export const noSuchProvider = () => fail('NOT_FOUND', 'There is no such payment provider.')

/**
 * Authenticates a provider by its own proof, over the bytes of the body where it signs them. Fails with 404 unless the
 * provider has a webhook at this kind of path, and with 401, whatever else is wrong, for a caller without that proof.
 */
export const admitSignedProvider = async (
  services: PaymentServices & { findGenuineStore: FindGenuineStore },
  { provider: name, storeIn, storeId }: { provider: string; storeIn: 'path' | 'header'; storeId: string },
  { headers, readBody, lookUp }: Pick<WebhookArrival, 'headers' | 'readBody' | 'lookUp'>,
): Promise<WebhookStore> => {
  const provider = services.payments.providers.get(name)
  const isRefused = provider?.isForTesting === true && services.payments.production
  if (!provider?.webhook || provider.webhook.storeIn !== storeIn || isRefused) throw noSuchProvider()
  const { isGenuine: isSigned } = provider.webhook
  if (isSigned === null) return admitProvider(services, headers, lookUp)
  const store = isIdShaped('store', storeId)
    ? await services.findGenuineStore({
        provider: name,
        storeId,
        lookUp,
        isGenuine: async (account) => isSigned(account, { headers, rawBody: await readBody() }, services.clock.now()),
      })
    : undefined
  if (store === undefined) throw fail('UNAUTHORIZED', 'The signature or the credentials of this webhook are not valid.')
  return store
}

/**
 * The credentials of the sandbox and the command line. They cannot know the password of a store, which is stored as a
 * hash, so theirs is derived from the secret of the service. Null if the store would refuse it.
 */
export const sandboxHeaders = (payments: Payments, store: Store): Record<string, string> | null => {
  if (!isSandboxStore(payments, store)) return null
  const credentials = `${sandboxUser}:${payments.webhookTokens.sign(store.publicId)}`
  return { 'x-store-id': store.publicId, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
