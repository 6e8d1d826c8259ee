import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { wasLocal } from '../../../test/cluster.ts'
import { databaseUrl, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { sessionOf, waitsOrEnds } from '../../../test/lock-waits.ts'
import type { Tx } from '../../db/database.ts'
import { readMigrations } from '../../db/migration-files.ts'
import { commandLine } from '../audit/record.ts'
import { countStaleListings } from '../doctor/doctor.sql.ts'
import { createOutlet } from '../stores/stores.ts'
import { adjustStock, type StockChange } from './adjust-stock.ts'
import { readProduct } from './product-input.ts'
import { saveProducts } from './save.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

let reads = 0
/** An uncached read. */
const readNow = async (shop: TestStore, path: string, headers?: Record<string, string>) =>
  (await shop.get(`${path}${path.includes('?') ? '&' : '?'}read=${reads++}`, headers)).json

const change = async (shop: TestStore, product: string, quantity: number, more: Partial<StockChange> = {}) => {
  const store = await shop.load()
  return service.db.tx((tx) =>
    adjustStock(tx, store, commandLine, { product, quantity, variantId: null, outletId: null, ...more }),
  )
}

/** The transaction and physical position of each listing row. Equal if nothing was written. */
const listingRows = async (shop: TestStore) => {
  const { id } = await shop.load()
  return service.db.many<{ product_id: string }>`
    select product_id, outlet_id, xmin::text, ctid::text from listing where store_id = ${id} order by 1, 2`
}

const shirt = (...variants: [size: string, price: number, stock: number][]) => ({
  name: 'Shirt',
  category: 'Clothes',
  variants: variants.map(([size, price, stock]) => ({ options: { Size: size }, price, stock })),
})

/** Starts `second` before `first` commits, and commits `first` once `second` waits or is done. */
const atTheSameTime = async (first: (tx: Tx) => Promise<unknown>, second: (tx: Tx) => Promise<unknown>) => {
  let later: Promise<unknown> = Promise.resolve()
  await service.db.tx(async (tx) => {
    await first(tx)
    later = service.db.tx(second)
    await waitsOrEnds(service.db, await sessionOf(tx), later)
  })
  await later
}

test('saving the same products again keeps their ids and writes no listing', async () => {
  const shop = await newStore(service)
  await shop.newOutlet('Pune')
  const files = [
    { name: 'Mug', price: 5, category: 'Home > Mugs', stock: 3, images: ['/a.svg'], tags: ['tea'] },
    shirt(['S', 10, 1], ['M', 10, 0]),
    { name: 'Plate', price: 7, status: 'DRAFT' },
  ]
  await shop.add(...files)
  const seen = async () => ({
    list: await readNow(shop, '/v1/products'),
    shirt: await readNow(shop, '/v1/products/shirt'),
    categories: await readNow(shop, '/v1/categories'),
    rows: await listingRows(shop),
  })
  const first = await seen()
  assert.equal(first.rows.length, 4)
  await shop.add(...files)
  await shop.add(...files.toReversed())
  assert.deepEqual(await seen(), first)
})

test('changes of a product are visible, and only affected listings are written', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 5, stock: 1 }, { name: 'Plate', price: 7, stock: 1 })
  const { id } = await readNow(shop, '/v1/products/mug')
  const before = await listingRows(shop)
  await shop.add({ name: 'Mug', price: 6.5, compareAtPrice: 8, description: 'New', category: 'Cups', stock: 0 })
  const mug = await readNow(shop, '/v1/products/mug')
  assert.deepEqual(
    {
      id: mug.id,
      price: mug.price,
      was: mug.compareAtPrice,
      about: mug.description,
      in: mug.category,
      stock: mug.stock,
    },
    { id, price: 6.5, was: 8, about: 'New', in: 'Cups', stock: 0 },
  )
  const plateOnly = (rows: typeof before) => rows.filter(({ product_id }) => product_id !== id)
  await shop.add({ name: 'Plate', price: 7, stock: 9, images: ['/plate.svg'], seo: { title: 'New' } })
  assert.deepEqual(plateOnly(await listingRows(shop)), plateOnly(before))
  assert.deepEqual(
    (await readNow(shop, '/v1/products?sort=-price')).map((p: { slug: string }) => p.slug),
    ['plate', 'mug'],
  )
})

test('an updated product keeps its position in the newest order', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Old', price: 1 }, { name: 'New', price: 1 })
  await shop.add({ name: 'Old', price: 2 })
  assert.deepEqual(
    (await readNow(shop, '/v1/products')).map((p: { slug: string }) => p.slug),
    ['new', 'old'],
  )
})

test('a variant that is no longer in the input is removed with its price and stock, and can return', async () => {
  const shop = await newStore(service)
  await shop.add(shirt(['S', 10, 4], ['M', 20, 0], ['L', 30, 2]))
  const before = await readNow(shop, '/v1/products/shirt')
  await shop.add(shirt(['M', 20, 0], ['L', 30, 2]))
  const without = await readNow(shop, '/v1/products/shirt')
  assert.deepEqual(
    without.variants.map((v: { title: string }) => v.title),
    ['M', 'L'],
  )
  assert.deepEqual([without.price, without.stock], [20, 2])
  await shop.add(shirt(['M', 20, 0]))
  const [only] = await readNow(shop, '/v1/products?inStock=false')
  assert.deepEqual([only?.price, only?.stock], [20, 0])
  await shop.add(shirt(['S', 10, 4], ['M', 20, 0], ['L', 30, 2]))
  assert.deepEqual(await readNow(shop, '/v1/products/shirt'), before)
})

test('a product can change from simple to variants and back', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Shirt', price: 9, stock: 5 })
  await shop.add(shirt(['S', 10, 1], ['M', 12, 1]))
  const split = await readNow(shop, '/v1/products/shirt')
  assert.deepEqual([split.hasVariants, split.price, split.stock, split.variants.length], [true, 10, 2, 2])
  await shop.add({ name: 'Shirt', price: 9, stock: 5 })
  const whole = await readNow(shop, '/v1/products/shirt')
  assert.deepEqual([whole.hasVariants, whole.price, whole.stock, whole.variants.length], [false, 9, 5, 1])
})

test('an outlet price that is no longer in the input is removed', async () => {
  const shop = await newStore(service)
  const pune = await shop.newOutlet('Pune')
  const at = { 'x-outlet-id': pune }
  await shop.add({ name: 'Mug', price: 10, prices: { [pune]: 8 } })
  assert.equal((await readNow(shop, '/v1/products/mug', at)).price, 8)
  await shop.add({ name: 'Mug', price: 10 })
  assert.equal((await readNow(shop, '/v1/products/mug', at)).price, 10)
})

test('setting stock sets the available units, and reserved units stay on top', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10, stock: 5 })
  const { id } = await shop.load()
  await service.db.run`update stock set reserved = 3 where store_id = ${id}`
  assert.equal((await readNow(shop, '/v1/products/mug')).stock, 2)

  await change(shop, 'mug', 7)
  assert.equal((await readNow(shop, '/v1/products/mug')).stock, 7)
  await shop.add({ name: 'Mug', price: 10, stock: 0 })
  assert.equal((await readNow(shop, '/v1/products/mug')).stock, 0)
  assert.deepEqual(await readNow(shop, '/v1/products?inStock=true'), [])
  const kept = await service.db.one`select on_hand, reserved from stock where store_id = ${id}`
  assert.deepEqual(kept, { on_hand: 3, reserved: 3 })
})

test('stock is set for one variant at one outlet, and an ambiguous variant is refused', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  const pune = await shop.newOutlet('Pune')
  await shop.add(shirt(['S', 10, 1], ['M', 10, 1]))
  const { id, variants } = await readNow(shop, '/v1/products/shirt')
  await change(shop, id, 9, { variantId: variants[1].id, outletId: pune })
  assert.equal((await readNow(shop, '/v1/products/shirt', { 'x-outlet-id': pune })).stock, 9)
  assert.equal((await readNow(shop, '/v1/products/shirt')).stock, 2)
  await assert.rejects(change(shop, 'shirt', 1), /several variants/)
  await assert.rejects(change(shop, 'nothing', 1), /has no product/)
  await assert.rejects(change(shop, 'shirt', 1, { variantId: variants[0].id, outletId: other.outletId }), /no outlet/)
  await assert.rejects(change(other, id, 1, { variantId: variants[0].id }), /has no product/)
})

test('when two variants sell out concurrently, the product is out of stock', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  await shop.add(shirt(['S', 10, 1], ['M', 10, 1]))
  const { variants } = await readNow(shop, '/v1/products/shirt')
  const sellOut = (variantId: string) => (tx: Tx) =>
    adjustStock(tx, store, commandLine, { product: 'shirt', variantId, outletId: null, quantity: 0 })
  await atTheSameTime(sellOut(variants[0].id), sellOut(variants[1].id))
  assert.deepEqual(await readNow(shop, '/v1/products?inStock=true'), [])
})

test('twenty concurrent stock changes of one product leave a correct listing', async () => {
  const shop = await newStore(service)
  const sizes = Array.from({ length: 20 }, (_, i) => `${i}`)
  await shop.add(shirt(...sizes.map((size): [string, number, number] => [size, 10, 1])))
  const { variants } = await readNow(shop, '/v1/products/shirt')
  const setAll = (quantity: number) =>
    Promise.all(variants.map(({ id }: { id: string }) => change(shop, 'shirt', quantity, { variantId: id })))

  await setAll(0)
  assert.deepEqual(
    (await readNow(shop, '/v1/products?inStock=false')).map((p: { stock: number }) => p.stock),
    [0],
  )
  assert.equal(await countStaleListings(service.db, (await shop.load()).id), 0)
  await setAll(3)
  assert.deepEqual(
    (await readNow(shop, '/v1/products?inStock=true')).map((p: { stock: number }) => p.stock),
    [60],
  )
  assert.equal(await countStaleListings(service.db, (await shop.load()).id), 0)
})

test('products saved concurrently in one category, existing or new, are both counted', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  await shop.add({ name: 'First', price: 1, category: 'Mugs' })
  const save = (name: string, category: string) => (tx: Tx) => {
    const product = readProduct({ name, price: 1, category }, 'INR')
    assert.ok(!Array.isArray(product))
    return saveProducts(tx, store, [product])
  }
  await atTheSameTime(save('Second', 'Mugs'), save('Third', 'Mugs'))
  await atTheSameTime(save('Fourth', 'Mugs > New'), save('Fifth', 'Mugs > New'))
  const { data } = await readNow(shop, '/v1/categories')
  assert.deepEqual(
    data.map((category: { name: string; productCount: number }) => [category.name, category.productCount]),
    [
      ['Mugs', 3],
      ['New', 2],
    ],
  )
})

test('an outlet added while products are being saved lists them too, in either order', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  const save = (name: string) => (tx: Tx) => {
    const product = readProduct({ name, price: 1 }, 'INR')
    assert.ok(!Array.isArray(product))
    return saveProducts(tx, store, [product])
  }
  let [pune, goa] = ['', '']
  await atTheSameTime(save('Mug'), async (tx) => {
    pune = (await createOutlet(tx, store, 'Pune')).outletId
  })
  await atTheSameTime(async (tx) => {
    goa = (await createOutlet(tx, store, 'Goa')).outletId
  }, save('Plate'))
  for (const outlet of [pune, goa]) {
    const listed = await readNow(shop, '/v1/products?sort=name', { 'x-outlet-id': outlet })
    assert.deepEqual(
      listed.map((p: { name: string }) => p.name),
      ['Mug', 'Plate'],
    )
  }
  assert.equal(await countStaleListings(service.db, (await shop.load()).id), 0)
})

test('a new outlet lists all products at the same prices, without stock', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10, stock: 5 }, shirt(['S', 20, 1]), {
    name: 'Draft',
    price: 1,
    status: 'DRAFT',
  })
  const pune = { 'x-outlet-id': await shop.newOutlet('Pune') }
  const seen = async () =>
    (await readNow(shop, '/v1/products?sort=name', pune)).map((p: { name: string; price: number; stock: number }) => [
      p.name,
      p.price,
      p.stock,
    ])
  assert.deepEqual(await seen(), [
    ['Mug', 10, 0],
    ['Shirt', 20, 0],
  ])
  await change(shop, 'mug', 4, { outletId: pune['x-outlet-id'] })
  assert.deepEqual((await seen())[0], ['Mug', 10, 4])
  assert.equal((await readNow(shop, '/v1/products/mug')).stock, 5)
})

test('an unknown outlet fails the whole save', async () => {
  const shop = await newStore(service)
  await assert.rejects(
    shop.add({ name: 'Mug', price: 10 }, { name: 'Plate', price: 10, stock: { outlet_nowhere: 1 } }),
    /no outlet outlet_nowhere/,
  )
  assert.deepEqual(await readNow(shop, '/v1/products'), [])
})

test('the migration turns a million units at every outlet into untracked stock', wasLocal, async () => {
  const shop = await newStore(service)
  const pune = await shop.newOutlet('Pune')
  const at = (units: number, there: number) => ({ [shop.outletId]: units, [pune]: there })
  await shop.add(
    { name: 'Endless', price: 1, stock: at(1_000_000, 999_950) },
    { name: 'Many', price: 1, stock: at(1_000_000, 5) },
    { name: 'More', price: 1, stock: at(2_000_000, 2_000_000) },
    { name: 'Few', price: 1, stock: 3 },
  )
  const { id } = await shop.load()
  const text = readMigrations().find(({ name }) => name.endsWith('_catalog_details.sql'))?.text ?? ''
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(text.slice(text.indexOf('with endless')))
    const untracked = `select p.name from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
      where v.store_id = $1 and not v.stock_tracked`
    assert.deepEqual((await client.query(untracked, [id])).rows, [{ name: 'Endless' }])
    await client.query('rollback')
  } finally {
    await client.end()
  }
})

test('saving a thousand products takes as many statements as one', async () => {
  const shop = await newStore(service)
  const statementsFor = async (count: number) => {
    let statements = 0
    const stop = service.db.onStatement(() => statements++)
    await shop.add(...Array.from({ length: count }, (_, i) => ({ name: `P ${count} ${i}`, price: 1, category: 'All' })))
    stop()
    return statements
  }
  await statementsFor(2)
  const few = await statementsFor(1)
  assert.equal(await statementsFor(1000), few)
})
