import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { type ClientOptions, createClient, isVitrineError, VitrineError } from '../sdk/src/index.ts'
import { sleepFor } from '../sdk/src/time.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { newStore, startTestService, type TestService } from './harness.ts'

/** The client against a real service, behind a proxy that drops connections and returns errors on request. */
let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openShop = async (t: TestContext, options: Partial<ClientOptions> = {}) => {
  const store = await newStore(service)
  await store.add({ name: 'Mug', price: 10, stock: 100 })
  const proxy = await startFaultyProxy(t, service.url)
  const sleeps: number[] = []
  const shop = createClient({
    ...{ url: proxy.url, storeKey: store.key },
    sleep: async (ms) => void sleeps.push(ms),
    ...options,
  })
  const [mug] = (await createClient({ url: service.url, storeKey: store.key }).listProducts()).items
  assert.ok(mug)
  return { store, proxy, sleeps, shop, mug }
}

const failure = async (call: PromiseLike<unknown>): Promise<VitrineError> => {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  )
  assert.ok(error instanceof VitrineError, `expected a VitrineError, got ${error}`)
  return error
}

const serviceError = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ error: 'It is so.', code }),
})

test('a read is sent again when the connection is lost, and when the service is away for a moment', async (t) => {
  const { shop, proxy } = await openShop(t)
  proxy.fail('lost on the way there', serviceError(503, 'SERVICE_UNAVAILABLE'))
  const { items } = await shop.listProducts()
  assert.equal(items[0]?.name, 'Mug')
  assert.equal(proxy.seen.length, 3)
})

test('a read fails after the configured number of retries', async (t) => {
  const { shop, proxy } = await openShop(t, { retries: 1 })
  proxy.fail('lost on the way there', 'lost on the way there', 'lost on the way there')
  const error = await failure(shop.showStore())
  assert.deepEqual([error.code, error.status, error.requestId], ['NETWORK', 0, null])
  assert.equal(proxy.seen.length, 2)
})

test('a write without a key is never sent twice, however it fails', async (t) => {
  const { shop, proxy, mug } = await openShop(t)
  const cart = await shop.addToCart({ productId: mug.id })
  const line = { cartId: cart.id, itemId: String(cart.items[0]?.id) }
  const writes = [
    () => shop.changeCartItem({ ...line, quantity: 5 }),
    () => shop.changeCart({ cartId: cart.id, items: [] }),
    () => shop.removeCartItem(line),
    () => shop.requestOtp({ phone: '+919876543210' }),
    () => shop.signIn({ email: 'a@example.com', password: 'a password' }),
  ]
  const faults = ['lost on the way there', 'lost on the way back', serviceError(503, 'SERVICE_UNAVAILABLE')] as const
  for (const write of writes) {
    for (const fault of faults) {
      const before = proxy.seen.length
      proxy.fail(fault)
      await failure(write())
      assert.equal(proxy.seen.length, before + 1)
    }
  }
})

test('a creation whose answer is lost is retried with the same key, and creates one object', async (t) => {
  const { shop, proxy, mug } = await openShop(t)
  await shop.listCartItems()
  proxy.fail('lost on the way back', 'lost on the way back')
  const cart = await shop.addToCart({ productId: mug.id, quantity: 2 })
  assert.equal(cart.itemCount, 2)
  const [{ quantity } = { quantity: 0 }, ...others] = await shop.listCartItems()
  assert.deepEqual([quantity, others.length], [2, 0])
  const keys = proxy.seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 3)
  assert.equal(new Set(keys).size, 1)
})

test('the first write of a guest is applied once too', async (t) => {
  const { shop, proxy, mug } = await openShop(t)
  proxy.failOn('POST', 'lost on the way back', 'lost on the way back')
  await shop.addToCart({ productId: mug.id, quantity: 3 })
  assert.deepEqual(
    (await shop.listCartItems()).map(({ quantity }) => quantity),
    [3],
  )
  const posts = proxy.seen.filter(({ method }) => method === 'POST')
  assert.deepEqual([...new Set(posts.map(({ headers }) => headers['x-guest-token']))], [await shop.guestToken()])
})

test('each call has its own key, and the caller can set it', async (t) => {
  const { shop, proxy, mug } = await openShop(t)
  await shop.addToCart({ productId: mug.id })
  await shop.addToCart({ productId: mug.id })
  await shop.addToCart({ productId: mug.id }, { idempotencyKey: 'mine' })
  await shop.addToCart({ productId: mug.id }, { idempotencyKey: 'mine' })
  assert.equal((await shop.listCartItems())[0]?.quantity, 3)
  const keys = proxy.seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, 3)
})

test('Retry-After is read as seconds', async (t) => {
  const { shop, proxy, sleeps } = await openShop(t)
  proxy.fail(serviceError(429, 'RATE_LIMITED', { 'retry-after': '7' }), {
    ...{ status: 503, body: '<h1>Down for a minute</h1>' },
    headers: { 'retry-after': '3' },
  })
  await shop.showStore()
  assert.deepEqual(sleeps, [7000, 3000])
})

test('without Retry-After the waits are short and grow', async (t) => {
  const { shop, proxy, sleeps } = await openShop(t, { retries: 3 })
  proxy.fail({ status: 504 }, { status: 504 }, { status: 504 })
  await shop.showStore()
  assert.equal(sleeps.length, 3)
  for (const [i, ms] of sleeps.entries()) {
    const longest = 250 * 2 ** i
    assert.ok(ms >= longest / 2 && ms <= longest, `wait ${i + 1} was ${ms} ms`)
  }
})

test('a wait above the limit of the caller ends the call at once, and the error has its length', async (t) => {
  const { shop, proxy, sleeps } = await openShop(t, { maxRetryAfterSeconds: 10 })
  proxy.fail(serviceError(429, 'RATE_LIMITED', { 'retry-after': '11', 'x-request-id': 'req-1' }))
  const error = await failure(shop.showStore())
  assert.deepEqual(
    [error.code, error.status, error.retryAfterSeconds, error.requestId, error.message],
    ['RATE_LIMITED', 429, 11, 'req-1', 'It is so.'],
  )
  assert.deepEqual([sleeps.length, proxy.seen.length], [0, 1])
})

test('permanent errors are not retried', async (t) => {
  const { shop, proxy } = await openShop(t)
  for (const status of [400, 401, 403, 404, 409, 500]) {
    const before = proxy.seen.length
    proxy.fail(serviceError(status, 'INTERNAL'))
    assert.equal((await failure(shop.showStore())).status, status)
    assert.equal(proxy.seen.length, before + 1)
  }
})

test('an abort during a wait ends the call at once, without a retry', async (t) => {
  const stop = new AbortController()
  // A sleep that never ends by itself: only the abort can end the call.
  const { shop, proxy } = await openShop(t, {
    sleep: () => {
      stop.abort(new Error('the page was left'))
      return new Promise(() => {})
    },
  })
  proxy.fail(serviceError(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '60' }))
  const error = await failure(shop.showStore({ signal: stop.signal }))
  assert.deepEqual([error.code, (error.cause as Error).message], ['ABORTED', 'the page was left'])
  assert.equal(proxy.seen.length, 1)
})

test('an abort ends a call that is under way, and one that is not yet sent', async (t) => {
  const { shop, proxy } = await openShop(t)
  proxy.fail('no answer')
  const stop = new AbortController()
  const call = failure(shop.showStore({ signal: stop.signal }))
  while (proxy.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  stop.abort()
  assert.equal((await call).code, 'ABORTED')
  assert.equal((await failure(shop.showStore({ signal: stop.signal }))).code, 'ABORTED')
  assert.equal(proxy.seen.length, 1)
})

test('a caller that waits for a guest token can abort or time out without delaying others', async (t) => {
  const { shop, proxy, mug } = await openShop(t, { retries: 0, timeoutMs: 60_000 })
  proxy.fail('no answer')
  const stop = new AbortController()
  const left = failure(shop.addToCart({ productId: mug.id }, { signal: stop.signal }))
  const inHaste = failure(shop.addToCart({ productId: mug.id }, { timeoutMs: 50 }))
  while (proxy.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  stop.abort()
  assert.deepEqual([(await left).code, (await inHaste).code], ['ABORTED', 'TIMEOUT'])
  assert.equal((await failure(shop.addToCart({ productId: mug.id }, { signal: stop.signal }))).code, 'ABORTED')
  assert.equal(proxy.seen.length, 1)
})

test('a caller that stops waiting for a guest token does not affect the others', async (t) => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { shop, proxy, mug } = await openShop(t, { fetch: (...args) => held.then(() => fetch(...args)) })
  const stop = new AbortController()
  const left = failure(shop.addToCart({ productId: mug.id }, { signal: stop.signal }))
  const stays = shop.addToCart({ productId: mug.id, quantity: 2 })
  stop.abort()
  assert.equal((await left).code, 'ABORTED')
  answer()
  assert.equal((await stays).itemCount, 2)
  assert.deepEqual(
    proxy.seen.map(({ method }) => method),
    ['GET', 'POST'],
  )
})

test('a limit above the maximum of timers means no limit', async (t) => {
  const { shop } = await openShop(t, { retries: 0 })
  for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31]) assert.ok((await shop.showStore({ timeoutMs })).id)
  const waits: unknown[] = []
  t.mock.method(globalThis, 'setTimeout', (wake: () => void, ms: number) => {
    waits.push(ms)
    wake()
  })
  await sleepFor(2 ** 40)
  assert.deepEqual(waits, [2 ** 31 - 1])
})

test('an invalid header, URL or store key is a TypeError, not a network error', async (t) => {
  const { shop, proxy, sleeps, mug } = await openShop(t)
  const mistyped = { name: 'TypeError', message: /header x-store-key/ }
  assert.throws(() => createClient({ url: proxy.url, storeKey: 'vpk_…' }), mistyped)
  for (const url of ['localhost:3000', '', '//shop.example']) {
    assert.throws(() => createClient({ url, storeKey: 'vpk_1' }), { name: 'TypeError', message: /url must start with/ })
  }
  assert.throws(() => createClient({ url: proxy.url, storeKey: '' }), {
    name: 'TypeError',
    message: /storeKey is required/,
  })
  await assert.rejects(shop.addToCart({ productId: mug.id }, { idempotencyKey: 'one\ntwo' }), TypeError)
  assert.deepEqual([proxy.seen.length, sleeps.length], [0, 0])
})

test('a query omits null and undefined values', async (t) => {
  const { shop, proxy } = await openShop(t)
  const cursor = null as unknown as string
  await shop.listProducts({ category: undefined, cursor, limit: 5 })
  assert.equal(proxy.seen[0]?.path, '/v1/products?limit=5')
})

test('an answer that does not come in time is a TIMEOUT', async (t) => {
  const { shop, proxy } = await openShop(t, { retries: 0 })
  proxy.fail('no answer')
  assert.equal((await failure(shop.showStore({ timeoutMs: 50 }))).code, 'TIMEOUT')
})

test('a read that times out is retried once', async (t) => {
  const { shop, proxy } = await openShop(t, { retries: 5 })
  proxy.fail('no answer')
  assert.ok((await shop.showStore({ timeoutMs: 500 })).id)
  assert.ok(proxy.seen.length > 1)
})

test('an answer in another format is a BAD_ANSWER with its status', async (t) => {
  const { shop, proxy } = await openShop(t, { retries: 0 })
  const strange = [
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Welcome to the hotel network</html>' },
    { status: 502, body: 'Bad gateway' },
    { status: 500, headers: { 'content-type': 'application/json' }, body: '{"message":"no"}' },
    { status: 404, headers: { 'content-type': 'application/json' }, body: 'null' },
  ]
  for (const answer of strange) {
    proxy.fail(answer)
    const error = await failure(shop.showStore())
    assert.deepEqual([error.code, error.status], ['BAD_ANSWER', answer.status])
  }
  proxy.fail({ status: 200, body: '{}' })
  assert.equal((await failure(shop.listProducts())).code, 'BAD_ANSWER')
})

test('an error has the code, the status and the request id of the service', async (t) => {
  const { shop } = await openShop(t)
  const error = await failure(shop.showProduct({ idOrSlug: 'nothing' }, { headers: { 'X-Request-Id': 'my-own-id' } }))
  assert.deepEqual([error.code, error.status, error.requestId], ['NOT_FOUND', 404, 'my-own-id'])
  assert.ok(isVitrineError(error) && isVitrineError(error, 'NOT_FOUND'))
  assert.ok(!isVitrineError(error, 'CONFLICT') && !isVitrineError(new Error('NOT_FOUND')))
})

test('an id that would change the path is refused before anything is sent', async (t) => {
  const { shop, proxy } = await openShop(t)
  for (const idOrSlug of ['', '.', '..', undefined as unknown as string]) {
    await assert.rejects(async () => shop.showProduct({ idOrSlug }), TypeError)
  }
  assert.equal(proxy.seen.length, 0)
  assert.equal((await failure(shop.showProduct({ idOrSlug: '../cart?x=1#y' }))).code, 'NOT_FOUND')
  assert.equal(proxy.seen[0]?.path, '/v1/products/..%2Fcart%3Fx%3D1%23y')
})
