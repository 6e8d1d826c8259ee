import { refuse } from '../../core/domain-errors.ts'
import { holdOrder, refundOrder } from '../orders/settle.ts'
import { ctxOfOrder } from './callback.ts'
import { lockPayments, type PaymentRow, writePayment } from './payments.sql.ts'
import { openAccount, type PaymentCtx, type PaymentServices } from './providers.ts'
import { settleRefund } from './reconcile.ts'

/** Pays a payment back. False: the provider has taken it on, and it is not done yet. */
export const refundPayment = async (ctx: PaymentCtx, payment: PaymentRow): Promise<boolean> => {
  if (payment.amountMinor > 0) {
    const { provider, account } = await openAccount(ctx, payment.provider)
    const result = await provider.refund(account, { ...payment, paymentId: payment.id })
    if (result === 'pending') return false
  }
  await settleRefund(ctx, payment)
  return true
}

/**
 * An operator gives the money of an order back. It is queued first: when the provider cannot be reached now, or takes
 * its time, `refunded` is false and the sweep goes on with it.
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
    // Nothing was to pay, or nobody has noted who paid: there is no provider to call.
    if (paid.length === 0) await refundOrder(tx, ctx, order)
    return paid
  })
  const results = await Promise.allSettled(due.map((payment) => refundPayment(ctx, payment)))
  return { refunded: results.every((result) => result.status === 'fulfilled' && result.value) }
}
