import { hash } from 'node:crypto'
import { fail } from '../../core/errors.ts'
import { toWire } from '../../core/money.ts'
import { claimAnswer, keepAnswer, keptForMs } from '../access/once.ts'
import type { CustomerCtx } from '../context.ts'
import { type FullOrderRow, readOrder } from '../orders/orders.sql.ts'
import type { PaymentState } from './payments.contract.ts'
import { type PaymentView, readPayment, startPayment } from './sessions.ts'

/** Starts the payment of an order, or another one after one that failed. */
export const payOrder = async (ctx: CustomerCtx, orderId: string): Promise<PaymentState> => {
  const kept = await claim(ctx, orderId)
  if (kept !== null) return kept
  const order = await findOrder(ctx, orderId)
  if (order.paymentMethod !== 'online') throw fail('CONFLICT', 'This order is paid on delivery.')
  if (order.status !== 'pending' || order.paymentStatus === 'paid') {
    throw fail('CONFLICT', 'This order needs no payment: it is paid or over.')
  }
  const payment = await startPayment(ctx, orderId)
  const state = showState(await findOrder(ctx, orderId), payment)
  if (ctx.idempotencyKey !== null) await keepAnswer(ctx.db, placeOf(ctx), state)
  return state
}

const placeOf = ({ store, shopper, idempotencyKey }: CustomerCtx) => ({
  storeId: store.id,
  shopper: shopper.customerId,
  route: 'startPayment',
  key: idempotencyKey ?? '',
})

/** The provider is called outside of any transaction, so the answer is kept afterwards; starting twice starts once. */
const claim = async (ctx: CustomerCtx, orderId: string): Promise<PaymentState | null> => {
  if (ctx.idempotencyKey === null) return null
  const bodyHash = hash('sha256', JSON.stringify({ orderId }), 'base64url')
  const found = await ctx.db.tx((tx) => claimAnswer<PaymentState>(tx, placeOf(ctx), bodyHash, keptForMs))
  if (found.bodyHash === bodyHash) return found.answer
  throw fail('CONFLICT', 'This Idempotency-Key was already used for a different request.')
}

export const showPaymentOf = async (ctx: CustomerCtx, orderId: string): Promise<PaymentState> => {
  const order = await findOrder(ctx, orderId)
  const payment = await readPayment(ctx.db, ctx.store.id, orderId)
  if (payment === undefined) throw fail('NOT_FOUND', 'This order has no payment.')
  return showState(order, payment)
}

const findOrder = async (ctx: CustomerCtx, orderId: string): Promise<FullOrderRow> => {
  const order = await readOrder(ctx.db, ctx.store.id, orderId, ctx.shopper.customerId)
  if (order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  return order
}

const showState = (order: FullOrderRow, payment: PaymentView): PaymentState => ({
  ...payment,
  orderId: order.id,
  orderStatus: order.status,
  paymentStatus: order.paymentStatus,
  amount: toWire(order.totalMinor, order.currency),
  currency: order.currency,
})
