import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { newProgram } from '../../../test/admin-callers.ts'
import {
  newStore,
  serviceFor,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../test/harness.ts'
import { commandLine } from '../audit/record.ts'
import { replaceMenu } from '../stores/menu.ts'
import { allowOrigin, changeStore } from '../stores/stores.ts'
import { adjustStock } from './adjust-stock.ts'

/** Two instances on one database, as in production. */
let service: TestService
let neighbour: TestService
before(async () => {
  service = await startTestService()
  neighbour = await startTestService()
})
after(async () => {
  await service.close()
  await neighbour.close()
})

type Raw = { status: number; headers: Record<string, string>; body: Buffer }

/** The raw response: not decompressed, with all headers as sent. */
const ask = (path: string, headers: Record<string, string>, instance = service) =>
  new Promise<Raw>((resolve, reject) => {
    request(`${instance.url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(chunks),
        }),
      )
    })
      .on('error', reject)
      .end()
  })

/** Without the headers that differ per request. */
const lasting = ({ headers }: Raw) =>
  Object.entries(headers)
    .filter(([name]) => !/^(x-request-id|ratelimit-.*|date)$/.test(name))
    .sort()

const aBigShop = async (options = {}) => {
  const shop = await newStore(service, options)
  await shop.add(
    ...Array.from({ length: 30 }, (_, i) => ({
      name: `Café mug ${i}`,
      description: 'A mug for coffee with milk.',
      price: 100 + i,
      category: 'Home > Mugs',
      stock: i,
    })),
  )
  return shop
}

const reads = [
  '/v1/products',
  '/v1/products?limit=5&sort=price&category=home',
  '/v1/products/cafe-mug-1',
  '/v1/categories',
  '/v1/search?q=cafe',
  '/v1/search/suggest?q=caf',
  '/v1/store',
  '/v1/menu',
]

test('a cached response equals the first one in status, headers and bytes, in every encoding', async () => {
  const shop = await aBigShop({ origins: ['https://shop.example'] })
  const forms = [
    {},
    { 'accept-encoding': 'gzip' },
    { 'accept-encoding': 'br' },
    { 'if-none-match': '*' },
    { origin: 'https://shop.example' },
  ]
  for (const path of reads) {
    for (const [i, form] of forms.entries()) {
      // Each variation has its own URL, so that each has an uncached first response.
      const address = `${path}${path.includes('?') ? '&' : '?'}form=${i}`
      const headers = { 'x-store-key': shop.key, ...form }
      const [first, second] = [await ask(address, headers), await ask(address, headers)]
      assert.equal(second.status, first.status, address)
      assert.deepEqual(lasting(second), lasting(first), address)
      assert.deepEqual(second.body, first.body, address)
    }
  }
})

/** Counts catalog statements. Keys and stores are also read, once a second. */
const countStatements = () => {
  let count = 0
  const forget = service.db.onStatement((text) => {
    if (!/from (store_key|store s)\b/.test(text)) count++
  })
  return {
    stop: () => {
      forget()
      return count
    },
  }
}

test('a cached response needs no statement, a product one, a list one or two, and one of a category one more', async () => {
  const shop = await aBigShop()
  const statementsOf = async (path: string) => {
    const counted = countStatements()
    await ask(path, { 'x-store-key': shop.key })
    return counted.stop()
  }
  const budgets: Record<string, readonly number[]> = {
    '/v1/products': [2],
    // One if its products are in memory already.
    '/v1/products?sort=price&inStock=true&minPrice=1': [1, 2],
    '/v1/products?category=home': [2, 3],
    '/v1/products/cafe-mug-1': [1],
    '/v1/categories': [1],
    '/v1/search?q=cafe': [2, 3, 4],
    '/v1/store': [0],
    '/v1/menu': [0],
  }
  for (const [path, budget] of Object.entries(budgets)) {
    const count = await statementsOf(path)
    assert.ok(budget.includes(count), `${path}: ${count}`)
    assert.ok(await withinASecond(async () => (await statementsOf(path)) === 0), `${path} from memory`)
  }
  let asked = 0
  const isOneStatement = async () => (await statementsOf(`/v1/products?another=${++asked}`)) === 1
  assert.ok(await withinASecond(isOneStatement), 'a list whose products are in memory')
})

test('every catalog response is private and must be revalidated', async () => {
  const shop = await aBigShop()
  for (const path of reads) {
    const { status, headers } = await ask(path, { 'x-store-key': shop.key })
    assert.equal(status, 200)
    assert.match(headers.etag ?? '', /^W\/"/)
    assert.equal(headers['cache-control'], 'private, no-cache')
    assert.deepEqual(headers.vary?.split(', ').sort(), ['Accept-Encoding', 'Origin'])
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  }
})

test('a request with the current ETag gets 304 without a body until something changes', async () => {
  const shop = await aBigShop()
  const headers = { 'x-store-key': shop.key }
  for (const path of reads) {
    const etag = (await ask(path, headers)).headers.etag ?? ''
    for (const match of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const answer = await ask(path, { ...headers, 'if-none-match': match, 'accept-encoding': 'br' })
      assert.equal(answer.status, 304, `${path} ${match}`)
      assert.equal(answer.body.byteLength, 0)
      assert.equal(answer.headers.etag, etag)
    }
    assert.equal((await ask(path, { ...headers, 'if-none-match': '"other"' })).status, 200)
  }
  const etag = (await ask('/v1/products', headers)).headers.etag ?? ''
  await shop.add({ name: 'Another', price: 1 })
  const changed = () => ask('/v1/products', { ...headers, 'if-none-match': etag })
  assert.ok(await withinASecond(async () => (await changed()).status === 200))
})

test('an error has no ETag and is never 304', async () => {
  const shop = await newStore(service)
  const answer = await ask('/v1/products/none', { 'x-store-key': shop.key, 'if-none-match': '*' })
  assert.equal(answer.status, 404)
  assert.equal(answer.headers.etag, undefined)
})

test('gzip and brotli compress the same body, q=0 is respected, and small bodies are not compressed', async () => {
  const shop = await aBigShop()
  const read = (path: string, encoding: string) => ask(path, { 'x-store-key': shop.key, 'accept-encoding': encoding })
  const plain = await read('/v1/products', 'identity')
  assert.equal(plain.headers['content-encoding'], undefined)
  for (const [encoding, unpack] of Object.entries({ gzip: gunzipSync, br: brotliDecompressSync })) {
    const packed = await read('/v1/products', encoding)
    assert.equal(packed.headers['content-encoding'], encoding)
    assert.equal(packed.headers['content-length'], String(packed.body.byteLength))
    assert.ok(packed.body.byteLength < plain.body.byteLength / 2)
    assert.deepEqual(unpack(packed.body), plain.body)
  }
  assert.equal((await read('/v1/products', 'br;q=0, gzip')).headers['content-encoding'], 'gzip')
  assert.equal((await read('/v1/products', 'br;q=0, gzip;q=0')).headers['content-encoding'], undefined)
  assert.equal((await read('/v1/menu', 'br, gzip')).headers['content-encoding'], undefined)
})

/** Reads on both instances to fill their caches, makes a change, and expects both to show it within a second. */
const changesBoth = async (shop: TestStore, path: string, change: () => Promise<unknown>, shows: RegExp) => {
  const read = async (address: string, instance: TestService) =>
    (await ask(address, { 'x-store-key': shop.key }, instance)).body.toString()
  // At a new address the answer is not in memory, but its products may be.
  const on = (instance: TestService) => [
    read(path, instance),
    read(`${path}${path.includes('?') ? '&' : '?'}another=${++asked}`, instance),
  ]
  let asked = 0
  const readAll = () => Promise.all([service, neighbour].flatMap(on))
  for (const body of await readAll()) assert.doesNotMatch(body, shows)
  await change()
  assert.ok(
    await withinASecond(async () => (await readAll()).every((body) => shows.test(body))),
    `${path} shows ${shows}`,
  )
}

test('a changed product, stock, menu, store or outlet is visible on every instance within a second', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10, category: 'Home', stock: 1 })
  const store = await shop.load()
  const inTx = service.db.tx
  await changesBoth(shop, '/v1/products', () => shop.add({ name: 'Mug', price: 11, stock: 1 }), /"price":11,/)
  await changesBoth(shop, '/v1/search?q=new', () => shop.add({ name: 'New mug', price: 10 }), /New mug/)
  await changesBoth(shop, '/v1/categories', () => shop.add({ name: 'Pan', price: 1, category: 'Pots' }), /Pots/)
  const stock = { product: 'mug', variantId: null, outletId: null }
  const setStock = (quantity: number) => () => inTx((tx) => adjustStock(tx, store, commandLine, { ...stock, quantity }))
  await changesBoth(shop, '/v1/products/mug', setStock(77), /"stock":77,/)
  await changesBoth(shop, '/v1/products', setStock(78), /"stock":78,/)
  const menu = [{ label: 'Sale', type: 'page', target: 'sale' }]
  await changesBoth(shop, '/v1/menu', () => inTx((tx) => replaceMenu(tx, store, menu)), /Sale/)
  const renamed = { ...unchanged, name: 'Renamed' }
  await changesBoth(shop, '/v1/store', () => inTx((tx) => changeStore(tx, store, renamed)), /Renamed/)
  await changesBoth(shop, '/v1/store', () => shop.newOutlet('Pune'), /Pune/)
  await inTx((tx) => allowOrigin(tx, store, 'https://new.example'))
  const asPage = { 'x-store-key': shop.key, origin: 'https://new.example' }
  assert.ok(await withinASecond(async () => (await ask('/v1/store', asPage, neighbour)).status === 200))
})

test('a change invalidates the cache of that store and of no other', async (t) => {
  const instance = await serviceFor(t)
  const [shop, other] = [await newStore(instance), await newStore(instance)]
  const remembered = async () => {
    const { text } = await instance.call('/metrics')
    return Number(/^vitrine_answer_cache\{figure="entries"\} (\d+)$/m.exec(text)?.[1])
  }
  for (const path of ['/v1/products', '/v1/store', '/v1/menu']) await shop.get(path)
  await other.get('/v1/products')
  assert.equal(await remembered(), 4)
  await shop.add({ name: 'Mug', price: 10 })
  assert.ok(await withinASecond(async () => (await remembered()) === 1))
})

const unchanged = {
  name: null,
  domain: null,
  locale: null,
  timezone: null,
  logo: null,
  contact: {},
  address: null,
  taxIncluded: null,
  shippingFlatMinor: null,
  shippingFreeAboveMinor: null,
  cashOnDelivery: null,
}

test('an answer with settings from before a change, which arrives while its request is counted, is not kept', async (t) => {
  const instance = await serviceFor(t)
  const shop = await newStore(instance)
  const store = await shop.load()
  const { key } = await shop.newKey({ kind: 'browser' })
  const read = async (address: string) => (await instance.call(address, { headers: { 'x-store-key': key } })).json.name
  await read('/v1/store')
  // With Redis, counting the visitor takes a while.
  const { counter } = instance.app.services
  const isCounted = Promise.withResolvers<void>()
  const count = t.mock.method(counter, 'count', () => isCounted.promise.then(() => 1), { times: 1 })
  const late = read('/v1/store?late')
  assert.ok(await withinASecond(async () => count.mock.callCount() > 0))
  await instance.db.tx((tx) => changeStore(tx, store, { ...unchanged, name: 'Renamed' }))
  assert.ok(await withinASecond(async () => (await read('/v1/store')) === 'Renamed'))
  isCounted.resolve()
  await late
  assert.equal(await read('/v1/store?late'), 'Renamed')
})

test('a change by the admin API is visible on every instance within a second, and empties the cache of no other store', async (t) => {
  const instance = await serviceFor(t)
  const [shop, other] = [await newStore(instance), await newStore(instance)]
  const { inStore } = await newProgram(instance, shop)
  const remembered = async () => {
    const { text } = await instance.call('/metrics')
    return Number(/^vitrine_answer_cache\{figure="entries"\} (\d+)$/m.exec(text)?.[1])
  }
  const made = (await inStore('POST', '/products', { name: 'Mug', price: 10, category: 'Home' })).json
  const category = (await inStore('GET', '/categories')).json.data[0]
  const changes: [path: string, change: () => Promise<unknown>, shows: RegExp][] = [
    ['/v1/products', () => inStore('PATCH', `/products/${made.id}`, { price: 11 }), /"price":11,/],
    ['/v1/products', () => inStore('PATCH', `/categories/${category.id}`, { name: 'Kitchen' }), /Kitchen/],
    ['/v1/search?q=mug', () => inStore('PATCH', `/categories/${category.id}`, { name: 'Attic' }), /Attic/],
    ['/v1/categories', () => inStore('PATCH', `/categories/${category.id}`, { position: 77 }), /"position":77/],
    ['/v1/products', () => inStore('POST', `/products/${made.id}/duplicate`, { status: 'ACTIVE' }), /copy/],
    ['/v1/store', () => inStore('POST', '/outlets', { name: 'Pune' }), /Pune/],
    ['/v1/menu', () => inStore('PATCH', '/menu', { items: [{ label: 'Sale', type: 'page', target: 'sale' }] }), /Sale/],
    ['/v1/products', () => inStore('DELETE', `/products/${made.id}`), /^\[\{(?!.*"slug":"mug").*\}\]$/],
  ]
  for (const [path, change, shows] of changes) {
    await changesBoth(shop, path, change, shows)
    await shop.get('/v1/categories')
    await other.get('/v1/products')
    const before = await remembered()
    assert.ok(before >= 2)
    await inStore('PATCH', `/products/${made.id}`, { vendor: String(Math.random()) })
    assert.ok(await withinASecond(async () => (await remembered()) === 1), path)
  }
})

test('concurrent reads share one statement', async () => {
  const shop = await aBigShop()
  let attempt = 0
  // A change that is noticed meanwhile is a reason to read again.
  const isShared = async () => {
    const counted = countStatements()
    const path = `/v1/products?limit=3&readers=${++attempt}`
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(path, { 'x-store-key': shop.key })))
    assert.equal(new Set(answers.map(({ body }) => body.toString())).size, 1)
    return counted.stop() === 1
  }
  assert.ok(await withinASecond(isShared))
})

test('the cache of one store or outlet is never used for another', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  const pune = await shop.newOutlet('Pune')
  await shop.add({ name: 'Mug', price: 10, prices: { [pune]: 9 } })
  const price = async (of: TestStore, headers = {}) => (await of.get('/v1/products', headers)).json[0]?.price
  for (let round = 0; round < 3; round++) {
    assert.equal(await price(shop), 10)
    assert.equal(await price(shop, { 'x-outlet-id': pune }), 9)
    assert.equal(await price(other), undefined)
  }
})

test('a key without the scope does not get cached responses', async () => {
  const shop = await newStore(service)
  const { key } = await shop.newKey({ scopes: ['store:read'] })
  const asked = () => ask('/v1/products', { 'x-store-key': key })
  assert.equal((await shop.get('/v1/products')).status, 200)
  for (let round = 0; round < 3; round++) assert.equal((await asked()).status, 403)
})
