import { erasedText } from '../../core/erased.ts'
import type { Instrument } from '../../core/instrument.ts'
import type { Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import { removeOrderedFromCart } from '../cart/remove-ordered.ts'
import type { Store } from '../context.ts'
import { grantDownloads } from '../downloads/grant.ts'
import { releaseCoupon } from '../pricing/redeem.ts'
import { isSale } from '../reports/sale-entries.sql.ts'
import { insertOrder, type NewOrder, type NewOrderLine } from './new-order.sql.ts'
import { eventsOf, type OrderEventType, recordKnownOrder, recordOrderEvents } from './order-events.ts'
import {
  type Buyer,
  type FullOrderRow,
  type LockedOrder,
  type OrderChange,
  type OrderRow,
  type SaleChange,
  type TimelineEntry,
  writeOrder,
  writeOrderForEvent,
} from './orders.sql.ts'
import { showPlaced } from './placed-order.ts'
import { isSent, type RestockedUnits, restockUnits, takeRestockedUnits } from './restock.ts'
import { hasShipment } from './shipped.sql.ts'
import { moveCounted, returnStock, takeStockAgain } from './stock.ts'

type Ctx = { store: Pick<Store, 'id'> }

/** Also after a refund of a part. */
export const isPaid = ({ paymentStatus }: Pick<OrderRow, 'paymentStatus'>) =>
  paymentStatus === 'paid' || paymentStatus === 'partially_refunded'

/** A report that comes after the customer was erased must not bring back what was paid with. */
const applyChange = (order: LockedOrder, change: OrderChange): LockedOrder => {
  const { payment, ...next } = { ...order, ...change }
  return { ...next, payment: payment !== null && order.isErased ? eraseInstrument(payment) : payment }
}

const eraseInstrument = ({ last4, upiId, ...payment }: Instrument): Instrument => ({
  ...payment,
  last4: last4 === '' ? '' : erasedText,
  upiId: upiId === '' ? '' : erasedText,
})

const write = async (
  tx: Tx,
  { store }: Ctx,
  order: LockedOrder,
  change: OrderChange,
  entries: readonly TimelineEntry[],
  more: readonly OrderEventType[] = [],
) => {
  const next = applyChange(order, change)
  const types = [...eventsOf(order.status, next.status, entries), ...more]
  const { lastSequence } = await writeOrder(tx, store.id, next, entries, types.length, saleChange(order, next))
  recordOrderEvents(tx, store, order.id, types, lastSequence)
  return next
}

/** `write` for an order that has no shipment and no refund: its event is made from what is known here. */
const writeUntouched = async (
  tx: Tx,
  { store }: Ctx,
  order: LockedOrder,
  change: OrderChange,
  entry: TimelineEntry,
  type: OrderEventType,
) => {
  const next = applyChange(order, change)
  const { lastSequence, ...told } = await writeOrderForEvent(tx, store.id, next, [entry], 1, saleChange(order, next))
  const timeline = [...told.timeline, { at: told.updatedAt.toISOString(), ...entry }]
  const { isInChain, ...row } = next
  recordKnownOrder(tx, store, { ...row, ...told, timeline, shipments: [], refunds: [] }, type, lastSequence)
  return next
}

const saleChange = (before: OrderRow, after: OrderRow): SaleChange => {
  if (isSale(before) === isSale(after)) return 0
  return isSale(after) ? 1 : -1
}

/** Writes a new order. Its units are taken by the caller. `customer` is read after the lock of the customer. */
export const placeOrder = async (
  tx: Tx,
  { store }: Ctx,
  order: NewOrder,
  lines: readonly NewOrderLine[],
  customer: Buyer['customer'],
  message: string,
): Promise<FullOrderRow> => {
  const entries = [{ type: 'placed', message }]
  const placedAt = await insertOrder(tx, store.id, order, lines, customer, entries)
  const placed = showPlaced(order, lines, customer, entries, placedAt)
  recordKnownOrder(tx, store, placed, 'order.placed', 1)
  return placed
}

/**
 * Applies a successful payment, whatever the status of the order is by now. Units that were returned to stock are taken
 * again; if there are not enough left, the order is flagged for the merchant. Idempotent.
 */
export const settleOrder = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  instrument: Instrument,
): Promise<LockedOrder> => {
  if (isPaid(order) || order.paymentStatus === 'refunded') return order
  const isLate = order.status === 'cancelled'
  const change: OrderChange = { paymentStatus: 'paid', payment: instrument, expiresAt: null }
  const paid: TimelineEntry = { type: 'paid', message: `Paid${instrument.method ? ` by ${instrument.method}` : ''}.` }
  const events = [paid]
  if (order.status === 'pending' || isLate) change.status = 'paid'
  const isReserved = order.stockState === 'reserved'
  if (isReserved) change.stockState = 'sold'
  if (isLate) {
    if (!(await takeStockAgain(tx, ctx.store.id, order))) {
      change.needsAttention = 'OUT_OF_STOCK'
      events.push({
        type: 'attention',
        message: 'Paid after the order was cancelled, and there is not enough stock left.',
      })
    } else {
      change.stockState = 'sold'
      events.push({
        type: 'reopened',
        message: 'Paid after the order was cancelled. The units were taken from stock again.',
      })
    }
  }
  // Cash orders leave the cart at checkout, so the cart may already hold items for the next order.
  const isInCart = order.paymentMethod === 'online'
  const [, , settled] = await pipeline(
    isInCart && removeOrderedFromCart(tx, ctx.store.id, order.cartId, order.lines),
    grantDownloads(tx, ctx.store.id, order),
    // Units are reserved until the order is paid, shipped or cancelled.
    isReserved ? writeUntouched(tx, ctx, order, change, paid, 'order.paid') : write(tx, ctx, order, change, events),
    isReserved && moveCounted(tx, ctx.store.id, order, 'sellReserved', 'order'),
  )
  return settled
}

/** Applies a payment to an order whose replacement, or the order it replaced, is paid too. It will be refunded. */
export const settleDuplicate = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  instrument: Instrument,
): Promise<LockedOrder> => {
  if (isPaid(order) || order.paymentStatus === 'refunded') return order
  const change: OrderChange = {
    paymentStatus: 'paid',
    payment: instrument,
    needsAttention: 'DUPLICATE_PAYMENT',
    expiresAt: null,
  }
  if (order.status === 'pending' || order.status === 'cancelled') {
    await returnStock(tx, ctx.store.id, order)
    change.status = 'paid'
    change.stockState = 'released'
  }
  return write(tx, ctx, order, change, [
    { type: 'paid', message: `Paid${instrument.method ? ` by ${instrument.method}` : ''}.` },
    { type: 'attention', message: 'Another order of the same cart was paid too. This payment will be refunded.' },
  ])
}

/** The duplicate payment was refunded. */
export const noteDuplicateRefunded = async (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> => {
  const needsAttention = order.needsAttention === 'DUPLICATE_PAYMENT' ? null : order.needsAttention
  return write(tx, ctx, order, { needsAttention }, [
    { type: 'refunded', message: 'A duplicate payment of this order was refunded.' },
  ])
}

/** The order stays open after a failed payment: the shopper can retry until it expires. Never undoes a success. */
export const noteFailedPayment = async (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> => {
  if (order.status !== 'pending' || order.paymentStatus !== 'pending') return order
  return write(tx, ctx, order, { paymentStatus: 'failed' }, [
    { type: 'payment_failed', message: 'The payment failed. It can be retried.' },
  ])
}

/** The shopper starts a new payment. The order holds its units until `holdUntil`. */
export const notePaymentRetry = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  holdUntil: Date | null,
): Promise<LockedOrder> => {
  const isRetry = order.status === 'pending' && order.paymentStatus === 'failed'
  if (!isRetry && holdUntil?.getTime() === order.expiresAt?.getTime()) return order
  const events = isRetry ? [{ type: 'payment_retried', message: 'A new payment was started.' }] : []
  return write(tx, ctx, order, { ...(isRetry ? { paymentStatus: 'pending' } : {}), expiresAt: holdUntil }, events)
}

/** `items` empty: the whole order. `restock` null: units that were not shipped go back to stock. */
export type RefundOfOrder = {
  isWhole: boolean
  items: readonly { id: string; quantity: number }[]
  restock: boolean | null
  message: string
}

const wholeRefund: RefundOfOrder = { isWhole: true, items: [], restock: null, message: 'The payment was refunded.' }

/** Applies a refund that has succeeded. A shipped order keeps its status, also when all of it is refunded. */
export const refundOrder = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  { isWhole, items, restock, message }: RefundOfOrder = wholeRefund,
): Promise<LockedOrder> => {
  if (!isPaid(order)) return order
  const change: OrderChange = { paymentStatus: isWhole ? 'refunded' : 'partially_refunded' }
  if (isWhole) change.needsAttention = null
  if (isWhole && !isSent(order)) change.status = 'refunded'
  const after = restock === false ? order : await restockUnits(tx, ctx, order, { isWhole, items, restock })
  return write(tx, ctx, after, change, [{ type: isWhole ? 'refunded' : 'partially_refunded', message }])
}

/** `paymentStatus` is the status without the refund, `restocked` the units that it had returned to stock. */
export type FailedRefund = {
  paymentStatus: OrderRow['paymentStatus']
  restocked: readonly RestockedUnits[]
  message: string
}

/** A refund has failed, perhaps after it had succeeded. Units that are still to be shipped are taken from stock again. */
export const noteRefundFailed = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  { paymentStatus, restocked, message }: FailedRefund,
): Promise<LockedOrder> => {
  const change: OrderChange = { paymentStatus, needsAttention: 'REFUND_FAILED' }
  if (order.status === 'refunded' && paymentStatus !== 'refunded') change.status = 'paid'
  const events: TimelineEntry[] = [{ type: 'refund_failed', message }]
  const after = restocked.length === 0 || isSent(order) ? order : await takeRestockedUnits(tx, ctx, order, restocked)
  if (after === null) {
    events.push({ type: 'attention', message: 'The units of the failed refund are no longer in stock.' })
  }
  return write(tx, ctx, after ?? order, change, events)
}

/** Adds what a later report says about the instrument. */
export const fillPaymentDetails = async (tx: Tx, ctx: Ctx, order: LockedOrder, more: Instrument): Promise<boolean> => {
  const known = order.payment
  if (known === null) return false
  const filled: Instrument = {
    method: known.method || more.method,
    last4: known.last4 || more.last4,
    upiId: known.upiId || more.upiId,
    reference: known.reference || more.reference,
  }
  if (filled.method === known.method && filled.last4 === known.last4 && filled.upiId === known.upiId) return false
  await write(tx, ctx, order, { payment: filled }, [])
  return true
}

/** Cancels an unpaid order and returns its units and its coupon use. Paid, ended or shipped orders stay unchanged. */
export const cancelOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, message: string): Promise<LockedOrder> => {
  if (order.status !== 'pending' || isPaid(order)) return order
  if (await hasShipment(tx, ctx.store.id, order.id)) return order
  if (order.couponId !== null) await releaseCoupon(tx, ctx.store.id, order.couponId, order.customerId)
  await returnStock(tx, ctx.store.id, order)
  return write(tx, ctx, order, { status: 'cancelled', stockState: 'released', expiresAt: null }, [
    { type: 'cancelled', message },
  ])
}

/** Flags an order for the merchant. An order has one flag, so a parcel's flag replaces only another one of a parcel. */
export const flagOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, code: string, message: string) => {
  const isKept = isParcelFlag(code) && order.needsAttention !== null && !isParcelFlag(order.needsAttention)
  const needsAttention = isKept ? order.needsAttention : code
  const more = code === 'PARCEL_RETURNED' ? (['order.returned'] as const) : []
  return write(tx, ctx, order, { needsAttention }, [{ type: 'attention', message }], more)
}

/** The merchant has decided what to do about the flag of an order. */
export const resolveAttention = (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> =>
  write(tx, ctx, order, { needsAttention: null }, [
    { type: 'resolved', message: 'The store has decided what needed its attention.' },
  ])

/** Adds an entry that changes nothing else of the order. */
export const noteOnTimeline = (tx: Tx, ctx: Ctx, order: LockedOrder, entry: TimelineEntry): Promise<LockedOrder> =>
  write(tx, ctx, order, {}, [entry])

const isParcelFlag = (code: string) => code.startsWith('PARCEL_')

const cash: Instrument = { method: 'cod', last4: '', upiId: '', reference: '' }

/** Delivery state of the whole order. `status` is null if the event does not change it. */
export type OrderDelivery = Pick<OrderRow, 'deliveryPartner' | 'estimatedDelivery' | 'trackingUrl' | 'deliveredAt'> & {
  status: 'out_for_delivery' | 'delivered' | null
}

/**
 * Applies a delivery event, whatever the status of the order was: the carrier has the goods or has delivered them.
 * `delivered` is final, and settles an order with cash on delivery. Other payments stay unchanged.
 */
export const moveOrder = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  { status, ...fields }: OrderDelivery,
  events: readonly TimelineEntry[],
): Promise<LockedOrder> => {
  if (status === null || order.status === 'delivered') {
    // A carrier has the goods, so a pending order must not expire and return its units to stock.
    const { change } = order.status === 'pending' ? await handOver(tx, ctx, order) : { change: {} }
    return write(tx, ctx, order, { ...fields, ...change, deliveredAt: order.deliveredAt }, events)
  }
  const left = await handOver(tx, ctx, order)
  const change = { ...fields, ...left.change, status, deliveryStatus: status }
  const moved = await write(tx, ctx, order, change, [...events, ...left.events])
  return status === 'delivered' && order.paymentMethod === 'cod' ? settleOrder(tx, ctx, moved, cash) : moved
}

/** The store handed a part of the order to a carrier, who has sent no event yet. */
export const noteShipment = async (tx: Tx, ctx: Ctx, order: LockedOrder, message: string): Promise<LockedOrder> => {
  const { change, events } = await handOver(tx, ctx, order)
  return write(tx, ctx, order, change, [{ type: 'shipped', message }, ...events])
}

/** Shipped units are sold and the order no longer expires. A cancelled or refunded order is flagged for the merchant. */
const handOver = async (tx: Tx, ctx: Ctx, order: LockedOrder) => {
  const change: OrderChange = { expiresAt: null }
  const events: TimelineEntry[] = []
  const flag = (code: string, message: string) => {
    change.needsAttention = code
    events.push({ type: 'attention', message })
  }
  if (order.stockState === 'reserved') {
    await moveCounted(tx, ctx.store.id, order, 'sellReserved', 'order')
    change.stockState = 'sold'
  }
  if (order.stockState === 'released') {
    if (await takeStockAgain(tx, ctx.store.id, order)) change.stockState = 'sold'
    else flag('OUT_OF_STOCK', 'Shipped, but there is not enough stock.')
  }
  if (order.status === 'cancelled' || order.status === 'refunded') {
    flag('SENT_UNPAID', `Shipped although the order was ${order.status}.`)
  }
  return { change, events }
}
