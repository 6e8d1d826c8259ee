import type { Instrument } from '../../core/instrument.ts'
import type { Tx } from '../../db/database.ts'
import { takeOrderedFromCart } from '../cart/ordered.ts'
import type { Store } from '../context.ts'
import { grantDownloads } from '../downloads/grant.ts'
import { releaseCoupon } from '../pricing/redeem.ts'
import {
  type LockedOrder,
  lockCartOf,
  lockOrder,
  type OrderChange,
  type OrderRow,
  type TimelineEntry,
  writeOrder,
} from './orders.sql.ts'
import { hasShipment } from './shipped.sql.ts'
import { moveCounted, returnStock, takeStockAgain } from './stock.ts'

type Ctx = { store: Pick<Store, 'id'> }

/** The cart first, then the order: see lockCartOf. Undefined when the store has no such order. */
export const holdOrder = (tx: Tx, { store }: Ctx, orderId: string): Promise<LockedOrder | undefined> => {
  tx.later(lockCartOf(tx, store.id, orderId))
  return lockOrder(tx, store.id, orderId)
}

const write = (tx: Tx, { store }: Ctx, order: LockedOrder, change: OrderChange, events: readonly TimelineEntry[]) => {
  const next: LockedOrder = { ...order, ...change }
  tx.later(writeOrder(tx, store.id, next, events))
  return next
}

/**
 * The money is here. Whatever the order has become meanwhile, the payment counts: units that were given back are taken
 * again, and where there are none left the order says that somebody must look at it. Nothing is done twice.
 */
export const settleOrder = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  instrument: Instrument,
): Promise<LockedOrder> => {
  if (order.paymentStatus === 'paid' || order.paymentStatus === 'refunded') return order
  const isLate = order.status === 'cancelled'
  const change: OrderChange = { paymentStatus: 'paid', payment: instrument, expiresAt: null }
  const events: TimelineEntry[] = [
    { type: 'paid', message: `Paid${instrument.method ? ` by ${instrument.method}` : ''}.` },
  ]
  if (order.status === 'pending' || isLate) change.status = 'paid'
  if (order.stockState === 'reserved') {
    await moveCounted(tx, ctx.store.id, order, 'sellReserved')
    change.stockState = 'sold'
  }
  if (isLate) {
    if (!(await takeStockAgain(tx, ctx.store.id, order))) {
      change.needsAttention = 'OUT_OF_STOCK'
      events.push({ type: 'attention', message: 'Paid after it was cancelled, and there is not enough stock left.' })
    } else {
      change.stockState = 'sold'
      events.push({ type: 'reopened', message: 'Paid after it was cancelled. The stock was taken again.' })
    }
  }
  // What is paid on delivery left the cart when it was ordered, and what lies there now is for the next order.
  if (order.paymentMethod === 'online') tx.later(takeOrderedFromCart(tx, ctx.store.id, order.cartId, order.lines))
  tx.later(grantDownloads(tx, ctx.store.id, order))
  return write(tx, ctx, order, change, events)
}

/** Paid, and so was the order that took its place or whose place it took. Its units are for others: the money goes back. */
export const settleDuplicate = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  instrument: Instrument,
): Promise<LockedOrder> => {
  if (order.paymentStatus === 'paid' || order.paymentStatus === 'refunded') return order
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
    { type: 'attention', message: 'Another order of the same cart was paid too. This payment is paid back.' },
  ])
}

/** An order that was paid twice is paid once again. */
export const noteDuplicateRefunded = async (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> => {
  const needsAttention = order.needsAttention === 'DUPLICATE_PAYMENT' ? null : order.needsAttention
  return write(tx, ctx, order, { needsAttention }, [
    { type: 'refunded', message: 'A second payment of this order was refunded.' },
  ])
}

/** A failed attempt leaves the order open: the shopper may try again until it expires. It never undoes a success. */
export const noteFailedPayment = async (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> => {
  if (order.status !== 'pending' || order.paymentStatus !== 'pending') return order
  return write(tx, ctx, order, { paymentStatus: 'failed' }, [
    { type: 'payment_failed', message: 'The payment failed. It can be tried again.' },
  ])
}

/** A new attempt to pay begins. */
export const notePaymentRetry = async (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> => {
  if (order.status !== 'pending' || order.paymentStatus !== 'failed') return order
  return write(tx, ctx, order, { paymentStatus: 'pending' }, [
    { type: 'payment_retried', message: 'A new payment was started.' },
  ])
}

/** The money went back. What was not sent yet is not sent any more; what a carrier has is not in stock. */
export const refundOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> => {
  if (order.paymentStatus !== 'paid') return order
  const isAway = order.status === 'out_for_delivery' || order.status === 'delivered'
  const change: OrderChange = { paymentStatus: 'refunded', needsAttention: null }
  if (!isAway) change.status = 'refunded'
  if (!isAway && !(await hasShipment(tx, ctx.store.id, order.id))) {
    await returnStock(tx, ctx.store.id, order)
    change.stockState = 'released'
  }
  return write(tx, ctx, order, change, [{ type: 'refunded', message: 'The payment was refunded.' }])
}

/** An order that ends unpaid gives everything back. One that is over, paid or with a carrier stays as it is. */
export const cancelOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, message: string): Promise<LockedOrder> => {
  if (order.status !== 'pending' || order.paymentStatus === 'paid') return order
  if (await hasShipment(tx, ctx.store.id, order.id)) return order
  if (order.couponId !== null) await releaseCoupon(tx, ctx.store.id, order.couponId, order.customerId)
  await returnStock(tx, ctx.store.id, order)
  return write(tx, ctx, order, { status: 'cancelled', stockState: 'released', expiresAt: null }, [
    { type: 'cancelled', message },
  ])
}

/** For the merchant: something about the order needs a person. */
export const flagOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, code: string, message: string) =>
  write(tx, ctx, order, { needsAttention: code }, [{ type: 'attention', message }])

const cash: Instrument = { method: 'cod', last4: '', upiId: '', reference: '' }

/** What a carrier says of the whole order; `status` is null when nothing has moved. */
export type DeliveryNews = Pick<OrderRow, 'deliveryPartner' | 'estimatedDelivery' | 'trackingUrl' | 'deliveredAt'> & {
  status: 'out_for_delivery' | 'delivered' | null
}

/**
 * A carrier has the goods or has delivered them, whatever the order was before: that is a fact, and what was paid stays
 * as it is. Delivered is the end. With cash on delivery it is also the payment.
 */
export const moveOrder = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  { status, ...fields }: DeliveryNews,
  events: readonly TimelineEntry[],
): Promise<LockedOrder> => {
  if (status === null || order.status === 'delivered') {
    // Wherever it is, a carrier has it, and it does not come back by itself when it is not paid in time.
    const { change } = order.status === 'pending' ? await letGo(tx, ctx, order) : { change: {} }
    return write(tx, ctx, order, { ...fields, ...change, deliveredAt: order.deliveredAt }, events)
  }
  const left = await letGo(tx, ctx, order)
  const change = { ...fields, ...left.change, status, deliveryStatus: status }
  const moved = await write(tx, ctx, order, change, [...events, ...left.events])
  return status === 'delivered' && order.paymentMethod === 'cod' ? settleOrder(tx, ctx, moved, cash) : moved
}

/** Something of the order was handed to a carrier, who has not been heard of yet. */
export const noteShipment = async (tx: Tx, ctx: Ctx, order: LockedOrder, message: string): Promise<LockedOrder> => {
  const { change, events } = await letGo(tx, ctx, order)
  return write(tx, ctx, order, change, [{ type: 'shipped', message }, ...events])
}

/** What leaves is sold and can no longer expire. When the order was over, somebody must look at it. */
const letGo = async (tx: Tx, ctx: Ctx, order: LockedOrder) => {
  const change: OrderChange = { expiresAt: null }
  const events: TimelineEntry[] = []
  const flag = (code: string, message: string) => {
    change.needsAttention = code
    events.push({ type: 'attention', message })
  }
  if (order.stockState === 'reserved') {
    await moveCounted(tx, ctx.store.id, order, 'sellReserved')
    change.stockState = 'sold'
  }
  if (order.stockState === 'released') {
    if (await takeStockAgain(tx, ctx.store.id, order)) change.stockState = 'sold'
    else flag('OUT_OF_STOCK', 'It was sent, and there is not enough stock of it.')
  }
  if (order.status === 'cancelled' || order.status === 'refunded') {
    flag('SENT_UNPAID', `It was sent although it was ${order.status}.`)
  }
  return { change, events }
}
