import { refuse } from '../../core/domain-errors.ts'
import { holdOrder, refundOrder } from '../orders/settle.ts'
import { callProvider } from './call-provider.ts'
import { ctxOfOrder } from './callback.ts'
import { lockPayments, type PaymentRow, writePayment } from './payments.sql.ts'
import type { PaymentCtx, PaymentServices } from './providers.ts'
import { settleRefund } from './reconcile.ts'

/** Refunds a payment. False if the provider has accepted the refund but not completed it. */
export const refundPayment = async (ctx: PaymentCtx, payment: PaymentRow): Promise<boolean> => {
  if (payment.amountMinor > 0) {
    const result = await callProvider(ctx, payment.provider, (provider, account, signal) =>
      provider.refund(account, { ...payment, paymentId: payment.id }, signal),
    )
    if (result === 'pending') return false
  }
  await settleRefund(ctx, payment)
  return true
}

/**
 * Refunds an order for an operator. The refund is queued first: if the provider cannot be reached or has only accepted
 * it, `refunded` is false and the refund job continues.
 */
export const refundOrderById = async (services: PaymentServices, orderId: string): Promise<{ refunded: boolean }> => {
  const ctx = await ctxOfOrder(services, orderId)
  if (ctx === undefined) throw refuse('ORDER_NOT_FOUND', { order: orderId })
  const due = await ctx.db.tx(async (tx) => {
    const order = await holdOrder(tx, ctx, orderId)
    if (order?.paymentStatus !== 'paid') throw refuse('NOTHING_TO_REFUND', { order: orderId })
    const paid = (await lockPayments(tx, ctx.store.id, orderId)).filter(({ status }) => status === 'paid')
    for (const { id } of paid) {
      await writePayment(tx, ctx.store.id, id, { status: 'paid', reference: null, refundDue: true })
    }
    // The total was 0 or no payment is on record, so there is no provider to call.
    if (paid.length === 0) await refundOrder(tx, ctx, order)
    return paid
  })
  const results = await Promise.allSettled(due.map((payment) => refundPayment(ctx, payment)))
  return { refunded: results.every((result) => result.status === 'fulfilled' && result.value) }
}
