import { minutes } from '../../core/clock.ts'
import { Failure, fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { PaymentRef } from '../../providers/payment/provider.ts'
import type { StoreId } from '../context.ts'
import type { FullOrderRow, LockedOrder } from '../orders/orders.sql.ts'
import { holdOrder, notePaymentRetry } from '../orders/settle.ts'
import { callProvider } from './call-provider.ts'
import type { PaymentView } from './payments.contract.ts'
import * as sql from './payments.sql.ts'
import { assertPayable, type PaymentCtx } from './providers.ts'
import { reconcilePayment } from './reconcile.ts'

export type { PaymentView } from './payments.contract.ts'
export type { PaymentRow } from './payments.sql.ts'
export { assertPayable } from './providers.ts'

/** A session expires before the reservation of its order, so that a payment in the last minute still has its units. */
export const sessionMs = minutes(25)
const marginMs = minutes(1)

/**
 * Starts the payment of an order, or a new one after a failed payment. Returns the current payment if it is already
 * open, or if there is nothing to start: cash on delivery, settled or ended. If the provider cannot be reached, fails
 * with 502 and leaves the payment `starting`, so that the call can be repeated.
 */
export const startPayment = async (ctx: PaymentCtx, orderId: string): Promise<PaymentView> => {
  const prepared = await ctx.db.tx((tx) => prepare(tx, ctx, orderId))
  if (prepared.isLapsed) {
    const closed = await closePayment(ctx, orderId)
    if (closed === 'in_progress') throw fail('CONFLICT', 'This order is being paid right now.')
    return startPayment(ctx, orderId)
  }
  const { payment, order } = prepared
  if (payment.status !== 'starting' || order.status !== 'pending') return showPayment(payment)
  return showPayment(await openSession(ctx, order, payment))
}

/** An order that was just placed, with its payment. Nothing has to be read to start it. */
export type Placed = { order: FullOrderRow; payment: sql.PaymentRow }
type Startable = Pick<LockedOrder, 'id' | 'number' | 'expiresAt'>

/**
 * Starts the payment of an order that was just placed. If the order is replaced or settled before the provider answers,
 * returns the payment as it is then.
 */
export const startPlaced = async (ctx: PaymentCtx, { order, payment }: Placed): Promise<PaymentView> =>
  showPayment(await openSession(ctx, order, payment))

type Prepared = { order: LockedOrder; payment: sql.PaymentRow; isLapsed: boolean }

const prepare = async (tx: Tx, ctx: PaymentCtx, orderId: string): Promise<Prepared> => {
  const order = await holdOrder(tx, ctx, orderId)
  const payments = await sql.lockPayments(tx, ctx.store.id, orderId)
  if (order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  const last = payments.at(-1)
  if (order.totalMinor === 0 && last?.status === 'starting' && order.paymentStatus === 'paid') {
    // With a total of 0 no provider is called.
    await sql.writePayment(tx, ctx.store.id, last.id, { status: 'paid', reference: null, refundDue: false })
    return { order, payment: { ...last, status: 'paid' }, isLapsed: false }
  }
  const isPayable = order.status === 'pending' && order.paymentMethod === 'online' && order.paymentStatus !== 'paid'
  if (last !== undefined && (!isPayable || last.status === 'open')) {
    const isLapsed = isPayable && (last.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) <= ctx.clock.now()
    return { order, payment: last, isLapsed }
  }
  if (last?.status === 'starting') return { order, payment: last, isLapsed: false }
  assertPayable(ctx)
  sessionEnd(ctx, order)
  const payment = await sql.insertPayment(tx, ctx.store.id, {
    id: newId('pay', ctx.clock.now()),
    orderId,
    provider: ctx.store.paymentProvider,
    status: 'starting',
    amountMinor: order.totalMinor,
    currency: order.currency,
    reference: null,
  })
  return { order: await notePaymentRetry(tx, ctx, order), payment, isLapsed: false }
}

/** Fails with 409 if too little time is left to pay. */
const sessionEnd = ({ clock }: PaymentCtx, { expiresAt }: Startable): Date => {
  const now = clock.now()
  const latest = (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - marginMs
  if (latest - now < marginMs) throw fail('CONFLICT', 'This order has expired. Check out again.')
  return new Date(Math.min(now + sessionMs, latest))
}

const openSession = async (ctx: PaymentCtx, order: Startable, payment: sql.PaymentRow): Promise<sql.PaymentRow> => {
  const expiresAt = sessionEnd(ctx, order)
  const charge = {
    ...refOf(payment),
    orderNumber: order.number,
    expiresAt,
    returnUrl: `${ctx.publicUrl}/payment/callback?orderId=${encodeURIComponent(order.id)}`,
  }
  const session = await reach(() =>
    callProvider(ctx, payment.provider, (provider, account, signal) => provider.start(account, charge, signal)),
  )
  // The provider has a session now, so it is stored even if the client has disconnected.
  const opened = await sql.openPayment(ctx.db.forStore(ctx.store.id), ctx.store.id, payment.id, session)
  if (opened !== undefined) return opened
  const decided = await sql.readPaymentById(ctx.db, ctx.store.id, payment.id)
  if (decided === undefined) throw new Error(`payment ${payment.id} has disappeared`)
  return decided
}

/** Every failure of a provider, a timeout included, is a 502 for the caller, with the reason in the log. */
const reach = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw fail('BAD_GATEWAY', 'The payment provider could not be reached. Try again shortly.', { cause: error })
  }
}

/**
 * Closes the session at the provider before an order is replaced or cancelled, so that the old order cannot be paid.
 * `paid`: the shopper has paid already, and the order is settled now. `in_progress`: the shopper is paying.
 */
export const closePayment = async (ctx: PaymentCtx, orderId: string): Promise<Closing> => {
  const undecided = await sql.readUndecidedPayment(ctx.db, ctx.store.id, orderId)
  if (undecided !== undefined) return closeSession(ctx, undecided)
  const latest = await sql.readLatestPayment(ctx.db, ctx.store.id, orderId)
  return latest?.status === 'paid' ? 'paid' : 'closed'
}

export type Closing = 'closed' | 'paid' | 'in_progress'

/** The same for one undecided payment. */
export const closeSession = async (ctx: PaymentCtx, payment: sql.PaymentRow): Promise<Closing> => {
  const result = await reach(() =>
    callProvider(ctx, payment.provider, (provider, account, signal) => provider.close(account, refOf(payment), signal)),
  )
  if (result === 'in_progress') return result
  if (result === 'paid') await reach(() => reconcilePayment(ctx, payment))
  else if (await sql.closePaymentRow(ctx.db.forStore(ctx.store.id), ctx.store.id, payment.id)) return 'closed'
  // Normally it is decided by now, by this call or by a faster webhook. If it is still open although the provider says
  // paid, the report was refused (a mismatch in the inbox), and an operator must look at it.
  const decided = await sql.readPaymentById(ctx.db, ctx.store.id, payment.id)
  if (decided?.status === 'open' || decided?.status === 'starting') return 'in_progress'
  return decided?.status === 'paid' ? 'paid' : 'closed'
}

export const readPayment = async (db: Queries, storeId: StoreId, orderId: string): Promise<PaymentView | undefined> => {
  const payment = await sql.readLatestPayment(db, storeId, orderId)
  return payment && showPayment(payment)
}

/** The current state of one payment. */
export const readPaymentById = async (
  ctx: Pick<PaymentCtx, 'db' | 'store'>,
  paymentId: string,
): Promise<PaymentView> => {
  const payment = await sql.readPaymentById(ctx.db, ctx.store.id, paymentId)
  if (payment === undefined) throw new Error(`payment ${paymentId} has disappeared`)
  return showPayment(payment)
}

/** `redirectUrl` is shown only while the shopper can pay there. */
export const showPayment = ({ id, provider, status, redirectUrl, expiresAt }: sql.PaymentRow): PaymentView => ({
  id,
  provider,
  status,
  redirectUrl: status === 'open' ? redirectUrl : null,
  expiresAt: status === 'open' ? (expiresAt?.toISOString() ?? null) : null,
})

const refOf = ({ id, reference, orderId, amountMinor, currency }: sql.PaymentRow): PaymentRef => ({
  paymentId: id,
  reference,
  orderId,
  amountMinor,
  currency,
})
