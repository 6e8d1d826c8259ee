import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Answer,
  assertError,
  newStore,
  serviceFor,
  startTestService,
  startWindow,
  type TestService,
} from '../../../test/harness.ts'
import { seconds } from '../../core/clock.ts'
import { createLocalCounter, secondsToNextWindow, windowMs, windowOf } from './rate-limit.ts'

let service: TestService
before(async () => {
  // Counts in this process; redis-counter.test.ts tests counting in Redis.
  service = await startTestService({ redisUrl: null })
  startWindow(service)
})
after(() => service.close())

const callAs = (key: string, path = '/v1/store', instance = service) =>
  instance.call(path, { headers: { 'x-store-key': key } })

const callManyTimes = async (times: number, key: string, path?: string) => {
  let last: Answer | undefined
  for (let i = 0; i < times; i++) last = await callAs(key, path)
  return last as Answer
}

const rateOf = ({ headers }: Answer) => ({
  limit: Number(headers.get('ratelimit-limit') ?? Number.NaN),
  remaining: Number(headers.get('ratelimit-remaining') ?? Number.NaN),
  reset: Number(headers.get('ratelimit-reset') ?? Number.NaN),
})

const assertCounted = (answer: Answer, remaining: number, limit = 60) => {
  const rate = rateOf(answer)
  assert.equal(rate.limit, limit, answer.text)
  assert.equal(rate.remaining, remaining, answer.text)
  assert.ok(rate.reset >= 1 && rate.reset <= 60)
}

test('the 61st request of a minute is 429 with Retry-After', async () => {
  const { serverKey } = await newStore(service)
  startWindow(service)
  const sixtieth = await callManyTimes(60, serverKey)
  assert.equal(sixtieth.status, 200)
  assertCounted(sixtieth, 0)
  const refused = await callAs(serverKey)
  assertError(refused, 429, 'RATE_LIMITED')
  assert.match(refused.json.error, /limit exceeded/i)
  assertCounted(refused, 0)
  const retryAfter = refused.headers.get('retry-after') ?? ''
  assert.match(retryAfter, /^\d+$/)
  assert.equal(Number(retryAfter), rateOf(refused).reset)
  assert.ok(Number(retryAfter) <= 60)
})

test('windows are aligned to clock minutes', async (t) => {
  const own = await serviceFor(t, { redisUrl: null })
  const shop = await newStore(own)
  const { key } = await shop.newKey({ rateLimit: 2 })
  const call = () => callAs(key, '/v1/store', own)
  startWindow(own)
  own.clock.advance(seconds(45))
  assert.equal((await call()).status, 200)
  assert.equal((await call()).status, 200)
  const refused = await call()
  assert.equal(refused.status, 429)
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 15)
  own.clock.advance(seconds(wait))
  const next = await call()
  assert.equal(next.status, 200, 'after Retry-After the key works again')
  assertCounted(next, 1, 2)
})

test('a key can have its own limit, and other keys of the store are not affected', async () => {
  const shop = await newStore(service)
  const tight = await shop.newKey({ rateLimit: 3 })
  startWindow(service)
  assertCounted(await callManyTimes(3, tight.key), 0, 3)
  assert.equal((await callAs(tight.key)).status, 429)
  assertCounted(await callAs(shop.serverKey), 59)
  assertCounted(await callAs(shop.browserKey), 299, 300)
})

test('exactly 60 of 300 concurrent requests are admitted', async () => {
  const { serverKey } = await newStore(service)
  startWindow(service)
  const answers = await Promise.all(Array.from({ length: 300 }, () => callAs(serverKey)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 60)
  assert.equal(answers.filter(({ status }) => status === 429).length, 240)
  const left = answers.filter(({ status }) => status === 200).map((answer) => rateOf(answer).remaining)
  assert.deepEqual(
    left.sort((a, b) => b - a),
    Array.from({ length: 60 }, (_, i) => 59 - i),
  )
})

test('every response to a valid key has rate headers, errors included', async () => {
  const shop = await newStore(service, { origins: [] })
  const { key } = await shop.newKey({ rateLimit: 100, scopes: ['store:read'] })
  startWindow(service)
  const { headers } = await callAs(key)
  const requests: [number, string, Record<string, string>?, string?][] = [
    [200, '/v1/store'],
    [304, '/v1/store', { 'if-none-match': headers.get('etag') ?? '' }],
    [304, '/v1/menu', { 'if-none-match': '*' }],
    [403, '/v1/products'],
    [401, '/v1/store', { authorization: 'Bearer dead' }],
    [400, '/v1/store', { 'x-outlet-id': 'outlet_nowhere' }],
    [400, '/v1/products/%zz'],
    [400, '/v1/%ff'],
    [404, '/v1/nothing'],
    [404, '/v1/store', {}, 'POST'],
    [404, '/v1/nothing', { 'content-type': 'application/json' }, 'POST'],
    [404, '/v1/nothing', { 'content-type': 'text/plain' }, 'PATCH'],
    [404, '/v1'],
  ]
  let left = 99
  for (const [status, path, extra = {}, method = 'GET'] of requests) {
    const body = 'content-type' in extra ? { body: '{"broken' } : {}
    const answer = await service.call(path, { method, headers: { 'x-store-key': key, ...extra }, ...body })
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
    assertCounted(answer, --left, 100)
  }
  const all = await shop.newKey({ rateLimit: 100 })
  for (const [status, path] of [
    [400, '/v1/products?limit=0'],
    [400, '/v1/products?cursor=forged'],
    [400, `/v1/products/${'x'.repeat(700)}`],
    [404, '/v1/products/no-such-product'],
  ] as const) {
    const answer = await callAs(all.key, path)
    assert.equal(answer.status, status, answer.text)
    assert.equal(rateOf(answer).limit, 100)
  }
})

test('requests to unknown routes count, and are limited like any other', async () => {
  const shop = await newStore(service)
  const { key } = await shop.newKey({ rateLimit: 2 })
  startWindow(service)
  assertError(await callAs(key, '/v1/nothing'), 404, 'NOT_FOUND')
  assertError(await callAs(key, '/v1/products/%zz'), 400, 'BAD_REQUEST')
  assertError(await callAs(key, '/v1/nothing'), 429, 'RATE_LIMITED')
  assertError(await callAs(key), 429, 'RATE_LIMITED')
})

test('requests without a valid key get no rate headers', async () => {
  for (const headers of [{}, { 'x-store-key': 'vsk_unknown' }] as Record<string, string>[]) {
    for (const path of ['/v1/store', '/v1/nothing']) {
      const answer = await service.call(path, { headers })
      assert.ok(![...answer.headers.keys()].some((name) => name.startsWith('ratelimit')), path)
    }
  }
})

test('requests with x-api-key count for the same key', async () => {
  const { serverKey } = await newStore(service)
  startWindow(service)
  assertCounted(await callAs(serverKey), 59)
  assertCounted(await service.call('/v1/store', { headers: { 'x-api-key': serverKey } }), 58)
})

test('preflights and routes outside /v1 are not counted', async () => {
  const origin = `https://preflight-${process.pid}.example`
  const shop = await newStore(service, { origins: [origin] })
  const { key } = await shop.newKey({ rateLimit: 5 })
  startWindow(service)
  for (let i = 0; i < 10; i++) {
    const headers = { origin, 'access-control-request-method': 'GET', 'x-store-key': key }
    const answer = await service.call('/v1/store', { method: 'OPTIONS', headers })
    assert.equal(answer.status, 204)
    assert.ok(!answer.headers.has('ratelimit-limit'))
    assert.equal((await callAs(key, '/health')).status, 200)
  }
  assertCounted(await callAs(key), 4, 5)
})

test('cached and uncached responses share one count', async () => {
  const { serverKey } = await newStore(service)
  startWindow(service)
  let left = 60
  for (let i = 0; i < 10; i++) {
    assertCounted(await callAs(serverKey, `/v1/products?limit=${i + 1}`), --left)
    assertCounted(await callAs(serverKey, `/v1/products?limit=${i + 1}`), --left)
  }
})

test('the fast lane and the storefront door return the same 429', async () => {
  const shop = await newStore(service)
  const { key } = await shop.newKey({ rateLimit: 1 })
  startWindow(service)
  assert.equal((await callAs(key, '/v1/store')).status, 200)
  const quick = await callAs(key, '/v1/store')
  // Invalid input is left to Fastify.
  const slow = await callAs(key, '/v1/products?limit=none')
  for (const answer of [quick, slow]) assertError(answer, 429, 'RATE_LIMITED')
  assert.equal(quick.text, slow.text)
  assert.deepEqual([...quick.headers.keys()].sort(), [...slow.headers.keys()].sort())
})

test('a change of the store does not reset the count of a key', async () => {
  const shop = await newStore(service)
  startWindow(service)
  await callManyTimes(5, shop.serverKey)
  await shop.newKey()
  await shop.newOutlet('Another')
  assertCounted(await callAs(shop.serverKey), 54)
})

test('a window covers one clock minute', () => {
  const minute = 1_800_000_000_000
  assert.equal(windowOf(minute), windowOf(minute + windowMs - 1))
  assert.notEqual(windowOf(minute), windowOf(minute - 1))
  assert.equal(secondsToNextWindow(minute), 60)
  assert.equal(secondsToNextWindow(minute + windowMs - 1), 1)
  const tally = createLocalCounter().tallyOf('key_a')
  assert.deepEqual([tally(minute), tally(minute + windowMs - 1), tally(minute + windowMs)], [1, 2, 1])
})
