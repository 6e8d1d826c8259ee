import { minutes, seconds } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { isIdShaped } from '../../core/ids.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { secondsToNextWindow } from '../access/rate-limit.ts'
import type { Services } from '../context.ts'
import { findOrderById } from '../orders/order-book.sql.ts'
import { type OrderRow, readOrder } from '../orders/orders.sql.ts'
import { claimAsking, readLatestPayment } from './payments.sql.ts'
import { forStore, type PaymentCtx, type PaymentServices } from './providers.ts'
import { askProvider } from './reconcile.ts'
import { returnOrigin } from './storefront-url.ts'

const askAgainMs = seconds(3)

/** Gets the error of a provider that did not answer. The shopper goes on, and a job asks again. */
export type OnTrouble = (error: unknown) => void

/**
 * Where to send the browser of a shopper who comes back. What the address says about the payment is not read: the
 * provider is asked, unless somebody has just done so.
 */
export const findWayBack = async (
  services: PaymentServices & Pick<Services, 'boundLookup' | 'counter'>,
  { orderId, clientAddress }: { orderId: string; clientAddress: string },
  onTrouble: OnTrouble = () => {},
): Promise<string> => {
  if (!isIdShaped('ord', orderId)) throw noSuchOrder()
  await limitCallbacks(services, clientAddress)
  const ctx = await services.boundLookup(`webhook ${clientAddress}`, () => ctxOfOrder(services, orderId))
  if (ctx === undefined) throw noSuchOrder()
  await reconcile(ctx, orderId, onTrouble)
  const order = await readOrder(ctx.db, ctx.store.id, orderId)
  if (order === undefined) throw noSuchOrder()
  const origin = returnOrigin(ctx.store, order.storefrontUrl)
  return `${origin}/payment/callback?orderId=${encodeURIComponent(order.id)}&status=${callbackStatus(order)}`
}

const mostCallbacksAMinute = 600

/** Anyone with the id of an order can call this, and webhooks of all stores wait for the same connections. */
const limitCallbacks = async ({ counter, clock }: Pick<Services, 'counter' | 'clock'>, clientAddress: string) => {
  const nowMs = clock.now()
  const count = await counter.count(`callback:${clientAddress}`, minutes(1), nowMs)
  if (count <= mostCallbacksAMinute) return
  const retryAfter = String(secondsToNextWindow(nowMs, minutes(1)))
  throw fail('RATE_LIMITED', undefined, { headers: { 'retry-after': retryAfter } })
}

const noSuchOrder = () => fail('NOT_FOUND', 'There is no such order.')

/** Orders have ids that name them across all stores. */
export const ctxOfOrder = async (services: PaymentServices, orderId: string): Promise<PaymentCtx | undefined> => {
  const [found] = await findOrderById(services.db, orderId, null)
  const store = found && (await findStoreByPublicId(services.db, found.storeId))
  return store && forStore(services, store)
}

const reconcile = async (ctx: PaymentCtx, orderId: string, onTrouble: OnTrouble) => {
  const payment = await readLatestPayment(ctx.db, ctx.store.id, orderId)
  if (payment === undefined || (payment.status !== 'open' && payment.status !== 'starting')) return
  if (!(await claimAsking(ctx.db, ctx.store.id, payment.id, askAgainMs))) return
  try {
    await askProvider(ctx, payment)
  } catch (error) {
    onTrouble(error)
  }
}

/** What is paid back was not bought in the end, and neither was what was cancelled. */
export const callbackStatus = ({
  status,
  paymentStatus,
}: Pick<OrderRow, 'status' | 'paymentStatus'>): 'success' | 'failed' | 'pending' => {
  if (paymentStatus === 'paid') return 'success'
  return paymentStatus === 'pending' && status !== 'cancelled' ? 'pending' : 'failed'
}
