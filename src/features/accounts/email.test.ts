import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { minutes, seconds } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import { insertCustomer } from './customers.sql.ts'
import { post, tally, times } from './fixture.ts'
import { createPasswordHasher, currentCost, type HasherOptions } from './passwords.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const asha = { name: 'Asha Rao', email: 'asha@example.com', password: 'correct horse battery' }

type Shop = { key: string }
const signUp = (shop: Shop, account: object = asha, at = service) => post(at, shop, '/v1/signup', account)
const signIn = (shop: Shop, change: object = {}, at = service) =>
  post(at, shop, '/v1/signin', { email: asha.email, password: asha.password, ...change })

/** A service with fast hashing that counts the hashes. */
const countingService = async (t: Parameters<typeof serviceFor>[0], options: HasherOptions = {}) => {
  const counts = { derived: 0 }
  const derive: HasherOptions['derive'] = async (password, salt) => {
    counts.derived++
    return Buffer.concat([Buffer.from(password), salt, Buffer.alloc(32)]).subarray(0, 32)
  }
  const counting = await serviceFor(t, { passwords: createPasswordHasher({ derive, ...options }) })
  return { counting, counts }
}

test('sign-up creates a customer and a session, and sign-in finds the customer again', async () => {
  const shop = await newStore(service)
  const { status, json } = await signUp(shop, { ...asha, phone: '+91 98765 43210' })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json).sort(), ['expiresAt', 'token', 'user'])
  const { id, createdAt, updatedAt, ...rest } = json.user
  assert.match(id, /^cus_/)
  for (const time of [createdAt, updatedAt, json.expiresAt]) assert.equal(new Date(time).toISOString(), time)
  assert.deepEqual(rest, {
    name: 'Asha Rao',
    email: asha.email,
    phone: '+91 98765 43210',
    phoneVerified: false,
    emailVerified: false,
  })
  const again = await signIn(shop)
  assert.equal(again.status, 200)
  assert.deepEqual(again.json.user, json.user)
  for (const { token } of [json, again.json]) {
    const out = await post(service, shop, '/v1/auth/logout', undefined, { authorization: `Bearer ${token}` })
    assert.equal(out.status, 200)
  }
})

test('an email is one account, whatever its case and spacing', async () => {
  const shop = await newStore(service)
  assert.equal((await signUp(shop, { ...asha, email: '  Asha@Example.COM ' })).json.user.email, asha.email)
  assertError(await signUp(shop), 409, 'CONFLICT')
  assertError(await signUp(shop, { ...asha, email: 'ASHA@EXAMPLE.COM' }), 409, 'CONFLICT')
  assert.equal((await signIn(shop, { email: 'aSHA@example.com ' })).status, 200)
})

test('one of twenty concurrent sign-ups with the same email creates the account', async () => {
  const shop = await newStore(service)
  const answers = await times(20, () => signUp(shop))
  assert.deepEqual(tally(answers), { 201: 1, 409: 19 })
  const { id } = await shop.load()
  const { customers } = await service.db.one<{ customers: number }>`
    select count(*) as customers from customer where store_id = ${id}`
  assert.equal(customers, 1)
})

test('one email in two stores is two accounts', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  const here = await signUp(shop)
  assertError(await signIn(other), 401, 'UNAUTHORIZED')
  const there = await signUp(other, { ...asha, password: 'another password' })
  assert.equal(there.status, 201)
  assert.notEqual(here.json.user.id, there.json.user.id)
  assertError(await signIn(other), 401, 'UNAUTHORIZED')
})

test('an email without a password is contact data: it cannot be used for sign-in and does not block a sign-up', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  const contact = { id: newId('cus'), name: 'Noor', email: asha.email, phone: null, contactPhone: '' }
  await service.db.tx((tx) => insertCustomer(tx, store.id, { ...contact, passwordHash: null }))
  assertError(await signIn(shop), 401, 'UNAUTHORIZED')
  assert.equal((await signUp(shop)).status, 201)
})

test('a sign-up with missing or invalid fields is refused and creates no account', async () => {
  const shop = await newStore(service)
  const odd: object[] = [
    {},
    [],
    { ...asha, name: '' },
    { ...asha, name: '  ' },
    { ...asha, name: 'x'.repeat(201) },
    { ...asha, name: 7 },
    ...[
      '',
      'asha',
      'asha@',
      '@example.com',
      'asha@example',
      'a b@example.com',
      'a@b@example.com',
      'a@.com',
      'a@b..com',
      'a,b@example.com',
      'a@example.com;b',
      '"a"@example.com',
      'Asha<a@example.com>',
    ].map((email) => ({ ...asha, email })),
    { ...asha, email: `${'x'.repeat(243)}@example.com` },
    { ...asha, email: null },
    { ...asha, password: '1234567' },
    { ...asha, password: 'x'.repeat(201) },
    { ...asha, password: 12345678 },
    { ...asha, phone: 'call me' },
    { ...asha, phone: '98765 43210' },
    { ...asha, phone: `+${'9'.repeat(40)}` },
    { ...asha, phone: 919876543210 },
  ]
  for (const account of odd) {
    const answer = await signUp(shop, account)
    assert.equal(answer.status, 400, JSON.stringify(account))
    assertError(answer, 400, 'BAD_REQUEST')
  }
  assertError(await signIn(shop), 401, 'UNAUTHORIZED')
})

test('passwords of 8 to 200 characters are accepted, in any script and Unicode form', async () => {
  const shop = await newStore(service)
  for (const [i, password] of ['12345678', '🔑'.repeat(200), 'ñandú ñandú'.normalize('NFD')].entries()) {
    const email = `asha${i}@example.com`
    assert.equal((await signUp(shop, { ...asha, email, password })).status, 201)
    assert.equal((await signIn(shop, { email, password: password.normalize('NFC') })).status, 200)
    assertError(await signIn(shop, { email, password: `${password.slice(0, -2)}x` }), 401, 'UNAUTHORIZED')
  }
})

test('a failed sign-in does not reveal whether there is an account, and costs the same work', async (t) => {
  const { counting, counts } = await countingService(t)
  const shop = await newStore(counting)
  await signUp(shop, asha, counting)
  const effortOf = async (change: object) => {
    const before = counts.derived
    const { status, text, headers } = await signIn(shop, change, counting)
    return { status, text, headers: [...headers.keys()], derived: counts.derived - before }
  }
  const known = await effortOf({ password: 'a wrong password' })
  const unknown = await effortOf({ email: 'nobody@example.com', password: 'a wrong password' })
  assert.deepEqual([known.status, known.derived], [401, 1])
  assert.deepEqual(unknown, known)
})

test('after ten failures an email is locked, with or without an account, even for the right password', async (t) => {
  const { counting, counts } = await countingService(t)
  const shop = await newStore(counting)
  await signUp(shop, asha, counting)
  const bodies = new Set<string>()
  for (const email of [asha.email, 'nobody@example.com']) {
    for (let i = 0; i < 10; i++) {
      assertError(await signIn(shop, { email, password: 'a wrong password' }, counting), 401, 'UNAUTHORIZED')
    }
    const before = counts.derived
    const refused = await signIn(shop, { email }, counting)
    assertError(refused, 429, 'RATE_LIMITED')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait > 14 * 60 && wait <= 15 * 60, String(wait))
    assert.equal(counts.derived, before)
    bodies.add(refused.text)
  }
  assert.equal(bodies.size, 1)
  assertError(await signIn(shop, { email: 'ASHA@example.com' }, counting), 429, 'RATE_LIMITED')

  const other = await newStore(counting)
  await signUp(other, asha, counting)
  assert.equal((await signIn(other, {}, counting)).status, 200)
  await signUp(shop, { ...asha, email: 'ravi@example.com' }, counting)
  assert.equal((await signIn(shop, { email: 'ravi@example.com' }, counting)).status, 200)
})

test('each failure expires after fifteen minutes', async (t) => {
  const { counting } = await countingService(t)
  const shop = await newStore(counting)
  await signUp(shop, asha, counting)
  const failOnce = () => signIn(shop, { password: 'a wrong password' }, counting)
  for (let i = 0; i < 10; i++) {
    assertError(await failOnce(), 401, 'UNAUTHORIZED')
    counting.clock.advance(minutes(1))
  }
  const refused = await failOnce()
  assertError(refused, 429, 'RATE_LIMITED')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 4 * 60 && wait <= 5 * 60, String(wait))
  counting.clock.advance(seconds(wait))
  assertError(await failOnce(), 401, 'UNAUTHORIZED')
  assertError(await failOnce(), 429, 'RATE_LIMITED')
})

test('a successful sign-in clears earlier failures', async (t) => {
  const { counting } = await countingService(t)
  const shop = await newStore(counting)
  await signUp(shop, asha, counting)
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 9; i++) await signIn(shop, { password: 'a wrong password' }, counting)
    assert.equal((await signIn(shop, {}, counting)).status, 200)
  }
})

test('ten of sixty concurrent guesses on two instances are checked', async (t) => {
  const here = await countingService(t)
  const there = await countingService(t)
  const shop = await newStore(here.counting)
  const answers = await times(60, (i) =>
    signIn(shop, { password: 'a wrong password' }, (i % 2 === 0 ? here : there).counting),
  )
  assert.deepEqual(tally(answers), { 401: 10, 429: 50 })
  assert.equal(here.counts.derived + there.counts.derived, 10)
})

test('thirty concurrent sign-ins with the right password do not lock the account', async (t) => {
  const { counting } = await countingService(t)
  const shop = await newStore(counting)
  await signUp(shop, asha, counting)
  assert.deepEqual(tally(await times(30, () => signIn(shop, {}, counting))), { 200: 30 })
})

test('a full hashing queue is 503 with Retry-After, and other requests are not delayed', {
  timeout: 30_000,
}, async (t) => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const derive: HasherOptions['derive'] = async () => {
    started.resolve()
    await release.promise
    return Buffer.alloc(32)
  }
  const { counting } = await countingService(t, { derive, maxRunning: 1, maxWaiting: 0 })
  const shop = await newStore(counting)
  const first = signUp(shop, asha, counting)
  await started.promise
  const second = await signUp(shop, { ...asha, email: 'ravi@example.com' }, counting)
  assertError(second, 503, 'SERVICE_UNAVAILABLE')
  assert.ok(Number(second.headers.get('retry-after')) >= 1)
  assert.equal((await counting.call('/v1/store', { headers: { 'x-store-key': shop.key } })).status, 200)
  release.resolve()
  assert.equal((await first).status, 201)
})

test('a flood of sign-ups at one store does not block another store', { timeout: 30_000 }, async (t) => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const derive: HasherOptions['derive'] = async () => {
    started.resolve()
    await release.promise
    return Buffer.alloc(32)
  }
  const { counting } = await countingService(t, { derive, maxRunning: 1, maxWaiting: 3 })
  const [shop, other] = [await newStore(counting), await newStore(counting)]
  const first = signUp(shop, asha, counting)
  await started.promise
  const refusals = { count: 0, changed: () => {} }
  const refused = (count: number) =>
    new Promise<void>((resolve) => {
      refusals.changed = () => refusals.count === count && resolve()
      refusals.changed()
    })
  const flood = times(8, async (i) => {
    const answer = await signUp(shop, { ...asha, email: `flood${i}@example.com` }, counting)
    if (answer.status === 503) refusals.count++
    refusals.changed()
    return answer
  })
  await refused(5)
  const ravi = signUp(other, { ...asha, email: 'ravi@example.com' }, counting)
  await refused(6)
  release.resolve()
  assert.equal((await ravi).status, 201)
  assert.equal((await first).status, 201)
  assert.deepEqual(tally(await flood), { 201: 2, 503: 6 })
})

const storedHash = async (shop: { load(): Promise<{ id: number }> }) => {
  const { id } = await shop.load()
  return (await service.db.one<{ hash: string }>`select password_hash as hash from customer where store_id = ${id}`)
    .hash
}

test('passwords are stored as argon2id hashes that contain their cost', async () => {
  const shop = await newStore(service)
  await signUp(shop)
  const hash = await storedHash(shop)
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.equal(hash.includes(asha.password), false)
})

test('a hash with an older cost still works, and is replaced by one with the current cost', async (t) => {
  const past = await serviceFor(t, { passwords: createPasswordHasher({ cost: { ...currentCost, memory: 8192 } }) })
  const shop = await newStore(past)
  await signUp(shop, asha, past)
  assert.match(await storedHash(shop), /m=8192,/)
  assertError(await signIn(shop, { password: 'a wrong password' }), 401, 'UNAUTHORIZED')
  assert.match(await storedHash(shop), /m=8192,/)
  assert.equal((await signIn(shop)).status, 200)
  const renewed = await storedHash(shop)
  assert.match(renewed, /m=19456,/)
  assert.equal((await signIn(shop)).status, 200)
  assert.equal(await storedHash(shop), renewed)
})

test('responses and logs contain no password and no hash', async () => {
  const shop = await newStore(service)
  const answers = [await signUp(shop), await signUp(shop), await signIn(shop), await signIn(shop, { email: 'x' })]
  const told = [...answers.map(({ text }) => text), ...service.logLines].join('')
  assert.equal(told.includes(asha.password) || told.includes('$argon2'), false)
})
