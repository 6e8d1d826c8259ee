import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertError,
  newStore,
  serviceFor,
  startTestService,
  startWindow,
  type TestService,
} from '../../../test/harness.ts'
import { hours, seconds } from '../../core/clock.ts'
import { numbered, phone, post, requestCode, tally, times } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const requestFrom = (at: TestService, shop: { key: string }, client: string, to: string) =>
  post(at, shop, '/v1/auth/otp/request', { phone: to }, { 'x-forwarded-for': client })

test('premium-rate, satellite and service numbers get no code', async () => {
  const shop = await newStore(service)
  const before = service.messages.length
  const refused = {
    'premium rate': ['+19005551234', '+449098790000', '+33892123456', '+611900123456', '+39899123456'],
    'shared cost': ['+491805123456'],
    'personal number': ['+447012345678'],
    'toll free': ['+18005551234'],
    'company number': ['+810570123456'],
    satellite: ['+870773123456', '+881612345678', '+8816123456789'],
    'international network': ['+882161234567', '+883510012345', '+88812345678901'],
    'international premium rate': ['+979123456789'],
    'international shared cost': ['+80812345678'],
    'international toll free': ['+80012345678'],
  }
  for (const [kind, numbers] of Object.entries(refused)) {
    for (const number of numbers) {
      const answer = await requestCode(service, shop, number)
      assert.equal(answer.status, 400, `${kind} ${number}`)
      assertError(answer, 400, 'BAD_REQUEST')
      assert.match(answer.json.error, /type of phone number/)
    }
  }
  assert.equal(service.messages.length, before)
})

test('mobiles, landlines, numbers in new ranges and test numbers get a code', async () => {
  const shop = await newStore(service)
  const usual = ['+919876543210', '+14155552671', '+447911123456', '+8613812345678', '+5491112345678']
  const unusual = ['+442079460958', '+4930901820', '+15005550006', '+447700900123', '+254312345678', '+19995550123']
  for (const number of [...usual, ...unusual]) {
    assert.equal((await requestCode(service, shop, number)).status, 200, number)
  }
})

test('one client gets a hundred codes of three hundred concurrent requests for different phones', async (t) => {
  const moved = await serviceFor(t)
  startWindow(moved, hours(1))
  const shop = await newStore(moved)
  const answers = await times(300, (i) => requestCode(moved, shop, numbered(i)))
  assert.deepEqual(tally(answers), { 200: 100, 429: 200 })
  assert.equal(moved.messages.length, 100)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused)
  assertError(refused, 429, 'RATE_LIMITED')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 3600, String(wait))
  moved.clock.advance(seconds(wait))
  assert.equal((await requestCode(moved, shop)).status, 200)
})

test('every client and every store has its own count', async (t) => {
  const behindProxy = await serviceFor(t, { trustProxy: ['loopback'] })
  startWindow(behindProxy, hours(1))
  const [shop, other] = [await newStore(behindProxy), await newStore(behindProxy)]
  for (const store of [shop, other]) {
    const { id } = await store.load()
    await behindProxy.db.run`update store set otp_client_limit = 2 where id = ${id}`
  }
  const flood = await times(5, (i) => requestFrom(behindProxy, shop, '198.51.100.7', numbered(i)))
  assert.deepEqual(tally(flood), { 200: 2, 429: 3 })
  assert.equal((await requestFrom(behindProxy, shop, '203.0.113.1', numbered(8))).status, 200)
  assert.equal((await requestFrom(behindProxy, other, '198.51.100.7', numbered(9))).status, 200)
})

test('a request refused by the client limit counts neither for the phone nor for the store', async (t) => {
  const behindProxy = await serviceFor(t, { trustProxy: ['loopback'] })
  startWindow(behindProxy, hours(1))
  const shop = await newStore(behindProxy)
  const { id } = await shop.load()
  await behindProxy.db.run`update store set otp_client_limit = 1, otp_hourly_cap = 6 where id = ${id}`
  await requestFrom(behindProxy, shop, '198.51.100.7', numbered(1))
  const flood = await times(10, () => requestFrom(behindProxy, shop, '198.51.100.7', phone))
  assert.deepEqual(tally(flood), { 429: 10 })
  for (let i = 0; i < 5; i++) {
    assert.equal((await requestFrom(behindProxy, shop, `203.0.113.${i}`, phone)).status, 200)
  }
})
