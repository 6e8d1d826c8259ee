import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { newStore, startTestService, type TestService, type TestStore } from '../../../../test/harness.ts'
import { countStaleListings } from '../../doctor/doctor.sql.ts'
import { importerFor, jsonLines, rowVersions } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const shopFor = async (t: TestContext, ...products: Record<string, unknown>[]) => {
  const shop = await newStore(service)
  await shop.add(...products)
  return { shop, ...importerFor(t, service, shop) }
}

let reads = 0
const read = async (shop: TestStore, slug: string) => (await shop.get(`/v1/products/${slug}?read=${reads++}`)).json

const mug = {
  name: 'Mug',
  price: 449,
  compareAtPrice: 499,
  stock: 7,
  sku: 'MUG',
  description: 'Holds tea.',
  category: 'Home > Mugs',
  vendor: 'Blue Door',
  barcode: '4006381333931',
  weightGrams: 320,
  images: [{ url: 'https://a.example/1.jpg', alt: 'A mug' }, 'https://a.example/2.jpg'],
  tags: ['tea'],
  seo: { title: 'Mug', description: 'A mug' },
  taxRate: 12,
}
const shirt = {
  name: 'Shirt',
  description: 'To wear.',
  variants: [
    { sku: 'S-S', options: { Size: 'S' }, price: 900, stock: 2, barcode: 'B-S' },
    { sku: 'S-M', options: { Size: 'M' }, price: 950, compareAtPrice: 1200, stock: 3 },
    { sku: 'S-L', options: { Size: 'L' }, price: 990, stock: 4, image: '/large.svg' },
  ],
}
const titles = ({ variants }: { variants: { title: string }[] }) => variants.map(({ title }) => title)

test('a file of slugs and prices changes only prices', async (t) => {
  const { shop, from } = await shopFor(t, mug, shirt)
  const [mugBefore, shirtBefore] = [await read(shop, 'mug'), await read(shop, 'shirt')]
  const result = await from('slug,name,price\nmug,Mug,399\n')
  assert.deepEqual([result.created, result.updated, result.unchanged], [0, 1, 0])
  assert.deepEqual(result.changes, { price: 1 })
  const [variant] = mugBefore.variants
  assert.deepEqual(await read(shop, 'mug'), { ...mugBefore, price: 399, variants: [{ ...variant, price: 399 }] })
  assert.deepEqual(await read(shop, 'shirt'), shirtBefore)
})

test('a dry run and the import report the same changes, field by field', async (t) => {
  const { shop, from } = await shopFor(t, mug, shirt, { name: 'Plate', price: 5 })
  const file = jsonLines(
    { slug: 'mug', price: 399, description: 'New', stock: 1 },
    {
      slug: 'shirt',
      variants: [
        { sku: 'S-S', price: 1 },
        { sku: 'S-X', options: { Size: 'X' }, price: 2 },
      ],
    },
    { slug: 'plate', name: 'Plate' },
    { name: 'Bowl', price: 9 },
  )
  const written = await rowVersions(service, shop)
  const { outcome: _, ...dry } = await from(file, { dryRun: true })
  assert.deepEqual(await rowVersions(service, shop), written)
  const { outcome, ...real } = await from(file)
  assert.equal(outcome, 'done')
  assert.deepEqual(dry, real)
  assert.deepEqual([real.created, real.updated, real.unchanged, real.skipped], [1, 2, 1, 0])
  assert.deepEqual(real.changes, { price: 2, description: 1, variants: 1, options: 1 })
  assert.equal(real.stockKept, 1)
  assert.deepEqual((await from(file, { dryRun: true })).changes, {})
})

test('each field can be changed alone, is counted by its name, and does not affect the others', async (t) => {
  const { shop, from } = await shopFor(t, mug)
  const pune = await shop.newOutlet('Pune')
  const changes: Record<string, unknown> = {
    name: 'Cup',
    description: 'New',
    category: 'Home',
    vendor: 'Red Door',
    status: 'DRAFT',
    images: ['https://a.example/2.jpg'],
    tags: ['new'],
    seo: { title: 'New' },
    taxRate: 5,
    price: 1,
    compareAtPrice: 2,
    sku: 'CUP',
    barcode: '1',
    weightGrams: 1,
    prices: { [pune]: 3 },
    digital: { url: 'https://a.example/a.pdf' },
  }
  for (const [field, value] of Object.entries(changes)) {
    const result = await from(jsonLines({ slug: 'mug', [field]: value }))
    assert.deepEqual(result.changes, { [field]: 1 }, field)
    assert.equal((await from(jsonLines({ slug: 'mug', [field]: value }))).unchanged, 1, field)
  }
  await from(jsonLines({ slug: 'mug', status: 'ACTIVE' }))
  const { name, seo, media, tags: _, ...rest } = await read(shop, 'mug')
  assert.deepEqual([name, seo], ['Cup', { title: 'New', description: 'A mug' }])
  assert.deepEqual(media, [{ url: 'https://a.example/2.jpg', alt: '' }])
  assert.deepEqual(
    [rest.description, rest.category, rest.vendor, rest.price, rest.stock],
    ['New', 'Home', 'Red Door', 1, 7],
  )
  assert.equal(await countStaleListings(service.db, (await shop.load()).id), 0)
})

test('an empty cell clears the field like null in JSON, and a missing column keeps it', async (t) => {
  const { shop, from } = await shopFor(t, mug)
  const result = await from('slug,description,compareAtPrice,images,price,stock,status\nmug,,,,,,\n')
  assert.deepEqual(result.changes, { description: 1, compareAtPrice: 1, images: 1 })
  const cleared = await read(shop, 'mug')
  assert.deepEqual([cleared.description, cleared.compareAtPrice, cleared.images], ['', null, []])
  assert.deepEqual([cleared.vendor, cleared.price, cleared.stock, cleared.category], ['Blue Door', 449, 7, 'Mugs'])
  await from(jsonLines({ slug: 'mug', vendor: null, seo: { title: null } }))
  const { vendor, seo } = await read(shop, 'mug')
  assert.deepEqual([vendor, seo], ['', { title: '', description: 'A mug' }])
})

test('an image keeps its text as long as its URL does not change', async (t) => {
  const { shop, from } = await shopFor(t, mug)
  await from(jsonLines({ slug: 'mug', images: ['https://a.example/3.jpg', 'https://a.example/1.jpg'] }))
  assert.deepEqual((await read(shop, 'mug')).media, [
    { url: 'https://a.example/3.jpg', alt: '' },
    { url: 'https://a.example/1.jpg', alt: 'A mug' },
  ])
})

test('variants are matched by SKU, then by options; variants that are not in the file stay', async (t) => {
  const { shop, from } = await shopFor(t, shirt)
  const before = await read(shop, 'shirt')
  const result = await from(
    jsonLines({
      slug: 'shirt',
      variants: [
        { options: { Size: 'XL' }, price: 999, stock: 9 },
        { options: { Size: 'L' }, price: 991 },
        { sku: 'S-M', options: { Size: 'Medium' }, compareAtPrice: null },
      ],
    }),
  )
  assert.deepEqual(result.changes, { variants: 1, price: 1, compareAtPrice: 1, options: 1, title: 1 })
  const after = await read(shop, 'shirt')
  assert.deepEqual(titles(after), ['S', 'Medium', 'L', 'XL'])
  assert.deepEqual(after.options, [{ name: 'Size', values: ['S', 'L', 'Medium', 'XL'] }])
  const [small, medium, large, extra] = after.variants
  assert.deepEqual(small, before.variants[0])
  assert.deepEqual([medium.id, medium.price, medium.compareAtPrice], [before.variants[1].id, 950, null])
  assert.deepEqual([large.id, large.price, large.stock], [before.variants[2].id, 991, 4])
  assert.match(large.image, /large\.svg$/)
  assert.deepEqual([extra.sku, extra.stock], ['', 9])
})

test('variants that swap options keep the data of their SKU', async (t) => {
  const { shop, from } = await shopFor(t, shirt)
  const before = await read(shop, 'shirt')
  await from(
    jsonLines({
      slug: 'shirt',
      variants: [
        { sku: 'S-S', options: { Size: 'M' } },
        { sku: 'S-M', options: { Size: 'S' } },
      ],
    }),
  )
  const after = await read(shop, 'shirt')
  assert.deepEqual(
    after.variants.map((v: Record<string, unknown>) => [v.id, v.title, v.price]),
    [
      [before.variants[0].id, 'M', 900],
      [before.variants[1].id, 'S', 950],
      [before.variants[2].id, 'L', 990],
    ],
  )
})

test('--replace resets everything that the file does not have, only for its products', async (t) => {
  const { shop, from } = await shopFor(t, mug, shirt, { name: 'Plate', price: 5, description: 'Flat' })
  const [before, plate] = [await read(shop, 'shirt'), await read(shop, 'plate')]
  const file = jsonLines(
    { name: 'Mug', price: 1 },
    { name: 'Shirt', variants: [{ sku: 'S-M', options: { Size: 'M' }, price: 9 }] },
  )
  const result = await from(file, { replace: true })
  assert.equal(result.updated, 2)
  const [emptied, shirtAfter] = [await read(shop, 'mug'), await read(shop, 'shirt')]
  assert.deepEqual(
    [emptied.description, emptied.images, emptied.category, emptied.vendor, emptied.compareAtPrice],
    ['', [], '', '', null],
  )
  assert.equal(emptied.stock, 7, 'stock is set only with --set-stock')
  assert.deepEqual(titles(shirtAfter), ['M'])
  assert.deepEqual([shirtAfter.variants[0].id, shirtAfter.variants[0].stock], [before.variants[1].id, 3])
  assert.deepEqual(await read(shop, 'plate'), plate)
  assert.equal((await from(file, { replace: true })).unchanged, 2)
  await from(jsonLines(shirt))
  assert.deepEqual(
    titles(await read(shop, 'shirt')),
    ['S', 'M', 'L'],
    'a deactivated variant is activated again by its options',
  )
})

test('the stock of an existing variant is set only with --set-stock, and reported otherwise', async (t) => {
  const { shop, from } = await shopFor(t, mug)
  const file = jsonLines({ slug: 'mug', stock: 50 }, { name: 'Bowl', price: 1, stock: 6 })
  const first = await from(file)
  assert.deepEqual([first.created, first.unchanged, first.stockKept], [1, 1, 1])
  assert.deepEqual([(await read(shop, 'mug')).stock, (await read(shop, 'bowl')).stock], [7, 6])
  const second = await from(file, { setStock: true })
  assert.deepEqual([second.changes, second.stockKept], [{ stock: 1 }, 0])
  assert.equal((await read(shop, 'mug')).stock, 50)
})

test('--set-stock can make stock untracked and tracked again, with 0 at other outlets', async (t) => {
  const { shop, from } = await shopFor(t, mug)
  const pune = await shop.newOutlet('Pune')
  const seen = async () => [
    (await read(shop, 'mug')).stock,
    (await shop.get(`/v1/products/mug?read=${reads++}`, { 'x-outlet-id': pune })).json.stock,
  ]
  await from(jsonLines({ slug: 'mug', stock: { [pune]: 5 } }), { setStock: true })
  assert.deepEqual(await seen(), [7, 5])
  assert.equal((await from(jsonLines({ slug: 'mug', stock: null }))).stockKept, 1)
  assert.deepEqual(await seen(), [7, 5])
  for (const none of [null, 'untracked', 'plenty']) {
    const result = await from(jsonLines({ slug: 'mug', stock: none }), { setStock: true })
    assert.deepEqual(result.changes, none === null ? { stock: 1 } : {})
    assert.deepEqual(await seen(), [999, 999])
  }
  await from('slug,stock\nmug,4\n', { setStock: true })
  assert.deepEqual(await seen(), [4, 0])
  assert.equal(await countStaleListings(service.db, (await shop.load()).id), 0)
})

test('a product can get variants, and fields on the product apply to its only variant', async (t) => {
  const { shop, from } = await shopFor(t, mug)
  const { variants: before } = await read(shop, 'mug')
  await from(jsonLines({ slug: 'mug', variants: [{ options: { Colour: 'Red' }, price: 5 }] }))
  const single = await read(shop, 'mug')
  assert.deepEqual([single.hasVariants, titles(single), single.variants[0].id], [true, ['Red'], before[0].id])
  assert.deepEqual((await from(jsonLines({ slug: 'mug', price: 6 }))).changes, { price: 1 })

  const { from: fromOther, shop: other } = await shopFor(t, mug)
  const colours = ['Red', 'Blue'].map((Colour) => ({ options: { Colour }, price: 5, stock: 1 }))
  assert.deepEqual((await fromOther(jsonLines({ slug: 'mug', variants: colours }))).changes, {
    variants: 1,
    options: 1,
  })
  assert.deepEqual(titles(await read(other, 'mug')), ['Red', 'Blue'])
})

test('a conflict with the product in the store is a fault with line and field, and nothing is written', async (t) => {
  const { shop, from } = await shopFor(t, mug, shirt)
  const written = await rowVersions(service, shop)
  const table: [content: string, line: number, field: string][] = [
    ['slug,price\nmug,1\nshirt,5\n', 3, 'price'],
    ['slug,sku\nshirt,S-XXL\n', 2, 'sku'],
    ['slug,stock\nshirt,5\n', 2, 'stock'],
    ['slug,price\nnew,5\n', 2, 'name'],
    ['slug,name\nnew,New\n', 2, 'price'],
    ['Handle,Title,Variant SKU,Variant Price\nmug,Mug,MUG,3\nshirt,Shirt,S-S,5\nshirt,,S-XXL,6\n', 4, 'value1'],
    ['Handle,Title,Option1 Name,Option1 Value,Variant Price\nshirt,Shirt,Title,Default Title,5\n', 2, 'Variant Price'],
    [
      jsonLines({ slug: 'mug', price: 1 }, { slug: 'shirt', variants: [{ sku: 'X', price: 1 }] }),
      2,
      'variants.0.options',
    ],
    [jsonLines({ slug: 'shirt', variants: [{ options: { Size: 'XL' } }] }), 1, 'variants.0.price'],
    [jsonLines({ slug: 'shirt', variants: [{ sku: 'S-S', options: { Size: 'M' } }] }), 1, 'variants.0.options'],
    [jsonLines({ slug: 'shirt', variants: [{ options: { Colour: 'Red' }, price: 1 }] }), 1, 'variants.0.options'],
    [jsonLines({ slug: 'mug', images: ['mug.jpg'] }), 1, 'images.0'],
  ]
  for (const [content, line, field] of table) {
    const result = await from(content)
    assert.deepEqual(
      [result.outcome, result.faults.map((fault) => [fault.line, fault.field])],
      ['refused', [[line, field]]],
      `${content}: ${JSON.stringify(result.faults)}`,
    )
  }
  assert.deepEqual(await rowVersions(service, shop), written)
  const taken = await from('slug,price\nmug,1\nshirt,5\n', { skipBad: true })
  assert.deepEqual([taken.updated, taken.skipped, taken.changes], [1, 1, { price: 1 }])
})

test('a SKU on the product selects one of its variants', async (t) => {
  const { shop, from } = await shopFor(t, shirt)
  assert.deepEqual((await from('slug,sku,price\nshirt,S-M,1\n')).changes, { price: 1 })
  const prices = (await read(shop, 'shirt')).variants.map(({ price }: { price: number }) => price)
  assert.deepEqual(prices, [900, 1, 990])
})

test('outlet prices are merged one by one', async (t) => {
  const { shop, from } = await shopFor(t)
  const [pune, goa] = [await shop.newOutlet('Pune'), await shop.newOutlet('Goa')]
  await shop.add({ name: 'Mug', price: 10, prices: { [pune]: 8, [goa]: 9 } })
  const prices = async () =>
    Promise.all(
      [pune, goa].map(async (outlet) => {
        const { json } = await shop.get(`/v1/products/mug?read=${reads++}`, { 'x-outlet-id': outlet })
        return json.price
      }),
    )
  await from(jsonLines({ slug: 'mug', prices: { [pune]: 7 } }))
  assert.deepEqual(await prices(), [7, 9])
  await from(jsonLines({ slug: 'mug', prices: { [goa]: null } }))
  assert.deepEqual(await prices(), [7, 10])
  await from(jsonLines({ slug: 'mug', prices: null }))
  assert.deepEqual(await prices(), [10, 10])
})

test('concurrent changes of different variants of one product are all applied', async (t) => {
  const { shop, from } = await shopFor(t, shirt)
  const skus = ['S-S', 'S-M', 'S-L']
  await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      from(jsonLines({ slug: 'shirt', variants: [{ sku: skus[i % 3], barcode: `B-${i % 3}`, price: 5 }] })),
    ),
  )
  const { variants } = await read(shop, 'shirt')
  assert.deepEqual(
    variants.map((v: Record<string, unknown>) => [v.sku, v.barcode, v.price]),
    skus.map((sku, i) => [sku, `B-${i}`, 5]),
  )
})
