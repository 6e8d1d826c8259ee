import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  assertError,
  newStore,
  serviceFor,
  startWindow,
  type TestService,
  type TestStore,
} from '../../../test/harness.ts'
import { newGuest } from '../../../test/shoppers.ts'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { codeAlone, newCode, phone, post, requestCode, tally, times, verifyCode, wrong } from './fixture.ts'
import {
  codeMailedTo,
  email,
  mailTo,
  movableService,
  newPassword,
  newResetLink,
  newVerifyLink,
  password,
  recordStatements,
  reset,
  signIn,
  signUp,
  useInstances,
  verifyByLink,
  withSession,
} from './mail-fixture.ts'

let service: TestService
let neighbour: TestService
useInstances((first, second) => {
  service = first
  neighbour = second
})

const ask = (at: TestService, shop: Pick<TestStore, 'key'>, to: unknown = email, more: object = {}) =>
  post(at, shop, '/v1/auth/otp/request', { email: to, ...more })

const verify = (at: TestService, shop: Pick<TestStore, 'key'>, otp: string, more: object = {}) =>
  post(at, shop, '/v1/auth/otp/verify', { email, otp, ...more })

/** A code with its request token. */
const newMailedCode = async (at: TestService, shop: TestStore, to = email, proof: object = {}) => {
  const { status, json, text } = await ask(at, shop, to, proof)
  assert.equal(status, 200, text)
  return { otp: await codeMailedTo(at, shop, to), requestToken: json.requestToken as string }
}

const countCustomers = async (shop: TestStore) => {
  const { id } = await shop.load()
  return (await service.db.one<{ count: number }>`select count(*) as count from customer where store_id = ${id}`).count
}

test('a code by mail signs in, and the first sign-in creates a customer with a confirmed email', async () => {
  const shop = await newStore(service)
  const headers = { 'accept-language': 'hi' }
  const asked = await post(service, shop, '/v1/auth/otp/request', { email: ' ASHA@example.com' }, headers)
  assert.deepEqual(Object.keys(asked.json), ['success', 'expiresAt', 'requestToken'])
  const [mail] = await mailTo(service, shop, email, 'otp.code')
  assert.deepEqual([mail?.language, mail?.data], ['hi', { expiresAt: asked.json.expiresAt }])
  const otp = await codeMailedTo(service, shop)
  assert.match(otp, /^\d{6}$/)
  const { status, json } = await post(service, shop, '/v1/auth/otp/verify', { email, otp }, headers)
  assert.equal(status, 200)
  const { id, createdAt: _, updatedAt: __, ...rest } = json.customer
  assert.deepEqual(rest, { name: '', email, emailVerified: true, phone: '', phoneVerified: false })
  assert.equal(await withSession(service, shop, json.token).isAlive(), true)
  const again = await verify(service, shop, (await newMailedCode(neighbour, shop)).otp)
  assert.equal(again.json.customer.id, id)
  const { language } = await service.db.one<{ language: string }>`
    select language from customer where store_id = ${(await shop.load()).id}`
  assert.equal(language, 'hi')
})

test('exactly one of phone and email is accepted', async () => {
  const shop = await newStore(service)
  for (const to of [{}, { phone, email }, { phone: null, email }, { email: '' }, { email: 'asha' }]) {
    assertError(await post(service, shop, '/v1/auth/otp/request', to), 400, 'BAD_REQUEST')
    assertError(await post(service, shop, '/v1/auth/otp/verify', { ...to, otp: '123456' }), 400, 'BAD_REQUEST')
  }
  assert.deepEqual(await mailTo(service, shop), [])
})

test('the response does not reveal whether the email has an account', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const shown = async (to: string) => {
    const asked = await recordStatements(service, () => ask(service, shop, to))
    const otp = wrong(await codeMailedTo(service, shop, to))
    const tried = await recordStatements(service, () => verify(service, shop, otp, { email: to }))
    const { status, json, headers } = asked.result
    return {
      ...{ status, fields: Object.keys(json), headers: [...headers.keys()], wrong: tried.result.text },
      texts: [...asked.texts, ...tried.texts],
    }
  }
  assert.deepEqual(await shown(email), await shown('nobody@example.com'))
})

test('five of thirty concurrent requests for an address are sent, on two instances', async () => {
  const shop = await newStore(service)
  const answers = await times(30, (i) => ask(i % 2 === 0 ? service : neighbour, shop))
  assert.deepEqual(tally(answers), { 200: 5, 429: 25 })
  assert.equal((await mailTo(service, shop)).length, 5)
  const refused = answers.find(({ status }) => status === 429) as Answer
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 59 * 60 && wait <= 60 * 60, String(wait))
})

test('three of a hundred concurrent guesses are checked', async () => {
  const shop = await newStore(service)
  const { otp } = await newMailedCode(service, shop)
  const guesses = await times(100, (i) => verify(i % 2 === 0 ? service : neighbour, shop, wrong(otp)))
  assert.deepEqual(tally(guesses), { 401: 3, 410: 97 })
  assertError(await verify(service, shop, otp), 410, 'GONE')
})

test('a code is valid for five minutes, once, for one address in one store', async (t) => {
  const moved = await movableService(t)
  const [shop, other] = [await newStore(moved), await newStore(moved)]
  const early = await newMailedCode(moved, shop)
  assertError(await verify(moved, shop, early.otp, { email: 'b@example.com' }), 410, 'GONE')
  assertError(await verify(moved, other, early.otp), 410, 'GONE')
  assertError(await verifyCode(moved, shop, early.otp), 410, 'GONE')
  moved.clock.advance(minutes(5) - seconds(10))
  const answers = await times(8, () => verify(moved, shop, early.otp))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  const late = await newMailedCode(moved, shop)
  moved.clock.advance(minutes(5))
  assertError(await verify(moved, shop, late.otp), 410, 'GONE')
})

test('the cap of the store and the limit of the client count codes by mail and by phone together', async (t) => {
  const moved = await movableService(t)
  startWindow(moved, hours(1))
  const [capped, limited] = [await newStore(moved), await newStore(moved)]
  await moved.db.run`update store set otp_hourly_cap = 2 where id = ${(await capped.load()).id}`
  await moved.db.run`update store set otp_client_limit = 2 where id = ${(await limited.load()).id}`
  for (const shop of [capped, limited]) {
    assert.equal((await requestCode(moved, shop)).status, 200)
    assert.equal((await ask(moved, shop)).status, 200)
    assertError(await ask(moved, shop, 'b@example.com'), 429, 'RATE_LIMITED')
    assertError(await requestCode(moved, shop), 429, 'RATE_LIMITED')
    assert.deepEqual(await mailTo(moved, shop, 'b@example.com'), [])
  }
})

test('a client that signed in before has separate requests, which others cannot use up', async () => {
  const shop = await newStore(service)
  const proof = await newMailedCode(service, shop)
  assert.equal((await verify(service, shop, proof.otp, { requestToken: proof.requestToken })).status, 200)
  while ((await ask(service, shop)).status === 200);
  const { otp, requestToken } = await newMailedCode(service, shop, email, { requestToken: proof.requestToken })
  assert.equal((await verify(service, shop, otp, { requestToken })).status, 200)
})

test('a code ends the password and the sessions of an account whose email was not confirmed', async () => {
  const shop = await newStore(service)
  const { json } = await signUp(service, shop)
  const link = await newResetLink(service, shop)
  const { otp } = await newMailedCode(service, shop)
  const signedIn = await verify(service, shop, otp)
  assert.deepEqual([signedIn.json.customer.id, signedIn.json.customer.emailVerified], [json.user.id, true])
  assert.equal(await withSession(service, shop, json.token).isAlive(), false)
  assertError(await signIn(service, shop), 401, 'UNAUTHORIZED')
  assertError(await reset(service, shop, link), 410, 'GONE')
  const mine = withSession(service, shop, signedIn.json.token)
  assert.equal((await mine.setPassword({ newPassword })).status, 200)
  assert.equal((await signIn(service, shop, { password: newPassword })).status, 200)
})

/** A customer by phone who has entered the email of another person, with a password. */
const newPhoneCustomer = async (shop: TestStore) => {
  const { json } = await verifyCode(service, shop, await newCode(service, shop))
  const session = withSession(service, shop, json.token)
  await session.change({ email, name: 'Ravi' })
  assert.equal((await session.setPassword({ newPassword: password })).status, 200)
  return { id: json.customer.id as string, session }
}

test('a code that proves an email opens no account of another phone', async () => {
  const shop = await newStore(service)
  const other = await newPhoneCustomer(shop)
  const owner = await verify(service, shop, (await newMailedCode(service, shop)).otp)
  assert.notEqual(owner.json.customer.id, other.id)
  assert.deepEqual([owner.json.customer.name, owner.json.customer.emailVerified], ['', true])
  assert.equal(await other.session.isAlive(), false)
  assertError(await signIn(service, shop), 401, 'UNAUTHORIZED')
  const again = await verifyCode(service, shop, await newCode(service, shop))
  assert.deepEqual([again.json.customer.id, again.json.customer.email], [other.id, ''])
})

test('concurrent codes of the owner of an unconfirmed email make one customer', async () => {
  const shop = await newStore(service)
  await newPhoneCustomer(shop)
  const codes = [await newMailedCode(service, shop), await newMailedCode(service, shop)]
  const owners = await Promise.all(
    codes.map(({ otp, requestToken }, i) => verify(i === 0 ? service : neighbour, shop, otp, { requestToken })),
  )
  assert.deepEqual(tally(owners), { 200: 2 })
  assert.equal(new Set(owners.map(({ json }) => json.customer.id)).size, 1)
  assert.equal(await countCustomers(shop), 2)
})

test('a reset for an unconfirmed email of a phone account makes a new account', async () => {
  const shop = await newStore(service)
  const other = await newPhoneCustomer(shop)
  const { status, json } = await reset(service, shop, await newResetLink(service, shop))
  assert.equal(status, 200)
  assert.notEqual(json.user.id, other.id)
  assert.equal(await other.session.isAlive(), false)
  assert.equal((await signIn(service, shop, { password: newPassword })).json.user.id, json.user.id)
  assertError(await signIn(service, shop), 401, 'UNAUTHORIZED')
})

test('a code leaves the password and the sessions of a confirmed email', async () => {
  const shop = await newStore(service)
  const { json } = await signUp(service, shop)
  await verifyByLink(service, shop, await newVerifyLink(service, shop, json.user.id))
  const signedIn = await verify(service, shop, (await newMailedCode(service, shop)).otp)
  assert.equal(signedIn.json.customer.id, json.user.id)
  assert.equal(await withSession(service, shop, json.token).isAlive(), true)
  assert.equal((await signIn(service, shop)).status, 200)
})

test('a wrong code ends nothing', async () => {
  const shop = await newStore(service)
  const { json } = await signUp(service, shop)
  const { otp } = await newMailedCode(service, shop)
  assertError(await verify(service, shop, wrong(otp)), 401, 'UNAUTHORIZED')
  assert.equal(await withSession(service, shop, json.token).isAlive(), true)
  assert.equal((await signIn(service, shop)).status, 200)
})

test('concurrent sign-ins with the password that a code ends leave no session', async () => {
  for (let round = 0; round < 3; round++) {
    const shop = await newStore(service)
    await signUp(service, shop)
    const { otp } = await newMailedCode(service, shop)
    const [signedIn, ...others] = await Promise.all([
      verify(service, shop, otp),
      ...Array.from({ length: 10 }, (_, i) => signIn(i % 2 === 0 ? service : neighbour, shop)),
    ])
    assert.equal(signedIn?.status, 200)
    for (const { status, json } of others) {
      if (status === 200) assert.equal(await withSession(service, shop, json.token).isAlive(), false)
      else assert.ok([401, 429].includes(status))
    }
    assert.equal(await withSession(service, shop, signedIn?.json.token).isAlive(), true)
  }
})

test('two codes of an account with an unconfirmed email, used concurrently, open two sessions that stay', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newStore(service)
    await signUp(service, shop)
    const codes = [await newMailedCode(service, shop), await newMailedCode(service, shop)]
    const answers = await Promise.all(
      codes.map(({ otp, requestToken }, i) => verify(i === 0 ? service : neighbour, shop, otp, { requestToken })),
    )
    assert.deepEqual(tally(answers), { 200: 2 })
    for (const { json } of answers) assert.equal(await withSession(service, shop, json.token).isAlive(), true)
  }
})

test('codes of a new email and a sign-up with it, used concurrently, make one customer', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newStore(service)
    const codes = [await newMailedCode(service, shop), await newMailedCode(service, shop)]
    const [made, ...answers] = await Promise.all([
      signUp(neighbour, shop),
      ...codes.map(({ otp, requestToken }, i) => verify(i === 0 ? service : neighbour, shop, otp, { requestToken })),
    ])
    assert.deepEqual(tally(answers), { 200: 2 })
    assert.equal(new Set(answers.map(({ json }) => json.customer.id)).size, 1)
    assert.equal(await countCustomers(shop), 1)
    // The sign-up came last and was refused, or first and was ended.
    if (made?.status === 201) assert.equal(await withSession(service, shop, made.json.token).isAlive(), false)
    else assert.equal(made?.status, 409)
    assertError(await signIn(service, shop), 401, 'UNAUTHORIZED')
  }
})

test('the contact email of a customer by phone does not identify them until it is confirmed', async () => {
  const shop = await newStore(service)
  const { json } = await verifyCode(service, shop, await newCode(service, shop))
  const mine = withSession(service, shop, json.token)
  await mine.change({ email: 'b@example.com' })
  const other = await verify(service, shop, (await newMailedCode(service, shop, 'b@example.com')).otp, {
    email: 'b@example.com',
  })
  assert.notEqual(other.json.customer.id, json.customer.id)
  await mine.change({ email })
  await verifyByLink(service, shop, await newVerifyLink(service, shop, json.customer.id))
  const same = await verify(service, shop, (await newMailedCode(service, shop)).otp)
  assert.equal(same.json.customer.id, json.customer.id)
  assert.equal(await mine.isAlive(), true)
})

test('a customer by email needs a password to replace the email and cannot remove it, and other sessions end', async () => {
  const shop = await newStore(service)
  const first = await verify(service, shop, (await newMailedCode(service, shop)).otp)
  const second = await verify(service, shop, (await newMailedCode(service, shop)).otp)
  const [here, there] = [first, second].map(({ json }) => withSession(service, shop, json.token)) as [
    ReturnType<typeof withSession>,
    ReturnType<typeof withSession>,
  ]
  assertError(await here.change({ email: '' }), 400, 'BAD_REQUEST')
  assertError(await here.change({ email: 'b@example.com' }), 400, 'BAD_REQUEST')
  assert.equal((await here.setPassword({ newPassword: password })).status, 200)
  const { status, json } = await here.change({ email: 'b@example.com', currentPassword: password })
  assert.deepEqual([status, json.email, json.emailVerified], [200, 'b@example.com', false])
  assert.deepEqual([await here.isAlive(), await there.isAlive()], [true, false])
  const anew = await verify(service, shop, (await newMailedCode(service, shop)).otp)
  assert.notEqual(anew.json.customer.id, json.id)
})

test('a code that is used while the email is changed opens no session that outlives the change', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newStore(service)
    const first = await verify(service, shop, (await newMailedCode(service, shop)).otp)
    const here = withSession(service, shop, first.json.token)
    await here.setPassword({ newPassword: password })
    const { otp } = await newMailedCode(service, shop)
    const [changed, signedIn] = await Promise.all([
      here.change({ email: 'b@example.com', currentPassword: password }),
      verify(neighbour, shop, otp),
    ])
    assert.equal(changed.status, 200)
    // It came before and was ended, or after: then the email is that of a new customer, or the code is void.
    if (signedIn.status !== 200) assertError(signedIn, 410, 'GONE')
    else if (signedIn.json.customer.id === changed.json.id) {
      assert.equal(await withSession(service, shop, signedIn.json.token).isAlive(), false)
    }
  }
})

test('a guest cart moves to the customer with the code', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1, stock: 5 })
  const [{ id: productId }] = (await shop.get('/v1/products')).json
  const guest = await newGuest(service, shop)
  const added = await guest.call('POST', '/v1/cart', { body: { productId, quantity: 2 } })
  const guestCartId = added.headers.get('x-cart-id')
  const { otp } = await newMailedCode(service, shop)
  const { json } = await verify(service, shop, otp, { guestCartId })
  const cart = await withSession(service, shop, json.token).call('GET', '/v1/cart')
  assert.equal(cart.headers.get('x-cart-id'), guestCartId)
})

test('the code is stored encrypted, and opens for its store and recipient only', async () => {
  const shop = await newStore(service)
  const { otp } = await newMailedCode(service, shop)
  const { id } = await shop.load()
  const rows = await service.db.many<{ row: string }>`
    select row_to_json(m)::text as row from mail m where store_id = ${id}
    union all select row_to_json(c)::text from one_time_code c where store_id = ${id}`
  const { sealed } = (await mailTo(service, shop))[0] ?? {}
  const { mailSeal } = service.app.services
  assert.equal(mailSeal.open(sealed ?? '', `${id}.${email}`), otp)
  assert.equal(mailSeal.open(sealed ?? '', `${id}.b@example.com`), null)
  assert.equal(mailSeal.open(sealed ?? '', `${id + 1}.${email}`), null)
  for (const { row } of rows) assert.doesNotMatch(row, codeAlone(otp))
  assert.doesNotMatch(service.logLines.join(''), codeAlone(otp))
})

test('a way to sign in that has no sender is refused and not listed', async (t) => {
  const all = await newStore(service)
  assert.deepEqual((await all.get('/v1/store')).json.signIn, ['phone', 'email', 'password'])
  const withoutMail = await serviceFor(t, { signIn: ['phone', 'password'] })
  const withoutSms = await serviceFor(t, { signIn: ['email', 'password'] })
  const shop = await newStore(withoutMail)
  assert.deepEqual((await shop.get('/v1/store')).json.signIn, ['phone', 'password'])
  assertError(await ask(withoutMail, shop), 400, 'BAD_REQUEST')
  assert.equal((await requestCode(withoutMail, shop)).status, 200)
  assertError(await requestCode(withoutSms, shop), 400, 'BAD_REQUEST')
  assert.equal((await ask(withoutSms, shop)).status, 200)
})

test('a password can be set for an account by email, and signs in', async () => {
  const shop = await newStore(service)
  const { json } = await verify(service, shop, (await newMailedCode(service, shop)).otp)
  const done = await reset(service, shop, await newResetLink(service, shop), { password })
  assert.equal(done.json.user.id, json.customer.id)
  assert.equal((await signIn(service, shop)).json.user.id, json.customer.id)
})
