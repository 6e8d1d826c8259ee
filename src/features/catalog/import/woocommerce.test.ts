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

/** An export of WooCommerce 9: variations follow other products. */
const file = `ID,Type,SKU,"GTIN, UPC, EAN, or ISBN",Name,Published,"Is featured?","Visibility in catalog","Short description",Description,"Date sale price starts","Date sale price ends","Tax status","Tax class","In stock?",Stock,"Low stock amount","Backorders allowed?","Sold individually?","Weight (kg)","Length (cm)","Width (cm)","Height (cm)","Allow customer reviews?","Purchase note","Sale price","Regular price",Categories,Tags,"Shipping class",Images,"Download limit","Download expiry days",Parent,"Grouped products",Upsells,Cross-sells,"External URL","Button text",Position,Brands,"Attribute 1 name","Attribute 1 value(s)","Attribute 1 visible","Attribute 1 global","Attribute 2 name","Attribute 2 value(s)","Attribute 2 visible","Attribute 2 global","Download 1 ID","Download 1 name","Download 1 URL"
10,variable,TEE,,"V-neck tee",1,0,visible,"Soft.","<p>A tee.</p>\\n<p>Of cotton.</p>",,,taxable,,1,,,0,0,0.2,,,,1,,,,"Clothing, Clothing > Tees","cotton, summer",,"https://shop.example/tee.jpg, https://shop.example/tee-2.jpg",,,,,,,,,0,Blue Door,Colour,"Red, Blue",1,1,Size,"S, M",1,1,,,
11,simple,MUG,4006381333931,"Mug, large",1,0,visible,,,,,taxable,,1,7,,0,0,0.32,10,,,1,,399,449.50,Home & Kitchen > Mugs,,,,,,,,,,,,0,,Material,Clay,1,0,,,,,,,
12,"simple, downloadable, virtual",BOOK,,Pattern book,1,0,visible,,,,,taxable,,1,,,0,0,,,,,1,,,99,Books,,,,,,,,,,,,0,,,,,,,,,,abc,book.pdf,https://shop.example/book.pdf
13,simple,OLD,,Old lamp,0,0,visible,,,2020-01-01,2020-01-31,taxable,,0,,,0,0,,,,,1,,50,80,,,,,,,,,,,,,0,,,,,,,,,,,,
14,variation,TEE-RS,,V-neck tee - Red,1,0,visible,,,,,taxable,,1,3,,0,0,,,,,0,,,500,,,,https://shop.example/tee-red.jpg,,,TEE,,,,,,1,,Colour,Red,,1,Size,S,,1,,,
15,variation,TEE-BM,,V-neck tee - Blue,1,0,visible,,,,,taxable,,1,,,0,0,0.25,,,,0,,450,500,,,,,,,id:10,,,,,,2,,Colour,Blue,,1,Size,M,,1,,,
`

test('a WooCommerce product file is detected and imported unchanged', async (t) => {
  const { shop, from } = await shopFor(t)
  const result = await from(file)
  assert.deepEqual([result.format, result.faults, result.created], ['woocommerce', [], 4])
  assert.deepEqual(result.ignoredFields.toSorted(), ['Length (cm)', 'Material (attribute)'])

  const tee = (await shop.get('/v1/products/v-neck-tee')).json
  assert.equal(tee.description, 'Soft.\n\n<p>A tee.</p>\n<p>Of cotton.</p>')
  assert.deepEqual([tee.category, tee.vendor, tee.hasVariants], ['Tees', 'Blue Door', true])
  assert.deepEqual(tee.images, ['https://shop.example/tee.jpg', 'https://shop.example/tee-2.jpg'])
  assert.deepEqual(tee.options, [
    { name: 'Colour', values: ['Red', 'Blue'] },
    { name: 'Size', values: ['S', 'M'] },
  ])
  assert.deepEqual(
    tee.variants.map((v: Record<string, unknown>) => [
      ...[v.sku, v.title, v.price, v.compareAtPrice, v.stock, v.stockTracked, v.weightGrams, v.image],
    ]),
    [
      ['TEE-RS', 'Red / S', 500, null, 3, true, 200, 'https://shop.example/tee-red.jpg'],
      ['TEE-BM', 'Blue / M', 450, 500, 999, false, 250, ''],
    ],
  )
  const mug = (await shop.get('/v1/products/mug-large')).json
  assert.deepEqual([mug.price, mug.compareAtPrice, mug.stock, mug.category], [399, 449.5, 7, 'Mugs'])
  assert.deepEqual([mug.variants[0].barcode, mug.variants[0].weightGrams], ['4006381333931', 320])
  const book = (await shop.get('/v1/products/pattern-book')).json
  assert.deepEqual([book.digital, book.stockTracked], [true, false])
  const { id } = await shop.load()
  const [lamp] = await service.db.many`
    select p.status, v.price_minor, v.compare_at_minor from product p join variant v on v.store_id = p.store_id and v.product_id = p.id
    where p.store_id = ${id} and p.slug = 'old-lamp'`
  assert.deepEqual(lamp, { status: 'DRAFT', price_minor: 8000, compare_at_minor: null }, 'its sale has ended')
  assert.equal((await from(file)).unchanged, 4)
})

test('faults of a WooCommerce file have the line and column of that file', async (t) => {
  const { from } = await shopFor(t)
  const heading = 'ID,Type,SKU,Name,Regular price,Stock,Images,Parent,Attribute 1 name,Attribute 1 value(s)'
  const parent = '1,variable,TEE,Tee,,,,,Size,"S, M"'
  const table: [rows: string[], ...places: [line: number, column: string][]][] = [
    [['1,simple,A,Mug,much,,,,,'], [2, 'Regular price']],
    [['1,simple,A,Mug,,,,,,'], [2, 'Regular price']],
    [['1,simple,A,Mug,1,many,,,,'], [2, 'Stock']],
    [['1,simple,A,Mug,1,,mug.jpg,,,'], [2, 'Images']],
    [['1,grouped,A,Mug,1,,,,,'], [2, 'Type']],
    [['1,simple,A,,1,,,,,'], [2, 'Name']],
    [[parent], [2, 'Type']],
    [
      [parent, '2,variation,A,,5,,,NO,Size,S'],
      [3, 'Parent'],
      [2, 'Type'],
    ],
    [
      [parent, '2,variation,A,,5,,,TEE,Size,'],
      [3, 'Attribute 1 value(s)'],
    ],
    [
      [parent, '2,variation,A,,5,parent,,TEE,Size,S'],
      [3, 'Stock'],
    ],
    [
      [parent, '2,variation,A,,x,,,TEE,Size,S'],
      [3, 'Regular price'],
    ],
    [
      [parent, '2,variation,A,,5,1,,TEE'],
      [3, 'product'],
      [2, 'Type'],
    ],
  ]
  for (const [rows, ...places] of table) {
    const { faults } = await from(`${[heading, ...rows].join('\n')}\n`, { dryRun: true })
    assert.deepEqual(
      faults.map(({ line, field }) => [line, field]),
      places,
      `${rows.join(' / ')}: ${JSON.stringify(faults)}`,
    )
  }
})

test('a sale applies from its first day to the end of its last day', async (t) => {
  const { from, shop } = await shopFor(t)
  const sale =
    'SKU,Name,Regular price,Sale price,Date sale price starts,Date sale price ends\nM,Mug,10,8,2026-03-01,2026-03-31\n'
  const seen = async (day: string) => {
    await from(sale, { now: new Date(day) })
    const { price, compareAtPrice } = (await shop.get(`/v1/products/mug?on=${day}`)).json
    return [price, compareAtPrice]
  }
  assert.deepEqual(await seen('2026-02-28T12:00:00Z'), [10, null])
  assert.deepEqual(await seen('2026-03-01T12:00:00Z'), [8, 10])
  assert.deepEqual(await seen('2026-03-31T12:00:00Z'), [8, 10])
  assert.deepEqual(await seen('2026-04-01T12:00:00Z'), [10, null])
})
