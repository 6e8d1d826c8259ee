import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { days } from '../src/core/clock.ts'
import { hashSecret } from '../src/core/secrets.ts'
import { makeGuestToken, newGuestId } from '../src/features/access/guest-token.ts'
import type { Access } from '../src/features/access/storefront.contract.ts'
import { takeThird } from './combinations.ts'
import { makeBeside } from './databases.ts'
import { type Answer, assertError, databaseUrl, startTestService, type TestService } from './harness.ts'
import {
  assertTaken,
  cheapPasswords,
  describe,
  fewAtOnce,
  guarded,
  type NamedEndpoint,
  openWorld,
  type Person,
  type Prepared,
  prepare,
  rowsOf,
  send,
  type World,
  withAccess,
} from './world.ts'

/** Every endpoint with every kind of shopper; test/matrix.test.ts covers keys. */
const origin = 'https://shop.example'

let service: TestService
let database: Awaited<ReturnType<typeof makeBeside>>
let here: World
let elsewhere: World
let customer: Person
let guest: Person
before(async () => {
  // Of its own: jobs of other tests must not change the rows that are compared.
  database = await makeBeside(databaseUrl)
  service = await startTestService({ passwords: cheapPasswords, databaseUrl: database.url })
  here = await openWorld(service, [origin])
  elsewhere = await openWorld(service, [origin])
  customer = await here.person('customer')
  guest = await here.person('guest')
})
after(async () => {
  await service.close()
  await database.drop()
})

type Headers = Record<string, string | undefined>
/** Only these headers identify the caller. */
const provedBy = (headers: Headers) => ({
  ...{ authorization: undefined, 'x-customer-id': undefined, 'x-guest-token': undefined },
  ...headers,
})

/** Endpoints with this access refuse the call, and nothing changes. */
const assertRefuse = async (
  kinds: Access[],
  headers: Headers,
  [status, code]: [number, string],
  look?: (answer: Answer) => Promise<void> | void,
) => {
  const calls: Prepared[] = []
  for (const endpoint of withAccess(...kinds)) calls.push(await refusedCall(endpoint))
  const before = await rowsOf(here)
  await fewAtOnce(calls, async (call) => {
    const answer = await send(call, { headers: provedBy(headers) })
    assert.equal(answer.status, status, `${describe(call.endpoint)}: ${answer.text}`)
    assertError(answer, status, code)
    await look?.(answer)
  })
  assert.deepEqual(await rowsOf(here), before)
}

/** A valid call that is always refused, so it stays valid. */
const refusedCall = async (endpoint: NamedEndpoint) => {
  const { name, access } = endpoint
  const call = kept.get(name) ?? (await prepare(here, endpoint, access === 'shopper' ? guest : customer))
  kept.set(name, call)
  return call
}
const kept = new Map<string, Prepared>()

/** As `assertAdmit`, for a loop of at least three rounds: a third of the endpoints in each (combinations.ts). */
const assertThirdAdmit: typeof assertAdmit = (kinds, kind, headersFor, look) =>
  assertAdmit(kinds, kind, headersFor, look, takeThird(`${kinds} ${kind}`, withAccess(...kinds)))

/** Endpoints with this access admit a new caller each, identified by headers made from that person. */
const assertAdmit = (
  kinds: Access[],
  kind: Person['kind'],
  headersFor: (person: Person) => Headers,
  look?: (answer: Answer, call: Prepared) => void,
  chosen = withAccess(...kinds),
) =>
  fewAtOnce(chosen, async (endpoint) => {
    const needsShopper = endpoint.access !== 'store' && endpoint.access !== 'sign-in'
    const shared = kind === 'guest' ? guest : customer
    const call = await prepare(here, endpoint, needsShopper ? await here.person(kind) : shared)
    const answer = await send(call, { headers: provedBy(headersFor(call.person as Person)) })
    assertTaken(endpoint, answer)
    look?.(answer, call)
  })

const isNoGuest = (answer: Answer, { endpoint }: Prepared) =>
  assert.equal(answer.headers.get('x-guest-token'), null, `${describe(endpoint)} took the customer for a guest`)

const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` })
const unauthorized: [number, string] = [401, 'UNAUTHORIZED']
const badRequest: [number, string] = [400, 'BAD_REQUEST']

// Bearer tokens

test('an expired, revoked or malformed bearer token is refused wherever one is read', async () => {
  const over = await here.person('customer')
  const past = new Date(service.clock.now() - 1)
  await service.db.run`update session set expires_at = ${past} where token_hash = ${hashSecret(over.token)}`
  const out = await here.person('customer')
  await here.shop.get('/v1/customer', bearer(out))
  const loggedOut = await service.call('/v1/auth/logout', {
    method: 'POST',
    headers: { 'x-store-key': here.shop.key, ...bearer(out) },
  })
  assert.equal(loggedOut.status, 200)
  const dead = [bearer(over), bearer(out)].map(({ authorization }) => authorization)
  for (const authorization of [...dead, 'Bearer ses_dead', 'bearer x', 'Bearer', 'Bearer a b c', 'Bearer ses_']) {
    const headers = { authorization, 'x-customer-id': customer.id }
    await assertRefuse(['store', 'shopper', 'customer', 'asserted'], headers, unauthorized)
  }
})

test('sign-in endpoints ignore a bearer token, so an expired one does not prevent signing in', async () => {
  for (const authorization of ['Bearer ses_dead', 'Bearer', 'Bearer a b c', `Bearer ${customer.token}`])
    await assertThirdAdmit(['sign-in'], 'guest', () => ({ authorization, 'x-customer-id': 'cus_nobody' }))
})

test('a session of one store is refused by every endpoint of another', async () => {
  const foreigner = await elsewhere.person('customer')
  const headers = bearer(foreigner)
  await assertRefuse(['store', 'shopper', 'customer'], headers, unauthorized)
  for (const id of [foreigner.id, customer.id])
    await assertRefuse(['asserted'], { ...headers, 'x-customer-id': id }, unauthorized)
})

test('the bearer token alone admits a customer, who is not treated as a guest', async () => {
  await assertAdmit(['store', 'shopper', 'customer'], 'customer', bearer, isNoGuest)
})

test('endpoints for customers are 401 without a bearer token, whatever else is sent', async () => {
  const others = [{}, { 'x-guest-token': guest.token }, { authorization: 'Basic YTpi' }, { authorization: '' }]
  for (const headers of others) await assertRefuse(['customer', 'asserted'], headers, unauthorized)
})

// x-customer-id

test('x-customer-id alone is enough with a server key, on carts, wishlists and the merge', async () => {
  await assertAdmit(['shopper', 'asserted'], 'customer', ({ id }) => ({ 'x-customer-id': id }), isNoGuest)
})

test('x-customer-id is never enough where a customer must have signed in', async () => {
  await assertRefuse(['customer'], { 'x-customer-id': customer.id }, unauthorized)
})

test('x-customer-id alone is not enough for a browser, nor when it names no customer of this store', async () => {
  const { key: browserKey } = await here.shop.newKey({ kind: 'browser', rateLimit: 10_000 })
  const stranger = await elsewhere.person('customer')
  const id = customer.id
  for (const headers of [
    { 'x-customer-id': id, origin },
    { 'x-customer-id': id, 'x-store-key': browserKey },
    { 'x-customer-id': id, 'x-store-key': browserKey, origin },
    { 'x-customer-id': id, 'x-store-key': browserKey, 'x-guest-token': guest.token },
    { 'x-customer-id': stranger.id },
    { 'x-customer-id': 'cus_nobody' },
    { 'x-customer-id': '' },
  ]) {
    await assertRefuse(['shopper', 'asserted', 'customer'], headers, unauthorized)
    // On reads of the catalog it is ignored.
    await assertThirdAdmit(['store', 'sign-in'], 'customer', () => headers)
  }
})

test('x-customer-id beside a bearer token must name the same customer', async () => {
  const other = await here.person('customer')
  const headers = { ...bearer(customer), 'x-customer-id': other.id }
  await assertRefuse(['store', 'shopper', 'customer', 'asserted'], headers, unauthorized)
  const { key } = await here.shop.newKey({ kind: 'browser', rateLimit: 10_000 })
  const both = (person: Person) => ({ ...bearer(person), 'x-customer-id': person.id, 'x-store-key': key, origin })
  await assertAdmit(['store', 'sign-in', 'shopper', 'customer', 'asserted'], 'customer', both, isNoGuest)
})

test('the merge is 401 without x-customer-id, even with a bearer token', async () => {
  await assertRefuse(['asserted'], bearer(customer), unauthorized)
})

// Guest tokens

test('a guest is recognized by the token, and a caller without one becomes a new guest', async () => {
  await assertAdmit(['shopper'], 'guest', ({ token }) => ({ 'x-guest-token': token }))
  for (const { name, path, method } of withAccess('shopper').filter(({ params }) => params === undefined)) {
    if (method !== 'GET') continue
    const answer = await here.shop.get(path)
    assert.match(answer.headers.get('x-guest-token') ?? '', /^gst_/, name)
    assert.deepEqual(answer.json, [])
  }
})

test('an invalid guest token is 400 on carts and wishlists, and the answer has a valid one', async () => {
  for (const token of deadGuestTokens()) {
    const fresh: string[] = []
    await assertRefuse(['shopper'], { 'x-guest-token': token }, badRequest, ({ headers }) => {
      fresh.push(headers.get('x-guest-token') ?? 'none')
    })
    assert.equal(new Set(fresh).size, withAccess('shopper').length)
    for (const again of fresh) assert.equal((await here.shop.get('/v1/cart', { 'x-guest-token': again })).status, 200)
  }
})

test('a merged guest is refused by every endpoint for guests, with a new token', async () => {
  const merged = await here.person('guest')
  const calls: Prepared[] = []
  for (const endpoint of withAccess('shopper')) calls.push(await prepare(here, endpoint, merged))
  const merge = withAccess('asserted').find(({ name }) => name === 'mergeGuestData')
  assert.ok(merge)
  const call = await prepare(here, merge)
  assert.equal((await send(call, { body: { guestToken: merged.token } })).status, 200)
  const before = await rowsOf(here)
  for (const call of calls) {
    const answer = await send(call)
    assert.equal(answer.status, 400, `${describe(call.endpoint)}: ${answer.status} ${answer.text}`)
    assert.match(answer.headers.get('x-guest-token') ?? '', /^gst_/, describe(call.endpoint))
  }
  assertError(await send(call, { body: { guestToken: merged.token } }), 400, 'BAD_REQUEST')
  assert.deepEqual(await rowsOf(here), before)
})

test('an invalid guest token is ignored by other endpoints, and beside the credentials of a customer', async () => {
  for (const token of deadGuestTokens().filter((_, i) => i % 2 === 0)) {
    const dead = { 'x-guest-token': token }
    await assertThirdAdmit(['store', 'sign-in', 'customer'], 'customer', (person) => ({ ...bearer(person), ...dead }))
    await assertThirdAdmit(['store', 'sign-in'], 'guest', () => dead)
    const named = (person: Person) => ({ ...dead, 'x-customer-id': person.id })
    await assertThirdAdmit(
      ['shopper', 'asserted'],
      'customer',
      (person) => ({ ...bearer(person), ...named(person) }),
      isNoGuest,
    )
    await assertThirdAdmit(['shopper', 'asserted'], 'customer', named, isNoGuest)
  }
})

const deadGuestTokens = () => {
  const { guestTokens } = service.app.services
  const now = service.clock.now()
  const foreign = makeGuestToken(guestTokens, elsewhere.store.id, newGuestId(), now)
  const over = makeGuestToken(guestTokens, here.store.id, guest.id, now - days(31))
  const forged = guest.token.replace(/.{3}$/, (end) => (end === 'AAA' ? 'BBB' : 'AAA'))
  const swapped = guest.token.replace(guest.id, newGuestId())
  return [foreign, over, forged, swapped, 'gst_', '']
}

test('every kind of access is tested', () => {
  const tried = ['store', 'sign-in', 'shopper', 'customer', 'asserted']
  for (const { access, name } of guarded) assert.ok(tried.includes(access), `${name}: give ${access} its rules here`)
})
