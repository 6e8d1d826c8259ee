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
import { days, hours, minutes, seconds } from '../../core/clock.ts'
import { SmsRefused, type SmsSender } from '../../providers/sms/sender.ts'
import { codeAlone, newCode, phone, requestCode, tally, times, verifyCode, wrong } from './fixture.ts'

let service: TestService
let neighbour: TestService
before(async () => {
  service = await startTestService()
  neighbour = await startTestService()
})
after(() => Promise.all([service.close(), neighbour.close()]))

/** A code with its request token. */
const newBoundCode = async (at: TestService, shop: TestStore, proof?: string) => {
  const { status, json, text } = await requestCode(at, shop, phone, proof === undefined ? {} : { requestToken: proof })
  assert.equal(status, 200, text)
  return { code: at.codeFor(phone), requestToken: json.requestToken as string }
}

/** The token of a code that was used for a sign-in. */
const newProof = async (at: TestService, shop: TestStore) => {
  const { code, requestToken } = await newBoundCode(at, shop)
  assert.equal((await verifyCode(at, shop, code, { requestToken })).status, 200)
  return requestToken
}

/** An attacker uses up the hourly requests of a phone. */
const useUpTheHour = async (at: TestService, shop: TestStore) => {
  while ((await requestCode(at, shop)).status === 200);
}

test("an attacker's guesses do not use up the attempts of the client that requested the code", async () => {
  const shop = await newStore(service)
  const { code, requestToken } = await newBoundCode(service, shop)
  for (let i = 0; i < 3; i++) assertError(await verifyCode(service, shop, wrong(code)), 401, 'UNAUTHORIZED')
  assertError(await verifyCode(service, shop, code), 410, 'GONE')
  for (let i = 0; i < 2; i++) {
    assertError(await verifyCode(service, shop, wrong(code), { requestToken }), 401, 'UNAUTHORIZED')
  }
  assert.equal((await verifyCode(service, shop, code, { requestToken })).status, 200)
})

test("an attacker's requests do not invalidate an earlier code used with its token", async () => {
  const shop = await newStore(service)
  const { code, requestToken } = await newBoundCode(service, shop)
  await useUpTheHour(service, shop)
  assert.notEqual(service.codeFor(phone), code)
  assertError(await verifyCode(service, shop, code), 401, 'UNAUTHORIZED')
  assert.equal((await verifyCode(service, shop, code, { requestToken })).status, 200)
})

test('of a hundred concurrent guesses with the token and a hundred without, three each are checked', async () => {
  const shop = await newStore(service)
  const { code, requestToken } = await newBoundCode(service, shop)
  const guess = (i: number, more: object) => verifyCode(i % 2 === 0 ? service : neighbour, shop, wrong(code), more)
  const [bound, free] = await Promise.all([
    times(100, (i) => guess(i, { requestToken })),
    times(100, (i) => guess(i, {})),
  ])
  assert.deepEqual(tally(bound), { 401: 3, 410: 97 })
  assert.deepEqual(tally(free), { 401: 3, 410: 97 })
  assertError(await verifyCode(service, shop, code), 410, 'GONE')
  assertError(await verifyCode(service, shop, code, { requestToken }), 410, 'GONE')
})

test('the right code sent concurrently with and without the token opens one session', async () => {
  const shop = await newStore(service)
  for (let round = 0; round < 5; round++) {
    const { code, requestToken } = await newBoundCode(service, shop)
    const answers = await times(12, (i) =>
      verifyCode(i % 4 < 2 ? service : neighbour, shop, code, i % 2 === 0 ? { requestToken } : {}),
    )
    assert.deepEqual(tally(answers), { 200: 1, 410: 11 })
  }
})

test('a code can be used once, with or without its token', async () => {
  const shop = await newStore(service)
  for (const first of [true, false]) {
    const { code, requestToken } = await newBoundCode(service, shop)
    const [once, again] = first ? [{ requestToken }, {}] : [{}, { requestToken }]
    assert.equal((await verifyCode(service, shop, code, once)).status, 200)
    assertError(await verifyCode(service, shop, code, again), 410, 'GONE')
    assertError(await verifyCode(service, shop, code, once), 410, 'GONE')
  }
})

test('a bound code is valid for five minutes', async (t) => {
  const moved = await serviceFor(t)
  const shop = await newStore(moved)
  const early = await newBoundCode(moved, shop)
  moved.clock.advance(minutes(5) - seconds(30))
  assert.equal((await verifyCode(moved, shop, early.code, early)).status, 200)
  const late = await newBoundCode(moved, shop)
  moved.clock.advance(minutes(5))
  assertError(await verifyCode(moved, shop, late.code, late), 410, 'GONE')
})

test('a token that is unknown, of another phone or of another store is ignored', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  const elsewhere = (await newBoundCode(service, other)).requestToken
  const ofAnother = (await requestCode(service, shop, '+919876500000')).json.requestToken
  for (const requestToken of ['', 'otr_unknown', elsewhere, ofAnother]) {
    const code = await newCode(service, shop)
    assertError(await verifyCode(service, shop, wrong(code), { requestToken }), 401, 'UNAUTHORIZED')
    assert.equal((await verifyCode(service, shop, code, { requestToken })).status, 200)
  }
  const long = await verifyCode(service, shop, '123456', { requestToken: 'x'.repeat(101) })
  assertError(long, 400, 'BAD_REQUEST')
})

test('a client that signed in before has five separate requests, which others cannot use up', async () => {
  const shop = await newStore(service)
  const proof = await newProof(service, shop)
  await useUpTheHour(service, shop)
  const before = service.messages.length + neighbour.messages.length
  const answers = await times(30, (i) =>
    requestCode(i % 2 === 0 ? service : neighbour, shop, phone, { requestToken: proof }),
  )
  assert.deepEqual(tally(answers), { 200: 5, 429: 25 })
  assert.equal(service.messages.length + neighbour.messages.length, before + 5)
  const refused = answers.find(({ status }) => status === 429)
  const wait = Number(refused?.headers.get('retry-after'))
  // The clocks of the two instances differ by some milliseconds, and a second that has begun counts.
  assert.ok(wait > 59 * 60 && wait <= 60 * 60 + 1, String(wait))
})

test('a code requested with a proof is valid only with its own token, and replaces no other code', async () => {
  const shop = await newStore(service)
  const proof = await newProof(service, shop)
  const anybodys = await newCode(service, shop)
  const own = await newBoundCode(service, shop, proof)
  if (own.code !== anybodys) assertError(await verifyCode(service, shop, own.code), 401, 'UNAUTHORIZED')
  assertError(await verifyCode(service, shop, own.code, { requestToken: proof }), 410, 'GONE')
  assert.equal((await verifyCode(service, shop, anybodys)).status, 200)
  assert.equal((await verifyCode(service, shop, own.code, own)).status, 200)
})

test('a token proves nothing until its code was used with it', async () => {
  const shop = await newStore(service)
  const unused = await newBoundCode(service, shop)
  const strangers = await newBoundCode(service, shop)
  // The owner receives the attacker's code and enters it in a client that sends no token.
  assert.equal((await verifyCode(service, shop, strangers.code)).status, 200)
  await useUpTheHour(service, shop)
  for (const { requestToken } of [unused, strangers]) {
    assertError(await requestCode(service, shop, phone, { requestToken }), 429, 'RATE_LIMITED')
  }
})

test('a proof is valid for ninety days, for one phone in one store', async (t) => {
  const moved = await serviceFor(t)
  const [shop, other] = [await newStore(moved), await newStore(moved)]
  const proof = await newProof(moved, shop)
  const isKnown = async (at: TestStore, to = phone) => {
    for (let i = 0; i < 5; i++) await requestCode(moved, at, to)
    return (await requestCode(moved, at, to, { requestToken: proof })).status === 200
  }
  moved.clock.advance(days(90) - hours(2))
  assert.equal(await isKnown(shop), true)
  assert.equal(await isKnown(shop, '+919876500000'), false)
  assert.equal(await isKnown(other), false)
  moved.clock.advance(hours(2))
  assert.equal(await isKnown(shop), false)
})

test('a message refused by the provider is not counted and leaves no bound code', async (t) => {
  const sender = { name: 'fake', send: async () => {} } as SmsSender
  const picky = await serviceFor(t, { sender })
  const shop = await newStore(picky)
  const proof = await newProof(picky, shop)
  sender.send = async () => {
    throw new SmsRefused('The vendor said no.')
  }
  for (let i = 0; i < 7; i++) {
    assertError(await requestCode(picky, shop, phone, { requestToken: proof }), 502, 'BAD_GATEWAY')
  }
  const { left } = await picky.db.one<{ left: number }>`
    select count(*)::integer as left from otp_request where store_id = ${(await shop.load()).id} and not proven`
  assert.equal(left, 0)
  sender.send = async () => {}
  for (let i = 0; i < 5; i++) await newBoundCode(picky, shop, proof)
  assertError(await requestCode(picky, shop, phone, { requestToken: proof }), 429, 'RATE_LIMITED')
})

test('two codes of a new phone, used concurrently, open two sessions of one customer', async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await newStore(service)
    const codes = [await newBoundCode(service, shop), await newBoundCode(service, shop)]
    const answers = await Promise.all(
      codes.map(({ code, requestToken }, i) => verifyCode(i === 0 ? service : neighbour, shop, code, { requestToken })),
    )
    assert.deepEqual(tally(answers), { 200: 2 })
    assert.equal(new Set(answers.map(({ json }) => json.customer.id)).size, 1)
    assert.equal(new Set(answers.map(({ json }) => json.token)).size, 2)
  }
})

test('the database does not store the request token itself', async () => {
  const shop = await newStore(service)
  const { code, requestToken } = await newBoundCode(service, shop)
  const { row } = await service.db.one<{ row: string }>`
    select row_to_json(r)::text as row from otp_request r where store_id = ${(await shop.load()).id}`
  assert.equal(row.includes(requestToken.slice(4)) || codeAlone(code).test(row), false)
  assert.doesNotMatch(service.logLines.join(''), new RegExp(requestToken))
})
