import { newId } from '../../core/ids.ts'
import { describeAmount } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import type { PaymentProvider, RefundResult } from '../../providers/payment/provider.ts'
import type { StoreId } from '../context.ts'
import { endDelivery } from '../orders/end-delivery.ts'
import { countRefunded, type LockedOrder } from '../orders/orders.sql.ts'
import { listRestocked } from '../orders/restock.ts'
import { flagOrder, isPaid, noteDuplicateRefunded, noteRefundFailed, refundOrder } from '../orders/settle.ts'
import { refreshToShip } from '../orders/to-ship.sql.ts'
import { type PaymentRow, writePayment } from './payments.sql.ts'
import { taxesOfRefund } from './refund-taxes.ts'
import { insertRefund, type NewRefund, noteRestocked, type RefundRow, writeRefund } from './refunds.sql.ts'

type Ctx = { store: { id: StoreId } }

/** An order with its payments and refunds, all locked. */
export type HeldRefunds = { order: LockedOrder; payments: readonly PaymentRow[]; refunds: readonly RefundRow[] }

/** What of a payment is neither refunded nor being refunded. */
export const refundableMinor = ({ id, amountMinor }: PaymentRow, refunds: readonly RefundRow[]): number =>
  amountMinor - sumOf(refunds.filter(({ paymentId, status }) => paymentId === id && status !== 'failed'))

const sumOf = (refunds: readonly RefundRow[]) => refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0)

/** Adds a refund. Its units count as refunded from now on, so that no other refund takes them. */
export const recordRefund = async (
  tx: Tx,
  ctx: Ctx,
  refund: Omit<NewRefund, 'id' | 'taxes'>,
  nowMs: number,
  provider?: Pick<PaymentProvider, 'refundReferenceOf'>,
): Promise<RefundRow> => {
  const changes = refund.items.map(({ id, quantity }) => ({ id, refunded: quantity, restocked: 0 }))
  if (changes.length > 0 && refund.status !== 'failed') {
    await countRefunded(tx, ctx.store.id, refund.orderId, changes)
  }
  const taxes = await taxesOfRefund(tx, ctx.store.id, refund.orderId, refund)
  const id = newId('ref', nowMs)
  const reference = refund.reference ?? provider?.refundReferenceOf(id) ?? null
  const added = await insertRefund(tx, ctx.store.id, { ...refund, id, reference, taxes })
  await refreshToShip(tx, ctx.store.id, refund.orderId)
  return added
}

export const refundMismatch = 'The provider reports a refund of more than is left of the payment.'

/**
 * Applies what a provider says about a refund, once: pending can succeed or fail, and one that succeeded can still fail.
 * A failure that the provider has reported is final; one that was concluded from a refusal is undone by a later report.
 * Returns everything as it is then; null if it says nothing new. `mismatch`: the order is flagged.
 */
export const settleRefund = async (
  tx: Tx,
  ctx: Ctx,
  held: HeldRefunds,
  refund: RefundRow,
  { status, reference, detail, isRefused = false }: RefundResult,
): Promise<HeldRefunds | 'mismatch' | null> => {
  if (refund.isRefused && status !== 'failed') return reviveRefund(tx, ctx, held, refund, { status, reference, detail })
  // A webhook may have reported the success while a refused call was running.
  const isOutdated = isRefused && refund.status !== 'pending'
  const isNew = status !== refund.status && refund.status !== 'failed' && status !== 'pending' && !isOutdated
  if (!isNew) {
    const isReported = refund.isRefused && !isRefused
    if ((refund.reference === null && reference !== null) || isReported) {
      const state = { status: refund.status, isRefused: refund.isRefused && isRefused }
      await writeRefund(tx, ctx.store.id, refund.id, { ...state, reference, detail })
    }
    return null
  }
  await writeRefund(tx, ctx.store.id, refund.id, { status, reference, detail, isRefused })
  return status === 'succeeded'
    ? applySuccess(tx, ctx, held, refund)
    : applyFailure(tx, ctx, held, { ...refund, isRefused }, detail)
}

/** The provider has made a refund after all. It counts again, unless its money or its units were refunded meanwhile. */
const reviveRefund = async (
  tx: Tx,
  ctx: Ctx,
  held: HeldRefunds,
  refund: RefundRow,
  result: RefundResult,
): Promise<HeldRefunds | 'mismatch'> => {
  const { order } = held
  const payment = paymentOf(held, refund)
  const lines = order.lines.map((line) => {
    const units = refund.items.find(({ id }) => id === line.id)?.quantity ?? 0
    return { ...line, refunded: line.refunded + units }
  })
  const fits =
    refund.amountMinor <= refundableMinor(payment, held.refunds) &&
    lines.every(({ refunded, quantity }) => refunded <= quantity)
  if (!fits) {
    await flagOrder(tx, ctx, order, 'REFUND_MISMATCH', refundMismatch)
    return 'mismatch'
  }
  const changes = refund.items.map(({ id, quantity }) => ({ id, refunded: quantity, restocked: 0 }))
  if (changes.length > 0) await countRefunded(tx, ctx.store.id, order.id, changes)
  const taxes = await taxesOfRefund(tx, ctx.store.id, order.id, refund)
  await writeRefund(tx, ctx.store.id, refund.id, { ...result, isRefused: false, taxes })
  const revived = { ...refund, status: result.status, isRefused: false }
  const after = changed({ ...held, order: { ...order, lines } }, revived, payment)
  if (result.status === 'succeeded') return applySuccess(tx, ctx, after, revived)
  await refreshToShip(tx, ctx.store.id, order.id)
  return after
}

/** For a refund that has just succeeded, or was added as one. */
export const applySuccess = async (tx: Tx, ctx: Ctx, held: HeldRefunds, refund: RefundRow): Promise<HeldRefunds> => {
  const after = await applyToOrderOf(tx, ctx, held, refund)
  await refreshToShip(tx, ctx.store.id, held.order.id)
  return after
}

const applyToOrderOf = async (tx: Tx, ctx: Ctx, held: HeldRefunds, refund: RefundRow): Promise<HeldRefunds> => {
  const { order } = held
  const payment = paymentOf(held, refund)
  const isWhole = succeededBefore(held, refund) + refund.amountMinor === payment.amountMinor
  const succeeded = (restocked: RefundRow['restocked']) =>
    changed(held, { ...refund, restocked, status: 'succeeded' }, isWhole ? { ...payment, status: 'refunded' } : payment)
  if (isWhole) await writePayment(tx, ctx.store.id, payment.id, { status: 'refunded' })
  const isCovered = (payment.isDuplicate || isWhole) && isPaidOtherwise(held, payment)
  if (isCovered || !isPaid(order)) {
    const after = succeeded([])
    if (!isWhole) return after
    // The other payment pays the order from now on, and nothing of it is refunded.
    const paymentStatus = payment.isDuplicate || !isPaid(order) ? order.paymentStatus : 'paid'
    return { ...after, order: await noteDuplicateRefunded(tx, ctx, { ...order, paymentStatus }) }
  }
  const { items, restock, amountMinor } = refund
  const message = isWhole ? 'The payment was refunded.' : `${describeAmount(amountMinor, order.currency)} was refunded.`
  const refunded = await refundOrder(tx, ctx, order, { isWhole, items, restock, message })
  const restocked = listRestocked(order, refunded)
  if (restocked.length > 0) await noteRestocked(tx, ctx.store.id, refund.id, restocked)
  return { ...succeeded(restocked), order: await endDelivery(tx, ctx, refunded) }
}

/** By another payment. A duplicate that is being refunded as a whole does not count. */
const isPaidOtherwise = ({ payments, refunds }: HeldRefunds, { id }: PaymentRow): boolean =>
  payments.some(
    (other) =>
      other.id !== id && other.status === 'paid' && (!other.isDuplicate || refundableMinor(other, refunds) > 0),
  )

const applyFailure = async (
  tx: Tx,
  ctx: Ctx,
  held: HeldRefunds,
  refund: RefundRow,
  detail: string,
): Promise<HeldRefunds> => {
  const { order } = held
  const payment = paymentOf(held, refund)
  const changes = refund.items.map(({ id, quantity }) => ({ id, refunded: -quantity, restocked: 0 }))
  if (changes.length > 0) await countRefunded(tx, ctx.store.id, order.id, changes)
  const lines = order.lines.map((line) => {
    const units = changes.find(({ id }) => id === line.id)?.refunded ?? 0
    return { ...line, refunded: line.refunded + units }
  })
  if (payment.status === 'refunded') await writePayment(tx, ctx.store.id, payment.id, { status: 'paid' })
  const message = `The refund of ${describeAmount(refund.amountMinor, order.currency)} failed${detail && ` (${detail})`}.`
  const ownStatus = succeededBefore(held, refund) > 0 ? 'partially_refunded' : 'paid'
  const isCovered = payment.isDuplicate && isPaidOtherwise(held, payment)
  const paymentStatus = isCovered ? order.paymentStatus : ownStatus
  const after = changed(held, { ...refund, status: 'failed' }, { ...payment, status: 'paid' })
  const failed = { paymentStatus, restocked: refund.restocked, message }
  return { ...after, order: await noteRefundFailed(tx, ctx, { ...order, lines }, failed) }
}

const paymentOf = ({ payments }: HeldRefunds, { paymentId }: RefundRow): PaymentRow => {
  const payment = payments.find(({ id }) => id === paymentId)
  if (payment === undefined) throw new Error(`payment ${paymentId} has disappeared`)
  return payment
}

/** Without this refund. */
const succeededBefore = ({ refunds }: HeldRefunds, { id, paymentId }: RefundRow) =>
  sumOf(refunds.filter((other) => other.id !== id && other.paymentId === paymentId && other.status === 'succeeded'))

const changed = ({ order, payments, refunds }: HeldRefunds, refund: RefundRow, payment: PaymentRow): HeldRefunds => ({
  order,
  payments: payments.map((other) => (other.id === payment.id ? payment : other)),
  refunds: [...refunds.filter(({ id }) => id !== refund.id), refund],
})
