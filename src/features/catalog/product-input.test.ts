import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optionKey, type ProductPatch, readProduct, slugify, splitPath } from './product-input.ts'

const read = (file: unknown, currency = 'INR'): ProductPatch => {
  const product = readProduct(file, currency)
  assert.ok(!Array.isArray(product), JSON.stringify(product))
  return product
}
const faultsOf = (file: unknown, currency = 'INR') => {
  const faults = readProduct(file, currency)
  assert.ok(Array.isArray(faults), 'a fault was expected')
  for (const { message } of faults) assert.ok(message.length > 0)
  return faults.map(({ field }) => field)
}

test('omitted fields are undefined in the patch', () => {
  const { own, seo, ...product } = read({ name: 'Mug', price: 449.5 })
  assert.deepEqual([product.slug, product.name, own.priceMinor], ['mug', 'Mug', 44950])
  const { slug: _, name: __, ...others } = product
  const { priceMinor: ___, ...rest } = own
  for (const said of [...Object.values(others), ...Object.values(rest), ...Object.values(seo)]) {
    assert.equal(said, undefined)
  }
})

test('null clears a field, and for stock it means not tracked', () => {
  const cleared = ['description', 'category', 'vendor', 'images', 'tags', 'seo', 'digital', 'taxRate', 'sku', 'barcode']
  const fields = [...cleared, 'compareAtPrice', 'weightGrams', 'prices', 'stock']
  const product = read({ name: 'Mug', price: 1, ...Object.fromEntries(fields.map((field) => [field, null])) })
  assert.deepEqual(
    [product.description, product.categoryPath, product.vendor, product.images, product.tags, product.seo],
    ['', [], '', [], [], { title: '', description: '' }],
  )
  assert.deepEqual([product.digital, product.taxRate], [null, 0])
  const { sku, barcode, compareAtMinor, weightGrams, pricesMinor, stock } = product.own
  assert.deepEqual([sku, barcode, compareAtMinor, weightGrams, stock], ['', '', null, null, null])
  assert.deepEqual(pricesMinor, { clears: true, byOutlet: {} })
  const kept = read({ slug: 'mug', name: null, price: null, status: null, options: null, variants: null })
  assert.deepEqual(
    [kept.name, kept.own.priceMinor, kept.status, kept.options, kept.variants],
    [undefined, undefined, undefined, undefined, undefined],
  )
  const one = read({ slug: 'mug', seo: { title: null }, prices: { outlet_1: null, outlet_2: 3 } })
  assert.deepEqual(one.seo, { title: '', description: undefined })
  assert.deepEqual(one.own.pricesMinor, { clears: false, byOutlet: { outlet_1: null, outlet_2: 300 } })
})

test('an image is a URL with or without an alternative text', () => {
  const { images } = read({ name: 'Mug', images: ['https://a.example/1.jpg', { url: '/2.svg', alt: 'Two' }] })
  assert.deepEqual(images, [
    { url: 'https://a.example/1.jpg', alt: undefined },
    { url: '/2.svg', alt: 'Two' },
  ])
  for (const image of [
    'mug.jpg',
    'C:\\mug.jpg',
    '//a.example/1.jpg',
    'javascript:alert(1)',
    'https://',
    '',
    'data:,x',
  ]) {
    assert.deepEqual(faultsOf({ name: 'Mug', images: ['/1.svg', image] }), ['images.1'], image)
    assert.deepEqual(faultsOf({ name: 'Mug', images: [{ url: image }] }), ['images.0'], image)
    const variants = [{ options: { Size: 'S' }, price: 1, image }]
    assert.deepEqual(faultsOf({ name: 'Mug', variants }), ['variants.0.image'], image)
  }
})

test('a variant needs options or a SKU', () => {
  const { variants } = read({ slug: 'shirt', variants: [{ sku: 'S-1', price: 3 }, { options: { Size: 'M' } }] })
  assert.deepEqual(
    variants?.map(({ sku, options, priceMinor }) => [sku, options, priceMinor]),
    [
      ['S-1', undefined, 300],
      [undefined, { Size: 'M' }, undefined],
    ],
  )
  assert.deepEqual(faultsOf({ slug: 'shirt', variants: [{ price: 3 }] }), ['variants.0.options'])
})

test('an amount that is not exact in the currency of the store is a fault of its field', () => {
  assert.equal(read({ name: 'Mug', price: 1.255 }, 'KWD').own.priceMinor, 1255)
  assert.equal(read({ name: 'Mug', price: 980 }, 'JPY').own.priceMinor, 980)
  assert.deepEqual(faultsOf({ name: 'Mug', price: 9.5 }, 'JPY'), ['price'])
  assert.deepEqual(faultsOf({ name: 'Mug', price: 1, compareAtPrice: 1.001 }), ['compareAtPrice'])
  assert.deepEqual(faultsOf({ name: 'Mug', price: 1, prices: { o: 1.001 } }), ['prices'])
  assert.deepEqual(faultsOf({ name: 'Mug', price: 1e300 }), ['price'])
  const variants = [
    { options: { S: '1' }, price: 1 },
    { options: { S: '2' }, price: 1.999 },
  ]
  assert.deepEqual(faultsOf({ name: 'Mug', variants }), ['variants.1.price'])
})

test('a product without name and slug, or with values of the wrong type, has a fault for each field', () => {
  const mug = { name: 'Mug', price: 1 }
  for (const value of [null, 'mug', 5, [], [mug]]) assert.ok(faultsOf(value).length > 0)
  assert.ok(faultsOf({ price: 1 }).includes('name'))
  const wrong: Record<string, unknown> = {
    name: '',
    price: '1',
    slug: '',
    description: 5,
    stock: -1,
    images: 'a.png',
    status: 'active',
    tags: [5],
    taxRate: 101,
    options: [{ name: 'Size' }],
    variants: [],
    vendor: 5,
    weightGrams: -1,
    barcode: 5,
    compareAtPrice: 'x',
  }
  for (const [field, value] of Object.entries(wrong)) {
    const named = faultsOf({ ...mug, [field]: value })
    assert.ok(
      named.every((name) => name === field || name.startsWith(`${field}.`)),
      `${field}: ${named}`,
    )
  }
  for (const stock of [1.5, '3', true, { outlet: -1 }, [1]]) assert.ok(faultsOf({ ...mug, stock }).length > 0)
})

test('two variants with the same options are refused, whatever the order of the options', () => {
  const variants = [
    { options: { Size: 'S', Colour: 'Red' }, price: 1 },
    { options: { Colour: 'Red', Size: 'S' }, price: 2 },
  ]
  assert.deepEqual(faultsOf({ name: 'Shirt', variants }), ['variants'])
  assert.deepEqual(faultsOf({ name: 'Shirt', variants: variants.map((v) => ({ ...v, options: {} })) }), ['variants'])
})

test('text that the database cannot store is refused', () => {
  for (const name of ['a\0b', 'a\ud800b', '\udc00']) assert.deepEqual(faultsOf({ name, slug: 'a', price: 1 }), ['name'])
  assert.ok(faultsOf({ name: 'Mug', price: 1, images: ['ok', '\0'] }).length > 0)
})

test('a name without letters or digits needs a slug', () => {
  assert.deepEqual(faultsOf({ name: '!!!', price: 1 }), ['slug'])
  assert.equal(read({ name: '!!!', slug: 'bang', price: 1 }).slug, 'bang')
})

test('a slug has letters and digits of any script, without accents, and single hyphens', () => {
  const slugs = {
    'Café au lait mug': 'cafe-au-lait-mug',
    '  Crème — Brûlée!! ': 'creme-brulee',
    'iPhone 16 (Walnut)': 'iphone-16-walnut',
    'कमल का फूल': 'कमल-का-फूल',
    'Ärger & Maß': 'arger-maß',
    'a_b/c?d=e%00': 'a-b-c-d-e-00',
    '../../etc': 'etc',
    '': '',
    '🫖': '',
  }
  for (const [text, slug] of Object.entries(slugs)) assert.equal(slugify(text), slug, text)
  assert.equal(slugify('Café'), slugify('Cafe\u0301'))
  assert.ok(slugify('x'.repeat(500)).length <= 200)
  assert.ok(slugify(`${'x'.repeat(199)} y`).length <= 200)
})

test('a category path is split at ">", and surrounding spaces are ignored', () => {
  assert.deepEqual(splitPath('Home > Kitchen>Mugs and cups '), ['Home', 'Kitchen', 'Mugs and cups'])
  assert.deepEqual(splitPath(' > '), [])
  assert.deepEqual(splitPath(''), [])
})

test('equal options have equal keys, and different options have different keys', () => {
  assert.equal(optionKey({ a: '1', b: '2' }), optionKey({ b: '2', a: '1' }))
  assert.equal(optionKey({}), '')
  const keys = [{ a: '1', b: '2' }, { a: '1,b:2' }, { a: '1"],["b","2' }, { 'a,b': '12' }, { a: '1' }, { a: '' }]
  assert.equal(new Set(keys.map(optionKey)).size, keys.length)
})
