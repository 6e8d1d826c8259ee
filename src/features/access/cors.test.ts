import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Answer,
  assertError,
  newStore,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../test/harness.ts'
import { allowOrigin } from '../stores/stores.ts'

let service: TestService
let twin: TestService
before(async () => {
  ;[service, twin] = await Promise.all([startTestService(), startTestService()])
})
after(() => Promise.all([service.close(), twin.close()]))

let originsMade = 0
/** A preflight has no key, so the origins of all stores count. Each test uses its own. */
const newOrigin = () => `https://shop-${process.pid}-${++originsMade}.example`

const preflight = (origin: string | null, path = '/v1/products', instance = service) =>
  instance.call(path, {
    method: 'OPTIONS',
    headers: {
      ...(origin === null ? {} : { origin }),
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-store-key',
    },
  })

const listOf = (headers: Headers, name: string) => (headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/)

const assertReadable = ({ headers, text }: Answer, origin: string) => {
  assert.equal(headers.get('access-control-allow-origin'), origin, text)
  assert.ok(listOf(headers, 'vary').includes('origin'))
  assert.deepEqual(listOf(headers, 'access-control-expose-headers').sort(), exposed)
}

const exposed = [
  'etag',
  'link',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'www-authenticate',
  'x-cart-id',
  'x-guest-token',
  'x-has-more',
  'x-next-cursor',
  'x-request-id',
]

const assertUnreadable = ({ headers }: Answer) => {
  const allowing = [...headers.keys()].filter((name) => name.startsWith('access-control-'))
  assert.deepEqual(allowing, [])
  assert.ok(listOf(headers, 'vary').includes('origin'))
}

test('a preflight without a key is allowed for an origin of any store', async () => {
  const [first, second] = [newOrigin(), newOrigin()]
  await newStore(service, { origins: [first] })
  await newStore(service, { origins: [second] })
  for (const origin of [first, second]) {
    const answer = await preflight(origin)
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    assert.equal(answer.headers.get('access-control-allow-origin'), origin)
    for (const method of ['get', 'head', 'post', 'patch', 'delete']) {
      assert.ok(listOf(answer.headers, 'access-control-allow-methods').includes(method), method)
    }
    const allowed = listOf(answer.headers, 'access-control-allow-headers')
    for (const name of sentByStorefronts) assert.ok(allowed.includes(name), name)
    assert.ok(listOf(answer.headers, 'vary').includes('origin'))
    assert.ok(Number(answer.headers.get('access-control-max-age')) > 0)
  }
})

const sentByStorefronts = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'x-api-key',
  'x-customer-id',
  'x-guest-token',
  'x-outlet-id',
  'x-store-key',
]

test('an internal token is never offered to browsers', async () => {
  const origin = newOrigin()
  await newStore(service, { origins: [origin] })
  const { headers } = await preflight(origin)
  assert.ok(!listOf(headers, 'access-control-allow-headers').includes('x-internal-storefront-token'))
})

test('a preflight from an unlisted origin is refused without CORS headers', async () => {
  const origin = newOrigin()
  await newStore(service, { origins: [origin] })
  const strangers = ['https://nobody.example', 'null', `${origin}.evil.example`, origin.replace('https', 'http')]
  for (const stranger of [...strangers, `${origin}:444`, `${origin}/`, '*']) {
    const answer = await preflight(stranger)
    assertError(answer, 403, 'FORBIDDEN')
    assertUnreadable(answer)
  }
  assertError(await preflight(null), 403, 'FORBIDDEN')
})

test('a preflight for an unknown route is allowed, so that the page can read the 404', async () => {
  const origin = newOrigin()
  const shop = await newStore(service, { origins: [origin] })
  assert.equal((await preflight(origin, '/v1/nothing/here')).status, 204)
  const answer = await shop.get('/v1/nothing/here', { origin })
  assertError(answer, 404, 'NOT_FOUND')
  assertReadable(answer, origin)
})

test('a request is accepted only from the origins of its own store', async () => {
  const [mine, theirs] = [newOrigin(), newOrigin()]
  const shop = await newStore(service, { origins: [mine] })
  const other = await newStore(service, { origins: [theirs] })
  // Twice: the second time from the cache.
  for (let round = 0; round < 2; round++) {
    const good = await shop.get('/v1/products', { origin: mine })
    assert.equal(good.status, 200)
    assertReadable(good, mine)
    assertError(await shop.get('/v1/products', { origin: theirs }), 403, 'FORBIDDEN')
    assertError(await other.get('/v1/products', { origin: mine }), 403, 'FORBIDDEN')
  }
})

test('a request from an unlisted origin is refused, and the page cannot read the response', async () => {
  const shop = await newStore(service, { origins: [newOrigin()] })
  for (const origin of ['https://nobody.example', 'null', 'file://', newOrigin()]) {
    const answer = await shop.get('/v1/products', { origin })
    assertError(answer, 403, 'FORBIDDEN')
    assertUnreadable(answer)
  }
})

test('a request without an origin is not checked', async () => {
  const shop = await newStore(service, { origins: [newOrigin()] })
  const answer = await shop.get('/v1/products')
  assert.equal(answer.status, 200)
  assertUnreadable(answer)
})

test("this service's own pages can call every store", async () => {
  const shop = await newStore(service)
  const own = 'http://vitrine.test'
  assert.equal((await preflight(own)).status, 204)
  const answer = await shop.get('/v1/products', { origin: own })
  assert.equal(answer.status, 200)
  assertReadable(answer, own)
  // The next one is answered from the cache.
  assertReadable(await shop.get('/v1/products', { origin: own }), own)
})

test('the page can read every kind of error', async () => {
  const origin = newOrigin()
  const shop = await newStore(service, { origins: [origin] })
  const tight = await shop.newKey({ rateLimit: 1 })
  const narrow = await shop.newKey({ scopes: [] })
  await shop.get('/v1/store', { 'x-store-key': tight.key })
  const refusals: [number, string, Record<string, string>][] = [
    [400, '/v1/products?limit=0', {}],
    [400, '/v1/products/%zz', {}],
    [400, '/v1/products', { 'x-outlet-id': 'outlet_nowhere' }],
    [401, '/v1/products', { 'x-store-key': 'wrong' }],
    [401, '/v1/products', { authorization: 'Bearer dead' }],
    [403, '/v1/products', { 'x-store-key': narrow.key }],
    [404, '/v1/products/no-such-product', {}],
    [404, '/v1/nothing', {}],
    [429, '/v1/products', { 'x-store-key': tight.key }],
    [429, '/v1/store', { 'x-store-key': tight.key }],
  ]
  for (const [status, path, headers] of refusals) {
    const answer = await shop.get(path, { origin, ...headers })
    assert.equal(answer.status, status, `${path}: ${answer.text}`)
    assertReadable(answer, origin)
  }
})

test('every response under /v1 has Vary: Origin', async () => {
  const shop = await newStore(service)
  const { headers } = await shop.get('/v1/products')
  const calls: Promise<Answer>[] = [
    shop.get('/v1/products'),
    shop.get('/v1/products', { 'if-none-match': headers.get('etag') ?? '' }),
    shop.get('/v1/products', { 'accept-encoding': 'gzip' }),
    shop.get('/v1/products?limit=0'),
    shop.get('/v1/products/%zz'),
    shop.get(`/v1/products/${'x'.repeat(600)}`),
    shop.get('/v1/products', { 'x-store-key': 'wrong' }),
    shop.get('/v1/nothing'),
    service.call('/v1'),
    service.call('/v1/products', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }),
  ]
  for (const answer of await Promise.all(calls)) {
    assert.ok(listOf(answer.headers, 'vary').includes('origin'), `${answer.status} ${answer.text}`)
  }
})

test('a cached response has the same headers as the original', async () => {
  const origin = newOrigin()
  const shop: TestStore = await newStore(service, { origins: [origin] })
  await shop.add({ name: 'Mug', price: 10 }, { name: 'Jug', price: 20 })
  let tries = 0
  const ask = async (path: string, asked: Record<string, string> = {}) => {
    const { status, headers, text } = await shop.get(path, { origin, 'x-request-id': 'same', ...asked })
    const { date: _, 'ratelimit-remaining': left, 'ratelimit-reset': reset, ...rest } = Object.fromEntries(headers)
    assert.ok(left !== undefined && reset !== undefined)
    return { status, text, headers: rest }
  }
  // A notification may empty the cache between two requests, so retry until the second one is a cache hit.
  const cameFromMemory = await withinASecond(async () => {
    const path = `/v1/products?limit=1&minPrice=${++tries}`
    const first = await ask(path)
    const hits = await hitsSoFar()
    assert.deepEqual(await ask(path), first)
    assert.equal(first.headers['access-control-allow-origin'], origin)
    return (await hitsSoFar()) > hits
  })
  assert.ok(cameFromMemory)
  const known = { 'if-none-match': '*' }
  const unchanged = await ask('/v1/products?limit=2', known)
  assert.equal(unchanged.status, 304)
  assert.deepEqual(await ask('/v1/products?limit=2', known), unchanged)
})

const hitsSoFar = async () => {
  const { text } = await service.call('/metrics')
  const [, hits] = /vitrine_answer_cache\{figure="hits"\} (\d+)/.exec(text) ?? []
  return Number(hits)
}

test('a new origin can call within a second on every instance', async () => {
  const origin = newOrigin()
  const shop = await newStore(service)
  const statusOn = async (instance: TestService) =>
    (await instance.call('/v1/products', { headers: { 'x-store-key': shop.key, origin } })).status
  for (const instance of [service, twin]) {
    assert.equal((await preflight(origin, '/v1/products', instance)).status, 403)
    assert.equal(await statusOn(instance), 403)
  }
  const store = await shop.load()
  await service.db.tx((tx) => allowOrigin(tx, store, origin))
  for (const instance of [service, twin]) {
    assert.ok(await withinASecond(async () => (await preflight(origin, '/v1/products', instance)).status === 204))
    assert.ok(await withinASecond(async () => (await statusOn(instance)) === 200))
  }
})

test('an origin is stored as browsers send it, however it was entered', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  const host = new URL(newOrigin()).host
  await service.db.tx((tx) => allowOrigin(tx, store, `HTTPS://${host.toUpperCase()}:443/`))
  assert.equal((await preflight(`https://${host}`)).status, 204)
  for (const text of ['shop.example', 'https://shop.example/path', 'https://a:b@shop.example', 'null', '*']) {
    await assert.rejects(
      service.db.tx((tx) => allowOrigin(tx, store, text)),
      { name: 'DomainError' },
      text,
    )
  }
})

test('routes outside /v1 have no CORS headers', async () => {
  const { status, headers } = await service.call('/health', { headers: { origin: 'https://nobody.example' } })
  assert.equal(status, 200)
  assert.ok(!headers.has('access-control-allow-origin'))
})
