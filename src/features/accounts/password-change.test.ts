import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { minutes } from '../../core/clock.ts'
import { newCode, phone, post, tally, times, verifyCode } from './fixture.ts'
import { createPasswordHasher } from './passwords.ts'

let service: TestService
let neighbour: TestService
before(async () => {
  const passwords = createPasswordHasher({ cost: { memory: 8, passes: 1, parallelism: 1 } })
  service = await startTestService({ passwords })
  neighbour = await startTestService({ passwords })
})
after(() => Promise.all([service.close(), neighbour.close()]))

const [password, newPassword] = ['correct horse battery', 'another horse battery']
const email = 'asha@example.com'

/** The account calls of one session, on either instance. */
const withSession = (shop: TestStore, token: string, at = service) => {
  const headers = { 'x-store-key': shop.key, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = (method: string, path: string, body?: unknown) =>
    at.call(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  return {
    isAlive: async () => (await call('GET', '/v1/customer')).status === 200,
    change: (body: object) => call('PATCH', '/v1/customer', body),
    changePassword: (body: object) => call('POST', '/v1/customer/password', body),
    logOutEverywhere: () => call('POST', '/v1/auth/logout/everywhere'),
  }
}

const signIn = (shop: TestStore, change: object = {}) =>
  post(service, shop, '/v1/signin', { email, password, ...change })

/** An account with three sessions: two on this instance, one on the other. */
const threeDevices = async () => {
  const shop = await newStore(service)
  assert.equal((await post(service, shop, '/v1/signup', { name: 'Asha', email, password })).status, 201)
  const [here, there, elsewhere] = await times(3, async () => (await signIn(shop)).json.token as string)
  return {
    shop,
    here: withSession(shop, here as string),
    there: withSession(shop, there as string),
    elsewhere: withSession(shop, elsewhere as string, neighbour),
  }
}

const alive = (devices: readonly ReturnType<typeof withSession>[]) =>
  Promise.all(devices.map((device) => device.isAlive()))

test('changing the email needs the password and ends all other sessions', async () => {
  const { shop, here, there, elsewhere } = await threeDevices()
  for (const body of [{}, { currentPassword: 'wrong' }, { currentPassword: '' }]) {
    const refused = await here.change({ email: 'thief@example.com', name: 'Thief', ...body })
    assertError(refused, 403, 'FORBIDDEN')
    assert.equal(refused.headers.get('www-authenticate'), null)
  }
  assert.deepEqual(await alive([here, there, elsewhere]), [true, true, true])
  const { status, json } = await here.change({ email: 'New@example.com', currentPassword: password })
  assert.deepEqual([status, json.email, json.name], [200, 'new@example.com', 'Asha'])
  assert.deepEqual(await alive([here, there, elsewhere]), [true, false, false])
  assertError(await signIn(shop), 401, 'UNAUTHORIZED')
  assert.equal((await signIn(shop, { email: 'new@example.com' })).status, 200)
})

test('name, phone and the same email need no password and end no session', async () => {
  const { here, there, elsewhere } = await threeDevices()
  const { status, json } = await here.change({ name: 'Asha Rao', phone, email: 'ASHA@example.com' })
  assert.deepEqual([status, json.name, json.phone, json.email], [200, 'Asha Rao', phone, email])
  assert.deepEqual(await alive([here, there, elsewhere]), [true, true, true])
})

test('changing the password needs the current one and ends all other sessions', async () => {
  const { shop, here, there, elsewhere } = await threeDevices()
  for (const body of [{}, { currentPassword: 'wrong' }]) {
    assertError(await here.changePassword({ newPassword, ...body }), 403, 'FORBIDDEN')
  }
  for (const short of ['1234567', '', 'x'.repeat(201), null]) {
    assertError(await here.changePassword({ currentPassword: password, newPassword: short }), 400, 'BAD_REQUEST')
  }
  assert.deepEqual(await alive([here, there, elsewhere]), [true, true, true])
  const done = await here.changePassword({ currentPassword: password, newPassword })
  assert.deepEqual([done.status, done.json], [200, { success: true }])
  assert.deepEqual(await alive([here, there, elsewhere]), [true, false, false])
  assertError(await signIn(shop), 401, 'UNAUTHORIZED')
  assert.equal((await signIn(shop, { password: newPassword })).status, 200)
})

test('one of twenty concurrent changes with the same current password wins', async () => {
  const { shop, here } = await threeDevices()
  const chosen = (i: number) => `a new password ${i}`
  const answers = await times(20, (i) => here.changePassword({ currentPassword: password, newPassword: chosen(i) }))
  assert.deepEqual(tally(answers.filter(({ status }) => status === 200)), { 200: 1 })
  assert.ok(answers.every(({ status }) => [200, 403, 429].includes(status)))
  const winner = answers.findIndex(({ status }) => status === 200)
  assert.equal((await signIn(shop, { password: chosen(winner) })).status, 200)
})

test('a concurrent sign-in with the old password leaves no session after the change', async () => {
  const { shop, here } = await threeDevices()
  const [changed, ...signIns] = await Promise.all([
    here.changePassword({ currentPassword: password, newPassword }),
    ...Array.from({ length: 15 }, () => signIn(shop)),
  ])
  assert.equal(changed?.status, 200)
  for (const { status, json } of signIns) {
    if (status === 200) assert.equal(await withSession(shop, json.token).isAlive(), false)
    else assert.equal(status, 401)
  }
  assert.equal(await here.isAlive(), true)
})

test('ten wrong passwords within fifteen minutes are 429, also concurrently, and do not lock sign-in', async () => {
  const { shop, here, elsewhere } = await threeDevices()
  const guesses = await times(30, (i) => {
    const device = i % 2 === 0 ? here : elsewhere
    return i % 3 === 0
      ? device.change({ email: 'thief@example.com', currentPassword: `guess ${i}` })
      : device.changePassword({ currentPassword: `guess ${i}`, newPassword })
  })
  assert.deepEqual(tally(guesses), { 403: 10, 429: 20 })
  const refused = await here.changePassword({ currentPassword: password, newPassword })
  assertError(refused, 429, 'RATE_LIMITED')
  assert.ok(Number(refused.headers.get('retry-after')) <= minutes(15) / 1000)
  assert.equal((await signIn(shop)).status, 200)
})

test('failed sign-ins do not keep a signed-in customer from changing the password', async () => {
  const { shop, here } = await threeDevices()
  const me = await service.db.one<{ id: string }>`
    select id from customer where store_id = ${(await shop.load()).id}`
  for (const name of [email, me.id, `CUSTOMER ${me.id}`]) {
    for (let i = 0; i < 10; i++) await signIn(shop, { email: name, password: 'a guess' })
  }
  assertError(await signIn(shop), 429, 'RATE_LIMITED')
  assert.equal((await here.changePassword({ currentPassword: password, newPassword })).status, 200)
})

test('a customer who signed in by phone can add an email and then a password with only the session', async () => {
  const shop = await newStore(service)
  const { json } = await verifyCode(service, shop, await newCode(service, shop))
  const here = withSession(shop, json.token)
  const there = withSession(shop, (await verifyCode(service, shop, await newCode(service, shop))).json.token)
  assertError(await here.changePassword({ newPassword }), 400, 'BAD_REQUEST')
  assert.equal((await here.change({ email })).status, 200)
  assert.deepEqual(await alive([here, there]), [true, true])
  const answers = await times(5, () => here.changePassword({ newPassword }))
  assert.deepEqual(tally(answers), { 200: 1, 403: 4 })
  assert.deepEqual(await alive([here, there]), [true, false])
  assert.equal((await signIn(shop, { password: newPassword })).status, 200)
  assertError(await here.change({ email: 'thief@example.com' }), 403, 'FORBIDDEN')
})

test('setting a password is refused when another customer signs in with the email', async () => {
  const shop = await newStore(service)
  await post(service, shop, '/v1/signup', { name: 'Asha', email, password })
  const ravi = withSession(shop, (await newCustomer(service, shop)).token)
  assert.equal((await ravi.change({ email })).status, 200)
  assertError(await ravi.changePassword({ newPassword }), 409, 'CONFLICT')
  assert.equal((await signIn(shop)).status, 200)
})

test('signing out everywhere ends all sessions of the customer on all instances, and no other sessions', async () => {
  const { shop, here, there, elsewhere } = await threeDevices()
  const ravi = withSession(shop, (await newCustomer(service, shop)).token)
  const done = await here.logOutEverywhere()
  assert.deepEqual([done.status, done.json], [200, { success: true }])
  assert.deepEqual(await alive([here, there, elsewhere]), [false, false, false])
  assert.equal(await ravi.isAlive(), true)
  assertError(await here.logOutEverywhere(), 401, 'UNAUTHORIZED')
  assert.equal((await signIn(shop)).status, 200)
})
