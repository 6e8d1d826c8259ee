import { refuse } from '../../core/domain-errors.ts'
import { fail } from '../../core/errors.ts'
import { currencyExponent, describeAmount, toMinor, toWire } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import type { PaymentProvider, RefundStatus } from '../../providers/payment/provider.ts'
import { recordChange } from '../audit/record.ts'
import type { Author } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import type { OrderPaymentStatus } from '../orders/order.contract.ts'
import { type LockedOrder, type OrderLineRow, readOrder } from '../orders/orders.sql.ts'
import { isPaid, refundOrder } from '../orders/settle.ts'
import { callProvider } from './call-provider.ts'
import { ctxOfOrder } from './callback.ts'
import { applyMismatches } from './inbox.ts'
import { lockPayments, type PaymentRow, readPaymentById, writePayment } from './payments.sql.ts'
import type { PaymentCtx, PaymentServices } from './providers.ts'
import {
  claimRefund,
  type DueRefund,
  lockRefunds,
  type RefundedItem,
  type RefundRow,
  releaseRefund,
} from './refunds.sql.ts'
import { recordRefund, refundableMinor, settleRefund } from './settle-refund.ts'

/** Without `amount` and `items`: all that is left. An item is a line's id or SKU. `restock` undefined: units that were not shipped. */
export type RefundRequest = {
  amount?: number
  items?: readonly RefundedItem[]
  restock?: boolean
  reason?: string
}

export type RequestedRefund = {
  /** Null if there was no money to return. */
  refundId: string | null
  amount: number
  status: RefundStatus
  paymentStatus: OrderPaymentStatus
}

/** Refunds an order, or a part of it, for its merchant. `by` is noted in the audit log. */
export const refundOrderById = async (
  services: PaymentServices,
  orderId: string,
  request: RefundRequest = {},
  by?: Author,
): Promise<RequestedRefund> => {
  const ctx = await ctxOfOrder(services, orderId)
  if (ctx === undefined) throw refuse('ORDER_NOT_FOUND', { order: orderId })
  const refund = await ctx.db.tx((tx) => requestRefund(tx, ctx, orderId, request, by === undefined ? {} : { by }))
  const status = refund === null ? 'succeeded' : await tryRefundNow(ctx, refund)
  const order = await readOrder(ctx.db, ctx.store.id, orderId)
  if (order === undefined) throw new Error(`order ${orderId} has disappeared`)
  const amount = toWire(refund?.amountMinor ?? 0, order.currency)
  return { refundId: refund?.id ?? null, amount, status, paymentStatus: order.paymentStatus }
}

/** Calls the provider for a refund that was just requested. If there is no answer after ten seconds, the job goes on. */
export const tryRefundNow = async (
  ctx: PaymentCtx,
  { id, status }: Pick<RefundRow, 'id' | 'status'>,
): Promise<RefundStatus> => {
  const claimed = await claimRefund(ctx.db, ctx.store.id, id)
  if (claimed === undefined) return status
  // What the provider has done is stored, however long the request has waited and whether or not its caller still listens.
  const storing = { ...ctx, db: ctx.db.forStore(ctx.store.id) }
  try {
    return await runRefund(ctx, claimed, storing)
  } catch {
    return 'pending'
  } finally {
    await releaseRefund(storing.db, claimed)
  }
}

/** `by`: noted in the audit log. `maxMinor`: what may be refunded of this order in all, by anyone. */
export type RefundTerms = { by?: Author; maxMinor?: number }

/** What a request would return, and the most that may be asked for now. */
export type RefundPreview = { amountMinor: number; maximumMinor: number; currency: string }

/** What `requestRefund` would return, except that the limit of the caller is only told. Writes nothing. */
export const previewRefund = async (
  tx: Tx,
  ctx: PaymentCtx,
  orderId: string,
  request: RefundRequest,
  maxMinor = Number.POSITIVE_INFINITY,
): Promise<RefundPreview> => {
  const { order, payment, left, planned } = await planRefund(tx, ctx, orderId, request)
  const { currency } = order
  if (payment === undefined) return { amountMinor: 0, maximumMinor: 0, currency }
  const allowed = Math.max(0, maxMinor - (payment.amountMinor - left))
  return { amountMinor: planned?.amountMinor ?? 0, maximumMinor: Math.min(left, allowed), currency }
}

/** Locks the order, and says what a request means for it. `planned` is null if no new refund is to be made. */
const planRefund = async (tx: Tx, ctx: PaymentCtx, orderId: string, request: RefundRequest) => {
  const order = await holdOrder(tx, ctx, orderId)
  if (order === undefined || !isPaid(order)) throw refuse('NOTHING_TO_REFUND', { order: orderId })
  const payments = await lockPayments(tx, ctx.store.id, orderId)
  const payment = choosePayment(payments)
  if (request.amount !== undefined && request.restock === true) throw refuse('REFUND_RESTOCK_INVALID', {})
  const restock = request.restock ?? (request.amount === undefined ? null : false)
  const isWhole = request.amount === undefined && request.items === undefined
  if (payment === undefined || payment.amountMinor === 0) {
    // The total was 0, or no payment is on record, so there is no provider to call.
    if (!isWhole) throw refuse('NOTHING_TO_REFUND', { order: orderId })
    return { order, restock, payment, left: 0, pending: undefined, provider: undefined, planned: null }
  }
  const refunds = await lockRefunds(tx, ctx.store.id, orderId)
  const left = refundableMinor(payment, refunds)
  const pending = refunds.findLast(({ paymentId, status }) => paymentId === payment.id && status === 'pending')
  const provider = ctx.payments.providers.get(payment.provider)
  const found = { order, restock, payment, left, pending, provider }
  // All of it is being refunded already, so that refund is tried now.
  if (left === 0 && pending !== undefined && isWhole) return { ...found, planned: null }
  const planned = chooseAmount(order, left, request, provider)
  if (planned.amountMinor < payment.amountMinor && provider?.canRefundPart === false) {
    throw refuse('REFUND_ONLY_WHOLE', { order: orderId, provider: payment.provider })
  }
  const { amountMinor } = planned
  const reason = amountMinor === left ? null : (provider?.refuseAmount(amountMinor, payment.currency) ?? null)
  if (reason !== null) throw refuse('REFUND_AMOUNT_REFUSED', { reason })
  return { ...found, planned }
}

/** Adds the refund under the lock of its order, so that all refunds together never exceed the payment. */
export const requestRefund = async (
  tx: Tx,
  ctx: PaymentCtx,
  orderId: string,
  request: RefundRequest,
  { by, maxMinor = Number.POSITIVE_INFINITY }: RefundTerms = {},
): Promise<RefundRow | null> => {
  const { order, restock, payment, left, pending, provider, planned } = await planRefund(tx, ctx, orderId, request)
  if (pending !== undefined && planned === null) return pending
  if (payment === undefined || planned === null) {
    if (payment !== undefined) await writePayment(tx, ctx.store.id, payment.id, { status: 'refunded' })
    await refundOrder(tx, ctx, order, { isWhole: true, items: [], restock, message: 'The order was refunded.' })
    const nothing = { id: null, amount: 0, items: [], reason: request.reason ?? '' }
    if (by !== undefined) noteRefund(tx, ctx, by, orderId, nothing)
    return null
  }
  const { amountMinor, items } = planned
  refuseBeyond(maxMinor, payment.amountMinor - left + amountMinor, payment.currency)
  const state = { status: 'pending', reference: null, detail: '' } as const
  const wanted = { orderId, paymentId: payment.id, amountMinor, items, restock, reason: request.reason ?? '' }
  const refund = await recordRefund(tx, ctx, { ...wanted, ...state }, ctx.clock.now(), provider)
  const amount = toWire(amountMinor, payment.currency)
  if (by !== undefined) noteRefund(tx, ctx, by, orderId, { id: refund.id, amount, items, reason: wanted.reason })
  return refund
}

const noteRefund = (tx: Tx, { store }: PaymentCtx, by: Author, id: string, refund: Record<string, unknown>) =>
  recordChange(tx, store, by, { action: 'order.refunded', id, changes: { refund: { before: null, after: refund } } })

const refuseBeyond = (maxMinor: number, refundedMinor: number, currency: string) => {
  if (refundedMinor <= maxMinor) return
  throw fail(
    'FORBIDDEN',
    `Your role may refund up to ${describeAmount(maxMinor, currency)} of one order, in all refunds together.`,
  )
}

/** The duplicate only if nothing else is paid: its own refund has failed, and the other payment was refunded. */
const choosePayment = (payments: readonly PaymentRow[]): PaymentRow | undefined => {
  const paid = payments.filter(({ status }) => status === 'paid')
  return paid.find(({ isDuplicate }) => !isDuplicate) ?? paid[0]
}

const chooseAmount = (
  order: LockedOrder,
  left: number,
  { amount, items }: RefundRequest,
  provider: PaymentProvider | undefined,
) => {
  if (left === 0) throw refuse('NOTHING_TO_REFUND', { order: order.id })
  const chosen = items === undefined ? [] : mergeItems(order, items)
  const amountMinor =
    amount !== undefined
      ? toMinor(amount, order.currency)
      : items === undefined
        ? left
        : roundFor(
            provider,
            order.currency,
            chosen.reduce((sum, item) => sum + amountOfItem(order, item), 0),
          )
  if (amountMinor === null || amountMinor === 0) throw refuse('REFUND_AMOUNT_INVALID', { currency: order.currency })
  if (amountMinor > left) {
    throw refuse('REFUND_TOO_LARGE', { order: order.id, left: toWire(left, order.currency), currency: order.currency })
  }
  return { amountMinor, items: chosen }
}

/** Some providers take amounts with three decimals only if the last is 0. The rest stays for the last refund. */
const roundFor = (provider: PaymentProvider | undefined, currency: string, minor: number): number => {
  const isTaken = currencyExponent(currency) !== 3 || provider?.refuseAmount(minor, currency) === null
  return isTaken ? minor : minor - (minor % 10)
}

const mergeItems = (order: LockedOrder, items: readonly RefundedItem[]): RefundedItem[] => {
  const units = new Map<string, number>()
  for (const { id: name, quantity } of items) {
    const { id } = findLine(order, name)
    units.set(id, (units.get(id) ?? 0) + quantity)
  }
  return [...units].map(([id, quantity]) => ({ id, quantity }))
}

const findLine = ({ id: order, lines }: LockedOrder, name: string): OrderLineRow => {
  const [line, another] = lines.filter(({ id, sku }) => id === name || sku === name)
  if (line === undefined) throw refuse('LINE_NOT_FOUND', { order, line: name })
  if (another !== undefined) throw refuse('LINE_AMBIGUOUS', { order, line: name })
  return line
}

/** A share of what was paid for the line. Over several refunds the shares of all its units add up exactly. */
const amountOfItem = (order: LockedOrder, { id, quantity }: RefundedItem): number => {
  const line = findLine(order, id)
  const left = line.quantity - line.refunded
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > left) {
    throw refuse('REFUND_QUANTITY_INVALID', { line: id, left })
  }
  const paid = paidForLine(order, line)
  const share = (units: number) => Math.floor((paid * units) / line.quantity)
  return share(line.refunded + quantity) - share(line.refunded)
}

const paidForLine = ({ taxIncluded }: LockedOrder, { lineTotalMinor, discountMinor, taxMinor }: OrderLineRow) =>
  lineTotalMinor - discountMinor + (taxIncluded ? 0 : taxMinor)

/** Calls the provider for a refund, or asks how it stands, and applies the answer, by `storing`. */
export const runRefund = async (ctx: PaymentCtx, refund: DueRefund, storing = ctx): Promise<RefundStatus> => {
  const payment = await readPaymentById(ctx.db, ctx.store.id, refund.paymentId)
  if (payment === undefined) throw new Error(`payment ${refund.paymentId} has disappeared`)
  const { id: refundId, reference, amountMinor, attempts } = refund
  const result = await callProvider(ctx, payment.provider, (provider, account, signal) => {
    const isMade = reference !== null && reference !== provider.refundReferenceOf(refundId)
    const ref = { refundId, reference, amountMinor, isMade, isRepeated: attempts > 1 || isMade }
    return provider.refund(account, refOf(payment), ref, signal)
  })
  await storing.db.tx(async (tx) => {
    const order = await holdOrder(tx, ctx, refund.orderId)
    if (order === undefined) throw new Error(`order ${refund.orderId} has disappeared`)
    const payments = await lockPayments(tx, ctx.store.id, refund.orderId)
    const refunds = await lockRefunds(tx, ctx.store.id, refund.orderId)
    // A webhook may have been faster.
    const current = refunds.find(({ id }) => id === refundId)
    if (current !== undefined) await settleRefund(tx, ctx, { order, payments, refunds }, current, result)
  })
  if (result.status === 'failed') await applyMismatches(storing, refund.orderId)
  return result.status
}

const refOf = ({ id, ...payment }: PaymentRow) => ({ ...payment, paymentId: id })
