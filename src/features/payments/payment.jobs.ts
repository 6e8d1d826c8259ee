import { seconds } from '../../core/clock.ts'
import { Failure } from '../../core/errors.ts'
import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { claimExpiredOrders, type ExpiredOrder, findExpiredOrders, postponeExpiry } from '../orders/expiry.sql.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { cancelOrder, holdOrder } from '../orders/settle.ts'
import { jobCallLimitMs } from './call-provider.ts'
import * as sql from './payment-jobs.sql.ts'
import type { PaymentRow } from './payments.sql.ts'
import type { PaymentCtx, PaymentServices } from './providers.ts'
import { askProvider } from './reconcile.ts'
import { refundPayment } from './refunds.ts'
import { closePayment, closeSession } from './sessions.ts'

/** `cleanupDb`: for deletions, so that they never take the connections of jobs that move money. */
export const paymentJobs = (services: PaymentServices, cleanupDb: Queries) => [
  refundJob(services),
  orderExpiryJob(services),
  paymentCheckJob(services),
  deleteJob(cleanupDb, 'payment-event-cleanup', sql.oldPaymentEvents),
]

/** Shorter than the minute of a claim, and longer than two calls to a provider. */
const usual = { everyMs: seconds(20), concurrency: 8, limitMs: seconds(45) }

const refundJob = (services: PaymentServices): JobKind<sql.DuePayment> => ({
  ...usual,
  name: 'refund',
  findDue: () => sql.findRefunds(services.db),
  claim: (storeId, most) => sql.claimRefunds(services.db, storeId, most),
  run: async (payment, signal) => {
    const ctx = await openCtx(services, payment.storeId, signal)
    await refundPayment(ctx, payment)
    // Changes nothing once it is refunded.
    await sql.postponeRefund(services.db, payment)
  },
  postpone: (payment) => sql.postponeRefund(services.db, payment),
  describe: ({ storeId, orderId, id, attempt }) => ({ storeId, orderId, paymentId: id, attempt }),
})

/** Cancels orders that were not paid in time. For an hour, an open payment is only closed if its provider agrees. */
const orderExpiryJob = (services: PaymentServices): JobKind<ExpiredOrder> => ({
  ...usual,
  name: 'order-expiry',
  findDue: () => findExpiredOrders(services.db),
  claim: (storeId, most) => claimExpiredOrders(services.db, storeId, most),
  run: async ({ storeId, orderId, isOverdue }, signal) => {
    const ctx = await openCtx(services, storeId, signal)
    if (await isClosed(ctx, orderId, isOverdue)) await expire(ctx, orderId)
  },
  postpone: (order) => postponeExpiry(services.db, order),
  describe: ({ storeId, orderId, attempt }) => ({ storeId, orderId, attempt }),
})

/** Asks about payments whose webhook has not come. */
const paymentCheckJob = (services: PaymentServices): JobKind<sql.DuePayment> => ({
  ...usual,
  name: 'payment-check',
  findDue: () => sql.findUnheard(services.db),
  claim: (storeId, most) => sql.claimUnheard(services.db, storeId, most),
  run: async (payment, signal) => askOrClose(await openCtx(services, payment.storeId, signal), payment),
  describe: ({ storeId, orderId, id }) => ({ storeId, orderId, paymentId: id }),
})

const openCtx = async (services: PaymentServices, storeId: string, signal: AbortSignal): Promise<PaymentCtx> => {
  const store = await findStoreByPublicId(services.db, storeId)
  if (store === undefined) throw new Error(`the store ${storeId} is gone`)
  return { ...services, store, providerCalls: { limitMs: jobCallLimitMs, signal } }
}

/** After an hour the units go back to stock even if the provider fails. A payment that arrives later still counts. */
const isClosed = async (ctx: PaymentCtx, orderId: string, isOverdue: boolean): Promise<boolean> => {
  try {
    const closing = await closePayment(ctx, orderId)
    return closing === 'closed' || (closing === 'in_progress' && isOverdue)
  } catch (error) {
    const isProviderAway = error instanceof Failure && error.code === 'BAD_GATEWAY'
    if (isOverdue && isProviderAway && ctx.providerCalls?.signal?.aborted !== true) return true
    throw error
  }
}

/** Only if it is still due under the lock: it may have been paid or cancelled since it was found. */
const expire = (ctx: PaymentCtx, orderId: string): Promise<boolean> =>
  ctx.db.tx(async (tx) => {
    const order = await holdOrder(tx, ctx, orderId)
    if (order === undefined || order.expiresAt === null || order.expiresAt.getTime() > ctx.clock.now()) return false
    return (await cancelOrder(tx, ctx, order, 'It was not paid in time.')).status === 'cancelled'
  })

/** A payment that its order no longer needs is closed, so that nobody pays it. */
const askOrClose = async (ctx: PaymentCtx, payment: PaymentRow) => {
  if ((await askProvider(ctx, payment)) !== null) return
  const order = await readOrder(ctx.db, ctx.store.id, payment.orderId)
  const isWanted = order?.status === 'pending' && order.paymentStatus !== 'paid'
  if (!isWanted) await closeSession(ctx, payment)
}
