import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { createClient, isVitrineError } from '../sdk/src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { newStore, startTestService, type TestService } from './harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const names = Array.from({ length: 45 }, (_, i) => `Mug ${String(i).padStart(2, '0')}`)

const openShop = async (t: TestContext) => {
  const store = await newStore(service)
  await store.add(...names.map((name) => ({ name, price: 10, stock: 1, category: `Kind ${name.slice(-1)}` })))
  const proxy = await startFaultyProxy(t, service.url)
  return { proxy, shop: createClient({ url: proxy.url, storeKey: store.key, sleep: async () => {} }) }
}

test('a loop reads a list to its end, page by page and in order', async (t) => {
  const { shop, proxy } = await openShop(t)
  const met: string[] = []
  for await (const { name } of shop.listProducts({ sort: 'name', limit: 10 })) met.push(name)
  assert.deepEqual(met, names)
  assert.equal(proxy.seen.length, 5)
})

test('a loop that stops early requests no further page', async (t) => {
  const { shop, proxy } = await openShop(t)
  const met: string[] = []
  for await (const { name } of shop.listProducts({ sort: 'name', limit: 10 })) {
    met.push(name)
    if (met.length === 20) break
  }
  assert.deepEqual([met.at(-1), proxy.seen.length], ['Mug 19', 2])
})

test('an awaited list is one page, with the cursor of the next', async (t) => {
  const { shop, proxy } = await openShop(t)
  const first = await shop.listProducts({ sort: 'name', limit: 40 })
  assert.equal(first.items.length, 40)
  const second = await shop.listProducts({ sort: 'name', limit: 40, cursor: first.nextCursor ?? '' })
  assert.deepEqual([second.items.map(({ name }) => name), second.nextCursor], [names.slice(40), null])
  assert.equal(proxy.seen.length, 2)
})

test('a list sends nothing before it is used, and requests its first page once', async (t) => {
  const { shop, proxy } = await openShop(t)
  const list = shop.listProducts({ sort: 'name', limit: 44 })
  assert.equal(proxy.seen.length, 0)
  assert.equal((await list).items.length, 44)
  const met: string[] = []
  for await (const { name } of list) met.push(name)
  assert.deepEqual(met, names)
  assert.equal(proxy.seen.length, 2)
})

test('a search has its total and facets beside the page', async (t) => {
  const { shop } = await openShop(t)
  const found = await shop.search({ q: 'mug', limit: 10 })
  assert.deepEqual(Object.keys(found).sort(), [
    'correctedQuery',
    'facets',
    'items',
    'nextCursor',
    'total',
    'totalIsExact',
  ])
  assert.deepEqual([found.items.length, found.total, found.facets.inStock.count], [10, 45, 45])
  let count = 0
  for await (const _ of shop.search({ q: 'mug', limit: 20 })) count++
  assert.equal(count, 45)
})

test('lists in an envelope work the same way', async (t) => {
  const { shop, proxy } = await openShop(t)
  const met: string[] = []
  for await (const { name } of shop.listCategories({ limit: 4 })) met.push(name)
  assert.deepEqual([met.length, new Set(met).size, proxy.seen.length], [10, 10, 3])
})

test('a failed page ends the loop with its error, after the items before it', async (t) => {
  const { shop, proxy } = await openShop(t)
  proxy.fail('none', { status: 500, body: '{"error":"Broken.","code":"INTERNAL"}' })
  const met: string[] = []
  await assert.rejects(
    async () => {
      for await (const { name } of shop.listProducts({ limit: 10 })) met.push(name)
    },
    (error) => isVitrineError(error, 'INTERNAL'),
  )
  assert.equal(met.length, 10)
})

test('a page in the middle is retried like any other read', async (t) => {
  const { shop, proxy } = await openShop(t)
  proxy.fail('none', 'lost on the way back')
  let count = 0
  for await (const _ of shop.listProducts({ limit: 20 })) count++
  assert.deepEqual([count, proxy.seen.length], [45, 4])
})

test('a list can be caught like a promise', async (t) => {
  const { shop, proxy } = await openShop(t)
  proxy.fail({ status: 403, body: '{"error":"No.","code":"FORBIDDEN"}' })
  let ended = false
  const code = await shop
    .listProducts()
    .finally(() => {
      ended = true
    })
    .catch((error) => error.code)
  assert.deepEqual([code, ended], ['FORBIDDEN', true])
  assert.equal(await shop.showProduct({ idOrSlug: 'none' }).catch((error) => error.code), 'NOT_FOUND')
})

test('an abort ends the loop', async (t) => {
  const { shop, proxy } = await openShop(t)
  const stop = new AbortController()
  await assert.rejects(
    async () => {
      for await (const _ of shop.listProducts({ limit: 10 }, { signal: stop.signal })) stop.abort()
    },
    (error) => isVitrineError(error, 'ABORTED'),
  )
  assert.equal(proxy.seen.length, 1)
})
