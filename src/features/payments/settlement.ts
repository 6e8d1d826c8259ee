import { newId } from '../../core/ids.ts'
import type { Instrument } from '../../core/instrument.ts'
import { toMinor } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { PaymentEvent } from '../../providers/payment/provider.ts'
import type { Store } from '../context.ts'
import { isPaidElsewhere as findPaidElsewhere, type LockedOrder } from '../orders/orders.sql.ts'
import {
  flagOrder,
  holdOrder,
  noteDuplicateRefunded,
  noteFailedPayment,
  refundOrder,
  settleDuplicate,
  settleOrder,
} from '../orders/settle.ts'
import * as inbox from './inbox.sql.ts'
import * as sql from './payments.sql.ts'
import type { PaymentCtx } from './providers.ts'

/** An event with its source (a webhook, or our own status check) and its original body. */
export type Report = PaymentEvent & { source: string; body: unknown }

export type Settlement = { duplicate: boolean; outcome: inbox.PaymentOutcome; detail: string }

/** The webhook loads only these fields of the store. */
export type SettlementCtx = Pick<PaymentCtx, 'db' | 'clock'> & { store: Pick<Store, 'id' | 'paymentProvider'> }

type Applied = Omit<Settlement, 'duplicate'>

/**
 * Applies a report of a provider, whether it comes from a webhook, a callback, a job or a command. One transaction
 * claims the event and applies its effects, so repeated and concurrent copies take effect once. The state of the order
 * decides the effect; a report that comes too late is only recorded.
 */
export const settlePayment = (ctx: SettlementCtx, report: Report): Promise<Settlement> =>
  ctx.db.tx(async (tx) => {
    const [event, held] = await pipeline(inbox.claimPaymentEvent(tx, ctx.store.id, report), hold(tx, ctx, report))
    if (event === undefined) return { duplicate: true, outcome: 'no_effect', detail: 'Received before.' }
    return { duplicate: false, ...(await applyTo(tx, ctx, event.id, held, report)) }
  })

/** Applies an event of the inbox again. Effects that it already had are not repeated. */
export const replayReport = (ctx: SettlementCtx, id: number, report: Report): Promise<Settlement> =>
  ctx.db.tx(async (tx) => {
    await inbox.lockEvent(tx, ctx.store.id, id)
    return { duplicate: false, ...(await applyTo(tx, ctx, id, await hold(tx, ctx, report), report)) }
  })

/** The order and payments of a report, locked. */
type Held = { order: LockedOrder | undefined; payments: readonly sql.PaymentRow[]; isPaidElsewhere: boolean }

const hold = async (tx: Tx, ctx: SettlementCtx, { orderId, status }: Report): Promise<Held> => {
  const [order, payments, isPaidElsewhere] = await pipeline(
    holdOrder(tx, ctx, orderId),
    sql.lockPayments(tx, ctx.store.id, orderId),
    status === 'success' && findPaidElsewhere(tx, ctx.store.id, orderId),
  )
  return { order, payments, isPaidElsewhere }
}

const applyTo = async (tx: Tx, ctx: SettlementCtx, eventNumber: number, held: Held, report: Report) => {
  const applied = await apply(tx, ctx, held, report)
  await inbox.finishEvent(tx, ctx.store.id, eventNumber, applied.outcome, applied.detail)
  return applied
}

const nothing = (detail: string): Applied => ({ outcome: 'no_effect', detail })
const done = (detail: string): Applied => ({ outcome: 'applied', detail })

const apply = async (tx: Tx, ctx: SettlementCtx, held: Held, report: Report): Promise<Applied> => {
  const { order, payments } = held
  if (order === undefined) return { outcome: 'unknown_order', detail: `There is no order ${report.orderId}.` }
  const mismatch = findMismatch(order, report)
  if (mismatch !== null) return { outcome: 'mismatch', detail: mismatch }
  const payment = matchPayment(payments, report)
  switch (report.status) {
    case 'pending':
      return nothing('The payment is in progress.')
    case 'failed':
      return applyFailure(tx, ctx, order, payment)
    case 'success':
      return applySuccess(tx, ctx, { ...held, order }, payment, report)
    case 'refunded':
      return applyRefund(tx, ctx, order, payments, payment, report)
  }
}

const findMismatch = (order: LockedOrder, { amount, currency }: Report): string | null => {
  if (currency !== null && currency !== order.currency) {
    return `The currency is ${currency}, but the order is in ${order.currency}.`
  }
  if (amount !== null && toMinor(amount, order.currency) !== order.totalMinor) {
    return `The amount ${amount} is not the total of the order.`
  }
  return null
}

const isSettled = ({ status }: sql.PaymentRow) => status === 'paid' || status === 'refunded'

/**
 * Finds the payment that a report is about. If the provider chooses its own transaction ids, the first report of a
 * transaction is matched to a payment without a reference, which then gets that id. Undefined if no such payment is
 * left: the report is about an additional payment of the same order.
 */
const matchPayment = (payments: readonly sql.PaymentRow[], { transactionId, status }: Report) => {
  if (transactionId === null) {
    const movesMoney = status === 'success' || status === 'refunded'
    return (movesMoney ? payments.find(isSettled) : undefined) ?? payments.find(sql.isUndecided) ?? payments.at(-1)
  }
  const named = payments.find(({ id, reference }) => id === transactionId || reference === transactionId)
  if (named !== undefined) return named
  const unnamed = payments.filter((payment) => payment.reference === null && !isSettled(payment))
  return unnamed.find(sql.isUndecided) ?? unnamed.at(-1)
}

const applyFailure = async (tx: Tx, ctx: SettlementCtx, order: LockedOrder, payment: sql.PaymentRow | undefined) => {
  // A failed online report does not apply to cash, which can still be paid on delivery.
  if (payment === undefined || !sql.isUndecided(payment) || payment.provider === 'cod') {
    return nothing('The payment is already decided.')
  }
  await sql.writePayment(tx, ctx.store.id, payment.id, { status: 'failed', reference: null, refundDue: false })
  await noteFailedPayment(tx, ctx, order)
  return done('The payment failed.')
}

const applySuccess = async (
  tx: Tx,
  ctx: SettlementCtx,
  { order, payments, isPaidElsewhere }: Held & { order: LockedOrder },
  payment: sql.PaymentRow | undefined,
  report: Report,
): Promise<Applied> => {
  if (payment !== undefined && isSettled(payment)) return nothing('The payment is already settled.')
  const isSecond = payments.some((other) => other !== payment && isSettled(other))
  // Cash cannot be refunded through a provider.
  const isTwin = !isSecond && isPaidElsewhere && order.paymentMethod === 'online'
  const id = payment?.id ?? newId('pay', ctx.clock.now())
  const instrument = fillInstrument(report, id)
  const write = () =>
    writeOrInsert(tx, ctx, order, { id, payment }, report, { status: 'paid', refundDue: isSecond || isTwin })
  if (isSecond) {
    await write()
    await flagOrder(
      tx,
      ctx,
      order,
      'DUPLICATE_PAYMENT',
      'The order was paid twice. The second payment will be refunded.',
    )
    return { outcome: 'duplicate_payment', detail: `${id} is a duplicate payment. A refund is queued.` }
  }
  if (isTwin) {
    await write()
    await settleDuplicate(tx, ctx, order, instrument)
    return { outcome: 'duplicate_payment', detail: 'Another order of the same cart is paid. A refund is queued.' }
  }
  const [, settled] = await pipeline(write(), settleOrder(tx, ctx, order, instrument))
  return done(settled.needsAttention === null ? 'The order is paid.' : `Paid, and flagged ${settled.needsAttention}.`)
}

const applyRefund = async (
  tx: Tx,
  ctx: SettlementCtx,
  order: LockedOrder,
  payments: readonly sql.PaymentRow[],
  payment: sql.PaymentRow | undefined,
  report: Report,
): Promise<Applied> => {
  if (payment?.status === 'refunded') return nothing('The payment is already refunded.')
  const id = payment?.id ?? newId('pay', ctx.clock.now())
  await writeOrInsert(tx, ctx, order, { id, payment }, report, { status: 'refunded', refundDue: false })
  const hasOtherPayment = payments.some((other) => other !== payment && other.status === 'paid')
  if (hasOtherPayment || order.paymentStatus === 'refunded') {
    await noteDuplicateRefunded(tx, ctx, order)
    return done('The duplicate payment is refunded. The order is unchanged.')
  }
  // A refunded payment was paid before, even if the report of that has not arrived yet.
  const paid = await settleOrder(tx, ctx, order, fillInstrument(report, id))
  await refundOrder(tx, ctx, paid)
  return done('The order is refunded.')
}

/** An unknown payment is inserted, since the shopper's money must stay on record. */
const writeOrInsert = async (
  tx: Tx,
  ctx: SettlementCtx,
  order: LockedOrder,
  { id, payment }: { id: string; payment: sql.PaymentRow | undefined },
  { transactionId }: Report,
  change: { status: 'paid' | 'refunded'; refundDue: boolean },
): Promise<void> => {
  const reference = transactionId === id ? null : transactionId
  if (payment === undefined) {
    const { totalMinor: amountMinor, currency } = order
    const provider = order.paymentMethod === 'cod' ? 'cod' : ctx.store.paymentProvider
    const row = { id, orderId: order.id, provider, status: change.status, amountMinor, currency, reference }
    await sql.insertPayment(tx, ctx.store.id, row)
  }
  await sql.writePayment(tx, ctx.store.id, id, { ...change, reference: payment?.reference ?? reference })
}

const fillInstrument = ({ instrument, transactionId }: Report, paymentId: string): Instrument => ({
  ...instrument,
  reference: instrument.reference || (transactionId ?? paymentId),
})
