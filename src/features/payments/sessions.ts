import { hours, minutes } from '../../core/clock.ts'
import { Failure, fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { ProviderRefused } from '../../providers/http.ts'
import {
  type Charge,
  type ChargedCustomer,
  type Closing,
  type PaymentProvider,
  type PaymentRef,
  SessionLost,
  type StartedSession,
} from '../../providers/payment/provider.ts'
import { readContact } from '../accounts/customer.ts'
import type { StoreId } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import { type FullOrderRow, type LockedOrder, readOrder } from '../orders/orders.sql.ts'
import { isPaid, notePaymentRetry } from '../orders/settle.ts'
import { callProvider } from './call-provider.ts'
import type { PaymentView } from './payments.contract.ts'
import * as sql from './payments.sql.ts'
import { assertPayable, lateCheckOf, type PaymentCtx, providerOf } from './providers.ts'
import { checkLatePayments, reconcilePayment } from './reconcile.ts'

export type { PaymentView } from './payments.contract.ts'
export type { PaymentRow } from './payments.sql.ts'
export { assertPayable } from './providers.ts'

/** At least this much time lies between the end of a session and the end of the hold on the units. */
const marginMs = minutes(1)
/** Retries extend the hold if the provider's sessions are longer than the time that is left, until this age of the order. */
const maxHoldMs = hours(3)

/**
 * Starts the payment of an order, or a new one after a failed payment. Returns the current payment if it is already
 * open, or if there is nothing to start: cash on delivery, settled or ended. If the provider cannot be reached, fails
 * with 502 and leaves the payment `starting`, so that the call can be repeated.
 */
export const startPayment = async (
  ctx: PaymentCtx,
  orderId: string,
  { isClosed = false } = {},
): Promise<PaymentView> => {
  const prepared = await ctx.db.tx((tx) => prepare(tx, ctx, orderId, { isClosed }))
  if (prepared.mustClose) {
    const closed = await closePayment(ctx, orderId)
    if (closed === 'in_progress') throw fail('CONFLICT', 'This order is being paid right now.')
    return startPayment(ctx, orderId, { isClosed: true })
  }
  const { payment, order } = prepared
  if (payment.status !== 'starting' || order.status !== 'pending') return showPayment(payment)
  return startSession(ctx, order, payment)
}

/** An order that was just placed, with its payment and its customer. Nothing has to be read to start it. */
export type Placed = { order: FullOrderRow; payment: sql.PaymentRow; contact: ChargedCustomer | undefined }
type Startable = Pick<LockedOrder, 'id' | 'number' | 'customerId' | 'shippingAddress'> &
  Partial<Pick<Placed, 'contact'>>

/**
 * Starts the payment of an order that was just placed. If the order is replaced or settled before the provider answers,
 * returns the payment as it is then.
 */
export const startPlaced = (ctx: PaymentCtx, { order, payment, contact }: Placed): Promise<PaymentView> =>
  startSession(ctx, { ...order, contact }, payment)

/** A session that the provider has lost is replaced by a new payment, once. */
const startSession = async (ctx: PaymentCtx, order: Startable, payment: sql.PaymentRow): Promise<PaymentView> => {
  try {
    return showPayment(await openSession(ctx, order, payment))
  } catch (error) {
    if (!(error instanceof SessionLost)) throw error
    const next = await ctx.db.tx((tx) => replaceLost(tx, ctx, payment))
    if (next.status !== 'starting') return showPayment(next)
    return showPayment(await reach(() => openSession(ctx, order, next), { isLast: true }))
  }
}

/** If another request has opened, decided or replaced the payment meanwhile, returns the current payment instead. */
const replaceLost = async (tx: Tx, ctx: PaymentCtx, lost: sql.PaymentRow): Promise<sql.PaymentRow> => {
  // Requests that lost the same session wait here for the one that replaces it.
  await holdOrder(tx, ctx, lost.orderId)
  if (await sql.closeStartingPayment(tx, ctx.store.id, lost.id, lateCheckOf(ctx, lost))) {
    return (await prepare(tx, ctx, lost.orderId, { isClosed: true })).payment
  }
  return mustExist(await sql.readLatestPayment(tx, ctx.store.id, lost.orderId), 'the payment of an order')
}

/** `mustClose`: earlier payments must be closed first, and then `prepare` is called again. */
type Prepared = { order: LockedOrder; payment: sql.PaymentRow; mustClose: boolean }

const prepare = async (
  tx: Tx,
  ctx: PaymentCtx,
  orderId: string,
  { isClosed }: { isClosed: boolean },
): Promise<Prepared> => {
  const order = await holdOrder(tx, ctx, orderId)
  const payments = await sql.lockPayments(tx, ctx.store.id, orderId)
  if (order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  const last = payments.at(-1)
  if (order.totalMinor === 0 && last?.status === 'starting' && order.paymentStatus === 'paid') {
    // With a total of 0 no provider is called.
    await sql.writePayment(tx, ctx.store.id, last.id, { status: 'paid' })
    return { order, payment: { ...last, status: 'paid' }, mustClose: false }
  }
  const isPayable = order.status === 'pending' && order.paymentMethod === 'online' && !isPaid(order)
  if (last !== undefined && !isPayable) return { order, payment: payments.find(hasPaidOrder) ?? last, mustClose: false }
  if (last !== undefined && sql.isUndecided(last)) return { order, payment: last, mustClose: isLapsed(ctx, last) }
  if (last !== undefined && !isClosed && payments.some(sql.isPayableLate))
    return { order, payment: last, mustClose: true }
  assertPayable(ctx)
  const provider = providerOf(ctx, ctx.store.paymentProvider)
  // The order may have been placed with another provider.
  const refusal = provider.refuseAmount(order.totalMinor, order.currency)
  if (refusal !== null) throw fail('BAD_REQUEST', refusal)
  const { endsAt, holdUntil } = planSession(ctx, provider, order)
  const id = newId('pay', ctx.clock.now())
  const payment = await sql.insertPayment(tx, ctx.store.id, {
    id,
    orderId,
    provider: provider.name,
    status: 'starting',
    amountMinor: order.totalMinor,
    currency: order.currency,
    reference: provider.referenceOf(id),
    expiresAt: endsAt,
  })
  return { order: await notePaymentRetry(tx, ctx, order, holdUntil), payment, mustClose: false }
}

/** The payment that paid the order may be older than the last one. */
const hasPaidOrder = ({ status, isDuplicate }: sql.PaymentRow) => status === 'paid' && !isDuplicate

/** An open session has ended, or one that was never started has become too short for its provider. */
const isLapsed = (ctx: PaymentCtx, { status, expiresAt, provider }: sql.PaymentRow): boolean => {
  if (expiresAt === null) return false
  const neededMs = status === 'open' ? 0 : providerOf(ctx, provider).minSessionMs
  return expiresAt.getTime() - neededMs <= ctx.clock.now()
}

/**
 * When a session that starts now ends, and until when the order holds its units: it ends before they are released, so
 * that a payment in the last minute still has its units. Fails with 409 if too little time is left.
 */
const planSession = (
  { clock }: PaymentCtx,
  { sessionMs, minSessionMs, holdMs }: PaymentProvider,
  { expiresAt, createdAt }: Pick<LockedOrder, 'expiresAt' | 'createdAt'>,
): { endsAt: Date; holdUntil: Date | null } => {
  const now = clock.now()
  if (expiresAt === null) return { endsAt: new Date(now + sessionMs), holdUntil: null }
  const latest = expiresAt.getTime() - marginMs
  if (latest - now >= minSessionMs) return { endsAt: new Date(Math.min(now + sessionMs, latest)), holdUntil: expiresAt }
  const isExtendable = minSessionMs > marginMs && now + holdMs <= createdAt.getTime() + maxHoldMs
  if (!isExtendable || latest <= now) throw fail('CONFLICT', 'This order has expired. Check out again.')
  return { endsAt: new Date(now + sessionMs), holdUntil: new Date(now + holdMs) }
}

const openSession = async (ctx: PaymentCtx, order: Startable, payment: sql.PaymentRow): Promise<sql.PaymentRow> => {
  const session = await reach(() => callStart(ctx, order, payment))
  // The provider has a session now, so it is stored even if the client has disconnected.
  const opened = await sql.openPayment(ctx.db.forStore(ctx.store.id), ctx.store.id, payment.id, session)
  if (opened !== undefined) return opened
  const decided = await sql.readPaymentById(ctx.db, ctx.store.id, payment.id)
  if (decided === undefined) throw new Error(`payment ${payment.id} has disappeared`)
  return decided
}

const callStart = async (ctx: PaymentCtx, order: Startable, payment: sql.PaymentRow): Promise<StartedSession> => {
  const provider = providerOf(ctx, payment.provider)
  const charge: Charge = {
    ...refOf(payment),
    orderNumber: order.number,
    storeName: ctx.store.name,
    customer: provider.takesCustomer ? await readChargedCustomer(ctx, order) : unknownCustomer,
    expiresAt: payment.expiresAt ?? new Date(ctx.clock.now() + provider.sessionMs),
    returnUrl: `${ctx.publicUrl}/payment/callback/${payment.provider}`,
  }
  return callProvider(ctx, payment.provider, (provider, account, signal) => provider.start(account, charge, signal))
}

const unknownCustomer: ChargedCustomer = { id: '', name: '', email: '', phone: '' }

/** The customer's own details, and those of the delivery address where the account has none. */
const readChargedCustomer = async (ctx: PaymentCtx, order: Startable): Promise<ChargedCustomer> => {
  const { id, name, email, phone } = order.contact ?? (await readContact(ctx.db, ctx.store, order.customerId))
  const { shippingAddress } = order
  return { id, name: name || (shippingAddress?.name ?? ''), email, phone: phone || (shippingAddress?.phone ?? '') }
}

/**
 * Every failure of a provider, a timeout included, is a 502 for the caller, with the reason in the log. A lost session is
 * one only at the last attempt.
 */
const reach = async <Result>(call: () => Promise<Result>, { isLast = false } = {}): Promise<Result> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Failure || (error instanceof SessionLost && !isLast)) throw error
    throw fail('BAD_GATEWAY', 'The payment provider could not be reached. Try again shortly.', { cause: error })
  }
}

/**
 * Closes the session at the provider before an order is replaced or cancelled, so that the old order cannot be paid.
 * `paid`: the shopper has paid already, and the order is settled now. `in_progress`: the shopper is paying.
 */
export const closePayment = async (ctx: PaymentCtx, orderId: string): Promise<Closing> => {
  const payable = await sql.readPayablePayments(ctx.db, ctx.store.id, orderId)
  const late = await reach(() => checkLatePayments(ctx, payable.filter(sql.isPayableLate)))
  if (late === 'in_progress') return late
  const undecided = payable.find(sql.isUndecided)
  if (late === 'closed' && undecided !== undefined) return closeSession(ctx, undecided)
  const latest = await sql.readLatestPayment(ctx.db, ctx.store.id, orderId)
  if (latest?.status === 'paid') return 'paid'
  // As in `closeSession`: the provider says paid, but the report was refused.
  return late === 'paid' ? 'in_progress' : 'closed'
}

/** The same for one undecided payment. */
export const closeSession = async (ctx: PaymentCtx, payment: sql.PaymentRow): Promise<Closing> => {
  const result = await reach(async () => {
    const found = await findLostSession(ctx, payment)
    return callProvider(ctx, payment.provider, (provider, account, signal) =>
      provider.close(account, refOf(found), signal),
    )
  })
  if (result === 'in_progress') return result
  if (result === 'paid') await reach(() => reconcilePayment(ctx, payment))
  else if (
    await sql.closePaymentRow(ctx.db.forStore(ctx.store.id), ctx.store.id, payment.id, lateCheckOf(ctx, payment))
  ) {
    return 'closed'
  }
  // Normally it is decided by now, by this call or by a faster webhook. If it is still open although the provider says
  // paid, the report was refused (a mismatch in the inbox), and an operator must look at it.
  const decided = await sql.readPaymentById(ctx.db, ctx.store.id, payment.id)
  if (decided?.status === 'open' || decided?.status === 'starting') return 'in_progress'
  return decided?.status === 'paid' ? 'paid' : 'closed'
}

/** If the answer to `start` was lost, the same call gets it again. A refused one has made no session. */
const findLostSession = async (ctx: PaymentCtx, payment: sql.PaymentRow): Promise<sql.PaymentRow> => {
  const isLost = payment.status === 'starting' && payment.reference === null
  if (!isLost || providerOf(ctx, payment.provider).isFoundByStart !== true) return payment
  const order = await readOrder(ctx.db, ctx.store.id, payment.orderId)
  if (order === undefined) return payment
  try {
    return { ...payment, reference: (await callStart(ctx, order, payment)).reference }
  } catch (error) {
    if (error instanceof ProviderRefused || error instanceof SessionLost) return payment
    throw error
  }
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
export const showPayment = ({
  id,
  provider,
  status,
  redirectUrl,
  expiresAt,
}: Pick<sql.PaymentRow, 'id' | 'provider' | 'status' | 'redirectUrl' | 'expiresAt'>): PaymentView => ({
  id,
  provider,
  status,
  redirectUrl: status === 'open' ? redirectUrl : null,
  expiresAt: status === 'open' ? (expiresAt?.toISOString() ?? null) : null,
})

const refOf = ({ id, reference, transaction, orderId, amountMinor, currency }: sql.PaymentRow): PaymentRef => ({
  paymentId: id,
  reference,
  transaction,
  orderId,
  amountMinor,
  currency,
})
