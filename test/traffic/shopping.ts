import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { address } from '../../src/features/checkout/fixture.ts'
import { basic } from '../../src/features/payments/fixture.ts'
import type { Send } from './calls.ts'
import type { Market } from './market.ts'
import type { Random } from './random.ts'

type Headers = Record<string, string>
type Shopper = {
  headers: Headers
  /** Units in the cart. */
  inCart: number
}

/** What the service has acknowledged. None of it may be missing afterwards, and nothing may be there twice. */
export type Ledger = {
  shoppers: Shopper[]
  orders: Map<string, { total: number }>
  paid: Set<string>
  shipped: Set<string>
  /** Amounts by order. */
  refunds: Map<string, number>
}

const once = (headers: Headers) => ({ ...headers, 'idempotency-key': randomUUID() })

/**
 * The shoppers of a market, and the payment provider, the carrier and the merchant who work for them. Whatever a client may
 * repeat has an Idempotency-Key or the id of an event.
 */
export const openShopping = (market: Market, random: Random) => {
  const ledger: Ledger = { shoppers: [], orders: new Map(), paid: new Set(), shipped: new Set(), refunds: new Map() }
  const anyone = { 'x-store-key': market.key }
  const merchant = merchantOf(market)
  const { username, password } = market.paymentWebhook
  const provider = { 'x-store-id': market.storeId, authorization: basic(username, password) }
  const admin = `/admin/v1/stores/${market.storeId}`

  const signUp = async (send: Send): Promise<Shopper> => {
    const body = { name: 'Asha', email: `${randomUUID()}@example.com`, password: 'a long password' }
    const { token } = await send({ method: 'POST', path: '/v1/signup', headers: anyone, body })
    const shopper = { headers: { ...anyone, authorization: `Bearer ${token}` }, inCart: 0 }
    ledger.shoppers.push(shopper)
    return shopper
  }

  const fillCart = async (send: Send, shopper: Shopper) => {
    const { id: productId, variants } = await send({ path: '/v1/products/mug', headers: anyone })
    const body = { productId, variantId: variants[0].id, quantity: 1 }
    await send({ method: 'POST', path: '/v1/cart', headers: once(shopper.headers), body })
    shopper.inCart += 1
  }

  const checkOut = async (send: Send, shopper: Shopper) => {
    const body = { paymentMethod: 'online', shippingAddress: address }
    const headers = once(shopper.headers)
    const { order, payment } = await send({ method: 'POST', path: '/v1/checkout', headers, body })
    ledger.orders.set(order.id, { total: order.total })
    const units = order.items.map(({ quantity }: { quantity: number }) => quantity)
    assert.deepEqual(units, [shopper.inCart], `${order.id} is not what was in the cart`)
    return { ...order, paymentId: payment.id } as { id: string; total: number; paymentId: string }
  }

  type Placed = Awaited<ReturnType<typeof checkOut>>

  const pay = async (send: Send, shopper: Shopper, { id, total, paymentId }: Placed) => {
    const body = {
      ...{ eventId: `pay-${id}`, orderId: id, transactionId: paymentId, status: 'success', amount: total },
      ...{ currency: 'INR', method: 'card', last4: '4242', occurredAt: new Date().toISOString() },
    }
    await send({ method: 'POST', path: '/webhook/payment', headers: provider, body })
    ledger.paid.add(id)
    shopper.inCart = 0
  }

  const refund = async (send: Send, { id, total }: Placed) => {
    const amount = 1 + Math.floor(random() * (total - 1))
    const [path, body] = [`${admin}/orders/${id}/refunds`, { amount, reason: 'Broken' }]
    await send({ method: 'POST', path, headers: once(merchant), body })
    ledger.refunds.set(id, amount)
  }

  const ship = async (send: Send, { id }: Placed) => {
    const body = {
      ...{ eventId: `ship-${id}`, orderId: id, trackingNumber: trackingNumberOf(id) },
      ...{ status: 'in_transit', partner: 'Bluebird', occurredAt: new Date().toISOString() },
    }
    await send({
      method: 'POST',
      path: '/webhook/logistics/carrier',
      headers: { 'x-api-key': market.logisticsKey },
      body,
    })
    ledger.shipped.add(id)
  }

  /** From the cart to the parcel or a refund in part. Some leave earlier, and continue with the same cart next time. */
  const buy = async (send: Send, shopper: Shopper) => {
    await fillCart(send, shopper)
    if (random() < 0.1) return
    const placed = await checkOut(send, shopper)
    if (random() < 0.1) return
    await pay(send, shopper, placed)
    await (random() < 0.4 ? refund(send, placed) : ship(send, placed))
  }

  /** Buys, and reads what a storefront and the page of the merchant show meanwhile. */
  const visit = async (send: Send, shopper: Shopper) => {
    for (const path of ['/v1/store', '/v1/products?limit=10', '/v1/search?q=mug']) await send({ path, headers: anyone })
    // A guest who never comes back.
    await fillCart(send, { headers: anyone, inCart: 0 })
    await buy(send, shopper)
    for (const path of ['/v1/cart', '/v1/customer/orders', '/v1/products?limit=10&sort=name'])
      await send({ path, headers: shopper.headers })
    for (const path of ['/orders?limit=20', '/today']) await send({ path: `${admin}${path}`, headers: merchant })
  }

  return { ledger, signUp, buy, visit }
}

export const merchantOf = ({ token }: Market) => ({ authorization: `Bearer ${token}` })

export const trackingNumberOf = (orderId: string) => `T-${orderId}`
