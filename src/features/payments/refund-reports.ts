import { toMinor } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import type { ReportedRefund } from '../../providers/payment/provider.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { flagOrder } from '../orders/settle.ts'
import type { Applied } from './inbox.sql.ts'
import type { PaymentRow } from './payments.sql.ts'
import type { SettlementCtx } from './providers.ts'
import {
  applySuccess,
  type HeldRefunds,
  recordRefund,
  refundableMinor,
  refundMismatch,
  settleRefund,
} from './settle-refund.ts'

/** Whether a report is about a whole payment, because it names no refund. */
const isAboutAll = ({ refundId, reference }: ReportedRefund) => refundId === null && reference === null

/** Why reported refunds do not fit an order; null if they do. */
export const findRefundMismatch = (order: LockedOrder, reported: readonly ReportedRefund[]): string | null => {
  for (const refund of reported) {
    if (refund.currency !== order.currency) {
      return `The currency is ${refund.currency}, but the order is in ${order.currency}.`
    }
    const amountMinor = toMinor(refund.amount, order.currency) ?? 0
    const isRight = isAboutAll(refund)
      ? amountMinor === order.totalMinor
      : amountMinor > 0 && amountMinor <= order.totalMinor
    if (!isRight) return `The amount ${refund.amount} does not fit the total of the order.`
  }
  return null
}

/**
 * Applies the refunds that an event reports for a payment. One that Vitrine did not request was made at the provider, for
 * example in its dashboard, and is added.
 */
export const applyRefundReport = async (
  tx: Tx,
  ctx: SettlementCtx,
  held: HeldRefunds,
  payment: PaymentRow,
  reported: readonly ReportedRefund[],
): Promise<Applied> => {
  const [first] = reported
  if (first !== undefined && isAboutAll(first)) return applyWholeRefund(tx, ctx, held, payment)
  let now = held
  for (const refund of reported) {
    const next = await applyOne(tx, ctx, now, payment, refund)
    if ('outcome' in next) return next
    now = next
  }
  return now === held
    ? { outcome: 'no_effect', detail: 'The refund is already recorded.' }
    : { outcome: 'applied', detail: 'The refund is recorded.' }
}

const applyOne = async (
  tx: Tx,
  ctx: SettlementCtx,
  held: HeldRefunds,
  payment: PaymentRow,
  reported: ReportedRefund,
): Promise<HeldRefunds | Applied> => {
  const { order, refunds } = held
  const { refundId, reference, status, detail } = reported
  const amountMinor = toMinor(reported.amount, order.currency) ?? 0
  const known = refunds.find(
    (refund) =>
      refund.paymentId === payment.id &&
      (refund.id === refundId || (reference !== null && refund.reference === reference)),
  )
  if (known !== undefined) {
    const settled = await settleRefund(tx, ctx, held, known, reported)
    return settled === 'mismatch' ? { outcome: settled, detail: refundMismatch } : (settled ?? held)
  }
  if (status === 'failed') return held
  if (amountMinor > refundableMinor(payment, refunds)) {
    await flagOrder(tx, ctx, order, 'REFUND_MISMATCH', refundMismatch)
    return { outcome: 'mismatch', detail: refundMismatch }
  }
  // Which units it was for is not known, so none go back to stock unless all of the payment was refunded.
  const restock = amountMinor === payment.amountMinor ? null : false
  const made = { orderId: order.id, paymentId: payment.id, amountMinor, items: [], restock, reason: 'provider' }
  const added = await recordRefund(tx, ctx, { ...made, status, reference, detail }, ctx.clock.now())
  const now = { ...held, refunds: [...refunds, added] }
  return status === 'succeeded' ? applySuccess(tx, ctx, now, added) : now
}

/** What is pending has succeeded, and what is left is refunded too. */
const applyWholeRefund = async (
  tx: Tx,
  ctx: SettlementCtx,
  held: HeldRefunds,
  payment: PaymentRow,
): Promise<Applied> => {
  const { order } = held
  if (payment.status === 'refunded') return { outcome: 'no_effect', detail: 'The payment is already refunded.' }
  let now = held
  for (const refund of held.refunds) {
    if (refund.paymentId !== payment.id || refund.status !== 'pending') continue
    const succeeded = { status: 'succeeded', reference: null, detail: '' } as const
    const settled = await settleRefund(tx, ctx, now, refund, succeeded)
    if (settled !== null && settled !== 'mismatch') now = settled
  }
  const left = refundableMinor(payment, now.refunds)
  if (left > 0) {
    const rest = { orderId: order.id, paymentId: payment.id, amountMinor: left, items: [], restock: null }
    const state = { status: 'succeeded', reference: null, reason: 'provider', detail: '' } as const
    await applySuccess(tx, ctx, now, await recordRefund(tx, ctx, { ...rest, ...state }, ctx.clock.now()))
  }
  return { outcome: 'applied', detail: 'The payment is refunded.' }
}
