import { minutes, seconds } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { isIdShaped } from '../../core/ids.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { secondsToNextWindow } from '../access/rate-limit.ts'
import { returnOrigin } from '../access/storefront-url.ts'
import type { Services } from '../context.ts'
import { type OrderRow, readOrder } from '../orders/orders.sql.ts'
import { findOrderById } from '../orders/store-orders.sql.ts'
import { claimStatusCheck, findOrderByReference, readLatestPayment } from './payments.sql.ts'
import { forStore, openAccount, type PaymentCtx, type PaymentServices } from './providers.ts'
import { reconcilePayment } from './reconcile.ts'

const checkAgainMs = seconds(3)

type PaymentIds = { storeId: string; orderId: string; paymentId: string; provider: string }

/** Called when a status check fails. The shopper is redirected anyway, and a job checks again. */
export type OnProviderError = (error: unknown, ids: PaymentIds) => void

type ReturnQuery = Readonly<Record<string, string | undefined>>

export type ReturnedShopper = { orderId: string; clientAddress: string }

type ReturnServices = PaymentServices & Pick<Services, 'limitLookups' | 'counter'>

/**
 * Returns the storefront URL for a shopper who comes back from paying. Query parameters about the payment are ignored,
 * since anyone can forge them: the payment is checked at the provider, at most every few seconds.
 */
export const findReturnUrl = async (
  services: ReturnServices,
  { orderId, clientAddress }: ReturnedShopper,
  onProviderError: OnProviderError = () => {},
): Promise<string> => {
  if (!isIdShaped('ord', orderId)) throw noSuchOrder()
  await limitCallbacks(services, clientAddress)
  const ctx = await services.limitLookups(`callback ${clientAddress}`, () => ctxOfOrder(services, orderId))
  if (ctx === undefined) throw noSuchOrder()
  await reconcileLatestPayment(ctx, orderId, onProviderError)
  return returnUrlOf(ctx, orderId)
}

/** The same for the query that a provider appends, which names the payment in the provider's own way. */
export const findProviderReturnUrl = async (
  services: ReturnServices,
  { provider, query, clientAddress }: { provider: string; query: ReturnQuery; clientAddress: string },
  onProviderError: OnProviderError = () => {},
): Promise<string> => {
  const names = services.payments.providers.get(provider)?.readReturn(query)
  if (names === undefined) throw noSuchOrder()
  await limitCallbacks(services, clientAddress)
  const found = await services.limitLookups(`callback ${clientAddress}`, async () => {
    const orderId = names.orderId ?? (await findOrderOfReference(services, provider, names.reference))
    const ctx = isIdShaped('ord', orderId) ? await ctxOfOrder(services, orderId) : undefined
    return ctx && { ctx, orderId }
  })
  if (found === undefined) throw noSuchOrder()
  const { ctx, orderId } = found
  if (await isReturnSigned(ctx, provider, query)) await reconcileLatestPayment(ctx, orderId, onProviderError)
  return returnUrlOf(ctx, orderId)
}

const findOrderOfReference = async ({ db }: PaymentServices, provider: string, reference: string | null) =>
  reference === null ? '' : ((await findOrderByReference(db, provider, reference))?.orderId ?? '')

const returnUrlOf = async (ctx: PaymentCtx, orderId: string): Promise<string> => {
  const order = await readOrder(ctx.db, ctx.store.id, orderId)
  if (order === undefined) throw noSuchOrder()
  const origin = returnOrigin(ctx.store, order.storefrontUrl)
  return `${origin}/payment/callback?orderId=${encodeURIComponent(order.id)}&status=${callbackStatus(order)}`
}

/** A forged return does not even cause a call to the provider. A job checks the payment anyway. */
const isReturnSigned = async (ctx: PaymentCtx, name: string, query: ReturnQuery) => {
  if (ctx.payments.providers.get(name)?.isReturnGenuine === undefined) return true
  // The store may have no account there: anyone can write this address.
  const opened = await openAccount(ctx, name).catch(() => null)
  return opened?.provider.isReturnGenuine?.(opened.account, query) ?? false
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
  if (paymentStatus === 'paid' || paymentStatus === 'partially_refunded') return 'success'
  return paymentStatus === 'pending' && status !== 'cancelled' ? 'pending' : 'failed'
}
