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
import { askProvider } from './reconcile.ts'

export type { PaymentView } from './payments.contract.ts'
export type { PaymentRow } from './payments.sql.ts'
export { assertPayable } from './providers.ts'

/** A session ends before the reservation of its order, so that what is paid in the last moment finds its units. */
export const sessionMs = minutes(25)
const marginMs = minutes(1)

/**
 * Starts the payment of an order, or a new one after one that failed, and answers with where to pay. What is open is
 * answered as it is, and so is a payment that has nothing to start: at the door, settled, over. A provider that cannot
 * be reached is a 502 and leaves the payment `starting`, to be tried again.
 */
export const startPayment = async (ctx: PaymentCtx, orderId: string): Promise<PaymentView> => {
  const prepared = await ctx.db.tx((tx) => prepare(tx, ctx, orderId))
  if (prepared.isLapsed) {
    const closed = await closePayment(ctx, orderId)
    if (closed === 'in_progress') throw fail('CONFLICT', 'This order is just being paid.')
    return startPayment(ctx, orderId)
  }
  const { payment, order } = prepared
  if (payment.status !== 'starting' || order.status !== 'pending') return showPayment(payment)
  return showPayment(await openSession(ctx, order, payment))
}

/** An order that was placed this moment, with its payment: nothing has to be looked up to start it. */
export type Placed = { order: FullOrderRow; payment: sql.PaymentRow }
type Startable = Pick<LockedOrder, 'id' | 'number' | 'expiresAt'>

/**
 * The same right after the order was placed. Should it be replaced or settled before the provider has answered, the
 * payment is answered as it is then.
 */
export const startPlaced = async (ctx: PaymentCtx, { order, payment }: Placed): Promise<PaymentView> =>
  showPayment(await openSession(ctx, order, payment))

type Prepared = { order: LockedOrder; payment: sql.PaymentRow; isLapsed: boolean }

const prepare = async (tx: Tx, ctx: PaymentCtx, orderId: string): Promise<Prepared> => {
  const [order, payments] = await Promise.all([
    holdOrder(tx, ctx, orderId),
    sql.lockPayments(tx, ctx.store.id, orderId),
  ])
  if (order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  const last = payments.at(-1)
  if (order.totalMinor === 0 && last?.status === 'starting' && order.paymentStatus === 'paid') {
    // There was nothing to pay, and so nobody to ask.
    tx.later(sql.writePayment(tx, ctx.store.id, last.id, { status: 'paid', reference: null, refundDue: false }))
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

/** Ends with 409 when there is no time left in which anybody could pay. */
const sessionEnd = ({ clock }: PaymentCtx, { expiresAt }: Startable): Date => {
  const now = clock.now()
  const latest = (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - marginMs
  if (latest - now < marginMs) throw fail('CONFLICT', 'The time to pay this order is over. Check out again.')
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
  // The provider has a session now, so this is written down whether or not the caller is still there.
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
 * Before an order is replaced or cancelled: its session is closed at the provider, so that nobody pays for what is
 * gone. `paid`: somebody has paid, and the order is settled now. `in_progress`: somebody is about to.
 */
export const closePayment = async (ctx: PaymentCtx, orderId: string): Promise<Closing> => {
  const undecided = await sql.readUndecidedPayment(ctx.db, ctx.store.id, orderId)
  if (undecided !== undefined) return closeSession(ctx, undecided)
  const latest = await sql.readLatestPayment(ctx.db, ctx.store.id, orderId)
  return latest?.status === 'paid' ? 'paid' : 'closed'
}

export type Closing = 'closed' | 'paid' | 'in_progress'

/** The same for one payment that is not decided yet. */
export const closeSession = async (ctx: PaymentCtx, payment: sql.PaymentRow): Promise<Closing> => {
  const result = await reach(() =>
    callProvider(ctx, payment.provider, (provider, account, signal) => provider.close(account, refOf(payment), signal)),
  )
  if (result === 'in_progress') return result
  if (result === 'paid') await reach(() => askProvider(ctx, payment))
  else if (await sql.closePaymentRow(ctx.db.forStore(ctx.store.id), ctx.store.id, payment.id)) return 'closed'
  // It is decided now, by us or by a webhook that was faster. What is paid and yet open is for a person to look at.
  const decided = await sql.readPaymentById(ctx.db, ctx.store.id, payment.id)
  if (decided?.status === 'open' || decided?.status === 'starting') return 'in_progress'
  return decided?.status === 'paid' ? 'paid' : 'closed'
}

export const readPayment = async (db: Queries, storeId: StoreId, orderId: string): Promise<PaymentView | undefined> => {
  const payment = await sql.readLatestPayment(db, storeId, orderId)
  return payment && showPayment(payment)
}

/** One payment of several, as it is now. */
export const readPaymentById = async (
  ctx: Pick<PaymentCtx, 'db' | 'store'>,
  paymentId: string,
): Promise<PaymentView> => {
  const payment = await sql.readPaymentById(ctx.db, ctx.store.id, paymentId)
  if (payment === undefined) throw new Error(`payment ${paymentId} has disappeared`)
  return showPayment(payment)
}

/** An address to pay at is of use only while somebody can pay there. */
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
