import { refuse } from '../../core/domain-errors.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, CustomerCtx } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import type { Order } from '../orders/order.contract.ts'
import type { FullOrderRow } from '../orders/orders.sql.ts'
import { findOrderOf } from '../orders/orders.ts'
import { cancelOrder, isPaid } from '../orders/settle.ts'
import { showOrder } from '../orders/show-order.ts'
import { isUndecided, lockPayments } from './payments.sql.ts'
import type { PaymentCtx } from './providers.ts'
import { closePayment } from './sessions.ts'

export const cancelOrderOf = async (ctx: CustomerCtx, orderId: string): Promise<Order> => {
  await cancelUnpaid(ctx, await findOrderOf(ctx, orderId), 'Cancelled by the customer.')
  return showOrder(ctx, await findOrderOf(ctx, orderId))
}

/**
 * Cancels an unpaid order. The session is closed at the provider first, so that a cancelled order cannot be paid. The
 * order is checked again under its lock: a payment or shipment that came in between wins. `by`: the merchant, for the
 * audit log.
 */
export const cancelUnpaid = async (
  ctx: PaymentCtx,
  order: FullOrderRow,
  message: string,
  by?: Author,
): Promise<void> => {
  if (order.status === 'cancelled') return
  if (order.status !== 'pending' || isPaid(order) || order.shipments.some(({ status }) => status !== 'cancelled'))
    throw tooLate(order)
  const closed = await closePayment(ctx, order.id)
  if (closed === 'in_progress') throw refuse('ORDER_BEING_PAID', { orderId: order.id })
  await ctx.db.tx(async (tx) => {
    const held = await holdOrder(tx, ctx, order.id)
    if (held === undefined) throw new Error(`order ${order.id} has disappeared`)
    const payments = await lockPayments(tx, ctx.store.id, order.id)
    if (payments.some(isUndecided)) throw refuse('ORDER_BEING_PAID', { orderId: order.id })
    const after = await cancelOrder(tx, ctx, held, message)
    if (after.status !== 'cancelled') throw tooLate(after)
    if (by === undefined || held.status === 'cancelled') return
    const changes = { status: { before: held.status, after: after.status } }
    recordChange(tx, ctx.store, by, { action: 'order.cancelled', id: order.id, changes })
  })
}

const tooLate = ({ id, status, paymentStatus }: Pick<FullOrderRow, 'id' | 'status' | 'paymentStatus'>) =>
  refuse('ORDER_NOT_CANCELLABLE', {
    orderId: id,
    reason: status === 'pending' && paymentStatus !== 'paid' ? 'shipped' : 'paid',
  })
