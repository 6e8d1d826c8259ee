import { fail } from '../../core/errors.ts'
import { toWire } from '../../core/money.ts'
import { answerKeyOf, claimKey, hashRequest, storeAnswer } from '../access/idempotency.ts'
import type { CustomerCtx } from '../context.ts'
import { isPaid } from '../orders/settle.ts'
import type { PaymentState } from './payments.contract.ts'
import { type OrderToPay, readOrderToPay } from './payments.sql.ts'
import { type PaymentView, readPayment, readPaymentById, showPayment, startPayment } from './sessions.ts'

/** Starts the payment of an order, or a new one after a failed payment. */
export const payOrder = async (ctx: CustomerCtx, orderId: string): Promise<PaymentState> => {
  const stored = await claim(ctx, orderId)
  if (stored !== null) return 'paymentId' in stored ? readStarted(ctx, stored) : stored
  const order = await findOrder(ctx, orderId)
  if (order.paymentMethod !== 'online') throw fail('CONFLICT', 'This order is paid on delivery.')
  if (order.status !== 'pending' || isPaid(order)) {
    throw fail('CONFLICT', 'This order is already paid or no longer open, so it needs no payment.')
  }
  const open = showOpen(ctx, order)
  const payment = open ?? (await startPayment(ctx, orderId))
  const state = showState(open === null ? await findOrder(ctx, orderId) : order, payment)
  const started: Started = { orderId, paymentId: payment.id }
  if (ctx.idempotencyKey !== null) await storeAnswer(ctx.db, answerKeyOf(ctx, route, ctx.idempotencyKey), started)
  return state
}

/**
 * The payment that a checkout has just opened, which most calls ask for: there is nothing to start, so nothing is locked.
 * `startPayment` would return the same. Null if it is not open, or no longer.
 */
const showOpen = (ctx: CustomerCtx, order: OrderToPay): PaymentView | null => {
  const { newestId: id, newestStatus: status, provider, redirectUrl, expiresAt } = order
  if (id === null || provider === null || status !== 'open') return null
  if (expiresAt !== null && expiresAt.getTime() <= ctx.clock.now()) return null
  return showPayment({ id, status, provider, redirectUrl, expiresAt })
}

const route = 'startPayment'

type Started = { orderId: string; paymentId: string }

/**
 * The provider is called outside any transaction, so the result is stored afterwards. Starting a payment is idempotent,
 * so nothing is lost if the process dies in between. Earlier versions stored the whole state.
 */
const claim = async (ctx: CustomerCtx, orderId: string): Promise<Started | PaymentState | null> => {
  const key = ctx.idempotencyKey
  if (key === null) return null
  return ctx.db.tx((tx) => claimKey(tx, answerKeyOf(ctx, route, key), hashRequest({ orderId })))
}

/** The current state of the payment that the first call started, even if another one was started since. */
const readStarted = async (ctx: CustomerCtx, { orderId, paymentId }: Started): Promise<PaymentState> => {
  const [order, payment] = await Promise.all([findOrder(ctx, orderId), readPaymentById(ctx, paymentId)])
  return showState(order, payment)
}

export const showPaymentOf = async (ctx: CustomerCtx, orderId: string): Promise<PaymentState> => {
  const order = await findOrder(ctx, orderId)
  const payment = await readPayment(ctx.db, ctx.store.id, orderId)
  if (payment === undefined) throw fail('NOT_FOUND', 'This order has no payment.')
  return showState(order, payment)
}

const findOrder = async (ctx: CustomerCtx, orderId: string): Promise<OrderToPay> => {
  const order = await readOrderToPay(ctx.db, ctx.store.id, orderId, ctx.shopper.customerId)
  if (order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  return order
}

const showState = (order: OrderToPay, payment: PaymentView): PaymentState => ({
  ...payment,
  orderId: order.id,
  orderStatus: order.status,
  paymentStatus: order.paymentStatus,
  amount: toWire(order.totalMinor, order.currency),
  currency: order.currency,
})
