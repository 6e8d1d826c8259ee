import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { minutes } from '../src/core/clock.ts'
import { makeInternalToken } from '../src/features/access/internal-token.ts'
import { type Scope, scopes } from '../src/features/access/storefront.contract.ts'
import { revokeKey } from '../src/features/stores/stores.ts'
import { takeThird } from './combinations.ts'
import { makeBeside } from './databases.ts'
import {
  type Answer,
  assertError,
  databaseUrl,
  internalSecret,
  newStore,
  startTestService,
  type TestService,
  withinASecond,
} from './harness.ts'
import {
  assertTaken,
  cheapPasswords,
  describe,
  fewAtOnce,
  guarded,
  type NamedEndpoint,
  open,
  openWorld,
  type Prepared,
  prepare,
  rowsOf,
  send,
  type World,
  withAccess,
} from './world.ts'

/** Every endpoint with every kind of key; test/matrix-shoppers.test.ts covers shoppers. */
let service: TestService
let database: Awaited<ReturnType<typeof makeBeside>>
let here: World
let neighbour: World
/** Valid calls that are always refused here, so they stay valid. */
let calls: Prepared[]

before(async () => {
  // Of its own: jobs of other tests must not change the rows that are compared.
  database = await makeBeside(databaseUrl)
  service = await startTestService({ passwords: cheapPasswords, databaseUrl: database.url })
  here = await openWorld(service)
  neighbour = await openWorld(service)
  calls = []
  for (const endpoint of guarded) calls.push(await prepare(here, endpoint))
})
after(async () => {
  await service.close()
  await database.drop()
})

type Headers = Record<string, string>
/** These headers in place of the store's key. */
const only = (headers: Headers) => ({ 'x-store-key': undefined, ...headers })

/** Every guarded endpoint refuses these headers, and nothing changes. */
const assertAllRefuse = async (headers: Headers, status: number, code: string) => {
  const before = await rowsOf(here)
  await fewAtOnce(calls, async (call) => {
    const answer = await send(call, { headers: only(headers) })
    assert.equal(answer.status, status, `${describe(call.endpoint)}: ${answer.text}`)
    assertError(answer, status, code)
  })
  assert.deepEqual(await rowsOf(here), before)
}

const assertAllAdmit = (headers: Headers, chosen = guarded) =>
  fewAtOnce(chosen, (endpoint) => assertAdmits(endpoint, headers))

const assertAdmits = async (endpoint: NamedEndpoint, headers: Headers): Promise<Answer> => {
  const answer = await send(await prepare(here, endpoint), { headers: only(headers) })
  assertTaken(endpoint, answer)
  return answer
}

const secondsFromNow = (seconds: number) => Math.floor(service.clock.now() / 1000) + seconds

test('every endpoint of a store accepts its key in either header, and in both', async () => {
  assert.ok(guarded.length > 0)
  const { key } = here.shop
  const forms = [{ 'x-store-key': key }, { 'x-api-key': key }, { 'x-api-key': key, 'x-store-key': key }]
  for (const headers of forms) await assertAllAdmit(headers, takeThird('forms of the key', guarded))
})

test('every endpoint of a store refuses a missing, an empty and a wrong key', async () => {
  await assertAllRefuse({}, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': '' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-api-key': '' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': 'vsk_00000000000000000000000000000000' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-api-key': `${here.shop.key}x` }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store refuses two different keys, whichever of them is good', async () => {
  const { key } = here.shop
  await assertAllRefuse({ 'x-store-key': key, 'x-api-key': neighbour.shop.key }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': key, 'x-api-key': '' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': '', 'x-api-key': key }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store refuses a revoked key that was cached', async () => {
  const { id, key } = await here.shop.newKey({ rateLimit: 10_000 })
  await assertAllAdmit({ 'x-store-key': key }, takeThird('keys that end', guarded))
  await service.db.tx((tx) => revokeKey(tx, id))
  const isRefused = async () => (await here.shop.get('/v1/store', { 'x-store-key': key })).status === 401
  assert.ok(await withinASecond(isRefused))
  await assertAllRefuse({ 'x-store-key': key }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store refuses an expired key', async () => {
  const expiresAt = new Date(service.clock.now() + minutes(4))
  const { key } = await here.shop.newKey({ rateLimit: 10_000, expiresAt })
  await assertAllAdmit({ 'x-store-key': key }, takeThird('keys that end', guarded))
  service.clock.advance(minutes(4))
  await assertAllRefuse({ 'x-store-key': key }, 401, 'UNAUTHORIZED')
})

test('no endpoint shows data of a store to the key of another', async () => {
  const bare = { ...neighbour, shop: await newStore(service) }
  for (const endpoint of withAccess('store')) {
    const call = await prepare(here, endpoint)
    // Twice each, so an answer cached for one store would reach the other.
    for (let round = 0; round < 2; round++) {
      const [own, foreign] = [await send(call), await send({ ...call, world: bare })]
      assert.ok(showsData(own), `${describe(endpoint)} shows no data of the store: ${own.text}`)
      assert.ok(!showsData(foreign), `${describe(endpoint)}: ${foreign.text}`)
    }
  }
})

const showsData = ({ text }: Answer) => /moonstone/i.test(text) || text.includes(here.shop.storeId)

test('every endpoint of a store requires its scope, and no other scope replaces it', async () => {
  await fewAtOnce(guarded, async (endpoint) => {
    const { scope } = endpoint
    assert.ok(scope, `${describe(endpoint)} names no scope`)
    const without = { 'x-store-key': await keyWith(scopes.filter((other) => other !== scope)) }
    const call = await prepare(here, endpoint)
    assertError(await send(call, { headers: without }), 403, 'FORBIDDEN')
    await assertAdmits(endpoint, { 'x-store-key': await keyWith([scope]) })
    // The answer is cached now, and the key without the scope is still refused.
    assertError(await send(call, { headers: without }), 403, 'FORBIDDEN')
  })
})

const keyWith = async (allowed: Scope[]) => (await here.shop.newKey({ scopes: allowed, rateLimit: 10_000 })).key

test('every endpoint of a store accepts a valid internal token', async () => {
  const token = makeInternalToken(here.shop.storeId, secondsFromNow(60), internalSecret)
  await assertAllAdmit({ 'x-internal-storefront-token': token })
  const both = { 'x-internal-storefront-token': token, 'x-store-key': here.shop.key }
  await assertAllAdmit(both, takeThird('tokens beside a key', guarded))
})

test('every endpoint of a store refuses an internal token that is forged, expired, or valid for too long', async () => {
  const { storeId, key } = here.shop
  const bad = {
    forged: makeInternalToken(storeId, secondsFromNow(60), 'another secret of thirty-two characters'),
    expired: makeInternalToken(storeId, secondsFromNow(-1), internalSecret),
    tooFarAhead: makeInternalToken(storeId, secondsFromNow(3700), internalSecret),
    ofUnknownStore: makeInternalToken('store_unknown', secondsFromNow(60), internalSecret),
  }
  for (const token of Object.values(bad)) {
    await assertAllRefuse({ 'x-internal-storefront-token': token }, 401, 'UNAUTHORIZED')
    await assertAllRefuse({ 'x-internal-storefront-token': token, 'x-store-key': key }, 401, 'UNAUTHORIZED')
  }
})

test('every endpoint of a store refuses an internal token from a browser, and beside the key of another store', async () => {
  const token = makeInternalToken(here.shop.storeId, secondsFromNow(60), internalSecret)
  const origin = 'http://vitrine.test'
  await assertAllRefuse({ 'x-internal-storefront-token': token, origin }, 401, 'UNAUTHORIZED')
  const { key } = neighbour.shop
  await assertAllRefuse({ 'x-internal-storefront-token': token, 'x-store-key': key }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store accepts an outlet of that store and refuses any other', async () => {
  const { key, outletId } = here.shop
  await assertAllAdmit({ 'x-store-key': key, 'x-outlet-id': outletId })
  await assertAllRefuse({ 'x-store-key': key, 'x-outlet-id': neighbour.shop.outletId }, 400, 'BAD_REQUEST')
  await assertAllRefuse({ 'x-store-key': key, 'x-outlet-id': '' }, 400, 'BAD_REQUEST')
})

test('every endpoint of a store counts its calls, reports the rate limit, and refuses calls above it', async () => {
  await fewAtOnce(guarded, async (endpoint) => {
    const { key } = await here.shop.newKey({ rateLimit: 1 })
    const headers = { 'x-store-key': key }
    const first = await assertAdmits(endpoint, headers)
    assert.equal(first.headers.get('ratelimit-limit'), '1', describe(endpoint))
    assert.equal(first.headers.get('ratelimit-remaining'), '0')
    assert.match(first.headers.get('ratelimit-reset') ?? '', /^\d+$/)
    // A minute may end after the first call, and no second one does so soon after it.
    const again = await prepare(here, endpoint)
    const later = [await send(again, { headers }), await send(again, { headers })]
    const refused = later.find(({ status }) => status === 429)
    assert.ok(refused, `${describe(endpoint)} does not count`)
    assertError(refused, 429, 'RATE_LIMITED')
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal(refused.headers.get('ratelimit-remaining'), '0')
  })
})

test('public endpoints need no key and ignore a wrong one', async () => {
  assert.ok(open.length > 0)
  for (const endpoint of open) {
    assert.ok(!endpoint.path.startsWith('/v1'), describe(endpoint))
    const call = await prepare(here, endpoint)
    for (const headers of [{}, { 'x-store-key': 'wrong' }, { 'x-store-key': '', 'x-guest-token': 'gst_dead' }]) {
      const answer = await send(call, { headers })
      assertTaken(endpoint, answer)
    }
  }
})

test('there is no route under /v1 that the contract does not declare', () => {
  const declared = new Set(guarded.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`))
  const served = routesOf(service).filter((route) => / \/v1\b/.test(route))
  // HEAD comes with every GET, and preflights have one answer for all.
  const surplus = served.filter((route) => !declared.has(route.replace(/^HEAD /, 'GET ')) && route !== 'OPTIONS /v1/*')
  assert.deepEqual(surplus, [])
  for (const route of declared) assert.ok(served.includes(route), `${route} is declared and not served`)
})

/** "GET /v1/products/:idOrSlug", read from the tree of routes that Fastify draws. */
const routesOf = ({ app }: TestService) => {
  const trail: string[] = []
  return app.server
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│├└─\s]*)(\S+)(?: \((.+)\))?/.exec(line) ?? []
      const depth = indent.length / 4
      trail.splice(depth - 1, trail.length, part)
      return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${trail.join('')}`)
    })
}
