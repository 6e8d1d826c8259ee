import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../src/cli/fixture.ts'
import { address } from '../../src/features/checkout/fixture.ts'
import { basic } from '../../src/features/payments/fixture.ts'
import type { Answer } from '../harness.ts'
import type { Market } from './market.ts'
import type { Random } from './random.ts'

/** What the service has acknowledged. None of it may be missing afterwards. */
export type Acknowledged = {
  orders: Map<string, { total: number }>
  paid: Set<string>
  /** Amounts by order. */
  refunds: Map<string, number>
}

export type Crowd = {
  acknowledged: Acknowledged
  /** Answers by status; `none` when the connection ended without one. */
  answers: Map<string, number>
  /** The slowest answer, or failure to answer, in milliseconds. */
  slowestMs(): number
  /** Waits until one more order is acknowledged. */
  awaitOrder(): Promise<void>
  /** Lets everyone finish what they are doing. Throws if an answer was not one that a client must expect. */
  stop(): Promise<void>
}

type Request = { method: string; path: string; headers?: Record<string, string>; body?: unknown }
type Reply = Pick<Answer, 'status' | 'json'>

const hangMs = 30_000

/**
 * Buyers who fill a cart, check out, pay through the provider's webhook, and get refunds, one after another and without a
 * pause. Each call is repeated with its Idempotency-Key until it has an answer other than 503, as clients should do.
 */
export const startCrowd = async (
  market: Market,
  { url, size, random }: { url: string; size: number; random: Random },
): Promise<Crowd> => {
  const acknowledged: Acknowledged = { orders: new Map(), paid: new Set(), refunds: new Map() }
  const answers = new Map<string, number>()
  const faults: string[] = []
  let slowestMs = 0
  let isOver = false

  const attempt = async ({ method, path, headers = {}, body }: Request): Promise<Reply | undefined> => {
    const startedAt = performance.now()
    const label = `${method} ${path.replace(/(ord|store)_\w+/g, '$1')}`
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(hangMs),
      })
      const text = await response.text()
      count(`${response.status}`)
      if (response.status === 503) {
        if (!response.headers.has('retry-after')) faults.push(`${label} answered 503 without Retry-After`)
        return undefined
      }
      return { status: response.status, json: text === '' ? {} : JSON.parse(text) }
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') faults.push(`${label} had no answer after ${hangMs} ms`)
      count('none')
      return undefined
    } finally {
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    }
  }
  const count = (name: string) => answers.set(name, (answers.get(name) ?? 0) + 1)

  /** The answer, which must be a success. */
  const send = async (request: Request) => {
    const deadline = performance.now() + 4 * hangMs
    while (performance.now() < deadline) {
      const reply = await attempt(request)
      if (reply !== undefined && reply.status < 300) return reply.json
      if (reply !== undefined) {
        const label = `${request.method} ${request.path}`
        throw new Error(`${label} answered ${reply.status} ${JSON.stringify(reply.json).slice(0, 300)}`)
      }
      await sleep(20 + 80 * random())
    }
    throw new Error(`${request.method} ${request.path} was repeated for ${4 * hangMs} ms without an answer`)
  }

  const once = (headers: Record<string, string>) => ({ ...headers, 'idempotency-key': randomUUID() })
  const shopper = { 'x-store-key': market.key }
  const merchant = { authorization: `Bearer ${market.token}` }
  const provider = {
    'x-store-id': market.storeId,
    authorization: basic(market.webhookUser.username, market.webhookUser.password),
  }
  const { id: productId, variants } = await send({
    method: 'GET',
    path: `/v1/products/${market.product.slug}`,
    headers: shopper,
  })
  const item = { productId, variantId: variants[0].id, quantity: 1 }

  const buy = async (buyer: Record<string, string>) => {
    await send({ method: 'POST', path: '/v1/cart', headers: once(buyer), body: item })
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

  /** Not by `send`: without a key, a repeated sign-up would find its own address taken. */
  const signUp = async (): Promise<string> => {
    const body = { name: 'Asha', email: `${randomUUID()}@example.com`, password: 'a long password' }
    const reply = await attempt({ method: 'POST', path: '/v1/signup', headers: shopper, body })
    return reply?.status === 201 ? reply.json.token : sleep(100).then(signUp)
  }
  const live = async (token: string) => {
    const buyer = { ...shopper, authorization: `Bearer ${token}` }
    while (!isOver) await buy(buyer)
  }
  const tokens = await Promise.all(Array.from({ length: size }, signUp))
  const lives = tokens.map((token) => live(token).catch((error: Error) => void faults.push(error.message)))
  return {
    acknowledged,
    answers,
    slowestMs: () => slowestMs,
    awaitOrder: async () => {
      const { size } = acknowledged.orders
      await until(() => {
        assert.deepEqual(faults, [])
        return acknowledged.orders.size > size
      })
    },
    stop: async () => {
      isOver = true
      await Promise.all(lives)
      assert.deepEqual(faults, [])
    },
  }
}
