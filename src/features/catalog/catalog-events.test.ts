import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Value } from 'typebox/value'
import { newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import type { Tx } from '../../db/database.ts'
import { commandLine } from '../audit/record.ts'
import { adjustStock } from './adjust-stock.ts'
import { ProductEventData, StockEventData } from './catalog-events.contract.ts'
import type { ProductSnapshot } from './product-events.sql.ts'
import { showProductEvent } from './product-events.ts'
import { readProduct } from './product-input.ts'
import { saveProducts } from './save.ts'
import { moveTakenStock, tryTakeStock } from './stock-moves.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const readEvents = async <Data>(shop: TestStore, group: string) => {
  const { id } = await shop.load()
  return service.db.many<{ type: string; subject: string; sequence: number; data: Data }>`
    select type, subject, sequence, data from event
    where store_id = ${id} and type like ${`${group}.%`} order by id, sequence`
}

const typesOf = async (shop: TestStore, group: string) =>
  (await readEvents(shop, group)).map(({ type, sequence }) => `${type} ${sequence}`)

const save = async (shop: TestStore, ...products: Record<string, unknown>[]) => {
  const store = await shop.load()
  const patches = products.map((product) => {
    const patch = readProduct(product, store.currency)
    assert.ok(!Array.isArray(patch), JSON.stringify(patch))
    return patch
  })
  await service.db.tx((tx) => saveProducts(tx, store, patches, { replace: false, setStock: true }))
}

test('products that are created, changed and archived have an event each, as the catalog shows them', async () => {
  const shop = await newStore(service)
  const ctx = { store: await shop.load(), publicUrl: service.app.services.publicUrl }
  await save(shop, { name: 'Mug', price: 100, stock: 7, sku: 'MUG', tags: ['coffee'] })
  const shown = (await shop.get('/v1/products/mug')).json
  const [created] = await readEvents<ProductSnapshot>(shop, 'product')
  assert.ok(created)
  const { tags, ...product } = showProductEvent(ctx, created.data)
  assert.deepEqual(product, shown)
  assert.deepEqual(tags, ['coffee'])

  await save(shop, { name: 'Mug', price: 100, stock: 7, sku: 'MUG', tags: ['coffee'] })
  assert.deepEqual(await typesOf(shop, 'product'), ['product.created 1'], 'nothing has changed')
  await save(shop, { name: 'Mug', price: 120 })
  await save(shop, { name: 'Mug', status: 'ARCHIVED' })
  const events = await readEvents<ProductSnapshot>(shop, 'product')
  assert.deepEqual(
    events.map(({ type, sequence }) => `${type} ${sequence}`),
    ['product.created 1', 'product.updated 2', 'product.archived 3'],
  )
  const archived = showProductEvent(ctx, events[2]?.data as ProductSnapshot)
  assert.deepEqual([archived.status, archived.price], ['ARCHIVED', 120])
  for (const { data } of events) assert.ok(Value.Check(ProductEventData, showProductEvent(ctx, data)))
})

test('a product with variants, own prices and untracked stock is told as the catalog shows it', async () => {
  const shop = await newStore(service)
  const ctx = { store: await shop.load(), publicUrl: service.app.services.publicUrl }
  const variants = [
    { sku: 'S', options: { Size: 'S' }, price: 300, stock: 2, weightGrams: 120 },
    { sku: 'L', options: { Size: 'L' }, price: 250, compareAtPrice: 400, stock: null },
  ]
  await save(shop, { name: 'Shirt', price: 300, variants, images: ['/demo/images/a.svg'] })
  const [created] = await readEvents<ProductSnapshot>(shop, 'product')
  const { tags: _, ...product } = showProductEvent(ctx, created?.data as ProductSnapshot)
  assert.deepEqual(product, (await shop.get('/v1/products/shirt')).json)
})

/** A shop with one variant, and shortcuts to take and return its units. */
const openStock = async (units: number) => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 100, stock: units, sku: 'MUG' })
  const store = await shop.load()
  const variantId = (await shop.get('/v1/products/mug')).json.variants[0].id as string
  const goods = (quantity: number) => ({
    ...{ orderId: 'ord_1', outletId: store.defaultOutlet.id, lines: [{ variantId, quantity }] },
  })
  const run = <Result>(work: (tx: Tx) => Promise<Result>) => service.db.tx(work)
  return {
    shop,
    take: (quantity: number) => run((tx) => tryTakeStock(tx, store.id, goods(quantity), 'reserve')),
    sell: (quantity: number) => run((tx) => moveTakenStock(tx, store.id, goods(quantity), 'sellReserved', 'order')),
    giveBack: (quantity: number) => run((tx) => moveTakenStock(tx, store.id, goods(quantity), 'release', 'cancel')),
    set: (change: { quantity: number | null } | { delta: number }) =>
      run((tx) => adjustStock(tx, store, commandLine, { product: 'mug', variantId: null, outletId: null, ...change })),
    events: () => typesOf(shop, 'stock'),
  }
}

test('stock that falls to the threshold and to nothing is told once each time', async () => {
  const stock = await openStock(7)
  await stock.take(1)
  assert.deepEqual(await stock.events(), [])
  await stock.take(1)
  assert.deepEqual(await stock.events(), ['stock.low 1'])
  await stock.take(1)
  await stock.sell(3)
  await stock.take(4)
  assert.deepEqual(await stock.events(), ['stock.low 1', 'stock.out 2'])
  await stock.giveBack(4)
  await stock.take(4)
  assert.deepEqual(await stock.events(), ['stock.low 1', 'stock.out 2', 'stock.out 3'])
  await stock.set({ quantity: 20 })
  await stock.take(20)
  assert.deepEqual((await stock.events()).slice(3), ['stock.out 4'])
  for (const { data } of await readEvents(stock.shop, 'stock')) assert.ok(Value.Check(StockEventData, data))
})

test('stock that the merchant sets or an import changes is told too', async () => {
  const stock = await openStock(30)
  await stock.set({ quantity: 5 })
  await stock.set({ quantity: 5 })
  await stock.set({ delta: -5 })
  await stock.set({ delta: 9 })
  await save(stock.shop, { name: 'Mug', stock: 3 })
  await stock.set({ quantity: null })
  assert.deepEqual(await stock.events(), ['stock.low 1', 'stock.out 2', 'stock.low 3'])
})

test('a new product without stock is no news', async () => {
  const shop = await newStore(service)
  await save(shop, { name: 'Mug', price: 100, stock: 0 })
  assert.deepEqual(await typesOf(shop, 'stock'), [])
})

test('of many concurrent orders exactly one makes the stock low and one sells it out', async () => {
  const stock = await openStock(20)
  const taken = await Promise.all(Array.from({ length: 26 }, () => stock.take(1)))
  assert.equal(taken.filter(({ missing }) => missing.length === 0).length, 20)
  assert.deepEqual(await stock.events(), ['stock.low 1', 'stock.out 2'])
})
