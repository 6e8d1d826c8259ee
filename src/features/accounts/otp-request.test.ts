import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertError,
  newStore,
  serviceFor,
  startTestService,
  startWindow,
  type TestService,
  type TestStore,
} from '../../../test/harness.ts'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { changeStore } from '../stores/stores.ts'
import { newCode, numbered, phone, requestCode, tally, times, verifyCode } from './fixture.ts'

let service: TestService
let neighbour: TestService
before(async () => {
  service = await startTestService()
  neighbour = await startTestService()
})
after(() => Promise.all([service.close(), neighbour.close()]))

const unchanged = {
  ...{ name: null, domain: null, locale: null, timezone: null, logo: null, contact: {}, address: null },
  ...{ taxIncluded: null, shippingFlatMinor: null, shippingFreeAboveMinor: null, cashOnDelivery: null },
}

/** Returns a new key, which no instance has cached with the old settings. */
const withOtpSettings = async (shop: TestStore, settings: { otpHourlyCap?: number; otpCountries?: string[] }) => {
  const store = await shop.load()
  await service.db.tx((tx) => changeStore(tx, store, { ...unchanged, ...settings }))
  return shop.newKey({ rateLimit: 1_000_000 })
}

test('a six-digit code is sent to the phone, and the response has its expiry time', async () => {
  const shop = await newStore(service)
  const { status, json } = await requestCode(service, shop)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(json), ['success', 'expiresAt', 'requestToken'])
  assert.match(json.requestToken, /^otr_\w{32}$/)
  assert.equal(json.success, true)
  const leftMs = Date.parse(json.expiresAt) - service.clock.now()
  assert.ok(leftMs > minutes(4) && leftMs <= minutes(5), String(leftMs))
  const message = service.messages.at(-1)
  assert.match(message?.code ?? '', /^\d{6}$/)
  assert.deepEqual([message?.phone, message?.storeName], [phone, 'Test shop'])
  assert.ok(message?.text.includes(message.code) && message.text.includes('Test shop'))
})

test('the response does not reveal whether the number has an account', async () => {
  const shop = await newStore(service)
  assert.equal((await verifyCode(service, shop, await newCode(service, shop))).status, 200)
  const known = await requestCode(service, shop)
  const unknown = await requestCode(service, shop, '+919876500000')
  const shapeOf = ({ status, json }: typeof known) => ({
    status,
    fields: { ...json, expiresAt: typeof json.expiresAt, requestToken: typeof json.requestToken },
  })
  assert.deepEqual(shapeOf(known), shapeOf(unknown))
  assert.deepEqual([...known.headers.keys()], [...unknown.headers.keys()])
})

test('an invalid phone number is refused, and nothing is sent', async () => {
  const shop = await newStore(service)
  const before = service.messages.length
  for (const text of [
    '9876543210',
    '+91',
    'hello',
    '',
    '+91987654321012345',
    '+9198765x43210',
    919876543210,
    null,
    [phone],
  ]) {
    assertError(await requestCode(service, shop, text), 400, 'BAD_REQUEST')
  }
  assert.equal(service.messages.length, before)
})

test('different spellings of a number are the same number', async () => {
  const shop = await newStore(service)
  const forms = ['+91 98765 43210', '+91-98765-43210', '00919876543210', '+91 (98765) 43210', ' +919876543210 ']
  const ids = new Set<string>()
  for (const form of forms) {
    assert.equal((await requestCode(service, shop, form)).status, 200, form)
    const { json } = await verifyCode(service, shop, service.codeFor(phone), { phone: form })
    assert.equal(json.customer.phone, phone)
    ids.add(json.customer.id)
  }
  assert.equal(ids.size, 1)
  assertError(await requestCode(service, shop, phone), 429, 'RATE_LIMITED')
})

test('the sixth request is refused until the first is an hour old', async (t) => {
  const moved = await serviceFor(t)
  const shop = await newStore(moved)
  for (let i = 0; i < 5; i++) {
    assert.equal((await requestCode(moved, shop)).status, 200)
    moved.clock.advance(minutes(2))
  }
  const refused = await requestCode(moved, shop)
  assertError(refused, 429, 'RATE_LIMITED')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 49 * 60 && wait <= 50 * 60, String(wait))
  moved.clock.advance(seconds(wait - 30))
  assertError(await requestCode(moved, shop), 429, 'RATE_LIMITED')
  moved.clock.advance(seconds(30))
  assert.equal((await requestCode(moved, shop)).status, 200)
  assertError(await requestCode(moved, shop), 429, 'RATE_LIMITED')
  const { remembered } = await moved.db.one<{ remembered: number }>`
    select cardinality(requested_at) as remembered from one_time_code where store_id = ${(await shop.load()).id}`
  assert.equal(remembered, 5)
})

test('five of sixty concurrent requests on two instances get a code', async () => {
  const shop = await newStore(service)
  const before = service.messages.length + neighbour.messages.length
  const answers = await times(60, (i) => requestCode(i % 2 === 0 ? service : neighbour, shop))
  assert.deepEqual(tally(answers), { 200: 5, 429: 55 })
  assert.equal(service.messages.length + neighbour.messages.length, before + 5)
})

test('every phone and every store has its own five requests', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  await times(5, () => requestCode(service, shop))
  assert.equal((await requestCode(service, shop)).status, 429)
  assert.equal((await requestCode(service, shop, '+919876500000')).status, 200)
  assert.equal((await requestCode(service, other)).status, 200)
})

test('a new code replaces the last one and has new attempts', async () => {
  const shop = await newStore(service)
  const first = await newCode(service, shop)
  let second = await newCode(service, shop)
  if (second === first) second = await newCode(service, shop)
  assertError(await verifyCode(service, shop, first), 401, 'UNAUTHORIZED')
  assertError(await verifyCode(service, shop, first), 401, 'UNAUTHORIZED')
  let third = await newCode(service, shop)
  if (third === first) third = await newCode(service, shop)
  assertError(await verifyCode(service, shop, first), 401, 'UNAUTHORIZED')
  assertError(await verifyCode(service, shop, first), 401, 'UNAUTHORIZED')
  assert.equal((await verifyCode(service, shop, third)).status, 200)
})

test('a store never sends more codes per hour than its cap, also on two instances', async (t) => {
  const [one, two] = [await serviceFor(t), await serviceFor(t)]
  for (const instance of [one, two]) startWindow(instance, hours(1))
  const shop = await newStore(one)
  const capped = await withOtpSettings(shop, { otpHourlyCap: 3 })
  const answers = await times(20, (i) => requestCode(i % 2 === 0 ? one : two, capped, numbered(i)))
  assert.deepEqual(tally(answers), { 200: 3, 429: 17 })
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused)
  assertError(refused, 429, 'RATE_LIMITED')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 3600, String(wait))
})

test('a request refused by the store cap does not count for the phone, and the cap resets every hour', async (t) => {
  const moved = await serviceFor(t)
  const shop = await newStore(moved)
  const capped = await withOtpSettings(shop, { otpHourlyCap: 5 })
  startWindow(moved, hours(1))
  for (let i = 0; i < 5; i++) await requestCode(moved, capped, numbered(i))
  const refused = await requestCode(moved, capped)
  assertError(refused, 429, 'RATE_LIMITED')
  moved.clock.advance(seconds(Number(refused.headers.get('retry-after'))))
  for (let i = 0; i < 5; i++) assert.equal((await requestCode(moved, capped)).status, 200)
  moved.clock.advance(hours(1))
  assert.equal((await requestCode(moved, capped)).status, 200)
})

test('a store with a country list sends codes only to those countries', async () => {
  const shop = await newStore(service)
  const picky = await withOtpSettings(shop, { otpCountries: ['IN', 'US'] })
  assert.equal((await requestCode(service, picky)).status, 200)
  assert.equal((await requestCode(service, picky, '+12133734253')).status, 200)
  const before = service.messages.length
  const refused = await requestCode(service, picky, '+442079460958')
  assertError(refused, 400, 'BAD_REQUEST')
  assert.match(refused.json.error, /country/)
  assert.equal(service.messages.length, before)
})

test('a code is stored as a hash that is useless for another phone or store', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  const code = await newCode(service, shop)
  const { id } = await shop.load()
  const { hash } = await service.db.one<{ hash: string }>`
    select code_hash as hash from one_time_code where store_id = ${id}`
  assert.equal(hash.includes(code), false)
  for (const [at, to] of [
    [shop, '+919876500000'],
    [other, phone],
  ] as const) {
    await newCode(service, at, to)
    const { id: storeId } = await at.load()
    await service.db.run`update one_time_code set code_hash = ${hash} where store_id = ${storeId} and phone = ${to}`
    assertError(await verifyCode(service, at, code, { phone: to }), 401, 'UNAUTHORIZED')
  }
  assert.equal((await verifyCode(service, shop, code)).status, 200)
})

test('logs contain neither codes nor phone numbers', async () => {
  const shop = await newStore(service)
  const code = await newCode(service, shop)
  await verifyCode(service, shop, code)
  await verifyCode(service, shop, code)
  await requestCode(service, shop, '+91')
  assert.ok(service.logLines.length > 0)
  assert.doesNotMatch(service.logLines.join(''), new RegExp(`${phone.slice(1)}|\\b${code}\\b`))
})
