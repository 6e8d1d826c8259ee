import type { Tx } from '../../db/database.ts'
import type { StoreCtx, StoreId } from '../context.ts'
import type { EventTypeOf } from '../events/events.contract.ts'
import { recordEvent, recordEvents } from '../events/record.ts'
import type { OrderStatus } from './order.contract.ts'
import type { OrderEventData } from './order-events.contract.ts'
import { type Buyer, type FullOrderRow, orderSnapshot, type TimelineEntry } from './orders.sql.ts'
import { showOrder } from './show-order.ts'

export type OrderEventType = EventTypeOf<'order'>

/** Entries of the timeline that are events. Others, such as `reopened`, accompany one of these or change nothing. */
const typesOfEntries: Readonly<Record<string, OrderEventType>> = {
  placed: 'order.placed',
  paid: 'order.paid',
  payment_failed: 'order.payment_failed',
  cancelled: 'order.cancelled',
  shipped: 'order.shipped',
  out_for_delivery: 'order.out_for_delivery',
  delivered: 'order.delivered',
  refunded: 'order.refunded',
  partially_refunded: 'order.refunded',
  refund_failed: 'order.attention',
  attention: 'order.attention',
}

/** Statuses that an order can reach with an entry about something else, such as the first of two parcels. */
const typesOfStatuses: Readonly<Record<string, OrderEventType>> = {
  out_for_delivery: 'order.out_for_delivery',
  delivered: 'order.delivered',
}

/** What a change of an order is told as. `entries` are those that it adds to the timeline. */
export const eventsOf = (
  before: OrderStatus,
  after: OrderStatus,
  entries: readonly TimelineEntry[],
): readonly OrderEventType[] => {
  const types = entries.flatMap(({ type }) => typesOfEntries[type] ?? [])
  const reached = before === after ? undefined : typesOfStatuses[after]
  if (reached !== undefined) types.push(reached)
  // A late report about a parcel of a delivered order moves nothing.
  const isOver = before === 'delivered' && after === 'delivered'
  const isDelivery = (type: OrderEventType) => Object.values(typesOfStatuses).includes(type)
  return [...new Set(isOver ? types.filter((type) => !isDelivery(type)) : types)]
}

/** Records the state of the order at the end of the transaction. `lastSequence` is the sequence of the last of `types`. */
export const recordOrderEvents = (
  tx: Tx,
  store: { id: StoreId },
  orderId: string,
  types: readonly OrderEventType[],
  lastSequence: number,
) =>
  recordEvents(
    tx,
    store,
    types.map((type, i) => ({ type, subject: orderId, sequence: lastSequence - types.length + 1 + i })),
    orderSnapshot(store.id, orderId),
  )

/**
 * Records an order that was read already. For checkout and settlement: reading it again took more than half of the time of
 * recording (`bench:outbox`).
 */
export const recordKnownOrder = (
  tx: Tx,
  store: { id: StoreId },
  order: FullOrderRow & Buyer,
  type: OrderEventType,
  sequence: number,
) => recordEvent(tx, store, { type, subject: order.id, sequence }, order, order.customer.email !== '')

/** JSON has times as texts. */
type Stored<Row> = { [Name in keyof Row]: Date extends Row[Name] ? string | Exclude<Row[Name], Date> : Row[Name] }

export type OrderSnapshot = Stored<FullOrderRow> & Buyer

export const showOrderEvent = (
  ctx: Pick<StoreCtx, 'store' | 'publicUrl'>,
  snapshot: OrderSnapshot,
): OrderEventData => ({
  ...showOrder(ctx, readSnapshot(snapshot)),
  needsAttention: snapshot.needsAttention,
  customer: snapshot.customer,
})

export const readSnapshot = (snapshot: OrderSnapshot): FullOrderRow => ({
  ...snapshot,
  estimatedDelivery: toDate(snapshot.estimatedDelivery),
  deliveredAt: toDate(snapshot.deliveredAt),
  expiresAt: toDate(snapshot.expiresAt),
  createdAt: new Date(snapshot.createdAt),
  updatedAt: new Date(snapshot.updatedAt),
})

const toDate = (time: string | null) => (time === null ? null : new Date(time))
