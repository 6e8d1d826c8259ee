import { findStoreByPublicId } from '../access/directory.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { cancelOrder, holdOrder } from '../orders/settle.ts'
import type { PaymentRow } from './payments.sql.ts'
import type { PaymentCtx, PaymentServices } from './providers.ts'
import { askProvider } from './reconcile.ts'
import { refundPayment } from './refunds.ts'
import { closePayment, closeSession } from './sessions.ts'
import {
  claimExpired,
  claimRefunds,
  claimUnheard,
  type DueOrder,
  type DuePayment,
  findExpired,
  sweepBatch,
} from './sweeps.sql.ts'

/** Told of each payment whose provider did not answer as it should. It is tried again later. */
export type OnPaymentTrouble = (error: unknown, paymentId: string) => void

/**
 * What happens to payments by themselves, by name. Each takes one batch and tells how much was due at least, so that it
 * is called again at once when there was more than a batch. What has expired comes first: once a payment was asked
 * about, it is left alone for a while.
 */
export const paymentSweeps = (services: PaymentServices, onTrouble: OnPaymentTrouble) => ({
  'payments of orders that have expired': async () =>
    tell(
      await each(
        services,
        await claimExpired(services.db),
        async (ctx, { orderId }) => {
          if ((await closePayment(ctx, orderId)) === 'closed') await expire(ctx, orderId)
        },
        onTrouble,
      ),
    ),
  'payments that nobody has heard of': async () =>
    tell(await each(services, await claimUnheard(services.db), askOrClose, onTrouble)),
  'orders that have expired': expireInTurn(services),
  'refunds that are due': async () =>
    tell(await each(services, await claimRefunds(services.db), refundPayment, onTrouble)),
})

/** A full batch stands for any number. */
const tell = (count: number) => (count >= sweepBatch ? Number.POSITIVE_INFINITY : count)

const each = async (
  services: PaymentServices,
  payments: readonly DuePayment[],
  work: (ctx: PaymentCtx, payment: PaymentRow) => Promise<unknown>,
  onTrouble: OnPaymentTrouble,
): Promise<number> => {
  for (const { storeId, ...payment } of payments) {
    try {
      const store = await findStoreByPublicId(services.db, storeId)
      if (store !== undefined) await work({ ...services, store }, payment)
    } catch (error) {
      onTrouble(error, payment.id)
    }
  }
  return payments.length
}

/** A payment of an order that wants no money any more is closed, so that nobody pays for it. */
const askOrClose = async (ctx: PaymentCtx, payment: PaymentRow) => {
  if ((await askProvider(ctx, payment)) !== null) return
  const order = await readOrder(ctx.db, ctx.store.id, payment.orderId)
  const isWanted = order?.status === 'pending' && order.paymentStatus !== 'paid'
  if (!isWanted) await closeSession(ctx, payment)
}

/**
 * Batch after batch from the oldest to the newest: one that cannot expire, because something is wrong with it, must not
 * stand before all others for ever. What was wrong is told when all have had their turn.
 */
const expireInTurn = (services: PaymentServices) => {
  let last: DueOrder | undefined
  let faults: unknown[] = []
  const tryExpire = async ({ storeId, orderId }: DueOrder) => {
    try {
      const store = await findStoreByPublicId(services.db, storeId)
      if (store !== undefined) await expire({ ...services, store }, orderId)
    } catch (error) {
      faults.push(error)
    }
  }
  return async (): Promise<number> => {
    const due = await findExpired(services.db, last)
    const isMore = due.length === sweepBatch
    last = isMore ? due.at(-1) : undefined
    for (const order of due) await tryExpire(order)
    if (isMore) return tell(due.length)
    const told = faults
    faults = []
    if (told.length > 0) throw new AggregateError(told, `${told.length} of the expired orders could not be ended`)
    return due.length
  }
}

/** Only what is due under the lock: it may have been paid, or cancelled, since we looked. */
const expire = (ctx: PaymentCtx, orderId: string): Promise<boolean> =>
  ctx.db.tx(async (tx) => {
    const order = await holdOrder(tx, ctx, orderId)
    if (order === undefined || order.expiresAt === null || order.expiresAt.getTime() > ctx.clock.now()) return false
    return (await cancelOrder(tx, ctx, order, 'It was not paid in time.')).status === 'cancelled'
  })
