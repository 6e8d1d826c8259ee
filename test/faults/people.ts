import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { address } from '../../src/features/checkout/fixture.ts'
import { basic } from '../../src/features/payments/fixture.ts'
import type { Calls } from './calls.ts'
import type { Market } from './market.ts'
import type { Random } from './random.ts'

/** What the service has acknowledged. None of it may be missing afterwards. */
export type Acknowledged = {
  orders: Map<string, { total: number }>
  paid: Set<string>
  /** Amounts by order. */
  refunds: Map<string, number>
}

type Headers = Record<string, string>

export type People = Awaited<ReturnType<typeof newPeople>>

/** The shoppers, the payment provider and the merchant of a market. Every call has an Idempotency-Key of its own. */
export const newPeople = async (market: Market, { attempt, send }: Calls, random: Random) => {
  const acknowledged: Acknowledged = { orders: new Map(), paid: new Set(), refunds: new Map() }
  const once = (headers: Headers) => ({ ...headers, 'idempotency-key': randomUUID() })
  const shopper = { 'x-store-key': market.key }
  const merchant = { authorization: `Bearer ${market.token}` }
  const provider = {
    'x-store-id': market.storeId,
    authorization: basic(market.webhookUser.username, market.webhookUser.password),
  }
  const path = `/v1/products/${market.product.slug}`
  const { id: productId, variants } = await send({ method: 'GET', path, headers: shopper })
  const item = { productId, variantId: variants[0].id, quantity: 1 }

  /** The headers of a new customer. Not by `send`: without a key, a repeated sign-up would find its own address taken. */
  const signUp = async (): Promise<Headers> => {
    const body = { name: 'Asha', email: `${randomUUID()}@example.com`, password: 'a long password' }
    const reply = await attempt({ method: 'POST', path: '/v1/signup', headers: shopper, body })
    if (reply?.status !== 201) return sleep(100).then(signUp)
    return { ...shopper, authorization: `Bearer ${reply.json.token}` }
  }

  const fillCart = (buyer: Headers) => send({ method: 'POST', path: '/v1/cart', headers: once(buyer), body: item })

  /** Checks out, and mostly pays through the provider's webhook. Some of these orders are refunded in part. */
  const order = async (buyer: Headers) => {
    const { order, payment } = await send({
      ...{ method: 'POST', path: '/v1/checkout', headers: once(buyer) },
      body: { paymentMethod: 'online', shippingAddress: address },
    })
    const { id, total } = order
    acknowledged.orders.set(id, { total })
    if (random() < 0.1) return
    const event = {
      ...{ eventId: `evt-${id}`, orderId: id, transactionId: payment.id, status: 'success', amount: total },
      ...{ currency: 'INR', method: 'card', last4: '4242', occurredAt: new Date().toISOString() },
    }
    await send({ method: 'POST', path: '/webhook/payment', headers: provider, body: event })
    acknowledged.paid.add(id)
    if (random() < 0.6) return
    const amount = 1 + Math.floor(random() * (total - 1))
    await send({
      ...{ method: 'POST', path: `/admin/v1/stores/${market.storeId}/orders/${id}/refunds`, headers: once(merchant) },
      body: { amount, reason: 'Broken' },
    })
    acknowledged.refunds.set(id, amount)
  }
  return { acknowledged, shopper, merchant, signUp, fillCart, order, call: send }
}
