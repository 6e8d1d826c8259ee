import { UrlRefused } from '../../core/address-guard.ts'
import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { newWebhookSecret } from '../../core/webhook-signature.ts'
import type { Db, Queries, Tx } from '../../db/database.ts'
import { commandLine, compareFields, recordChange } from '../audit/record.ts'
import type { Author, OutgoingWebhooks, Store } from '../context.ts'
import { recordTestEvent } from '../events/record.ts'
import { insertTestDelivery } from './deliveries.sql.ts'
import { deliveryIdOf } from './delivery-id.ts'
import * as sql from './endpoints.sql.ts'
import { readSubscription } from './subscriptions.ts'

export const maxEndpoints = 20

type EndpointStore = Pick<Store, 'id' | 'publicId'>
export type EndpointCtx = {
  db: Db
  store: EndpointStore
  webhooks: Pick<OutgoingWebhooks, 'secrets' | 'guard'>
  /** Default: the command line. */
  by?: Author
}

/** The secret is returned only here. */
export const createEndpoint = async (
  { db, store, webhooks, by = commandLine }: EndpointCtx,
  given: { url: string; types: readonly string[] },
): Promise<{ id: string; secret: string }> => {
  const types = readSubscription(given.types)
  // Outside of the transaction, because it asks name servers.
  const url = await readEndpointUrl(webhooks, given.url)
  const id = newId('whk')
  const secret = newWebhookSecret()
  await db.tx(async (tx) => {
    await sql.lockEndpointCount(tx, store.id)
    if ((await sql.countEndpoints(tx, store.id)) >= maxEndpoints)
      throw refuse('WEBHOOK_LIMIT_REACHED', { maxEndpoints })
    await sql.insertEndpoint(tx, store.id, {
      id,
      url,
      types,
      secret: webhooks.secrets.seal(secret, placeOf(store, id)),
    })
    recordChange(tx, store, by, { action: 'webhook.created', id, changes: compareFields({}, { url, types }) })
  })
  return { id, secret }
}

const readEndpointUrl = async ({ guard }: EndpointCtx['webhooks'], text: string): Promise<string> => {
  try {
    await guard.check(text)
  } catch (error) {
    const reason = error instanceof UrlRefused ? error.message : 'The name servers of its host do not answer.'
    throw refuse('WEBHOOK_URL_REFUSED', { url: withoutCredentials(text), reason }, { cause: error })
  }
  return new URL(text).href
}

/** For messages, which are printed and logged. A text of another form may contain credentials anywhere before an @. */
const withoutCredentials = (text: string): string => {
  if (!text.includes('@')) return text
  const url = URL.parse(text)
  return url === null || url.host === '' ? 'The URL' : `${url.protocol}//${url.host}`
}

export const listEndpoints = (db: Queries, store: EndpointStore) => sql.listEndpoints(db, store.id)

/**
 * The new secret is returned only here. The one before is valid until `oldSecretUntil`. Refused while an older one still
 * signs, unless `force`: only two are kept, and a receiver may depend on it.
 */
export const rotateEndpointSecret = async (
  tx: Tx,
  { store, webhooks, by = commandLine }: Omit<EndpointCtx, 'db'>,
  endpointId: string,
  { force = false } = {},
): Promise<{ id: string; secret: string; oldSecretUntil: Date | null }> => {
  const { oldSecretUntil: until = null } = (await sql.lockEndpoint(tx, store.id, endpointId)) ?? {}
  if (until !== null && !force) throw refuse('WEBHOOK_ROTATED', { endpointId, until })
  const secret = newWebhookSecret()
  const sealed = webhooks.secrets.seal(secret, placeOf(store, endpointId))
  const rotated = await sql.rotateSecret(tx, store.id, endpointId, sealed)
  if (rotated === undefined) throw refuse('WEBHOOK_NOT_FOUND', { endpointId })
  recordChange(tx, store, by, { action: 'webhook.rotated', id: endpointId })
  return { id: endpointId, secret, ...rotated }
}

/** Events of the time in which it was off are not sent, unless their deliveries are asked for again. */
export const enableEndpoint = async (
  tx: Tx,
  store: EndpointStore,
  endpointId: string,
  by: Author = commandLine,
): Promise<sql.EndpointRow> => {
  const enabled = await sql.enableEndpoint(tx, store.id, endpointId)
  if (enabled === undefined) throw refuse('WEBHOOK_NOT_FOUND', { endpointId })
  recordChange(tx, store, by, { action: 'webhook.enabled', id: endpointId })
  return enabled
}

/** What waits for it is not sent: a job of the service ends it, counts it and logs it. */
export const deleteEndpoint = async (
  tx: Tx,
  store: EndpointStore,
  endpointId: string,
  by: Author = commandLine,
): Promise<void> => {
  if ((await sql.deleteEndpoint(tx, store.id, endpointId)) === 0) throw refuse('WEBHOOK_NOT_FOUND', { endpointId })
  recordChange(tx, store, by, { action: 'webhook.deleted', id: endpointId })
}

/**
 * Queues a delivery that the service sends to this endpoint at once, of an event `webhook.test`. Its type is one that no
 * endpoint subscribes to, so that no receiver mistakes it for an order.
 */
export const testEndpoint = async (
  tx: Tx,
  store: EndpointStore,
  endpointId: string,
): Promise<{ deliveryId: string }> => {
  await mustBeEnabled(tx, store, endpointId)
  const eventId = await recordTestEvent(tx, store, { endpointId })
  const deliveryId = deliveryIdOf(eventId, endpointId)
  await insertTestDelivery(tx, store.id, { id: deliveryId, endpointId, eventId })
  tx.signal('webhook', store.id)
  return { deliveryId }
}

export const mustBeEnabled = async (db: Queries, store: EndpointStore, endpointId: string): Promise<void> => {
  const endpoint = await sql.readEndpoint(db, store.id, endpointId)
  if (endpoint === undefined) throw refuse('WEBHOOK_NOT_FOUND', { endpointId })
  if (endpoint.disabledAt !== null) throw refuse('WEBHOOK_DISABLED', { endpointId })
}

/** A sealed secret opens only for its own endpoint. */
export const placeOf = ({ publicId }: Pick<Store, 'publicId'>, endpointId: string) => `${publicId} ${endpointId}`
