import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService, type TestStore } from '../../../../test/harness.ts'
import { exportCatalog } from './export.ts'
import { importerFor, jsonLines, rowVersions } from './fixture.ts'
import type { ExportFormat } from './transfer.admin.contract.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const exported = async (shop: TestStore, format: ExportFormat) =>
  (await Array.fromAsync(exportCatalog(service.db, await shop.load(), format))).join('')

/** Products that use every feature. */
const catalog = [
  { name: 'Mug', price: 449.5, stock: 7, category: 'Home > Mugs', images: ['https://a.example/1,2.jpg', '/b.jpg'] },
  { name: 'Bare', price: 0 },
  {
    name: 'Detailed',
    price: 5,
    stock: null,
    vendor: 'Blue Door',
    barcode: '0012',
    weightGrams: 12.345,
    images: [{ url: 'https://a.example/1.jpg', alt: 'One, "first"' }, 'https://a.example/2.jpg'],
  },
  {
    name: 'Poster',
    images: ['https://a.example/p.jpg'],
    variants: [
      { options: { Paper: 'Thin' }, price: 5, stock: null, weightGrams: 80, image: 'https://a.example/p.jpg' },
      { options: { Paper: 'Thick' }, price: 6, stock: 4, barcode: '77' },
    ],
  },
  {
    name: 'Kurta "A", "B"',
    slug: 'kurta',
    description: ' Two\nlines, <b>bold</b> & "quoted"<script>unseen()</script>\r\n',
    category: 'Clothing',
    tags: ['a, b', 'c|d', ''],
    seo: { title: 'T', description: '' },
    taxRate: 12.5,
    options: [
      { name: 'Size', values: ['S', 'Medium', 'XL'] },
      { name: 'A', values: ['1'] },
    ],
    variants: [
      { sku: 'K-M', options: { A: '1', Size: 'Medium' }, title: '', price: 950, compareAtPrice: 1200, stock: 3 },
      { sku: '007', options: { Size: 'S', A: '1' }, price: 900.05, stock: 0 },
    ],
  },
  { name: 'Pattern', price: 99, digital: { url: 'https://a.example/p.pdf', name: 'p.pdf' } },
  { name: '=HYPERLINK("https://a.example")', slug: 'formula', vendor: '@a', sku: '-1', description: "'=1", price: 1 },
  { name: "'Tis", slug: 'tis', vendor: '+1', description: "''-", price: 1 },
  { name: 'Odd', variants: [{ options: {}, price: 5 }] },
  { name: 'Draft', price: 1, compareAtPrice: 2, status: 'DRAFT', sku: 'D', options: [{ name: 'X', values: [] }] },
  { name: 'Gone', price: 1, status: 'ARCHIVED', variants: [{ options: { Size: 'S' }, price: 5 }], options: [] },
]

/** The whole catalog in the database, without values that differ between two stores. */
const snapshot = async (shop: TestStore) => {
  const { id } = await shop.load()
  return service.db.many`
    select p.slug, p.name, p.description, p.status, p.images, p.image_texts, p.vendor, v.barcode, v.weight_grams,
      v.image, v.stock_tracked, p.options, p.has_variants, p.tags, p.seo, p.digital,
      p.tax_rate, c.name as category, parent.name as parent, v.sku, v.title, v.options as chosen, v.option_key,
      v.price_minor, v.compare_at_minor, v.position, s.on_hand, l.price_minor as listed, l.in_stock
    from product p join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
    left join category c on c.store_id = p.store_id and c.id = p.category_id
    left join category parent on parent.store_id = p.store_id and parent.id = c.parent_id
    left join stock s on s.store_id = p.store_id and s.variant_id = v.id
    left join listing l on l.store_id = p.store_id and l.product_id = p.id
    where p.store_id = ${id} order by p.seq, v.position`
}

for (const format of ['jsonl', 'json', 'csv'] as const) {
  test(`an export as ${format} changes nothing in the same store, and recreates the catalog in an empty store`, async (t) => {
    const shop = await newStore(service)
    const { from } = importerFor(t, service, shop)
    await from(jsonLines(...catalog))
    const text = await exported(shop, format)
    const written = await rowVersions(service, shop)
    const again = await from(text)
    assert.deepEqual([again.faults, again.unchanged, again.ignoredFields], [[], catalog.length, []])
    assert.deepEqual(await rowVersions(service, shop), written)

    const other = await newStore(service)
    assert.equal((await importerFor(t, service, other).from(text)).created, catalog.length)
    assert.deepEqual(await snapshot(other), await snapshot(shop))
    assert.equal(await exported(other, format), text)
  })
}

test('a spreadsheet runs no text of a CSV export', async (t) => {
  const shop = await newStore(service)
  await importerFor(t, service, shop).from(jsonLines({ name: '=1+1', slug: 'sum', vendor: '@a', sku: '-1', price: 1 }))
  const [, row = ''] = (await exported(shop, 'csv')).split('\n')
  assert.match(row, /^sum,'=1\+1,,ACTIVE,,'@a,1,,0,'-1,/)
})

test("a Shopify export has Shopify's columns, and changes nothing when imported again", async (t) => {
  const shop = await newStore(service)
  const { from } = importerFor(t, service, shop)
  // Shopify separates tags by commas, so a tag cannot contain one.
  const taken = catalog.map((product) => ({ ...product, ...('tags' in product ? { tags: ['a', 'c|d'] } : {}) }))
  await from(jsonLines(...taken))
  const text = await exported(shop, 'shopify')
  assert.match(
    text,
    /^Handle,Title,Body \(HTML\),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,/,
  )
  const poster = text.split('\n').filter((line) => line.startsWith('poster,'))
  assert.deepEqual(poster, [
    'poster,Poster,,,,,,true,Paper,Thin,,,,,,80,,,deny,manual,5,,true,true,,https://a.example/p.jpg,1,,false,,,https://a.example/p.jpg,g,active',
    'poster,,,,,,,,,Thick,,,,,,0,shopify,4,deny,manual,6,,true,true,77,,,,,,,,g,',
  ])
  const written = await rowVersions(service, shop)
  for (const mode of [{}, { setStock: true }]) {
    const again = await from(text, mode)
    assert.deepEqual([again.format, again.faults, again.unchanged, again.changes], ['shopify', [], taken.length, {}])
    assert.equal(again.stockKept, 0)
  }
  assert.deepEqual(await rowVersions(service, shop), written)

  const other = await newStore(service)
  assert.equal((await importerFor(t, service, other).from(text)).created, taken.length)
  assert.equal((await other.get('/v1/products/poster')).json.variants[0].stockTracked, false)
  await shop.add({ name: 'Four', variants: [{ options: { A: '1', B: '2', C: '3', D: '4' }, price: 1 }] })
  await assert.rejects(exported(shop, 'shopify'), /four has 4 options/)
})

test('an export of a store with several outlets keeps the stock and prices of each', async (t) => {
  const shop = await newStore(service)
  const warehouse = await shop.newOutlet('Warehouse')
  const { from } = importerFor(t, service, shop)
  await from(jsonLines(...catalog, { name: 'Far', price: 5, stock: { [warehouse]: 4 }, prices: { [warehouse]: 6.5 } }))
  const text = await exported(shop, 'jsonl')
  const far = JSON.parse(text.trim().split('\n').at(-1) ?? '')
  assert.deepEqual([far.stock, far.prices], [{ [warehouse]: 4 }, { [warehouse]: 6.5 }])
  const written = await rowVersions(service, shop)
  assert.equal((await from(text)).unchanged, catalog.length + 1)
  assert.deepEqual(await rowVersions(service, shop), written)
})

test('an export has every product once, oldest first, across batches', async (t) => {
  const shop = await newStore(service)
  const names = Array.from({ length: 1_203 }, (_, i) => `Thing ${i}`)
  await importerFor(t, service, shop).from(jsonLines(...names.map((name) => ({ name, price: 1 }))))
  const lines = (await exported(shop, 'jsonl')).trim().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).name),
    names,
  )
  assert.equal(JSON.parse(await exported(shop, 'json')).length, names.length)
})

test('the export of an empty store can be imported', async (t) => {
  const shop = await newStore(service)
  const { from } = importerFor(t, service, shop)
  for (const format of ['json', 'csv'] as const) {
    const result = await from(await exported(shop, format))
    assert.deepEqual([result.outcome, result.products], ['done', 0], format)
  }
})

test('exporting and importing the demo catalog changes nothing', async (t) => {
  const shop = await newStore(service)
  const { from } = importerFor(t, service, shop)
  const demo = JSON.parse(readFileSync(new URL('../../demo-store/data/catalog.json', import.meta.url), 'utf8'))
  const withoutOutlets = JSON.parse(JSON.stringify(demo), (key, value) =>
    key === 'prices' ? undefined : key === 'stock' && typeof value === 'object' ? 5 : value,
  )
  const { created, faults } = await from(JSON.stringify(withoutOutlets))
  assert.deepEqual([created, faults], [demo.length, []])
  assert.equal((await from(await exported(shop, 'csv'))).unchanged, demo.length)
})
