import { minutes, seconds } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { isIdShaped } from '../../core/ids.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { secondsToNextWindow } from '../access/rate-limit.ts'
import type { Services } from '../context.ts'
import { type OrderRow, readOrder } from '../orders/orders.sql.ts'
import { findOrderById } from '../orders/store-orders.sql.ts'
import { claimStatusCheck, readLatestPayment } from './payments.sql.ts'
import { forStore, type PaymentCtx, type PaymentServices } from './providers.ts'
import { reconcilePayment } from './reconcile.ts'
import { returnOrigin } from './storefront-url.ts'

const checkAgainMs = seconds(3)

type PaymentIds = { storeId: string; orderId: string; paymentId: string; provider: string }

/** Called when a status check fails. The shopper is redirected anyway, and a job checks again. */
export type OnProviderError = (error: unknown, ids: PaymentIds) => void

/**
 * Returns the storefront URL for a shopper who comes back from paying. Query parameters about the payment are ignored,
 * since anyone can forge them: the payment is checked at the provider, at most every few seconds.
 */
export const findReturnUrl = async (
  services: PaymentServices & Pick<Services, 'limitLookups' | 'counter'>,
  { orderId, clientAddress }: { orderId: string; clientAddress: string },
  onProviderError: OnProviderError = () => {},
): Promise<string> => {
  if (!isIdShaped('ord', orderId)) throw noSuchOrder()
  await limitCallbacks(services, clientAddress)
  const ctx = await services.limitLookups(`webhook ${clientAddress}`, () => ctxOfOrder(services, orderId))
  if (ctx === undefined) throw noSuchOrder()
  await reconcileLatestPayment(ctx, orderId, onProviderError)
  const order = await readOrder(ctx.db, ctx.store.id, orderId)
  if (order === undefined) throw noSuchOrder()
  const origin = returnOrigin(ctx.store, order.storefrontUrl)
  return `${origin}/payment/callback?orderId=${encodeURIComponent(order.id)}&status=${callbackStatus(order)}`
}

const maxCallbacksPerMinute = 600

/** Anyone with an order id can call this endpoint, and it shares its connections with the webhooks of all stores. */
const limitCallbacks = async ({ counter, clock }: Pick<Services, 'counter' | 'clock'>, clientAddress: string) => {
  const nowMs = clock.now()
  const count = await counter.count(`callback:${clientAddress}`, minutes(1), nowMs)
  if (count <= maxCallbacksPerMinute) return
  const retryAfter = String(secondsToNextWindow(nowMs, minutes(1)))
  throw fail('RATE_LIMITED', undefined, { headers: { 'retry-after': retryAfter } })
}

const noSuchOrder = () => fail('NOT_FOUND', 'There is no such order.')

/** Finds the store of an order: order ids are unique across stores. */
export const ctxOfOrder = async (services: PaymentServices, orderId: string): Promise<PaymentCtx | undefined> => {
  const [found] = await findOrderById(services.db, orderId, null)
  const store = found && (await findStoreByPublicId(services.db, found.storeId))
  return store && forStore(services, store)
}

const reconcileLatestPayment = async (ctx: PaymentCtx, orderId: string, onProviderError: OnProviderError) => {
  const payment = await readLatestPayment(ctx.db, ctx.store.id, orderId)
  if (payment === undefined || (payment.status !== 'open' && payment.status !== 'starting')) return
  if (!(await claimStatusCheck(ctx.db, ctx.store.id, payment.id, checkAgainMs))) return
  try {
    await reconcilePayment(ctx, payment)
  } catch (error) {
    const { id: paymentId, provider } = payment
    onProviderError(error, { storeId: ctx.store.publicId, orderId, paymentId, provider })
  }
}

/** A refunded or cancelled order counts as failed. */
export const callbackStatus = ({
  status,
  paymentStatus,
}: Pick<OrderRow, 'status' | 'paymentStatus'>): 'success' | 'failed' | 'pending' => {
  if (paymentStatus === 'paid') return 'success'
  return paymentStatus === 'pending' && status !== 'cancelled' ? 'pending' : 'failed'
}
