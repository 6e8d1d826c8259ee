import { eraseJson, nameForms, phoneForms, toPersonalValues } from '../../core/erased.ts'
import type { Tx } from '../../db/database.ts'
import { listAuditToErase, replaceAuditChanges } from '../audit/erase.sql.ts'
import type { StoreId } from '../context.ts'
import { eraseDeliveryEvents, eraseLabels } from '../delivery/erase.sql.ts'
import { listEventsToErase, replaceEventData } from '../events/erase.sql.ts'
import { eraseInvoices } from '../invoices/erase.sql.ts'
import { eraseMailOfEvents } from '../mail/erase.sql.ts'
import {
  deleteSearchTerms,
  eraseNotes,
  eraseOrders,
  eraseTimeline,
  listErasedOrders,
  lockOrdersToErase,
  type OrderToErase,
} from '../orders/erase.sql.ts'
import { eraseAttempts } from '../outgoing-webhooks/erase.sql.ts'
import { erasePaymentEvents, eraseRefundTexts } from '../payments/erase.sql.ts'
import { eraseReturns } from '../returns/erase.sql.ts'

const batchSize = 50

type Batch = { after: number; values: readonly string[] }

/** `last`: the number of the last order, or null if there are no more. `values`: also those of these orders. */
export type ErasedOrders = { last: number | null; values: string[] }

/**
 * Erases the next orders of a customer. A report about one of them waits for its lock: it comes before, and is found by
 * `eraseNextTraces`, or after, and keeps nothing personal.
 */
export const eraseNextOrders = async (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  { after, values: known }: Batch,
): Promise<ErasedOrders> => {
  const orders = await lockOrdersToErase(tx, storeId, customerId, { after, limit: batchSize })
  const ids = orders.map(({ id }) => id)
  const values = [...new Set([...known, ...orders.flatMap(valuesOf)])]
  await eraseOrders(tx, storeId, ids)
  await eraseTimeline(tx, storeId, ids, values)
  await eraseRefundTexts(tx, storeId, ids, values)
  await eraseNotes(tx, storeId, ids)
  await eraseInvoices(tx, storeId, ids)
  await eraseReturns(tx, storeId, ids)
  await deleteSearchTerms(
    tx,
    storeId,
    orders.map(({ number }) => number),
  )
  return { last: lastOf(orders), values }
}

/**
 * Erases what tells of the next orders. Not in the transaction that locks them: whoever applies an event locks the event
 * first, and then the order.
 */
export const eraseNextTraces = async (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  { after, values }: Batch,
): Promise<number | null> => {
  const orders = await listErasedOrders(tx, storeId, customerId, { after, limit: batchSize })
  const ids = orders.map(({ id }) => id)
  await erasePaymentEvents(tx, storeId, ids, values)
  await eraseDeliveryEvents(tx, storeId, ids)
  await eraseLabels(tx, storeId, ids)
  await eraseEvents(tx, storeId, ids, (data) => eraseJson(data, values))
  await eraseAudit(tx, storeId, 'order', ids, (changes) => eraseJson(changes, values))
  return lastOf(orders)
}

const lastOf = (orders: readonly { number: number }[]) =>
  orders.length < batchSize ? null : (orders.at(-1)?.number ?? null)

/** What an order knows of the customer. */
const valuesOf = ({ shippingAddress, billingAddress, payment, note }: OrderToErase) =>
  toPersonalValues([
    ...[shippingAddress, billingAddress].flatMap((address) =>
      address === null
        ? []
        : [...nameForms(address.name), address.line1, address.line2, address.landmark, ...phoneForms(address.phone)],
    ),
    ...[payment?.upiId, note],
  ])

/** The events of orders or of the customer, and the mail and the deliveries that follow from them. */
export const eraseEvents = async (
  tx: Tx,
  storeId: StoreId,
  subjects: readonly string[],
  erase: (data: unknown) => unknown,
): Promise<void> => {
  const events = await listEventsToErase(tx, storeId, subjects)
  const ids = events.map(({ id }) => id)
  const erased = events.map(({ id, data }) => ({ id, data: erase(data) }))
  await replaceEventData(tx, storeId, erased)
  await eraseMailOfEvents(tx, storeId, ids)
  await eraseAttempts(tx, storeId, ids)
}

export const eraseAudit = async (
  tx: Tx,
  storeId: StoreId,
  resource: 'order' | 'customer',
  ids: readonly string[],
  erase: (changes: unknown) => unknown,
): Promise<void> => {
  const entries = await listAuditToErase(tx, storeId, resource, ids)
  const erased = entries.map(({ id, changes }) => ({ id, changes: erase(changes) }))
  await replaceAuditChanges(tx, storeId, erased)
}
