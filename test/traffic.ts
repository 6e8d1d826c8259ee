import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ended, newFolder, runVitrine, type Settings } from '../src/cli/fixture.ts'

export type BusyShop = { storeId: string; key: string; logisticsKey: string }

/** A store that customers order from again and again, without limits that they would meet. */
export const openBusyShop = async (
  t: TestContext,
  settings: Settings,
  runCommand: (args: readonly string[]) => Promise<Ended> = (args) => runVitrine(args, settings),
): Promise<BusyShop> => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand([...args, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const created = ['--name', 'Busy', '--domain', 'busy.example', '--currency', 'INR', '--payment-provider', 'cod']
  const { storeId, logisticsKey } = await run('store', 'create', ...created)
  const limits = ['--cod-max-value', 'none', '--cod-max-units', 'none', '--cod-max-open-orders', 'none']
  await run('store', 'set', '--store', storeId, ...limits, '--max-held-units', 'none')
  const { key } = await run('key', 'create', '--store', storeId, '--rate-limit', '1000000')
  const file = join(newFolder(t), 'products.json')
  const products = Array.from({ length: 20 }, (_, i) => ({
    name: `Mug ${i}`,
    slug: `mug-${i}`,
    price: 100,
    stock: 900_000,
  }))
  writeFileSync(file, JSON.stringify(products))
  await run('catalog', 'import', file, '--store', storeId)
  return { storeId, key, logisticsKey }
}

export type Traffic = {
  /** How often each call was answered, by its name. */
  calls: Record<string, number>
  /** Calls without an answer, or with one that is no success. */
  failures: string[]
  /** Orders that were acknowledged. */
  orderIds: string[]
  stop(): Promise<void>
}

const address = {
  ...{ name: 'Asha', phone: '+919876543210', line1: '12 Temple Road' },
  ...{ city: 'Bengaluru', postalCode: '560001', country: 'IN' },
}

/**
 * Customers who look around, fill a cart, order and get a report of the carrier, each with one call in `everyMs`. `choose`
 * names the address for each call. Connections are kept open, so that closing one at the wrong moment shows.
 */
export const startTraffic = async (
  { key, logisticsKey }: BusyShop,
  { buyers, everyMs, choose }: { buyers: number; everyMs: number; choose: () => string },
): Promise<Traffic> => {
  const agent = new Agent({ keepAlive: true })
  const traffic = { calls: {} as Record<string, number>, failures: [] as string[], orderIds: [] as string[] }
  let isOver = false

  const call = async (name: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const url = `${choose()}${path}`
    const { status, text } = await send(agent, url, { 'x-store-key': key, ...headers }, body).catch((error) => ({
      ...{ status: 0, text: String(error) },
    }))
    traffic.calls[name] = (traffic.calls[name] ?? 0) + 1
    if (status >= 200 && status < 300) return JSON.parse(text || 'null')
    traffic.failures.push(`${name} ${url}: ${status} ${text.slice(0, 300)}`)
    return null
  }

  let events = 0
  const buy = async (number: number) => {
    const account = { name: 'Asha', email: `asha-${number}@busy.example`, password: 'seven wooden spoons' }
    const { token } = await call('sign up', '/v1/signup', {}, account)
    const customer = { authorization: `Bearer ${token}` }
    return async function* () {
      yield call('list', '/v1/products?limit=10', {})
      const product = await call('product', `/v1/products/mug-${number % 20}`, {})
      yield product
      yield call('search', '/v1/products?search=mug', {})
      yield call('store', '/v1/store', {})
      const variantId = product?.variants[0].id
      yield call('add to cart', '/v1/cart', customer, { productId: product?.id, variantId, quantity: 1 })
      yield call('cart', '/v1/cart', customer)
      const placed = await call('order', '/v1/checkout', customer, { paymentMethod: 'cod', shippingAddress: address })
      if (placed !== null) traffic.orderIds.push(placed.order.id)
      yield placed
      yield call(
        'webhook',
        '/webhook/logistics/carrier',
        { 'x-api-key': logisticsKey },
        {
          ...{ eventId: `carrier-${++events}`, orderId: placed?.order.id, trackingNumber: `T-${events}` },
          ...{ status: 'in_transit', partner: 'Bluebird', occurredAt: new Date().toISOString() },
        },
      )
      yield call('orders', '/v1/customer/orders', customer)
      yield call('list', '/v1/products?limit=10&sort=name', {})
    }
  }
  const live = async (journey: () => AsyncGenerator) => {
    while (!isOver) {
      for await (const _ of paced(journey(), everyMs)) if (isOver && traffic.failures.length > 0) return
    }
  }
  const journeys = await Promise.all(Array.from({ length: buyers }, (_, i) => buy(i)))
  const lives = journeys.map(live)
  return {
    ...traffic,
    stop: async () => {
      isOver = true
      await Promise.all(lives)
      agent.destroy()
    },
  }
}

/** Begins a step each `everyMs`, or at once if the step before took longer. */
async function* paced(steps: AsyncGenerator, everyMs: number) {
  for (;;) {
    const pause = sleep(everyMs)
    const { done } = await steps.next()
    if (done) return
    yield
    await pause
  }
}

const send = (agent: Agent, url: string, headers: Record<string, string>, body: unknown) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(url, {
      agent,
      method: text === undefined ? 'GET' : 'POST',
      headers: {
        ...headers,
        ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
      timeout: 30_000,
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer in 30 seconds'))).on('error', reject)
    sent.on('response', (response) => {
      let received = ''
      response.setEncoding('utf8').on('data', (part) => {
        received += part
      })
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text: received }))
    })
    sent.end(text)
  })
