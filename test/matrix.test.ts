import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TObject, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { contracts } from '../src/contract.ts'
import { minutes } from '../src/core/clock.ts'
import { makeInternalToken } from '../src/features/access/internal-token.ts'
import { replaceMenu, revokeKey } from '../src/features/admin/stores.ts'
import { type Endpoint, type Scope, scopes } from '../src/http/endpoint.ts'
import {
  type Answer,
  assertError,
  internalSecret,
  newStore,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from './harness.ts'

/**
 * Every endpoint of the contract meets every kind of caller here. The list comes from the contract itself, so an
 * endpoint that is added is tried from its first day.
 */
const endpoints = contracts.flatMap((contract) => Object.values<Endpoint>(contract))
const guarded = endpoints.filter(({ access }) => access !== 'public')
const open = endpoints.filter(({ access }) => access === 'public')

/** What stands for a path parameter: something that the stores of this file have. A new parameter is added here. */
const pathValues: Record<string, string> = { idOrSlug: 'moonstone-lamp' }

/** The same word for all that must be given: every answer that has it shows data of the store. */
const word = 'moonstone'

let service: TestService
let shop: TestStore
let neighbour: TestStore

before(async () => {
  service = await startTestService()
  shop = await newStore(service)
  neighbour = await newStore(service)
  await shop.add({ name: 'Moonstone lamp', price: 10, category: 'Moonstone things', stock: 1 })
  const store = await shop.load()
  const menu = [{ label: 'Moonstone', type: 'link', target: '/moonstone' }]
  await service.db.tx((tx) => replaceMenu(tx, store, menu))
})
after(() => service.close())

const callWith = (endpoint: Endpoint, headers: Record<string, string>): Promise<Answer> => {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = pathValues[name]
    assert.ok(value, `give ${name} of ${endpoint.path} a value in this test`)
    return value
  })
  const query = new URLSearchParams(requiredTexts(endpoint.query))
  const body = endpoint.body === undefined ? {} : { body: JSON.stringify(Value.Create(endpoint.body)) }
  const type = endpoint.body === undefined ? {} : { 'content-type': 'application/json' }
  return service.call(`${path}?${query}`, { method: endpoint.method, headers: { ...type, ...headers }, ...body })
}

const requiredTexts = (query: TObject | undefined) =>
  Object.fromEntries(((query as { required?: string[] } & TSchema)?.required ?? []).map((name) => [name, word]))

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** Tries every guarded endpoint with headers that must not open it. */
const assertAllRefuse = async (headers: Record<string, string>, status: number, code: string) => {
  for (const endpoint of guarded) {
    const answer = await callWith(endpoint, headers)
    assert.equal(answer.status, status, `${nameOf(endpoint)}: ${answer.text}`)
    assertError(answer, status, code)
  }
}

const assertAllAdmit = async (headers: Record<string, string>) => {
  for (const endpoint of guarded) {
    const { status, text } = await callWith(endpoint, headers)
    assert.ok(status < 300, `${nameOf(endpoint)}: ${status} ${text}`)
  }
}

const secondsFromNow = (seconds: number) => Math.floor(service.clock.now() / 1000) + seconds

test('every endpoint of a store opens to its key under either name, and under both', async () => {
  assert.ok(guarded.length > 0)
  await assertAllAdmit({ 'x-store-key': shop.key })
  await assertAllAdmit({ 'x-api-key': shop.key })
  await assertAllAdmit({ 'x-api-key': shop.key, 'x-store-key': shop.key })
})

test('every endpoint of a store refuses a missing, an empty and a wrong key', async () => {
  await assertAllRefuse({}, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': '' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-api-key': '' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': 'vsk_00000000000000000000000000000000' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-api-key': `${shop.key}x` }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store refuses two different keys, whichever of them is good', async () => {
  await assertAllRefuse({ 'x-store-key': shop.key, 'x-api-key': neighbour.key }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': shop.key, 'x-api-key': '' }, 401, 'UNAUTHORIZED')
  await assertAllRefuse({ 'x-store-key': '', 'x-api-key': shop.key }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store refuses a revoked key that it knew', async () => {
  const { id, key } = await shop.newKey({ rateLimit: 10_000 })
  await assertAllAdmit({ 'x-store-key': key })
  await service.db.tx((tx) => revokeKey(tx, id))
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store', { 'x-store-key': key })).status === 401))
  await assertAllRefuse({ 'x-store-key': key }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store refuses a key once its time is over', async () => {
  const { key } = await shop.newKey({ rateLimit: 10_000, expiresAt: new Date(service.clock.now() + minutes(5)) })
  await assertAllAdmit({ 'x-store-key': key })
  service.clock.advance(minutes(6))
  await assertAllRefuse({ 'x-store-key': key }, 401, 'UNAUTHORIZED')
})

test("no endpoint shows one store's data to another store", async () => {
  for (const endpoint of guarded) {
    // Twice each, so that an answer kept for one store would reach the other.
    for (let round = 0; round < 2; round++) {
      const own = await callWith(endpoint, { 'x-store-key': shop.key })
      const foreign = await callWith(endpoint, { 'x-store-key': neighbour.key })
      assert.ok(showsData(own), `${nameOf(endpoint)} shows nothing to find again: ${own.text}`)
      assert.ok(!showsData(foreign), `${nameOf(endpoint)}: ${foreign.text}`)
    }
  }
})

const showsData = ({ text }: Answer) =>
  /moonstone/i.test(text.replace('moonstone-lamp', '')) || text.includes(shop.storeId)

test('every endpoint of a store wants its scope, and no other scope stands for it', async () => {
  for (const endpoint of guarded) {
    const { scope } = endpoint
    assert.ok(scope, `${nameOf(endpoint)} names no scope`)
    const without = await keyWith(scopes.filter((other) => other !== scope))
    assertError(await callWith(endpoint, { 'x-store-key': without }), 403, 'FORBIDDEN')
    const onlyIt = await keyWith([scope])
    assert.equal((await callWith(endpoint, { 'x-store-key': onlyIt })).status, endpoint.okStatus ?? 200)
    // Now that the answer is in memory, the key without the scope still gets nothing.
    assertError(await callWith(endpoint, { 'x-store-key': without }), 403, 'FORBIDDEN')
  }
})

const keyWith = async (allowed: Scope[]) => (await shop.newKey({ scopes: allowed, rateLimit: 10_000 })).key

test('every endpoint of a store opens to a good internal token', async () => {
  const token = makeInternalToken(shop.storeId, secondsFromNow(60), internalSecret)
  await assertAllAdmit({ 'x-internal-storefront-token': token })
})

test('every endpoint of a store refuses an internal token that is forged, over, or valid for too long', async () => {
  const bad = {
    forged: makeInternalToken(shop.storeId, secondsFromNow(60), 'another secret of thirty-two characters'),
    over: makeInternalToken(shop.storeId, secondsFromNow(-1), internalSecret),
    tooFarAhead: makeInternalToken(shop.storeId, secondsFromNow(3700), internalSecret),
    ofNobody: makeInternalToken('store_of_nobody', secondsFromNow(60), internalSecret),
  }
  for (const token of Object.values(bad)) {
    await assertAllRefuse({ 'x-internal-storefront-token': token }, 401, 'UNAUTHORIZED')
    await assertAllRefuse({ 'x-internal-storefront-token': token, 'x-store-key': shop.key }, 401, 'UNAUTHORIZED')
  }
})

test("an internal token shows no other store's data on any endpoint", async () => {
  const token = makeInternalToken(neighbour.storeId, secondsFromNow(60), internalSecret)
  for (const endpoint of guarded) {
    const answer = await callWith(endpoint, { 'x-internal-storefront-token': token })
    assert.ok(!showsData(answer), `${nameOf(endpoint)}: ${answer.text}`)
  }
  await assertAllRefuse({ 'x-internal-storefront-token': token, 'x-store-key': shop.key }, 401, 'UNAUTHORIZED')
})

test('every endpoint of a store refuses a bearer token that is dead or no token at all', async () => {
  for (const authorization of ['Bearer ses_dead', 'bearer x', 'Bearer', 'Bearer a b c']) {
    await assertAllRefuse({ 'x-store-key': shop.key, authorization }, 401, 'UNAUTHORIZED')
  }
})

test('every endpoint of a store refuses an outlet that is not of that store', async () => {
  const { outletId } = neighbour
  await assertAllRefuse({ 'x-store-key': shop.key, 'x-outlet-id': outletId }, 400, 'BAD_REQUEST')
  await assertAllRefuse({ 'x-store-key': shop.key, 'x-outlet-id': '' }, 400, 'BAD_REQUEST')
})

test('public endpoints need no key, and mind no wrong one', async () => {
  assert.ok(open.length > 0)
  for (const endpoint of open) {
    assert.ok(!endpoint.path.startsWith('/v1'), nameOf(endpoint))
    assert.equal((await callWith(endpoint, {})).status, 200, nameOf(endpoint))
    assert.equal((await callWith(endpoint, { 'x-store-key': 'wrong' })).status, 200, nameOf(endpoint))
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
