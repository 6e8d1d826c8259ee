import { newId } from '../../core/ids.ts'
import type { Instrument } from '../../core/instrument.ts'
import { toMinor } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { DisputeReport, PaymentEvent, PaymentNames, PaymentReport } from '../../providers/payment/provider.ts'
import { isErasedOrder } from '../orders/erase.sql.ts'
import { holdOrder } from '../orders/lock-order.ts'
import { isPaidElsewhere as findPaidElsewhere, type LockedOrder } from '../orders/orders.sql.ts'
import { fillPaymentDetails, flagOrder, noteFailedPayment, settleDuplicate, settleOrder } from '../orders/settle.ts'
import { erasePaymentEvent } from './erase.sql.ts'
import type { Applied } from './inbox.sql.ts'
import * as inbox from './inbox.sql.ts'
import * as sql from './payments.sql.ts'
import { detailCheckOf, lateCheckOf, type SettlementCtx } from './providers.ts'
import { applyRefundReport, findRefundMismatch } from './refund-reports.ts'
import { lockRefunds, type RefundRow } from './refunds.sql.ts'
import { recordRefund } from './settle-refund.ts'

/** An event with its source (a webhook, or our own status check) and its original body. */
export type Report = PaymentEvent & { source: string; body: unknown }

export type Settlement = Applied & { duplicate: boolean }

/**
 * Applies a report of a provider, whether it comes from a webhook, a callback, a job or a command. One transaction
 * claims the event and applies its effects, so repeated and concurrent copies take effect once. The state of the order
 * decides the effect; a report that comes too late is only recorded.
 */
export const settlePayment = async (ctx: SettlementCtx, report: Report): Promise<Settlement> => {
  const orderId = await findOrderId(ctx, report.names)
  return ctx.db.tx(async (tx) => {
    const expected = report.type === 'payment' && report.status === 'success' ? orderIsPaid : undefined
    const { transaction } = report.names
    const [event, held] = await pipeline(
      inbox.claimPaymentEvent(tx, ctx.store.id, { ...report, orderId, transaction, expected }),
      hold(tx, ctx, report, orderId),
    )
    if (event === undefined) return { duplicate: true, outcome: 'no_effect', detail: 'Received before.' }
    return { duplicate: false, ...(await applyTo(tx, ctx, event.id, held, report, expected)) }
  })
}

/** Applies an event of the inbox again. Effects that it already had are not repeated. */
export const replayReport = async (ctx: SettlementCtx, id: number, report: Report): Promise<Settlement> => {
  const orderId = await findOrderId(ctx, report.names)
  return ctx.db.tx(async (tx) => {
    await inbox.lockEvent(tx, ctx.store.id, id, orderId)
    return { duplicate: false, ...(await applyTo(tx, ctx, id, await hold(tx, ctx, report, orderId), report)) }
  })
}

/** A refund or dispute that was begun at the provider may name nothing but the provider's ids. */
export const findOrderId = async ({ db, store }: SettlementCtx, names: PaymentNames): Promise<string | null> =>
  names.orderId ?? (await sql.findOrderOfPayment(db, store.id, names))?.orderId ?? null

/** The order, payments and refunds of a report, locked. */
type Held = {
  orderId: string | null
  order: LockedOrder | undefined
  payments: readonly sql.PaymentRow[]
  refunds: readonly RefundRow[]
  isPaidElsewhere: boolean
}

const hold = async (tx: Tx, ctx: SettlementCtx, report: Report, orderId: string | null): Promise<Held> => {
  if (orderId === null || report.type === 'other') {
    return { orderId, order: undefined, payments: [], refunds: [], isPaidElsewhere: false }
  }
  const isSuccess = report.type === 'payment' && report.status === 'success'
  const [order, payments, refunds] = await pipeline(
    holdOrder(tx, ctx, orderId),
    sql.lockPayments(tx, ctx.store.id, orderId),
    report.type === 'refund' ? lockRefunds(tx, ctx.store.id, orderId) : [],
  )
  const mayBePaidElsewhere = isSuccess && order?.isInChain === true
  const isPaidElsewhere = mayBePaidElsewhere && (await findPaidElsewhere(tx, ctx.store.id, orderId))
  return { orderId, order, payments, refunds, isPaidElsewhere }
}

/** `expected`: what the event was written with. It is written again only if it came otherwise. */
const applyTo = async (
  tx: Tx,
  ctx: SettlementCtx,
  eventNumber: number,
  held: Held,
  report: Report,
  expected?: Applied,
) => {
  const applied = await apply(tx, ctx, held, report)
  if (await isOfErased(tx, ctx, held)) await erasePaymentEvent(tx, ctx.store.id, eventNumber)
  if (applied.outcome !== expected?.outcome || applied.detail !== expected.detail) {
    tx.withCommit(() => inbox.finishEvent(tx, ctx.store.id, eventNumber, applied.outcome, applied.detail))
  }
  return applied
}

/** The order is asked for only if the report did not need it. */
const isOfErased = (tx: Tx, ctx: SettlementCtx, { order, orderId }: Held) =>
  order === undefined && orderId !== null ? isErasedOrder(tx, ctx.store.id, orderId) : (order?.isErased ?? false)

const nothing = (detail: string): Applied => ({ outcome: 'no_effect', detail })
const done = (detail: string): Applied => ({ outcome: 'applied', detail })
const orderIsPaid = done('The order is paid.')

const apply = async (tx: Tx, ctx: SettlementCtx, held: Held, report: Report): Promise<Applied> => {
  if (report.type === 'other') return { outcome: 'ignored', detail: `The event ${report.name} has no meaning here.` }
  const { order } = held
  if (order === undefined) {
    const detail = held.orderId === null ? 'The event names no known payment.' : `There is no order ${held.orderId}.`
    return { outcome: 'unknown_order', detail }
  }
  switch (report.type) {
    case 'payment':
      return applyPayment(tx, ctx, { ...held, order }, report)
    case 'refund':
      return applyRefunds(tx, ctx, { ...held, order }, report)
    case 'dispute':
      return applyDispute(tx, ctx, order, report)
  }
}

type HeldOrder = Held & { order: LockedOrder }
type Payment = PaymentReport & Pick<Report, 'names' | 'source'>

const applyPayment = async (tx: Tx, ctx: SettlementCtx, held: HeldOrder, report: Payment): Promise<Applied> => {
  const mismatch = findMismatch(held.order, report)
  if (mismatch !== null) return { outcome: 'mismatch', detail: mismatch }
  const payment = matchPayment(held.payments, report.names, report.status === 'success')
  if (report.status === 'pending') return nothing('The payment is in progress.')
  if (report.status === 'failed') return applyFailure(tx, ctx, held.order, payment)
  return applySuccess(tx, ctx, held, payment, report)
}

const findMismatch = (order: LockedOrder, { amount, currency }: Payment): string | null => {
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
 * Finds the payment that a report is about. If the provider chooses its own ids, the first report of a session is matched
 * to a payment without a reference, which then gets that id. Undefined if no such payment is left: the report is about an
 * additional payment of the same order.
 */
const matchPayment = (payments: readonly sql.PaymentRow[], names: PaymentNames, movesMoney: boolean) => {
  const { paymentId, reference, transaction } = names
  if (paymentId === null && reference === null && transaction === null) {
    return (movesMoney ? payments.find(isSettled) : undefined) ?? payments.find(sql.isUndecided) ?? payments.at(-1)
  }
  const isNamed = (payment: sql.PaymentRow) =>
    (paymentId !== null && payment.id === paymentId) ||
    (reference !== null && (payment.id === reference || payment.reference === reference)) ||
    (transaction !== null && payment.transaction === transaction)
  const named = payments.find(isNamed)
  if (named !== undefined) return named
  const unnamed = payments.filter((payment) => payment.reference === null && !isSettled(payment))
  return unnamed.find(sql.isUndecided) ?? unnamed.at(-1)
}

const applyFailure = async (tx: Tx, ctx: SettlementCtx, order: LockedOrder, payment: sql.PaymentRow | undefined) => {
  // A failed online report does not apply to cash, which can still be paid on delivery.
  if (payment === undefined || !sql.isUndecided(payment) || payment.provider === 'cod') {
    return nothing('The payment is already decided.')
  }
  await sql.writePayment(tx, ctx.store.id, payment.id, { status: 'failed', lateCheckAt: lateCheckOf(ctx, payment) })
  await noteFailedPayment(tx, ctx, order)
  return done('The payment failed.')
}

const applySuccess = async (
  tx: Tx,
  ctx: SettlementCtx,
  { order, payments, isPaidElsewhere }: HeldOrder,
  payment: sql.PaymentRow | undefined,
  report: Payment,
): Promise<Applied> => {
  if (payment !== undefined && isSettled(payment)) {
    const { transaction } = report.names
    const isFilled = await fillPaymentDetails(tx, ctx, order, report.instrument)
    if (isFilled || (payment.transaction === null && transaction !== null)) {
      await sql.fillPayment(tx, ctx.store.id, payment.id, transaction)
    }
    return isFilled ? done('The payment has more details now.') : nothing('The payment is already settled.')
  }
  const isSecond = payments.some((other) => other !== payment && isSettled(other))
  // Cash cannot be refunded through a provider.
  const isTwin = !isSecond && isPaidElsewhere && order.paymentMethod === 'online'
  const id = payment?.id ?? newId('pay', ctx.clock.now())
  const instrument = fillInstrument(report, id)
  const provider = payment?.provider ?? chooseProvider(ctx, order, report.source)
  const lateCheckAt = detailCheckOf(ctx, provider, report.instrument)
  const write = () => writeOrInsert(tx, ctx, order, { id, payment }, report, { isDuplicate: isSecond, lateCheckAt })
  if (!isSecond && !isTwin) {
    const [, settled] = await pipeline(write(), settleOrder(tx, ctx, order, instrument))
    return settled.needsAttention === null ? orderIsPaid : done(`Paid, and flagged ${settled.needsAttention}.`)
  }
  await write()
  await addWholeRefund(tx, ctx, order, { id, provider })
  if (isTwin) {
    await settleDuplicate(tx, ctx, order, instrument)
    return { outcome: 'duplicate_payment', detail: 'Another order of the same cart is paid. A refund is queued.' }
  }
  const message = 'The order was paid twice. The second payment will be refunded.'
  await flagOrder(tx, ctx, order, 'DUPLICATE_PAYMENT', message)
  return { outcome: 'duplicate_payment', detail: `${id} is a duplicate payment. A refund is queued.` }
}

/** The refund job sends it. */
const addWholeRefund = async (
  tx: Tx,
  ctx: SettlementCtx,
  order: LockedOrder,
  payment: { id: string; provider: string },
) => {
  if (order.totalMinor === 0) return
  const state = { status: 'pending', reference: null, reason: 'duplicate payment', detail: '' } as const
  const whole = { orderId: order.id, paymentId: payment.id, amountMinor: order.totalMinor, items: [], restock: null }
  await recordRefund(tx, ctx, { ...whole, ...state }, ctx.clock.now(), ctx.payments.providers.get(payment.provider))
}

/** A refunded payment was paid before, even if the report of that has not arrived yet. */
const applyRefunds = async (
  tx: Tx,
  ctx: SettlementCtx,
  held: HeldOrder,
  report: Extract<Report, { type: 'refund' }>,
): Promise<Applied> => {
  const mismatch = findRefundMismatch(held.order, report.refunds)
  if (mismatch !== null) return { outcome: 'mismatch', detail: mismatch }
  const payment = matchPayment(held.payments, report.names, true)
  if (payment !== undefined && isSettled(payment)) return applyRefundReport(tx, ctx, held, payment, report.refunds)
  const paidId = payment?.id ?? newId('pay', ctx.clock.now())
  await writeOrInsert(tx, ctx, held.order, { id: paidId, payment }, report, {
    isDuplicate: held.payments.some((other) => other !== payment && isSettled(other)),
  })
  const instrument = { method: '', last4: '', upiId: '', reference: report.names.transaction ?? paidId }
  const order = await settleOrder(tx, ctx, held.order, instrument)
  const payments = await sql.lockPayments(tx, ctx.store.id, order.id)
  const paid = payments.find(({ id }) => id === paidId)
  if (paid === undefined) throw new Error(`payment ${paidId} has disappeared`)
  return applyRefundReport(tx, ctx, { ...held, order, payments }, paid, report.refunds)
}

const disputeTexts = {
  opened: 'The customer disputes the payment.',
  updated: 'The dispute has changed.',
  won: 'The dispute was decided for the store.',
  lost: 'The dispute was decided for the customer, and the payment was taken back.',
}

/** The provider takes the money by itself when a dispute is lost; the merchant decides what becomes of the order. */
const applyDispute = async (tx: Tx, ctx: SettlementCtx, order: LockedOrder, { state, detail }: DisputeReport) => {
  const message = `${disputeTexts[state]}${detail === '' ? '' : ` (${detail})`}`
  await flagOrder(tx, ctx, order, 'DISPUTE', message)
  return done(message)
}

/** An unknown payment is inserted, since the shopper's money must stay on record. */
const writeOrInsert = async (
  tx: Tx,
  ctx: SettlementCtx,
  order: LockedOrder,
  { id, payment }: { id: string; payment: sql.PaymentRow | undefined },
  { names: { reference: named, transaction }, source }: Pick<Report, 'names' | 'source'>,
  { isDuplicate, lateCheckAt = null }: { isDuplicate: boolean; lateCheckAt?: Date | null },
): Promise<void> => {
  const reference = named === id ? null : named
  if (payment === undefined) {
    const { totalMinor: amountMinor, currency } = order
    const provider = chooseProvider(ctx, order, source)
    const state = { status: 'paid', expiresAt: null, reference } as const
    await sql.insertPayment(tx, ctx.store.id, { id, orderId: order.id, provider, amountMinor, currency, ...state })
  }
  const names = { transaction, reference: payment?.reference ?? reference }
  await sql.writePayment(tx, ctx.store.id, id, { status: 'paid', isDuplicate, lateCheckAt, ...names })
}

/** For a payment that was not on record. The store may have changed its provider since. */
const chooseProvider = ({ payments, store }: SettlementCtx, { paymentMethod }: LockedOrder, source: string): string => {
  if (paymentMethod === 'cod') return 'cod'
  return payments.providers.has(source) ? source : store.paymentProvider
}

const fillInstrument = ({ instrument, names }: Payment, paymentId: string): Instrument => ({
  ...instrument,
  reference: instrument.reference || (names.transaction ?? names.reference ?? paymentId),
})
