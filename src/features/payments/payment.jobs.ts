import { seconds } from '../../core/clock.ts'
import { Failure } from '../../core/errors.ts'
import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { claimExpiredOrders, type ExpiredOrder, findExpiredOrders, postponeExpiry } from '../orders/expiry.sql.ts'
import { holdOrder } from '../orders/lock-order.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { cancelOrder, isPaid } from '../orders/settle.ts'
import { jobCallLimitMs } from './call-provider.ts'
import { findLeftOverEvents, listLeftOverEvents } from './inbox.sql.ts'
import { type InboxEvent, replayEvent } from './inbox.ts'
import * as sql from './payment-jobs.sql.ts'
import type { PaymentRow } from './payments.sql.ts'
import type { PaymentCtx, PaymentServices } from './providers.ts'
import { reconcilePayment } from './reconcile.ts'
import { claimDueRefunds, type DueRefund, findDueRefunds, postponeRefund } from './refunds.sql.ts'
import { runRefund } from './refunds.ts'
import { closePayment, closeSession } from './sessions.ts'

/** `cleanupDb` is for deletions, so that they never use the connections of jobs that move money. */
export const paymentJobs = (services: PaymentServices, cleanupDb: Queries) => [
  refundJob(services),
  orderExpiryJob(services),
  paymentCheckJob(services),
  latePaymentJob(services),
  paymentEventJob(services),
  deleteJob(cleanupDb, 'payment-event-cleanup', sql.oldPaymentEvents),
]

/** The time limit is shorter than the minute of a claim and longer than two calls to a provider. */
const defaults = { everyMs: seconds(20), concurrency: 8, limitMs: seconds(45) }

const refundJob = (services: PaymentServices): JobKind<DueRefund> => ({
  ...defaults,
  name: 'refund',
  findDue: () => findDueRefunds(services.db),
  claim: (storeId, limit) => claimDueRefunds(services.db, storeId, limit),
  run: async (refund, signal) => {
    await runRefund(await openCtx(services, refund.storeId, signal), refund)
    // No effect if the refund is decided.
    await postponeRefund(services.db, refund)
  },
  postpone: (refund) => postponeRefund(services.db, refund),
  describe: ({ storeId, orderId, paymentId, id, attempts }) => ({
    ...{ storeId, orderId, paymentId },
    refundId: id,
    attempt: attempts,
  }),
})

/** Cancels orders that were not paid in time. During the first hour this needs the provider's agreement. */
const orderExpiryJob = (services: PaymentServices): JobKind<ExpiredOrder> => ({
  ...defaults,
  name: 'order-expiry',
  findDue: () => findExpiredOrders(services.db),
  claim: (storeId, limit) => claimExpiredOrders(services.db, storeId, limit),
  run: async ({ storeId, orderId, isOverdue }, signal) => {
    const ctx = await openCtx(services, storeId, signal)
    if (await isClosed(ctx, orderId, isOverdue)) await expire(ctx, orderId)
  },
  postpone: (order) => postponeExpiry(services.db, order),
  describe: ({ storeId, orderId, attempt }) => ({ storeId, orderId, attempt }),
})

/** Checks payments at the provider, in case a webhook was lost. */
const paymentCheckJob = (services: PaymentServices): JobKind<sql.DuePayment> => ({
  ...defaults,
  name: 'payment-check',
  findDue: () => sql.findPaymentsToCheck(services.db),
  claim: (storeId, limit) => sql.claimPaymentsToCheck(services.db, storeId, limit),
  run: async (payment, signal) => checkOrClose(await openCtx(services, payment.storeId, signal), payment),
  describe: ({ storeId, orderId, id }) => ({ storeId, orderId, paymentId: id }),
})

/**
 * Finds payments that were made on a page that could not be closed, in case a webhook was lost, and reads details that
 * webhooks lack.
 */
const latePaymentJob = (services: PaymentServices): JobKind<sql.DuePayment> => ({
  ...defaults,
  name: 'late-payment-check',
  findDue: () => sql.findLatePayments(services.db),
  claim: (storeId, limit) => sql.claimLatePayments(services.db, storeId, limit),
  run: async (payment, signal) =>
    void (await reconcilePayment(await openCtx(services, payment.storeId, signal), payment)),
  describe: ({ storeId, orderId, id }) => ({ storeId, orderId, paymentId: id }),
})

/** Applies events that came before their payment, in case the process died between the two steps. */
const paymentEventJob = (services: PaymentServices): JobKind<InboxEvent> => ({
  ...defaults,
  name: 'payment-event',
  findDue: () => findLeftOverEvents(services.db),
  // Needs no claim: an event that two instances apply has one effect.
  claim: (storeId, limit) => listLeftOverEvents(services.db, storeId, limit),
  run: ({ id }) => replayEvent(services, id),
  describe: ({ storeId, id, source }) => ({ storeId, eventNumber: id, provider: source }),
})

const openCtx = async (services: PaymentServices, storeId: string, signal: AbortSignal): Promise<PaymentCtx> => {
  const store = await findStoreByPublicId(services.db, storeId)
  if (store === undefined) throw new Error(`there is no store ${storeId}`)
  return { ...services, store, providerCalls: { limitMs: jobCallLimitMs, signal } }
}

/** After an hour the units return to stock even if the provider fails. A payment that arrives later is still applied. */
const isClosed = async (ctx: PaymentCtx, orderId: string, isOverdue: boolean): Promise<boolean> => {
  try {
    const closing = await closePayment(ctx, orderId)
    return closing === 'closed' || (closing === 'in_progress' && isOverdue)
  } catch (error) {
    const isProviderDown = error instanceof Failure && error.code === 'BAD_GATEWAY'
    if (isOverdue && isProviderDown && ctx.providerCalls?.signal?.aborted !== true) return true
    throw error
  }
}

/** Checked again under the lock: the order may have been paid or cancelled since it was claimed. */
const expire = (ctx: PaymentCtx, orderId: string): Promise<boolean> =>
  ctx.db.tx(async (tx) => {
    const order = await holdOrder(tx, ctx, orderId)
    if (order === undefined || order.expiresAt === null || order.expiresAt.getTime() > ctx.clock.now()) return false
    return (await cancelOrder(tx, ctx, order, 'Not paid in time.')).status === 'cancelled'
  })

/** An undecided payment that its order no longer needs is closed, so that it cannot be paid. */
const checkOrClose = async (ctx: PaymentCtx, payment: PaymentRow) => {
  if ((await reconcilePayment(ctx, payment)) !== null) return
  const order = await readOrder(ctx.db, ctx.store.id, payment.orderId)
  const isWanted = order?.status === 'pending' && !isPaid(order)
  if (!isWanted) await closeSession(ctx, payment)
}
