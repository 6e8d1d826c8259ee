import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Answer,
  assertError,
  newStore,
  serviceFor,
  startTestService,
  startWindow,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../test/harness.ts'
import { changeStore } from '../stores/stores.ts'

let service: TestService
before(async () => {
  // All requests come through one trusted proxy, which forwards the client address.
  service = await startTestService({ trustProxy: ['loopback'] })
})
after(() => service.close())

type Visit = { from?: string; path?: string; origin?: string; key: string }

const visit = ({ from = '203.0.113.9', path = '/v1/store', origin, key }: Visit) =>
  service.call(path, {
    headers: { 'x-store-key': key, 'x-forwarded-for': from, ...(origin === undefined ? {} : { origin }) },
  })

const manyVisits = (times: number, call: Visit) => Promise.all(Array.from({ length: times }, () => visit(call)))

const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length

const rateOf = ({ headers }: Answer) =>
  ['ratelimit-limit', 'ratelimit-remaining'].map((name) => Number(headers.get(name)))

const setLimit = async (shop: TestStore, visitorLimit: number) => {
  const store = await shop.load()
  const same = { name: null, domain: null, locale: null, timezone: null, logo: null, contact: {}, address: null }
  const rest = { taxIncluded: null, shippingFlatMinor: null, shippingFreeAboveMinor: null, cashOnDelivery: null }
  await service.db.tx((tx) => changeStore(tx, store, { ...same, ...rest, visitorLimit }))
  await withinASecond(async () => rateOf(await visit({ key: shop.browserKey, from: '192.0.2.1' }))[0] === visitorLimit)
}

test('one visitor has 300 calls a minute with a browser key and cannot use up the key for others', async () => {
  const { browserKey: key } = await newStore(service)
  startWindow(service)
  const answers = await manyVisits(320, { key })
  assert.equal(countOf(answers, 200), 300)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused)
  assertError(refused, 429, 'RATE_LIMITED')
  assert.match(refused.json.error, /limit exceeded.*visitor/i)
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
  const other = await visit({ key, from: '203.0.113.10' })
  assert.equal(other.status, 200)
  assert.deepEqual(rateOf(other), [300, 299])
})

test('visitors of one IPv6 network count as one', async () => {
  const shop = await newStore(service)
  await setLimit(shop, 2)
  startWindow(service)
  const statuses = []
  for (let i = 0; i < 3; i++) {
    statuses.push((await visit({ key: shop.browserKey, from: `2001:db8:0:7::${i}` })).status)
  }
  assert.deepEqual(statuses, [200, 200, 429])
})

test('rate headers show the tighter limit of key and visitor', async () => {
  const shop = await newStore(service)
  const { key } = await shop.newKey({ kind: 'browser', rateLimit: 3 })
  startWindow(service)
  assert.deepEqual(rateOf(await visit({ key })), [3, 2])
  assert.deepEqual(rateOf(await visit({ key, from: '203.0.113.10' })), [3, 1])
  await setLimit(shop, 4)
  startWindow(service)
  for (let i = 0; i < 3; i++) await visit({ key: shop.browserKey })
  assert.deepEqual(rateOf(await visit({ key: shop.browserKey })), [4, 0])
})

test('a server key has no visitor limit, because all its calls come from one machine', async () => {
  const { key } = await newStore(service)
  startWindow(service)
  assert.equal(countOf(await manyVisits(320, { key }), 200), 320)
})

test('calls from a disallowed origin do not use up the key, and are limited per visitor', async () => {
  const origin = `https://visitors-${process.pid}.example`
  const shop = await newStore(service, { origins: [origin] })
  const { key } = await shop.newKey({ kind: 'browser', rateLimit: 5 })
  await setLimit(shop, 20)
  startWindow(service)
  const foreign = await manyVisits(30, { key, origin: 'https://foreign.example' })
  assert.equal(countOf(foreign, 403), 20)
  assert.equal(countOf(foreign, 429), 10)
  assert.deepEqual(rateOf(await visit({ key, origin, from: '203.0.113.10' })), [5, 4])
  const elsewhere = await visit({ key, origin: 'https://foreign.example', path: '/v1/nothing', from: '203.0.113.11' })
  assert.equal(elsewhere.status, 404)
  assert.deepEqual(rateOf(await visit({ key, origin, from: '203.0.113.10' })), [5, 3], 'neither does an unknown route')
})

test('a forwarded address from an untrusted proxy is ignored', async (t) => {
  const plain = await serviceFor(t)
  const shop = await newStore(plain)
  startWindow(plain)
  const call = (from: string) =>
    plain.call('/v1/store', { headers: { 'x-store-key': shop.browserKey, 'x-forwarded-for': from } })
  assert.deepEqual(rateOf(await call('203.0.113.9')), [300, 299])
  assert.deepEqual(rateOf(await call('203.0.113.10')), [300, 298])
})
