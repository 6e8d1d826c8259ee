import type { Tx } from '../../db/database.ts'
import { takeOrderedFromCart } from '../cart/ordered.ts'
import type { StoreCtx } from '../context.ts'
import { releaseCoupon } from '../pricing/redeem.ts'
import type { Instrument } from './order.contract.ts'
import { type LockedOrder, lockCartOf, lockOrder, type NewEvent, type OrderChange, writeOrder } from './orders.sql.ts'
import { returnStock, tryMoveStock } from './stock.ts'

type Ctx = Pick<StoreCtx, 'store'>

/** The cart first, then the order: see lockCartOf. Undefined when the store has no such order. */
export const holdOrder = async (tx: Tx, { store }: Ctx, orderId: string): Promise<LockedOrder | undefined> => {
  await lockCartOf(tx, store.id, orderId)
  return lockOrder(tx, store.id, orderId)
}

const write = async (tx: Tx, { store }: Ctx, order: LockedOrder, change: OrderChange, events: readonly NewEvent[]) => {
  const next: LockedOrder = { ...order, ...change }
  await writeOrder(tx, store.id, next, events)
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
  const events: NewEvent[] = [{ type: 'paid', message: `Paid${instrument.method ? ` by ${instrument.method}` : ''}.` }]
  if (order.status === 'pending' || isLate) change.status = 'paid'
  if (order.stockState === 'reserved') {
    const missing = await tryMoveStock(tx, ctx.store.id, order, 'sellReserved')
    if (missing.length > 0) throw new Error(`order ${order.id} holds units of variants without stock: ${missing}`)
    change.stockState = 'sold'
  }
  if (isLate) {
    const missing = await tryAgain(tx, ctx, order)
    if (missing) {
      change.needsAttention = 'OUT_OF_STOCK'
      events.push({ type: 'attention', message: 'Paid after it was cancelled, and there is not enough stock left.' })
    } else {
      change.stockState = 'sold'
      events.push({ type: 'reopened', message: 'Paid after it was cancelled. The stock was taken again.' })
    }
  }
  await takeOrderedFromCart(tx, ctx.store.id, order.cartId, order.lines)
  return write(tx, ctx, order, change, events)
}

/** All units or none: what a part of the statement took is given back. True when something is missing. */
const tryAgain = async (tx: Tx, { store }: Ctx, order: LockedOrder): Promise<boolean> => {
  const missing = new Set(await tryMoveStock(tx, store.id, order, 'sell'))
  if (missing.size === 0) return false
  const taken = { ...order, lines: order.lines.filter(({ variantId }) => !missing.has(variantId)) }
  if (taken.lines.length > 0) await tryMoveStock(tx, store.id, taken, 'restock')
  return true
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

/** The money went back. What was not sent yet is not sent any more. */
export const refundOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder): Promise<LockedOrder> => {
  if (order.paymentStatus !== 'paid') return order
  const isAway = order.status === 'out_for_delivery' || order.status === 'delivered'
  const change: OrderChange = { paymentStatus: 'refunded', needsAttention: null }
  if (!isAway) {
    await returnStock(tx, ctx.store.id, order)
    change.status = 'refunded'
    change.stockState = 'released'
  }
  return write(tx, ctx, order, change, [{ type: 'refunded', message: 'The payment was refunded.' }])
}

/** An order that ends unpaid gives everything back. One that is over, paid or on its way stays as it is. */
export const cancelOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, message: string): Promise<LockedOrder> => {
  if (order.status !== 'pending' || order.paymentStatus === 'paid') return order
  if (order.couponId !== null) await releaseCoupon(tx, ctx.store.id, order.couponId, order.customerId)
  await returnStock(tx, ctx.store.id, order)
  return write(tx, ctx, order, { status: 'cancelled', stockState: 'released', expiresAt: null }, [
    { type: 'cancelled', message },
  ])
}

/** For the merchant: something about the order needs a person. */
export const flagOrder = async (tx: Tx, ctx: Ctx, order: LockedOrder, code: string, message: string) =>
  write(tx, ctx, order, { needsAttention: code }, [{ type: 'attention', message }])
