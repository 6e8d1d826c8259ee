import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../../test/harness.ts'
import { importerFor } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const shopFor = async (t: TestContext) => {
  const shop = await newStore(service)
  return { shop, ...importerFor(t, service, shop) }
}

/** The format until 2024: `Handle` first, `Variant …` and `Image …` columns, and unsupported columns. */
const older = `Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option1 Linked To,Option2 Name,Option2 Value,Option2 Linked To,Option3 Name,Option3 Value,Option3 Linked To,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Fulfillment Service,Variant Price,Variant Compare At Price,Variant Requires Shipping,Variant Taxable,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,SEO Description,Google Shopping / Google Product Category,Variant Image,Variant Weight Unit,Variant Tax Code,Cost per item,Included / India,Price / International,Status
block-print-kurta,Block Print Kurta,"<p data-mce-fragment=""1"">Printed by hand in <strong>Bagru</strong>.</p>
<ul>
<li>Cotton, 120 g</li>
<li onclick=""steal()"">Wash cold</li>
</ul>
<script>steal()</script>",Blue Door,Apparel & Accessories > Clothing > Shirts & Tops,Kurtas,"cotton, block print, cotton",true,Size,S,,Colour,Indigo,,,,,KU-S-IN,200.0,shopify,4,deny,manual,1299.00,1599.00,true,true,,https://cdn.shopify.com/s/files/kurta-back.jpg?v=1,2,Back,false,Hand-printed kurta,A kurta from Bagru,,https://cdn.shopify.com/s/files/kurta-indigo.jpg?v=1,kg,,400.00,true,,active
block-print-kurta,,,,,,,,,M,,,Indigo,,,,,KU-M-IN,200.0,shopify,-2,deny,manual,1299.00,1299.00,true,true,,https://cdn.shopify.com/s/files/kurta-front.jpg?v=1,1,Front,,,,,https://cdn.shopify.com/s/files/kurta-indigo.jpg?v=1,kg,,400.00,,,
block-print-kurta,,,,,,,,,M,,,Madder,,,,,KU-M-MA,200.0,,0,deny,manual,1349.00,,true,true,,,,,,,,,https://cdn.shopify.com/s/files/kurta-front.jpg?v=1,kg,,400.00,,,
block-print-kurta,,,,,,,,,,,,,,,,,,,,,,,,,,,,https://cdn.shopify.com/s/files/kurta-detail.jpg?v=1,3,,,,,,,,,,,,
clay-lamp,Clay Lamp,,Blue Door,Home & Garden > Lighting > Lamps,,,true,Title,Default Title,,,,,,,,LAMP,300.0,shopify,25,deny,manual,249.00,0.00,true,false,,,,,false,,,,,kg,,,true,,active
hidden-lamp,Hidden Lamp,<p>Soon</p>,Blue Door,,,,false,Title,Default Title,,,,,,,,,300.0,shopify,1,deny,manual,99.00,,true,true,,,,,false,,,,,kg,,,true,,active
old-lamp,Old Lamp,,Blue Door,,,,true,Title,Default Title,,,,,,,,,300.0,shopify,1,continue,manual,99.00,,true,true,,,,,false,,,,,kg,,,true,,archived
`

/** The format since then: `Title` first, plain column names. */
const newer = `Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Option1 Linked To,Option2 name,Option2 value,Option2 Linked To,Option3 name,Option3 value,Option3 Linked To,Price,Compare-at price,Cost per item,Charge tax,Tax code,Inventory tracker,Inventory quantity,Continue selling when out of stock,Weight value (grams),Weight unit for display,Requires shipping,Fulfillment service,Product image URL,Image position,Image alt text,Variant image URL,Gift card,SEO title,SEO description,Google Shopping / Google product category
Block Print Kurta,block-print-kurta,"<p data-mce-fragment=""1"">Printed by hand in <strong>Bagru</strong>.</p>
<ul>
<li>Cotton, 120 g</li>
<li onclick=""steal()"">Wash cold</li>
</ul>
<script>steal()</script>",Blue Door,Apparel & Accessories > Clothing > Shirts & Tops,Kurtas,"cotton, block print",TRUE,Active,KU-S-IN,,Size,S,,Colour,Indigo,,,,,1299,1599,400,TRUE,,shopify,4,DENY,200,g,TRUE,manual,https://cdn.shopify.com/s/files/kurta-front.jpg?v=1,1,Front,https://cdn.shopify.com/s/files/kurta-indigo.jpg?v=1,FALSE,Hand-printed kurta,A kurta from Bagru,
,block-print-kurta,,,,,,,,KU-M-IN,,,M,,,Indigo,,,,,1299,,400,TRUE,,shopify,-2,DENY,200,g,TRUE,manual,https://cdn.shopify.com/s/files/kurta-back.jpg?v=1,2,Back,,,,,
,block-print-kurta,,,,,,,,KU-M-MA,,,M,,,Madder,,,,,1349,,400,TRUE,,,,DENY,200,g,TRUE,manual,https://cdn.shopify.com/s/files/kurta-detail.jpg?v=1,3,,,,,,
Clay Lamp,clay-lamp,,Blue Door,Home & Garden > Lighting > Lamps,,,TRUE,Active,LAMP,,Title,Default Title,,,,,,,,249,,,FALSE,,shopify,25,DENY,300,g,TRUE,manual,,,,,FALSE,,,
Hidden Lamp,hidden-lamp,<p>Soon</p>,Blue Door,,,,FALSE,Active,,,Title,Default Title,,,,,,,,99,,,TRUE,,shopify,1,DENY,300,g,TRUE,manual,,,,,FALSE,,,
Old Lamp,old-lamp,,Blue Door,,,,TRUE,Archived,,,Title,Default Title,,,,,,,,99,,,TRUE,,shopify,1,CONTINUE,300,g,TRUE,manual,,,,,FALSE,,,
`

const picture = (name: string) => `https://cdn.shopify.com/s/files/kurta-${name}.jpg?v=1`

for (const [generation, file] of Object.entries({
  older,
  newer,
  'older with Windows line ends': older.replaceAll('\n', '\r\n'),
})) {
  test(`a Shopify product file can be imported unchanged (${generation})`, async (t) => {
    const { shop, from } = await shopFor(t)
    const result = await from(file)
    assert.deepEqual([result.format, result.faults, result.created], ['shopify', [], 4])

    const kurta = (await shop.get('/v1/products/block-print-kurta')).json
    assert.match(
      kurta.description,
      /^<p>Printed by hand in <strong>Bagru<\/strong>\.<\/p>\s+<ul>\s+<li>Cotton, 120 g<\/li>\s+<li>Wash cold<\/li>\s+<\/ul>\s+$/,
    )
    assert.deepEqual(kurta.images, ['front', 'back', 'detail', 'indigo'].map(picture))
    assert.deepEqual(kurta.options, [
      { name: 'Size', values: ['S', 'M'] },
      { name: 'Colour', values: ['Indigo', 'Madder'] },
    ])
    assert.deepEqual(kurta.seo, { title: 'Hand-printed kurta', description: 'A kurta from Bagru' })
    assert.equal(kurta.category, 'Kurtas')
    assert.deepEqual(
      kurta.variants.map((v: Record<string, unknown>) => [v.sku, v.title, v.price, v.compareAtPrice, v.stock]),
      [
        ['KU-S-IN', 'S / Indigo', 1299, 1599, 4],
        ['KU-M-IN', 'M / Indigo', 1299, null, 0],
        ['KU-M-MA', 'M / Madder', 1349, null, 999],
      ],
    )
    assert.equal(kurta.vendor, 'Blue Door')
    assert.deepEqual(
      kurta.media.map(({ alt }: { alt: string }) => alt),
      ['Front', 'Back', '', ''],
    )
    assert.deepEqual(
      kurta.variants.map((v: Record<string, unknown>) => [v.weightGrams, v.stockTracked]),
      [
        [200, true],
        [200, true],
        [200, false],
      ],
    )
    assert.equal(kurta.variants[0].image, picture('indigo'))
    const lamp = (await shop.get('/v1/products/clay-lamp')).json
    assert.deepEqual([lamp.hasVariants, lamp.price, lamp.compareAtPrice, lamp.stock], [false, 249, null, 25])
    assert.equal(lamp.category, 'Lamps')

    const { id } = await shop.load()
    const others = await service.db.many`
      select slug, status, tags from product where store_id = ${id} and slug <> 'clay-lamp' order by slug`
    assert.deepEqual(others, [
      { slug: 'block-print-kurta', status: 'ACTIVE', tags: ['cotton', 'block print'] },
      { slug: 'hidden-lamp', status: 'DRAFT', tags: [] },
      { slug: 'old-lamp', status: 'ARCHIVED', tags: [] },
    ])
    assert.equal((await from(file)).unchanged, 4)
  })
}

test('faults of a Shopify file have the line and column of that file', async (t) => {
  const { from } = await shopFor(t)
  const heading =
    'Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Inventory Tracker,Variant Inventory Qty,Image Src,Status'
  const shirt = 'shirt,Shirt,Size,S,10.00,shopify,1,,active'
  const table: [rows: string[], ...places: [line: number, column: string][]][] = [
    [
      [shirt, 'shirt,,,M,ten,shopify,1,,'],
      [3, 'Variant Price'],
    ],
    [
      [shirt, 'shirt,,,M,,shopify,1,,'],
      [3, 'Variant Price'],
    ],
    [
      [shirt, 'shirt,,,M,10.005,shopify,1,,'],
      [3, 'Variant Price'],
    ],
    [
      [shirt, 'shirt,,,M,1,shopify,many,,'],
      [3, 'Variant Inventory Qty'],
    ],
    [
      [shirt, 'shirt,,,,12,shopify,1,,'],
      [3, 'Option1 Value'],
    ],
    [
      [shirt, 'shirt,,,S,12,shopify,1,,'],
      [2, 'Option1 Value'],
    ],
    [['shirt,,Size,S,10,,,,'], [2, 'Title']],
    [
      ['shirt,Shirt,,,10,,,,', 'shirt,,,,11,,,,'],
      [3, 'Option1 Name'],
      [2, 'Option1 Value'],
    ],
    [['shirt,Shirt,Size,S,10,,,,gone'], [2, 'Status']],
    [
      [shirt, `shirt,,,,,,,https://a.example/${'x'.repeat(2000)},`],
      [3, 'Image Src'],
    ],
    [
      [shirt, 'shirt,,,M,10,shopify,1,shirt.jpg,'],
      [3, 'Image Src'],
    ],
    [[',,Size,S,10,,,,'], [2, 'Handle']],
    [
      [shirt, 'shirt,,,M,10'],
      [3, 'product'],
    ],
    [
      [shirt, 'lamp,Lamp,,,1,,,,', 'shirt,,,M,11,shopify,1,,'],
      [4, 'Handle'],
    ],
  ]
  for (const [rows, ...places] of table) {
    const { faults } = await from(`${[heading, ...rows].join('\n')}\n`, { dryRun: true })
    assert.deepEqual(
      faults.map(({ line, field }) => [line, field]),
      places,
      `${rows.join(' / ').slice(0, 120)}: ${JSON.stringify(faults)}`,
    )
  }
})

test('the fault for a handle that repeats after other products has both lines', async (t) => {
  const { from } = await shopFor(t)
  const { faults } = await from('Handle,Title,Variant Price\na,A,1\nb,B,1\na,,2\n')
  assert.deepEqual([faults.length, faults[0]?.line], [1, 4])
  assert.match(faults[0]?.message ?? '', /line 2/)
})

test('a short file with a title and a price is enough', async (t) => {
  const { shop, from } = await shopFor(t)
  assert.equal((await from('Title,Price,Inventory quantity\nClay Pot,12,3\nBowl,5,\n')).created, 2)
  const pot = (await shop.get('/v1/products/clay-pot')).json
  assert.deepEqual([pot.price, pot.stock], [12, 3])
})

test('the file of a shop with several locations has no stock and does not change it', async (t) => {
  const { shop, from } = await shopFor(t)
  await shop.add({ name: 'Pot', price: 1, stock: 5 })
  await from('Handle,Title,Variant Price,Variant Inventory Tracker\npot,Pot,2,shopify\n')
  const pot = (await shop.get('/v1/products/pot')).json
  assert.deepEqual([pot.price, pot.stock], [2, 5])
})

test('a variant that Shopify does not track, or continues selling, is not tracked', async (t) => {
  const { shop, from } = await shopFor(t)
  const heading = 'Handle,Title,Variant Price,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy'
  const rows = ['counted,Counted,1,shopify,3,deny', 'not,Not,1,,0,deny', 'on,On,1,shopify,-4,continue']
  const result = await from(`${heading}\n${rows.join('\n')}\n`)
  assert.deepEqual(result.notes, [
    { text: 'continues selling when out of stock at Shopify, so its stock is not tracked here', products: 1 },
  ])
  const seen = (await shop.get('/v1/products?sort=name')).json
  assert.deepEqual(
    seen.map((p: Record<string, unknown>) => [p.slug, p.stock, p.stockTracked]),
    [
      ['counted', 3, true],
      ['not', 999, false],
      ['on', 999, false],
    ],
  )
})

test('a Shopify file with some columns does not change the rest, and matches variants by SKU', async (t) => {
  const { shop, from } = await shopFor(t)
  await from(newer)
  const before = (await shop.get('/v1/products/block-print-kurta')).json
  const file = 'Handle,Variant SKU,Variant Price\nblock-print-kurta,KU-M-IN,1\nblock-print-kurta,KU-S-IN,2\n'
  assert.deepEqual((await from(file)).changes, { price: 1 })
  const [small, medium, madder] = before.variants
  const after = (await shop.get('/v1/products/block-print-kurta?again')).json
  assert.deepEqual(after, {
    ...before,
    price: 1,
    compareAtPrice: null,
    variants: [{ ...small, price: 2 }, { ...medium, price: 1 }, madder],
  })
})

test('unsupported Shopify columns are reported if they are not empty', async (t) => {
  const { from } = await shopFor(t)
  const { ignoredFields } = await from(
    'Handle,Title,Variant Price,Cost per item,Variant Taxable,Gift Card,Variant Tax Code\na,A,1,5,true,FALSE,\n',
  )
  assert.deepEqual(ignoredFields, ['Cost per item'])
})
