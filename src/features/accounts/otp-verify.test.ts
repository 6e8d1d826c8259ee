import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertError,
  newStore,
  serviceFor,
  startTestService,
  type TestService,
  type TestStore,
} from '../../../test/harness.ts'
import { newCustomer, newGuest, type TestShopper } from '../../../test/shoppers.ts'
import { days, minutes, seconds } from '../../core/clock.ts'
import { newCode, phone, post, requestCode, tally, times, verifyCode, wrong } from './fixture.ts'

let service: TestService
let neighbour: TestService
before(async () => {
  service = await startTestService()
  neighbour = await startTestService()
})
after(() => Promise.all([service.close(), neighbour.close()]))

test('the right code opens a session of seven days, and the first sign-in creates the customer', async () => {
  const shop = await newStore(service)
  const { status, json } = await verifyCode(service, shop, await newCode(service, shop))
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(json).sort(), ['customer', 'expiresAt', 'token'])
  assert.match(json.token, /^ses_/)
  const leftMs = Date.parse(json.expiresAt) - service.clock.now()
  assert.ok(leftMs > days(7) - minutes(1) && leftMs <= days(7), String(leftMs))
  const { id, createdAt, updatedAt, ...rest } = json.customer
  assert.match(id, /^cus_/)
  for (const time of [createdAt, updatedAt]) assert.equal(new Date(time).toISOString(), time)
  assert.deepEqual(rest, { name: '', email: '', emailVerified: false, phone, phoneVerified: true })

  const again = await verifyCode(service, shop, await newCode(service, shop))
  assert.deepEqual(again.json.customer, json.customer)
  assert.notEqual(again.json.token, json.token)
})

test('after three wrong codes, even the right one is 410', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  for (let i = 0; i < 3; i++) assertError(await verifyCode(service, shop, wrong(code)), 401, 'UNAUTHORIZED')
  assertError(await verifyCode(service, shop, code), 410, 'GONE')
  assertError(await verifyCode(service, shop, wrong(code)), 410, 'GONE')
})

test('when the attempts are used up, no guess waits for anything: its time tells nothing', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  for (let i = 0; i < 3; i++) await verifyCode(service, shop, wrong(code))
  const { id } = await shop.load()
  await service.db.tx(async (tx) => {
    await tx.run`select from one_time_code where store_id = ${id} for update`
    await tx.run`select from otp_request where store_id = ${id} for update`
    for (const guess of [code, wrong(code)]) assertError(await verifyCode(service, shop, guess), 410, 'GONE')
  })
})

test('the right code is accepted at the third attempt', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  for (let i = 0; i < 2; i++) assertError(await verifyCode(service, shop, wrong(code)), 401, 'UNAUTHORIZED')
  assert.equal((await verifyCode(service, shop, code)).status, 200)
})

test('a code is valid for five minutes', async (t) => {
  const moved = await serviceFor(t)
  const shop = await newStore(moved)
  const early = await newCode(moved, shop)
  moved.clock.advance(minutes(5) - seconds(30))
  assert.equal((await verifyCode(moved, shop, early)).status, 200)
  const late = await newCode(moved, shop)
  moved.clock.advance(minutes(5))
  assertError(await verifyCode(moved, shop, late), 410, 'GONE')
})

test('a code works once, and without a code the response is 410', async () => {
  const shop = await newStore(service)
  assertError(await verifyCode(service, shop, '123456'), 410, 'GONE')
  const code = await newCode(service, shop)
  assert.equal((await verifyCode(service, shop, code)).status, 200)
  assertError(await verifyCode(service, shop, code), 410, 'GONE')
})

test('three of a hundred concurrent guesses on two instances are checked', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  const answers = await times(100, (i) => verifyCode(i % 2 === 0 ? service : neighbour, shop, wrong(code)))
  assert.deepEqual(tally(answers), { 401: 3, 410: 97 })
  assertError(await verifyCode(service, shop, code), 410, 'GONE')
})

test('the right code sent fifty times concurrently on two instances opens one session', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  const answers = await times(50, (i) => verifyCode(i % 2 === 0 ? service : neighbour, shop, code))
  assert.deepEqual(tally(answers), { 200: 1, 410: 49 })
  const { id } = await shop.load()
  const { sessions } = await service.db.one<{ sessions: number }>`
    select count(*) as sessions from session where store_id = ${id}`
  assert.equal(sessions, 1)
})

test('a malformed code is refused and costs no attempt', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  for (const otp of [Number(code), '', 'abcdef', `${code} `, `+${code}`, '१२३४५६', null, [code], '1'.repeat(21)]) {
    assertError(await verifyCode(service, shop, otp), 400, 'BAD_REQUEST')
  }
  assertError(await post(service, shop, '/v1/auth/otp/verify', { phone }), 400, 'BAD_REQUEST')
  assertError(await verifyCode(service, shop, code, { phone: '12' }), 400, 'BAD_REQUEST')
  assert.equal((await verifyCode(service, shop, code)).status, 200)
})

test('a code is valid only in its store, and one phone is a separate customer in each store', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  const code = await newCode(service, shop)
  assertError(await verifyCode(service, other, code), 410, 'GONE')
  let otherCode = await newCode(service, other)
  while (otherCode === code) otherCode = await newCode(service, other)
  assertError(await verifyCode(service, other, code), 401, 'UNAUTHORIZED')
  const here = await verifyCode(service, shop, code)
  const there = await verifyCode(service, other, otherCode)
  assert.deepEqual([here.status, there.status], [200, 200])
  assert.notEqual(here.json.customer.id, there.json.customer.id)
})

test('a code is valid only for its phone', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  assertError(await verifyCode(service, shop, code, { phone: '+919876500000' }), 410, 'GONE')
})

test('a phone given at sign-up is not used for sign-in: its owner becomes another customer', async () => {
  const shop = await newStore(service)
  const asha = { name: 'Asha', email: 'asha@example.com', password: 'a long password', phone }
  const { json } = await post(service, shop, '/v1/signup', asha)
  const owner = await verifyCode(service, shop, await newCode(service, shop))
  assert.equal(owner.status, 200)
  assert.notEqual(owner.json.customer.id, json.user.id)
})

test('sign-in claims the guest cart', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10, stock: 9 })
  const guest = await newGuest(service, shop)
  const [{ id: productId }] = (await shop.get('/v1/products')).json
  const cart = await guest.call('POST', '/v1/cart', { body: { productId, quantity: 2 } })
  const guestCartId = cart.json.id
  const { status, json } = await verifyCode(service, shop, await newCode(service, shop), { guestCartId })
  assert.equal(status, 200)
  const own = await shop.get('/v1/cart/me', { authorization: `Bearer ${json.token}` })
  assert.deepEqual([own.json.customerId, own.json.itemCount], [json.customer.id, 2])
  assert.equal((await guest.call('GET', `/v1/cart/${guestCartId}`)).status, 404)
})

test('sign-in ignores a cart that is unknown, owned or of another store', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  for (const store of [shop, other]) await store.add({ name: 'Mug', price: 10, stock: 9 })
  const fill = async (shopper: Pick<TestShopper, 'call'>, at: TestStore) => {
    const [{ id: productId }] = (await at.get('/v1/products')).json
    const cart = await shopper.call('POST', '/v1/cart', { body: { productId } })
    assert.ok(cart.json.id, cart.text)
    return cart.json.id as string
  }
  const ravi = await newCustomer(service, shop)
  const owned = await fill(ravi, shop)
  const foreign = await fill(await newGuest(service, other), other)
  for (const guestCartId of ['', 'cart_unknown', owned, foreign]) {
    const { status, json } = await verifyCode(service, shop, await newCode(service, shop), { guestCartId })
    assert.equal(status, 200)
    assert.deepEqual((await shop.get('/v1/cart', { authorization: `Bearer ${json.token}` })).json, [])
  }
  assert.equal((await ravi.call('GET', `/v1/cart/${owned}`)).json.itemCount, 1)
})

test('after an internal error the code is still valid for the remaining attempts', async (t) => {
  const broken = await serviceFor(t)
  const shop = await newStore(broken)
  const code = await newCode(broken, shop)
  const { db } = broken
  broken.app.services.db = {
    ...db,
    forStore: () => ({
      ...db,
      txAfter: (first, work) =>
        db.txAfter(first, async (tx, sent) => {
          await work(tx, sent)
          throw new Error('the disk is full')
        }),
    }),
  }
  assertError(await verifyCode(broken, shop, code), 500, 'INTERNAL')
  broken.app.services.db = db
  assertError(await verifyCode(broken, shop, wrong(code)), 401, 'UNAUTHORIZED')
  assert.equal((await verifyCode(broken, shop, code)).status, 200)
  const { id } = await shop.load()
  const { sessions } = await db.one<{ sessions: number }>`
    select count(*) as sessions from session where store_id = ${id}`
  assert.equal(sessions, 1)
})

test('a code stays valid when the hashing secret is rotated', async (t) => {
  const secrets = ['the old secret, which is long enough to be one', 'the new secret, which is long enough to be one']
  const before = await serviceFor(t, { secrets: secrets.slice(0, 1) })
  const after = await serviceFor(t, { secrets: secrets.toReversed() })
  const shop = await newStore(before)
  assert.equal((await verifyCode(after, shop, await newCode(before, shop))).status, 200)
})

test('sign-in ignores an old session and an Idempotency-Key', async () => {
  const shop = await newStore(service)
  const headers = { authorization: 'Bearer ses_dead', 'idempotency-key': 'again' }
  assert.equal((await post(service, shop, '/v1/auth/otp/request', { phone }, headers)).status, 200)
  const attempt = { phone, otp: service.codeFor(phone) }
  assert.equal((await post(service, shop, '/v1/auth/otp/verify', attempt, headers)).status, 200)
  assertError(await post(service, shop, '/v1/auth/otp/verify', attempt, headers), 410, 'GONE')
  const { id } = await shop.load()
  const { kept } = await service.db.one<{ kept: number }>`
    select count(*) as kept from kept_answer where store_id = ${id}`
  assert.equal(kept, 0)
})

test('a key without the scope auth:write cannot be used for sign-in', async () => {
  const shop = await newStore(service)
  const narrow = await shop.newKey({ scopes: ['products:read'] })
  assertError(await requestCode(service, narrow), 403, 'FORBIDDEN')
  assertError(await verifyCode(service, narrow, '123456'), 403, 'FORBIDDEN')
})
