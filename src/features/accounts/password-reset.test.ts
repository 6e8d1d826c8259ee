import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertError, newStore, serviceFor, startWindow, type TestService } from '../../../test/harness.ts'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { closeStore } from '../stores/stores.ts'
import { newCode, post, tally, times, verifyCode } from './fixture.ts'
import {
  email,
  fastPasswords,
  forgot,
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
  withSession,
} from './mail-fixture.ts'
import { makeResetToken } from './mail-links.ts'
import { createPasswordHasher, type HasherOptions } from './passwords.ts'

let service: TestService
let neighbour: TestService
useInstances((first, second) => {
  service = first
  neighbour = second
})

const shownBy = ({ status, text, headers }: Answer) => ({ status, text, headers: [...headers.keys()].sort() })

const fromAddress = (at: TestService, shop: { key: string }, address: string, to: string) =>
  post(at, shop, '/v1/auth/password/forgot', { email: to }, { 'x-forwarded-for': address })

test('a forgotten password is answered in the same way with an account, with a contact email and with neither', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const { json } = await verifyCode(service, shop, await newCode(service, shop))
  await withSession(service, shop, json.token).change({ email: 'contact@example.com' })
  const answers = await Promise.all(
    [email, 'contact@example.com', 'nobody@example.com'].map((to) => forgot(service, shop, { email: to })),
  )
  for (const answer of answers) {
    assert.deepEqual(shownBy(answer), shownBy(answers[0] as Answer))
    assert.deepEqual([answer.status, answer.json], [200, { success: true }])
  }
  for (const to of [email, 'contact@example.com', 'nobody@example.com']) {
    const [mail, ...more] = await mailTo(service, shop, to, 'password.reset')
    assert.deepEqual(mail, {
      ...{ message: 'password.reset', recipient: to, language: null },
      ...{ data: { origin: shop.domain }, sealed: null },
    })
    assert.equal(more.length, 0)
  }
  const store = await shop.load()
  assert.equal((await makeResetToken(service.db, store, email))?.name, 'Asha')
  assert.equal(await makeResetToken(service.db, store, 'contact@example.com'), null)
  assert.equal(await makeResetToken(service.db, store, 'nobody@example.com'), null)
})

test('requests for known and unknown addresses send the same statements', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const statementsFor = async (to: string) =>
    (await recordStatements(service, () => forgot(service, shop, { email: to }))).texts
  const known = await statementsFor(email)
  assert.ok(known.some((text) => text.includes('insert into mail')))
  assert.deepEqual(await statementsFor('nobody@example.com'), known)
})

test('the link leads to an origin of the allowlist, and to the domain unless one is sent', async () => {
  const shop = await newStore(service, { origins: ['https://other.example'] })
  assert.equal((await forgot(service, shop, { storefrontUrl: 'https://other.example' })).status, 200)
  assert.equal((await forgot(service, shop)).status, 200)
  for (const storefrontUrl of ['https://evil.example', '', 'https://other.example/', 'javascript:alert(1)']) {
    assertError(await forgot(service, shop, { storefrontUrl }), 400, 'BAD_REQUEST')
  }
  const origins = (await mailTo(service, shop)).map(({ data }) => data.origin)
  assert.deepEqual(origins, ['https://other.example', shop.domain])
})

test('the mail is in the language of the client', async () => {
  const shop = await newStore(service)
  await post(service, shop, '/v1/auth/password/forgot', { email }, { 'accept-language': 'ta, hi-IN;q=0.8, en;q=0.5' })
  assert.deepEqual(
    (await mailTo(service, shop)).map(({ language }) => language),
    ['hi'],
  )
})

test('an address is one recipient whatever its case and spacing, and must be an address', async () => {
  const shop = await newStore(service)
  await forgot(service, shop, { email: '  Asha@Example.COM ' })
  assert.equal((await mailTo(service, shop)).length, 1)
  for (const odd of ['', 'asha', 'a@b', 7, null, `${'x'.repeat(250)}@example.com`, 'a@b.example\r\nBcc: c@d.example']) {
    assertError(await forgot(service, shop, { email: odd }), 400, 'BAD_REQUEST')
  }
})

test('five of thirty concurrent requests for an address are sent, known or not', async (t) => {
  const moved = await movableService(t)
  startWindow(moved, hours(1))
  const shop = await newStore(moved)
  await signUp(moved, shop)
  const refusals = new Set<string>()
  for (const to of [email, 'nobody@example.com']) {
    const answers = await times(30, () => forgot(moved, shop, { email: to }))
    assert.deepEqual(tally(answers), { 200: 5, 429: 25 })
    assert.equal((await mailTo(moved, shop, to, 'password.reset')).length, 5)
    const refused = answers.find(({ status }) => status === 429) as Answer
    assertError(refused, 429, 'RATE_LIMITED')
    refusals.add(refused.text)
  }
  assert.equal(refusals.size, 1)
  const wait = Number((await forgot(moved, shop)).headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 3600, String(wait))
  moved.clock.advance(seconds(wait))
  assert.equal((await forgot(moved, shop)).status, 200)
})

test('five mails an hour go to an address, whichever instances are asked', async () => {
  const shop = await newStore(service)
  const answers = await times(12, (i) => forgot(i % 2 === 0 ? service : neighbour, shop))
  assert.deepEqual(tally(answers), { 200: 5, 429: 7 })
})

test('one client has a hundred requests an hour in a store, and refused ones do not count for the address', async (t) => {
  const behindProxy = await serviceFor(t, { trustProxy: ['loopback'] })
  startWindow(behindProxy, hours(1))
  const [shop, other] = [await newStore(behindProxy), await newStore(behindProxy)]
  const flood = await times(150, (i) => fromAddress(behindProxy, shop, '198.51.100.7', `a${i}@example.com`))
  assert.deepEqual(tally(flood), { 200: 100, 429: 50 })
  assert.deepEqual(tally(await times(10, () => fromAddress(behindProxy, shop, '198.51.100.7', email))), { 429: 10 })
  for (let i = 0; i < 5; i++) {
    assert.equal((await fromAddress(behindProxy, shop, `203.0.113.${i}`, email)).status, 200)
  }
  assert.equal((await fromAddress(behindProxy, shop, '203.0.113.9', email)).status, 429)
  assert.equal((await fromAddress(behindProxy, other, '198.51.100.7', email)).status, 200)
})

test('a reset sets the password, signs in, confirms the email and ends all other sessions', async () => {
  const shop = await newStore(service)
  const first = (await signUp(service, shop)).json
  const second = (await signIn(neighbour, shop)).json
  const done = await reset(service, shop, await newResetLink(service, shop))
  assert.equal(done.status, 200)
  assert.deepEqual(Object.keys(done.json).sort(), ['expiresAt', 'token', 'user'])
  assert.deepEqual([done.json.user.id, done.json.user.emailVerified], [first.user.id, true])
  const alive = await Promise.all(
    [first, second, done.json].map(({ token }) => withSession(neighbour, shop, token).isAlive()),
  )
  assert.deepEqual(alive, [false, false, true])
  assertError(await signIn(service, shop), 401, 'UNAUTHORIZED')
  assert.equal((await signIn(service, shop, { password: newPassword })).status, 200)
})

test('one of twenty concurrent uses of a link succeeds', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const token = await newResetLink(service, shop)
  const chosen = (i: number) => `a new password ${i}`
  const answers = await times(20, (i) => reset(i % 2 === 0 ? service : neighbour, shop, token, { password: chosen(i) }))
  assert.deepEqual(tally(answers), { 200: 1, 410: 19 })
  const winner = answers.findIndex(({ status }) => status === 200)
  assert.equal((await signIn(service, shop, { password: chosen(winner) })).status, 200)
  assert.equal(await withSession(service, shop, answers[winner]?.json.token).isAlive(), true)
})

test('one of several links of a customer can be used, also concurrently', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  for (let round = 0; round < 3; round++) {
    const tokens = await times(6, () => newResetLink(service, shop))
    const answers = await Promise.all(tokens.map((token, i) => reset(i % 2 === 0 ? service : neighbour, shop, token)))
    assert.deepEqual(tally(answers), { 200: 1, 410: 5 })
  }
})

test('unknown, used, expired and foreign tokens get the same answer and change nothing', async (t) => {
  const moved = await movableService(t)
  const [shop, other] = [await newStore(moved), await newStore(moved)]
  const { json } = await signUp(moved, shop)
  await signUp(moved, other)
  const used = await newResetLink(moved, shop)
  assert.equal((await reset(moved, shop, used, { password })).status, 200)
  const expired = await newResetLink(moved, shop)
  moved.clock.advance(minutes(30))
  const ofAnotherStore = await newResetLink(moved, other)
  await withSession(moved, shop, (await signIn(moved, shop)).json.token).change({
    ...{ email: 'new@example.com', currentPassword: password },
  })
  const ofAnotherPurpose = await newVerifyLink(moved, shop, json.user.id, 'new@example.com')
  const answers: Answer[] = []
  for (const token of ['', 'rst_unknown', used, expired, ofAnotherStore, ofAnotherPurpose]) {
    answers.push(await reset(moved, shop, token))
  }
  for (const answer of answers) {
    assertError(answer, 410, 'GONE')
    assert.deepEqual(shownBy(answer), shownBy(answers[0] as Answer))
  }
  assert.equal((await signIn(moved, shop, { email: 'new@example.com' })).status, 200)
  assert.equal((await reset(moved, other, ofAnotherStore)).status, 200)
})

test('a link is valid for thirty minutes', async (t) => {
  const moved = await movableService(t)
  const shop = await newStore(moved)
  await signUp(moved, shop)
  const token = await newResetLink(moved, shop)
  moved.clock.advance(minutes(30) - seconds(5))
  assert.equal((await reset(moved, shop, token)).status, 200)
  const late = await newResetLink(moved, shop)
  moved.clock.advance(minutes(30))
  assertError(await reset(moved, shop, late), 410, 'GONE')
})

test('a short or long password is refused and does not use up the link', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const token = await newResetLink(service, shop)
  for (const odd of ['1234567', 'x'.repeat(201), null, undefined]) {
    assertError(await reset(service, shop, token, { password: odd }), 400, 'BAD_REQUEST')
  }
  assert.equal((await reset(service, shop, token)).status, 200)
})

test('changing the email or the password ends earlier links', async () => {
  for (const change of ['email', 'password'] as const) {
    const shop = await newStore(service)
    const mine = withSession(service, shop, (await signUp(service, shop)).json.token)
    const token = await newResetLink(service, shop)
    const changed =
      change === 'email'
        ? await mine.change({ email: 'new@example.com', currentPassword: password })
        : await mine.setPassword({ currentPassword: password, newPassword: 'a third horse battery' })
    assert.equal(changed.status, 200)
    assertError(await reset(service, shop, token), 410, 'GONE')
    if (change === 'email') await mine.change({ email, currentPassword: password })
    assertError(await reset(service, shop, token), 410, 'GONE')
  }
})

test('a link is void for an email that is changed while it is used', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newStore(service)
    const mine = withSession(service, shop, (await signUp(service, shop)).json.token)
    const token = await newResetLink(service, shop)
    const [changed, done] = await Promise.all([
      mine.change({ email: 'new@example.com', currentPassword: password }),
      reset(neighbour, shop, token),
    ])
    // The reset came first, and the change found another password or no session; or the change came first.
    if (done.status === 200) assert.ok([401, 403].includes(changed.status), changed.text)
    else assert.deepEqual([changed.status, done.status], [200, 410])
  }
})

test('a concurrent sign-in with the old password leaves no session after a reset', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const token = await newResetLink(service, shop)
  const [done, ...signIns] = await Promise.all([
    reset(service, shop, token),
    ...Array.from({ length: 15 }, (_, i) => signIn(i % 2 === 0 ? service : neighbour, shop)),
  ])
  assert.equal(done?.status, 200)
  for (const { status, json } of signIns) {
    if (status === 200) assert.equal(await withSession(service, shop, json.token).isAlive(), false)
    else assert.ok([401, 429].includes(status))
  }
  assert.equal(await withSession(service, shop, done?.json.token).isAlive(), true)
})

test('a reset unlocks an email that is locked by failed sign-ins', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  for (let i = 0; i < 10; i++) await signIn(service, shop, { password: 'a guess' })
  assertError(await signIn(service, shop), 429, 'RATE_LIMITED')
  assert.equal((await reset(service, shop, await newResetLink(service, shop))).status, 200)
  assert.equal((await signIn(service, shop, { password: newPassword })).status, 200)
})

test('invalid tokens cost no hashing, and one client can try a hundred an hour', async (t) => {
  const counts = { derived: 0 }
  const derive: HasherOptions['derive'] = async () => {
    counts.derived++
    return Buffer.alloc(32)
  }
  const counting = await serviceFor(t, { passwords: createPasswordHasher({ derive }) })
  startWindow(counting, hours(1))
  const shop = await newStore(counting)
  const answers = await times(130, (i) => reset(counting, shop, `rst_${i}`))
  assert.deepEqual(tally(answers), { 410: 100, 429: 30 })
  assert.equal(counts.derived, 0)
})

test('a closed store sends no links and takes none', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const token = await newResetLink(service, shop)
  const store = await shop.load()
  await service.db.tx((tx) => closeStore(tx, store, true))
  const { key } = await shop.newKey({ rateLimit: 1_000_000 })
  assertError(await forgot(service, { key }), 403, 'FORBIDDEN')
  assertError(await reset(service, { key }, token), 403, 'FORBIDDEN')
})

test('a service that sends no mail says so', async (t) => {
  const silent = await serviceFor(t, { signIn: ['phone', 'password'], passwords: fastPasswords() })
  const shop = await newStore(silent)
  assertError(await forgot(silent, shop), 400, 'BAD_REQUEST')
  assert.equal((await signUp(silent, shop)).status, 201)
  assert.deepEqual(await mailTo(silent, shop), [])
})

test('the database and the log contain no token of a link', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const token = await newResetLink(service, shop)
  const { row } = await service.db.one<{ row: string }>`
    select row_to_json(m)::text as row from mail_token m where store_id = ${(await shop.load()).id}`
  assert.equal(row.includes(token.slice(4)), false)
  await reset(service, shop, token)
  assert.equal(service.logLines.join('').includes(token.slice(4)), false)
})
