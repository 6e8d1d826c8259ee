import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { assertError, newStore, startTestService, startWindow, type TestService } from '../../../test/harness.ts'
import { randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import { createDirectory } from './directory.ts'
import { createLookupLimit } from './lookups.ts'
import { createLocalCounter } from './rate-limit.ts'

/** Unauthenticated callers have bounded cost: memory does not grow, and database lookups are limited. */

let service: TestService
before(async () => {
  service = await startTestService({ trustProxy: ['loopback'] })
})
after(() => service.close())

const unknownKey = () => `vpk_${randomText(32)}`
let clients = 0
const newClient = () => `198.51.100.${++clients}`

/** A directory that counts its database lookups. */
const countedDirectory = () => {
  const { db } = service
  let looks = 0
  const counted: Queries = {
    ...db,
    one: (strings, ...values) => {
      looks++
      return db.one(strings, ...values)
    },
    maybeOne: (strings, ...values) => {
      looks++
      return db.maybeOne(strings, ...values)
    },
  }
  const directory = createDirectory({
    db: counted,
    counter: createLocalCounter(),
    limitLookups: createLookupLimit(service.clock.now),
  })
  return { directory, looks: () => looks }
}

test('a malformed key or origin never reaches the database', async () => {
  const { directory, looks } = countedDirectory()
  const client = newClient()
  for (const secret of ['', 'vsk_short', `vsk_${'x'.repeat(15_000)}`, `vsk_${'I'.repeat(32)}`, 'x'.repeat(36)]) {
    assert.equal(await directory.key(secret, client), undefined)
  }
  for (const origin of [
    'null',
    'https://',
    `https://${'o'.repeat(15_000)}.example`,
    'https://a.example/path',
    'ftp://a.example',
    'https://A.example',
    'https://a.example:123456',
  ]) {
    assert.equal(await directory.isKnownOrigin(origin, client), false, origin)
  }
  assert.equal(looks(), 0)
})

test('concurrent requests with the same unknown key or origin cause one lookup', async () => {
  const { directory, looks } = countedDirectory()
  const [key, origin, client] = [unknownKey(), 'https://unknown.example', newClient()]
  await Promise.all(Array.from({ length: 50 }, () => directory.key(key, client)))
  await Promise.all(Array.from({ length: 50 }, () => directory.isKnownOrigin(origin, client)))
  assert.equal(looks(), 2)
})

test('a key that is created after it was refused works at once', async () => {
  const { directory } = countedDirectory()
  const key = unknownKey()
  const shop = await newStore(service)
  assert.equal(await directory.key(key, newClient()), undefined)
  const made = await shop.newKey()
  await service.db.run`update store_key set hash = ${hashSecret(key)} where id = ${made.id}`
  directory.invalidateStore((await shop.load()).id)
  assert.equal((await directory.key(key, newClient()))?.store.publicId, shop.storeId)
})

test('a key or origin that was valid before a change of its store is not a guess after it', async () => {
  const { directory } = countedDirectory()
  const shop = await newStore(service)
  const [origin, client] = ['https://known-before.example', newClient()]
  const store = await shop.load()
  await service.db.run`insert into store_origin (store_id, origin) values (${store.id}, ${origin})`
  startWindow(service)
  const reads = [directory.key(shop.key, client), directory.isKnownOrigin(origin, client)]
  directory.invalidateAll()
  await Promise.all(reads)
  await Promise.all(Array.from({ length: 60 }, () => directory.key(unknownKey(), client)))
  await assert.rejects(async () => directory.key(unknownKey(), client), { code: 'RATE_LIMITED' })
  for (let time = 1; time <= 2; time++) {
    assert.equal((await directory.key(shop.key, client))?.store.publicId, shop.storeId)
    assert.equal(await directory.isKnownOrigin(origin, client), true)
    directory.invalidateStore(store.id)
  }
})

test('a client that guesses keys is limited, while other clients and valid keys are not', async () => {
  const shop = await newStore(service)
  const guesser = newClient()
  startWindow(service)
  const guess = (from: string, key = unknownKey()) =>
    service.call('/v1/store', { headers: { 'x-store-key': key, 'x-forwarded-for': from } })
  assert.equal((await guess(guesser, shop.key)).status, 200)
  const answers = await Promise.all(Array.from({ length: 100 }, () => guess(guesser)))
  assert.equal(answers.filter(({ status }) => status === 401).length, 60)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused)
  assertError(refused, 429, 'RATE_LIMITED')
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal((await guess(guesser, shop.key)).status, 200, 'a valid key')
  assertError(await guess(newClient()), 401, 'UNAUTHORIZED')
  startWindow(service)
  assertError(await guess(guesser), 401, 'UNAUTHORIZED')
})

test('guesses of webhook credentials, logistics keys and order ids are limited too', async () => {
  const { storeId } = await newStore(service)
  const basic = () => `Basic ${Buffer.from(`pay_a:${randomText(32)}`).toString('base64')}`
  const json = { 'content-type': 'application/json' }
  const kinds: [string, number, () => [string, Parameters<TestService['call']>[1]]][] = [
    [
      'payment',
      401,
      () => [
        '/webhook/payment',
        { method: 'POST', headers: { ...json, 'x-store-id': storeId, authorization: basic() }, body: '{}' },
      ],
    ],
    [
      'logistics',
      401,
      () => [
        '/webhook/logistics/carrier',
        { method: 'POST', headers: { ...json, 'x-api-key': `vlk_${randomText(32)}` }, body: '{}' },
      ],
    ],
    ['callback', 404, () => [`/payment/callback?orderId=ord_${randomText(22)}`, {}]],
  ]
  for (const [kind, status, make] of kinds) {
    const client = newClient()
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => {
        const [path, options] = make()
        return service.call(path, { ...options, headers: { ...options?.headers, 'x-forwarded-for': client } })
      }),
    )
    assert.equal(answers.filter((answer) => answer.status === status).length, 60, kind)
    assert.equal(answers.filter((answer) => answer.status === 429).length, 20, kind)
  }
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('preflights from ever new origins do not grow memory', async () => {
  const { directory } = countedDirectory()
  const heapAfter = async (rounds: number) => {
    for (let i = 0; i < rounds; i++) {
      const name = randomText(60)
      await directory.isKnownOrigin(`https://${name}.${name}.${name}.${name}.example`, '198.51.100.250')
      await directory.isKnownOrigin(`https://${'o'.repeat(15_000)}${i}.example`, '198.51.100.250')
    }
    collectGarbage()
    return getHeapStatistics().used_heap_size
  }
  await heapAfter(100)
  const before = await heapAfter(1_000)
  const after = await heapAfter(20_000)
  assert.ok(after - before < 8 * 1024 * 1024, `${after - before} bytes more`)
})
