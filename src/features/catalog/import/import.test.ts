import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import {
  newStore,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../../test/harness.ts'
import { sessionOf, waitsOrEnds } from '../../../../test/lock-waits.ts'
import { putOnHand } from '../../../../test/put-on-hand.ts'
import { commandLine } from '../../audit/record.ts'
import { adjustStock } from '../adjust-stock.ts'
import { fileOf, importerFor, jsonLines, rowVersions } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const shopFor = async (t: TestContext) => {
  const shop = await newStore(service)
  return { shop, ...importerFor(t, service, shop) }
}

const mug = { name: 'Mug', price: 449.5, stock: 7, category: 'Home > Mugs', images: ['https://a.example/1.jpg'] }
const kurta = {
  name: 'Kurta',
  category: 'Clothing',
  description: 'K-S in S and K-M in M.',
  options: [{ name: 'Size', values: ['S', 'M'] }],
  variants: [
    { sku: 'K-S', options: { Size: 'S' }, price: 900, stock: 2 },
    { sku: 'K-M', options: { Size: 'M' }, price: 950, compareAtPrice: 1200, stock: 3 },
  ],
}

const manyProducts = (count: number, price = 10) =>
  Array.from({ length: count }, (_, i) => ({ name: `Thing ${i}`, price, stock: i, category: `Things > ${i % 7}` }))

const counts = async (shop: TestStore) =>
  Object.fromEntries(
    (await shop.get('/v1/categories')).json.data.map((c: Record<string, unknown>) => [c.name, c.productCount]),
  )

/** Categories are cached until the notification about the import arrives. */
const assertCounts = async (shop: TestStore) => {
  const expected = await realCounts(shop)
  await withinASecond(async () => isDeepStrictEqual(await counts(shop), expected))
  assert.deepEqual(await counts(shop), expected)
}

/** The category counts, recounted. */
const realCounts = async (shop: TestStore) => {
  const { id } = await shop.load()
  const rows = await service.db.many<{ name: string; count: number }>`
    select c.name, count(p.id) from category c
    left join product p on p.store_id = c.store_id and p.category_id = c.id and p.status = 'ACTIVE'
    where c.store_id = ${id} group by c.id, c.name`
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

test('JSON arrays, JSON lines and CSV give the same products', async (t) => {
  const table = [
    'name,price,stock,category,images,description,variants',
    'Mug,449.50,7,Home > Mugs,https://a.example/1.jpg,,',
    `Kurta,,,Clothing,,${kurta.description},"${JSON.stringify(kurta.variants).replaceAll('"', '""')}"`,
  ]
  const files = {
    json: JSON.stringify([mug, kurta], null, 2),
    jsonl: jsonLines(mug, kurta),
    csv: table.join('\r\n'),
    'csv with a byte order mark': `\uFEFF${table.join('\n')}\n`,
    'csv with semicolons': table.join('\n').replaceAll(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ';'),
  }
  const shown = []
  for (const [format, content] of Object.entries(files)) {
    const { shop, from } = await shopFor(t)
    const result = await from(content)
    assert.deepEqual([result.created, result.faults, result.outcome], [2, [], 'done'], format)
    const products = (await shop.get('/v1/products?sort=name')).json
    const detail = (await shop.get('/v1/products/kurta')).json
    shown.push(JSON.stringify([products, detail.variants]).replaceAll(/"(prod|var)_\w+"/g, '"id"'))
  }
  assert.match(shown[0] ?? '', /"price":449.5.*"compareAtPrice":1200/)
  assert.equal(new Set(shown).size, 1)
})

test('importing the same file again writes nothing and reports all products as unchanged', async (t) => {
  const { shop, fromFile } = await shopFor(t)
  const warehouse = await shop.newOutlet('Warehouse')
  const path = fileOf(
    t,
    jsonLines(
      { ...mug, stock: { [shop.outletId]: 1, [warehouse]: 2 }, prices: { [warehouse]: 400 }, taxRate: 12.5 },
      { ...kurta, tags: ['new'], seo: { title: 'T' }, description: '<p onclick="x">Hi <b>there</b>' },
      { name: 'Pattern', price: 99, digital: { url: 'https://a.example/p.pdf', name: 'p.pdf' } },
      { name: 'Draft', price: 1, status: 'DRAFT' },
    ),
  )
  const first = await fromFile(path)
  assert.deepEqual([first.created, first.updated, first.unchanged], [4, 0, 0])
  const written = await rowVersions(service, shop)
  const second = await fromFile(path)
  assert.deepEqual([second.created, second.updated, second.unchanged], [0, 0, 4])
  assert.deepEqual(await rowVersions(service, shop), written)
})

test('each kind of change counts as one update and does not affect other products', async (t) => {
  const { shop, from } = await shopFor(t)
  const warehouse = await shop.newOutlet('Warehouse')
  const [small, medium] = kurta.variants
  const rest = manyProducts(3)
  await from(jsonLines(kurta, ...rest))
  const steps: object[] = [
    { ...kurta, description: 'New.' },
    { ...kurta, category: 'Clothing > Men' },
    { ...kurta, variants: [small, { ...medium, price: 999 }] },
    { ...kurta, variants: [{ ...small, stock: 9 }, medium] },
    { ...kurta, variants: [{ ...small, stock: 9 }] },
    { ...kurta, variants: [{ ...small, stock: 9, prices: { [warehouse]: 1 } }] },
    { ...kurta, variants: [{ ...small, stock: 9, prices: { [warehouse]: 2 } }] },
    { ...kurta, variants: [{ ...small, stock: 9 }] },
    { ...kurta, status: 'ARCHIVED', variants: [{ ...small, stock: 9 }] },
  ]
  const whole = { replace: true, setStock: true }
  for (const step of steps) {
    const result = await from(jsonLines(step, ...rest), whole)
    assert.deepEqual([result.created, result.updated, result.unchanged], [0, 1, 3], JSON.stringify(step))
    assert.equal((await from(jsonLines(step, ...rest), whole)).unchanged, 4, JSON.stringify(step))
    await assertCounts(shop)
  }
})

test('a file with a fault changes nothing; with --skip-bad the valid products are imported', async (t) => {
  const { shop, fromFile } = await shopFor(t)
  const path = fileOf(t, jsonLines(mug, { name: 'Bad', price: -1 }, kurta, { name: 'Mug', price: 1 }))
  const refused = await fromFile(path)
  assert.deepEqual([refused.outcome, refused.created, refused.faultCount], ['refused', 0, 2])
  assert.deepEqual((await shop.get('/v1/products')).json, [])
  assert.deepEqual((await shop.get('/v1/categories')).json.data, [])

  const taken = await fromFile(path, { skipBad: true })
  assert.deepEqual([taken.outcome, taken.created, taken.skipped, taken.faultCount], ['done', 2, 2, 2])
  assert.equal((await shop.get('/v1/products/mug')).json.price, 449.5)
})

test('a file that cannot be read to the end is not imported, not even with --skip-bad', async (t) => {
  const { shop, from } = await shopFor(t)
  const whole = JSON.stringify(manyProducts(50))
  const result = await from(whole.slice(0, -30), { skipBad: true, batchSize: 5 })
  assert.equal(result.outcome, 'refused')
  assert.match(result.faults.at(-1)?.message ?? '', /cut off/)
  assert.deepEqual((await shop.get('/v1/products')).json, [])
})

test('a dry run reports what would change and writes nothing', async (t) => {
  const { shop, from } = await shopFor(t)
  const result = await from(jsonLines(mug, kurta), { dryRun: true })
  assert.deepEqual([result.outcome, result.products, result.created], ['checked', 2, 2])
  assert.deepEqual((await shop.get('/v1/products')).json, [])
})

test('an interrupted import is completed by running it again', async (t) => {
  const { shop, fromFile } = await shopFor(t)
  const path = fileOf(t, jsonLines(...manyProducts(60)))
  const stop = new AbortController()
  const onProgress = ({ phase, products }: { phase: string; products: number }) => {
    if (phase === 'write' && products >= 20) stop.abort()
  }
  const stopped = await fromFile(path, { batchSize: 10, signal: stop.signal, onProgress })
  assert.equal(stopped.outcome, 'stopped')
  assert.ok(stopped.created >= 20 && stopped.created < 60, String(stopped.created))
  assert.equal((await shop.get('/v1/products?limit=100')).json.length, stopped.created)
  await assertCounts(shop)

  const finished = await fromFile(path, { batchSize: 10 })
  assert.deepEqual([finished.created, finished.unchanged], [60 - stopped.created, stopped.created])
  await assertCounts(shop)
})

test('a stop during the check changes nothing', async (t) => {
  const { shop, from } = await shopFor(t)
  const result = await from(jsonLines(mug), { signal: AbortSignal.abort() })
  assert.deepEqual([result.outcome, result.created], ['stopped', 0])
  assert.deepEqual((await shop.get('/v1/products')).json, [])
})

test('concurrent imports of the same products in opposite orders all succeed and create each product once', async (t) => {
  const { shop, from } = await shopFor(t)
  const products = manyProducts(120)
  const results = await Promise.all(
    [products, products.toReversed(), products].map((list, i) =>
      from(jsonLines(...list.map((product) => ({ ...product, price: 10 + i }))), { batchSize: 15 }),
    ),
  )
  assert.equal(
    results.reduce((sum, { created }) => sum + created, 0),
    120,
  )
  for (const { outcome } of results) assert.equal(outcome, 'done')
  assert.equal((await shop.get('/v1/categories')).json.data.length, 8)
  await assertCounts(shop)
})

test('an import concurrent with stock changes and a new outlet neither fails nor loses anything', async (t) => {
  const { shop, from } = await shopFor(t)
  const products = manyProducts(60).map(({ stock: _, ...product }) => product)
  await from(jsonLines(...products))
  const store = await shop.load()
  const statements: string[] = []
  t.after(service.db.onStatement((text) => void statements.push(text)))
  const sell = async (n: number) =>
    service.db.tx((tx) =>
      adjustStock(tx, store, commandLine, { product: `thing-${n}`, variantId: null, outletId: null, quantity: n }),
    )
  const [imported, outlet] = await Promise.all([
    from(jsonLines(...products.toReversed().map((product) => ({ ...product, price: 11 }))), { batchSize: 20 }),
    shop.newOutlet('Second'),
    ...Array.from({ length: 60 }, (_, n) => sell(n)),
  ])
  assert.equal(imported.updated, 60)
  assert.equal(statements.filter((text) => text === 'rollback').length, 0, 'no deadlock')
  const here = (await shop.get('/v1/products?limit=100')).json
  assert.deepEqual(
    here.map((p: { name: string; stock: number; price: number }) => [p.name, p.stock, p.price]).sort(),
    products.map(({ name }, n) => [name, n, 11]).sort(),
  )
  const there = (await shop.get('/v1/products?limit=100', { 'x-outlet-id': outlet as string })).json
  assert.equal(there.length, 60)
})

test('a stock change locks the product before the stock, as imports do', async (t) => {
  const { shop, from } = await shopFor(t)
  await from(jsonLines(mug))
  const store = await shop.load()
  const { db } = service
  const statements: string[] = []
  t.after(db.onStatement((text) => void statements.push(text)))
  const set = await db.tx(async (tx) => {
    await tx.run`select from product where store_id = ${store.id} for no key update`
    const other = db.tx((tx2) =>
      adjustStock(tx2, store, commandLine, { product: 'mug', variantId: null, outletId: null, quantity: 4 }),
    )
    await waitsOrEnds(db, await sessionOf(tx), other)
    await putOnHand(tx, store.id, 6)
    return { other }
  })
  await set.other
  assert.equal(statements.filter((text) => text === 'rollback').length, 0, 'no deadlock')
  assert.equal((await shop.get('/v1/products/mug')).json.stock, 4)
})

test('a file without stock does not change it, and a plain number is for the default outlet', async (t) => {
  const { shop, from } = await shopFor(t)
  const warehouse = await shop.newOutlet('Warehouse')
  const stockAt = async (outlet: string) => (await shop.get('/v1/products/mug', { 'x-outlet-id': outlet })).json.stock
  await from(jsonLines({ ...mug, stock: { [warehouse]: 5 } }))
  await from(jsonLines({ ...mug, stock: 3 }), { setStock: true })
  assert.deepEqual([await stockAt(shop.outletId), await stockAt(warehouse)], [3, 5])
  const { stock: _, ...withoutStock } = mug
  await from(jsonLines({ ...withoutStock, price: 1 }), { setStock: true })
  assert.deepEqual([await stockAt(shop.outletId), await stockAt(warehouse)], [3, 5])
})

test('reserved units stay reserved and do not make a product look changed', async (t) => {
  const { shop, from } = await shopFor(t)
  await from(jsonLines(mug))
  const { id } = await shop.load()
  await putOnHand(service.db, id, 9)
  await service.db.run`update stock set reserved = 2 where store_id = ${id}`
  assert.equal((await from(jsonLines(mug))).unchanged, 1)
  await from(jsonLines({ ...mug, stock: 20 }), { setStock: true })
  const [row] = await service.db.many`select on_hand, reserved from stock where store_id = ${id}`
  assert.deepEqual(row, { on_hand: 22, reserved: 2 })
})

test('texts with surrogate pairs are never truncated within a pair', async (t) => {
  const { shop, from } = await shopFor(t)
  const rare = (length: number) => `${'x'.repeat(length % 2)}${'\u{20000}'.repeat(length / 2)}`
  const products = [199, 200, 201, 400, 401].map((length) => ({
    ...{ name: `${length} ${rare(length)}`, price: 1, tags: [rare(61), `x${'\u{10400}'.repeat(40)}`] },
    description: `${'word '.repeat(length === 201 ? 599 : 600)}xxxx${rare(401)}`,
  }))
  assert.equal((await from(jsonLines(...products))).created, products.length)
  assert.equal((await shop.get('/v1/products?sort=name')).json.length, products.length)
})

test('descriptions are sanitised in every format', async (t) => {
  const { shop, from } = await shopFor(t)
  const unsafe = '<p onclick="x()">Hi</p><script>x()</script>'
  await from(jsonLines({ ...mug, description: unsafe }))
  await from(`name,price,description\nBowl,1,"${unsafe.replaceAll('"', '""')}"\n`)
  for (const slug of ['mug', 'bowl']) {
    assert.equal((await shop.get(`/v1/products/${slug}`)).json.description, '<p>Hi</p>')
  }
})

test('later products in a file are newer, across batches', async (t) => {
  const { shop, from } = await shopFor(t)
  await from(jsonLines(...manyProducts(25)), { batchSize: 10 })
  const names = (await shop.get('/v1/products?limit=100')).json.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    names,
    Array.from({ length: 25 }, (_, i) => `Thing ${24 - i}`),
  )
})

test('an import that changes something is in the audit log, and one that changes nothing is not', async (t) => {
  const { shop, from } = await shopFor(t)
  await from(jsonLines(mug, kurta))
  await from(jsonLines(mug, kurta))
  await from(jsonLines({ ...mug, price: 500 }))
  const { id } = await shop.load()
  const entries = await service.db.many<{ action: string; changes: Record<string, { after: unknown }> }>`
    select action, changes from audit where store_id = ${id} order by id`
  assert.deepEqual(
    entries.map(({ action, changes }) => [action, changes.created?.after, changes.updated?.after]),
    [
      ['catalog.imported', 2, 0],
      ['catalog.imported', 0, 1],
    ],
  )
})
