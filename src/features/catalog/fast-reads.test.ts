import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { connectionTo } from '../../../test/databases.ts'
import {
  assertError,
  databaseUrl,
  newStore,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../test/harness.ts'
import { connectDb } from '../../db/database.ts'

let service: TestService
let shop: TestStore
const origin = `https://fast-reads-${process.pid}.example`
before(async () => {
  service = await startTestService()
  shop = await newStore(service, { origins: [origin] })
  await shop.add(
    { name: 'Mug', price: 10, category: 'Home', stock: 3, description: 'tea '.repeat(500) },
    { name: 'कमल Café', price: 20, stock: 1, images: ['/demo/images/mug.svg'] },
    { name: 'Jug', price: 30 },
  )
})
after(() => service.close())

/** Everything but what differs between any two requests. */
const ask = async (url: string, headers: Record<string, string>) => {
  const answer = await shop.get(url, { 'x-request-id': 'same', ...headers })
  const { date: _, 'ratelimit-remaining': left, 'ratelimit-reset': reset, ...rest } = Object.fromEntries(answer.headers)
  assert.ok(left !== undefined && reset !== undefined)
  return { status: answer.status, text: answer.text, headers: rest }
}

let asked = 0
const neverAsked = (query: string) => `?${query}${query && '&'}_=${++asked}`

const statusByUrl: [path: string, query: string, status: number][] = [
  ['/v1/products', '', 200],
  ['/v1/products', 'limit=2&sort=name', 200],
  ['/v1/products', 'limit=1&category=home&inStock=true', 200],
  ['/v1/products', 'category=nothing', 200],
  ['/v1/products', `ids=${'prod_1,'.repeat(101)}`, 400],
  ['/v1/products', 'cursor=wrong.wrong', 400],
  ['/v1/products', 'limit=0', 400],
  ['/v1/products', 'sort=price&sort=name', 400],
  ['/v1/products/mug', '', 200],
  ['/v1/products/no-such-product', '', 404],
  ['/v1/search', 'q=mug', 200],
  ['/v1/search', 'q=caf%C3%A9+%E0%A4%95', 200],
  ['/v1/search', 'q=%zz', 200],
  ['/v1/search', '', 400],
  ['/v1/search/suggest', 'q=mu', 200],
  ['/v1/categories', '', 200],
  ['/v1/filters', '', 200],
  ['/v1/store', '', 200],
  ['/v1/menu', '', 200],
]

test('a read that is not cached gets the same answer in the fast lane as in Fastify', async () => {
  const headers = [
    {},
    { origin },
    { 'accept-encoding': 'gzip' },
    { 'accept-encoding': 'br', origin },
    { 'if-none-match': '*' },
  ]
  for (const [path, query, status] of statusByUrl) {
    for (const given of headers) {
      // Fastify ignores the last slash; the fast lane leaves such a path to it.
      const quick = await ask(path + neverAsked(query), given)
      const slow = await ask(`${path}/${neverAsked(query)}`, given)
      const expected = status === 200 && 'if-none-match' in given ? 304 : status
      assert.equal(quick.status, expected, `${path}?${query} ${quick.text}`)
      const link = (text: string | undefined) => text?.replace(/_=\d+&?/, '')
      for (const answer of [quick, slow]) answer.headers = { ...answer.headers, link: link(answer.headers.link) ?? '' }
      assert.deepEqual(quick, slow, `${path}?${query} ${JSON.stringify(given)}`)
    }
  }
})

test('what the fast lane may not answer is refused as before', async () => {
  const { key: narrow } = await shop.newKey({ scopes: ['store:read'] })
  const url = () => `/v1/products${neverAsked('')}`
  assertError(await shop.get(url(), { 'x-store-key': narrow }), 403, 'FORBIDDEN')
  assertError(await shop.get(url(), { 'x-outlet-id': 'outlet_none' }), 400, 'BAD_REQUEST')
  assertError(await shop.get(url(), { origin: 'https://stranger.example' }), 403, 'FORBIDDEN')
  assertError(await shop.get(url(), { authorization: 'Bearer none' }), 401, 'UNAUTHORIZED')
  assertError(await service.call(url()), 401, 'UNAUTHORIZED')
})

test('all waits of a read for the database count together', async (t) => {
  const busy = connectDb({ connection: connectionTo(databaseUrl), poolSize: 1, clock: service.clock, maxWaitMs: 150 })
  const done = new AbortController()
  const holding = (async () => {
    while (!done.signal.aborted) await busy.tx(() => setTimeout(100))
  })()
  const { db } = service.app.services
  const { forStore } = db
  t.after(async () => {
    db.forStore = forStore
    done.abort()
    await holding
    await busy.close()
  })
  const own = await newStore(service)
  await own.add({ name: 'Mug', price: 10 }, { name: 'Jug', price: 20 })
  db.forStore = busy.forStore
  // Its word, then the products that have it, then these products. Words and products are kept in memory.
  for (const [path, query] of [
    ['/v1/search/', 'q=mug'],
    ['/v1/search', 'q=jug'],
  ] as const) {
    assertError(await own.get(path + neverAsked(query)), 503, 'SERVICE_UNAVAILABLE')
  }
})

test('equal lists have equal ETags, and a changed product changes the ETag', async () => {
  const own = await newStore(service)
  await own.add({ name: 'Mug', price: 10 }, { name: 'Jug', price: 20 })
  const tagOf = async (query: string) => (await own.get(`/v1/products${neverAsked(query)}`)).headers.get('etag')
  const before = await tagOf('')
  assert.equal(await tagOf(''), before)
  assert.equal(await tagOf('limit=50'), before)
  assert.notEqual(await tagOf('limit=1'), before)
  assert.notEqual(await tagOf('sort=price'), await tagOf('sort=-price'))
  const searchTag = async (query: string) => (await own.get(`/v1/search${neverAsked(query)}`)).headers.get('etag')
  assert.notEqual(await searchTag('q=mug'), before)
  await own.add({ name: 'Mug', price: 11 })
  assert.ok(await withinASecond(async () => (await tagOf('')) !== before))
})
