import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, newStore, startWindow, type TestService, withinASecond } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { hours, seconds } from '../../core/clock.ts'
import { closeStore } from '../stores/stores.ts'
import { newCode, post, tally, times, verifyCode } from './fixture.ts'
import {
  email,
  mailTo,
  movableService,
  newResetLink,
  newVerifyLink,
  password,
  signIn,
  signUp,
  useInstances,
  verifyByLink,
  withSession,
} from './mail-fixture.ts'
import { makeVerifyToken } from './mail-links.ts'

let service: TestService
let neighbour: TestService
useInstances((first, second) => {
  service = first
  neighbour = second
})

test('sign-up asks to confirm the email, and the link confirms it without a session', async () => {
  const shop = await newStore(service, { origins: ['https://other.example'] })
  const headers = { 'accept-language': 'hi-IN,hi;q=0.9' }
  const account = { name: 'Asha', email, password, storefrontUrl: 'https://other.example' }
  const { json } = await post(service, shop, '/v1/signup', account, headers)
  assert.equal(json.user.emailVerified, false)
  assert.deepEqual(await mailTo(service, shop), [
    {
      ...{ message: 'email.verify', recipient: email, language: 'hi', sealed: null },
      data: { customerId: json.user.id, origin: 'https://other.example' },
    },
  ])
  const done = await verifyByLink(service, shop, await newVerifyLink(service, shop, json.user.id))
  assert.equal(done.status, 200)
  const { updatedAt: _, ...shown } = done.json
  const { updatedAt: __, ...before } = json.user
  assert.deepEqual(shown, { ...before, emailVerified: true })
  const mine = withSession(service, shop, json.token)
  assert.equal((await mine.call('GET', '/v1/customer')).json.emailVerified, true)
  assert.equal((await signIn(service, shop)).json.user.emailVerified, true)
})

test('a sign-up that is refused sends no mail', async () => {
  const shop = await newStore(service)
  const answers = await times(8, () => signUp(service, shop))
  assert.deepEqual(tally(answers), { 201: 1, 409: 7 })
  assert.equal((await mailTo(service, shop)).length, 1)
  assertError(
    await signUp(service, shop, { email: 'b@example.com', storefrontUrl: 'https://evil.example' }),
    400,
    'BAD_REQUEST',
  )
  assert.deepEqual(await mailTo(service, shop, 'b@example.com'), [])
})

test('one of twenty concurrent uses of a link succeeds', async () => {
  const shop = await newStore(service)
  const { json } = await signUp(service, shop)
  const token = await newVerifyLink(service, shop, json.user.id)
  const answers = await times(20, (i) => verifyByLink(i % 2 === 0 ? service : neighbour, shop, token))
  assert.deepEqual(tally(answers), { 200: 1, 410: 19 })
})

test('unknown, used, expired and foreign tokens get the same answer', async (t) => {
  const moved = await movableService(t)
  const [shop, other] = [await newStore(moved), await newStore(moved)]
  const { id } = (await signUp(moved, shop)).json.user
  const expired = await newVerifyLink(moved, shop, id)
  moved.clock.advance(hours(24) - seconds(5))
  const used = await newVerifyLink(moved, shop, id)
  const early = await newVerifyLink(moved, shop, id)
  const ofAnotherPurpose = await newResetLink(moved, shop)
  const ofAnotherStore = await newVerifyLink(moved, other, (await signUp(moved, other)).json.user.id)
  moved.clock.advance(seconds(5))
  const bodies = new Set<string>()
  const refused = async (token: string) => {
    const answer = await verifyByLink(moved, shop, token)
    assertError(answer, 410, 'GONE')
    bodies.add(answer.text)
  }
  await refused(expired)
  assert.equal((await verifyByLink(moved, shop, used)).status, 200)
  for (const token of ['', 'vrf_unknown', used, early, ofAnotherPurpose, ofAnotherStore]) await refused(token)
  assert.equal(bodies.size, 1)
  assert.equal((await verifyByLink(moved, other, ofAnotherStore)).status, 200)
})

test('a changed email is not confirmed, gets a mail, and ends the links of the old one', async () => {
  const shop = await newStore(service)
  const { json } = await signUp(service, shop)
  const mine = withSession(service, shop, json.token)
  const old = await newVerifyLink(service, shop, json.user.id)
  await verifyByLink(service, shop, await newVerifyLink(service, shop, json.user.id))
  const change = { email: 'new@example.com', currentPassword: password }
  assert.equal((await mine.change(change)).json.emailVerified, false)
  assert.equal((await mailTo(service, shop, 'new@example.com', 'email.verify')).length, 1)
  assertError(await verifyByLink(service, shop, old), 410, 'GONE')
  assert.equal(await makeVerifyToken(service.db, await shop.load(), { email, customerId: json.user.id }), null)
  const token = await newVerifyLink(service, shop, json.user.id, 'new@example.com')
  assert.equal((await mine.change({ ...change, email })).status, 200)
  assertError(await verifyByLink(service, shop, token), 410, 'GONE')
  assert.equal((await mine.change({ name: 'Asha Rao', email })).json.emailVerified, false)
})

test('other changes of the profile leave a confirmed email confirmed and send no mail', async () => {
  const shop = await newStore(service)
  const { json } = await signUp(service, shop)
  const mine = withSession(service, shop, json.token)
  await verifyByLink(service, shop, await newVerifyLink(service, shop, json.user.id))
  const { status, json: changed } = await mine.change({ name: 'Asha Rao', email: 'ASHA@example.com' })
  assert.deepEqual([status, changed.emailVerified, changed.name], [200, true, 'Asha Rao'])
  assert.equal((await mailTo(service, shop)).length, 1)
})

test('a link never confirms an email that is changed while it is used', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newStore(service)
    const { json } = await signUp(service, shop)
    const mine = withSession(service, shop, json.token)
    const token = await newVerifyLink(service, shop, json.user.id)
    const [changed, done] = await Promise.all([
      mine.change({ email: 'new@example.com', currentPassword: password }),
      verifyByLink(neighbour, shop, token),
    ])
    assert.equal(changed.status, 200)
    assert.ok([200, 410].includes(done.status))
    const { json: now } = await mine.call('GET', '/v1/customer')
    assert.deepEqual([now.email, now.emailVerified], ['new@example.com', false])
  }
})

test('the contact email of a customer by phone can be confirmed, unless another customer signs in with it', async () => {
  const shop = await newStore(service)
  const { json } = await verifyCode(service, shop, await newCode(service, shop))
  const mine = withSession(service, shop, json.token)
  await mine.change({ email })
  const first = await newVerifyLink(service, shop, json.customer.id)
  const ravi = await newCustomer(service, shop, { name: 'Ravi' })
  await ravi.call('PATCH', '/v1/customer', { body: { email } })
  const second = await newVerifyLink(service, shop, ravi.id)
  const answers = await Promise.all([first, second].map((token) => verifyByLink(service, shop, token)))
  assert.deepEqual(tally(answers), { 200: 1, 409: 1 })
  assertError(await signUp(service, shop), 409, 'CONFLICT')
})

test('a customer can ask for the mail again, five times an hour for an address', async (t) => {
  const moved = await movableService(t)
  startWindow(moved, hours(1))
  const shop = await newStore(moved)
  const nobody = withSession(moved, shop, (await newCustomer(moved, shop)).token)
  assertError(await nobody.askAgain(), 400, 'BAD_REQUEST')
  const { json } = await signUp(moved, shop)
  const mine = withSession(moved, shop, json.token)
  assertError(await mine.askAgain({ storefrontUrl: 'https://evil.example' }), 400, 'BAD_REQUEST')
  // The mail of the sign-up counts too.
  assert.deepEqual(tally(await times(10, () => mine.askAgain())), { 200: 4, 429: 6 })
  assert.equal((await mailTo(moved, shop)).length, 5)
  await verifyByLink(moved, shop, await newVerifyLink(moved, shop, json.user.id))
  moved.clock.advance(hours(1))
  assert.equal((await mine.askAgain()).status, 200)
  assert.equal((await mailTo(moved, shop)).length, 5)
})

test('beyond the limit an account is still created and an email still changed, without a mail', async (t) => {
  const moved = await movableService(t)
  startWindow(moved, hours(1))
  const shop = await newStore(moved)
  const { id } = await shop.load()
  await moved.db.run`update store set otp_client_limit = 2 where id = ${id}`
  const { json } = await signUp(moved, shop)
  const mine = withSession(moved, shop, json.token)
  for (const to of ['b@example.com', 'c@example.com']) {
    assert.equal((await mine.change({ email: to, currentPassword: password })).status, 200)
  }
  assert.equal((await signUp(moved, shop)).status, 201)
  assert.equal((await mailTo(moved, shop, 'b@example.com')).length, 1)
  assert.equal((await mailTo(moved, shop, 'c@example.com')).length, 0)
  assert.equal((await mailTo(moved, shop)).length, 1)
})

test('a client can try a hundred tokens an hour', async (t) => {
  const moved = await movableService(t)
  startWindow(moved, hours(1))
  const shop = await newStore(moved)
  assert.deepEqual(tally(await times(120, (i) => verifyByLink(moved, shop, `vrf_${i}`))), { 410: 100, 429: 20 })
})

test('a closed store takes no links', async () => {
  const shop = await newStore(service)
  const { json } = await signUp(service, shop)
  const token = await newVerifyLink(service, shop, json.user.id)
  const store = await shop.load()
  await service.db.tx((tx) => closeStore(tx, store, true))
  const key = await shop.newKey()
  const isClosed = async () => (await service.call('/v1/store', { headers: { 'x-store-key': key.key } })).status === 403
  assert.ok(await withinASecond(isClosed))
  assertError(await verifyByLink(service, key, token), 403, 'FORBIDDEN')
})
