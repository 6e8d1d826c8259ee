import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../core/errors.ts'
import { readHeader } from '../../core/headers.ts'
import { isIdShaped } from '../../core/ids.ts'
import { equalSecrets, hashSecret } from '../../core/secrets.ts'
import type { Payments, Store } from '../context.ts'
import { findWebhookStore, type WebhookStore } from '../stores/webhook-credentials.sql.ts'
import type { PaymentServices } from './providers.ts'

export type { WebhookStore }

const sandboxUser = 'sandbox'

/** Authenticates a payment provider by `X-Store-Id` and the credentials of that store. */
export const admitProvider = async (
  services: PaymentServices,
  headers: IncomingHttpHeaders,
  lookUp: (find: () => Promise<WebhookStore | undefined>) => Promise<WebhookStore | undefined> = (find) => find(),
): Promise<WebhookStore> => {
  const storeId = readHeader(headers, 'x-store-id') ?? ''
  const credentials = readBasic(headers.authorization)
  const known =
    credentials !== null && isIdShaped('store', storeId)
      ? await lookUp(() => findGenuine(services, storeId, credentials))
      : undefined
  if (known === undefined) {
    throw fail('UNAUTHORIZED', 'Send X-Store-Id and the basic credentials of the payment webhook of that store.', {
      headers: { 'www-authenticate': 'Basic realm="payment webhook", charset="UTF-8"' },
    })
  }
  return known
}

type Credentials = { username: string; password: string }

const findGenuine = async ({ db, payments }: PaymentServices, storeId: string, credentials: Credentials) => {
  const known = await findWebhookStore(db, storeId, credentials.username)
  if (known === undefined || !isGenuine(payments, known, known.secretHashes, credentials)) return undefined
  const { secretHashes: _, ...store } = known
  return store
}

const isGenuine = (
  payments: Payments,
  store: WebhookStore,
  secretHashes: readonly string[],
  { username, password }: Credentials,
) => {
  if (username === sandboxUser) {
    return isSandboxStore(payments, store) && payments.webhookTokens.verify(store.publicId, password)
  }
  const sent = hashSecret(password)
  return secretHashes.some((hash) => equalSecrets(sent, hash))
}

const isSandboxStore = ({ production }: Payments, store: Pick<Store, 'paymentProvider'>) =>
  store.paymentProvider === 'sandbox' && !production

/**
 * The credentials of the sandbox and the command line. They cannot know the password of a store, which is stored as a
 * hash, so theirs is derived from the secret of the service. Null if the store would refuse it.
 */
export const sandboxHeaders = (payments: Payments, store: Store): Record<string, string> | null => {
  if (!isSandboxStore(payments, store)) return null
  const credentials = `${sandboxUser}:${payments.webhookTokens.sign(store.publicId)}`
  return { 'x-store-id': store.publicId, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

const readBasic = (header: string | undefined): Credentials | null => {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0') || !text.isWellFormed()) return null
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
