import { refuse } from '../../core/domain-errors.ts'
import { isIdShaped } from '../../core/ids.ts'
import type { Db, Queries } from '../../db/database.ts'
import { commandLine, recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import * as sql from './deliveries.sql.ts'
import { endpointIdIn } from './delivery-id.ts'
import { findStoreOfEndpoint } from './endpoints.sql.ts'
import { mustBeEnabled } from './endpoints.ts'

type DeliveryStore = Pick<Store, 'id' | 'publicId'>

export const maxDeliveriesListed = 1000

export type DeliveryQuery = Omit<sql.DeliveryFilter, 'state'> & { state: string | null }

/** Newest first, with the last attempt of each. */
export const listDeliveries = (db: Queries, store: DeliveryStore, query: DeliveryQuery) => {
  const state = query.state === null ? null : sql.deliveryStates.find((known) => known === query.state)
  if (state === undefined)
    throw refuse('DELIVERY_STATE_UNKNOWN', { state: query.state ?? '', states: sql.deliveryStates })
  return sql.listDeliveries(db, store.id, { ...query, state, limit: Math.min(query.limit, maxDeliveriesListed) })
}

export const readDelivery = async (db: Queries, store: DeliveryStore, deliveryId: string): Promise<sql.DeliveryRow> => {
  const found = await sql.readDelivery(db, store.id, deliveryId)
  if (found === undefined) throw refuse('DELIVERY_NOT_FOUND', { deliveryId })
  return found
}

/** The public id of the store of an endpoint. Undefined if there is no such endpoint. */
export const findWebhookStoreId = async (db: Queries, endpointId: string): Promise<string | undefined> =>
  isIdShaped('whk', endpointId) ? findStoreOfEndpoint(db, endpointId) : undefined

/** Sends an event again, with all attempts, whether it was delivered or not. The same id tells the receiver. */
export const redeliver = async (
  db: Db,
  store: DeliveryStore,
  deliveryId: string,
  by: Author = commandLine,
): Promise<void> => {
  const endpointId = isIdShaped('dlv', deliveryId) ? endpointIdIn(deliveryId) : null
  if (endpointId === null) throw refuse('DELIVERY_NOT_FOUND', { deliveryId })
  await db.tx(async (tx) => {
    const { type } = await readDelivery(tx, store, deliveryId)
    // Its event is deleted, and the delivery soon is.
    if (type === null) throw refuse('DELIVERY_NOT_FOUND', { deliveryId })
    await mustBeEnabled(tx, store, endpointId)
    if ((await sql.resetDelivery(tx, store.id, deliveryId)) === 0) throw refuse('DELIVERY_IN_PROGRESS', { deliveryId })
    tx.signal('webhook', store.id)
    recordChange(tx, store, by, { action: 'webhook_delivery.redelivered', id: deliveryId })
  })
}

/**
 * Sends again what failed for good, of one endpoint or of all that are on. In batches, so that a million of them hold no
 * lock for long. Returns how many.
 */
export const redeliverFailed = async (db: Db, store: DeliveryStore, endpointId: string | null): Promise<number> => {
  if (endpointId !== null) await mustBeEnabled(db, store, endpointId)
  let count = 0
  let after = ''
  for (;;) {
    const reset = await db.tx(async (tx) => {
      tx.signal('webhook', store.id)
      return sql.resetFailedDeliveries(tx, store.id, endpointId, after)
    })
    count += reset.length
    if (reset.length < sql.resetBatchSize) return count
    // Later batches start behind it, so that those that fail again meanwhile are not taken twice.
    for (const { id } of reset) if (id > after) after = id
  }
}
