import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const names = async (shop: TestStore, path: string, headers?: Record<string, string>): Promise<string[]> => {
  const answer = await shop.get(path, headers)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json.data ?? answer.json).map(({ name }: { name: string }) => name)
}

const shirt = {
  name: 'Shirt',
  category: 'Clothes',
  variants: [
    { options: { Size: 'S' }, sku: 'S-1', price: 900, compareAtPrice: 1000, stock: 2 },
    { options: { Size: 'M' }, sku: 'M-1', price: 700, compareAtPrice: 1200, stock: 0 },
    { options: { Size: 'L' }, title: 'Large', price: 800, stock: 5 },
  ],
}

test('a product list is a bare array with the fields of the specification', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', description: 'Holds tea.', price: 449.5, category: 'Home > Mugs', stock: 7 })
  const { status, json } = await shop.get('/v1/products')
  assert.equal(status, 200)
  assert.equal(json.length, 1)
  const { id, ...rest } = json[0]
  assert.match(id, /^prod_/)
  assert.deepEqual(rest, {
    name: 'Mug',
    description: 'Holds tea.',
    price: 449.5,
    category: 'Mugs',
    stock: 7,
    stockTracked: true,
    images: [],
    status: 'ACTIVE',
    slug: 'mug',
    currency: 'INR',
    compareAtPrice: null,
    hasVariants: false,
  })
})

test('a product without description, category and images has empty fields', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Bare', price: 1 })
  const [{ description, category, images, stock }] = (await shop.get('/v1/products')).json
  assert.deepEqual({ description, category, images, stock }, { description: '', category: '', images: [], stock: 0 })
})

test('a relative image gets the public URL of the service, and an absolute one is unchanged', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1, images: ['/demo/images/mug.svg', 'https://cdn.example/mug.png'] })
  const [{ images }] = (await shop.get('/v1/products')).json
  assert.deepEqual(images, ['http://vitrine.test/demo/images/mug.svg', 'https://cdn.example/mug.png'])
})

test('a product with variants shows its lowest price with its compare-at price, and the sum of its stock', async () => {
  const shop = await newStore(service)
  await shop.add(shirt)
  const [{ price, compareAtPrice, stock, hasVariants }] = (await shop.get('/v1/products')).json
  assert.deepEqual(
    { price, compareAtPrice, stock, hasVariants },
    { price: 700, compareAtPrice: 1200, stock: 7, hasVariants: true },
  )
})

/** The defaults of a variant. */
const plain = { stockTracked: true, barcode: '', weightGrams: null, image: '' }

test('the product detail adds options, variants, SEO texts and the digital flag', async () => {
  const shop = await newStore(service)
  await shop.add({ ...shirt, seo: { title: 'A shirt', description: 'To wear' } })
  const { json } = await shop.get('/v1/products/shirt')
  const { options, seo, digital, variants } = json
  assert.deepEqual(options, [{ name: 'Size', values: ['S', 'M', 'L'] }])
  assert.deepEqual(seo, { title: 'A shirt', description: 'To wear' })
  assert.equal(digital, false)
  for (const { id } of variants) assert.match(id, /^var_/)
  assert.deepEqual(
    variants.map(({ id: _id, ...variant }: { id: string }) => variant),
    [
      { sku: 'S-1', title: 'S', options: { Size: 'S' }, price: 900, compareAtPrice: 1000, stock: 2, ...plain },
      { sku: 'M-1', title: 'M', options: { Size: 'M' }, price: 700, compareAtPrice: 1200, stock: 0, ...plain },
      { sku: '', title: 'Large', options: { Size: 'L' }, price: 800, compareAtPrice: null, stock: 5, ...plain },
    ],
  )
  const [listed] = (await shop.get('/v1/products')).json
  for (const field of Object.keys(listed)) assert.deepEqual(json[field], listed[field], field)
})

test('a simple product has one variant without options, and a download is not tracked', async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Mug', price: 5, sku: 'MUG', stock: 3 },
    { name: 'Book', price: 9, digital: { url: 'https://files.example/book.pdf' } },
  )
  const mug = (await shop.get('/v1/products/mug')).json
  assert.equal(mug.variants.length, 1)
  assert.deepEqual(
    { ...mug.variants[0], id: '' },
    { id: '', sku: 'MUG', title: '', options: {}, price: 5, compareAtPrice: null, stock: 3, ...plain },
  )
  const book = await shop.get('/v1/products/book')
  assert.equal(book.json.digital, true)
  assert.deepEqual([book.json.stock, book.json.stockTracked], [999, false])
  assert.deepEqual([book.json.variants[0].stock, book.json.variants[0].stockTracked], [999, false])
  assert.ok(!book.text.includes('files.example'), 'the URL of the file is only for buyers')
})

test('the product detail shows vendor, alternative texts, barcode, weight and variant image', async () => {
  const shop = await newStore(service)
  await shop.add({
    name: 'Shirt',
    vendor: 'Blue Door',
    images: [{ url: 'https://cdn.example/front.jpg', alt: 'From the front' }, '/back.svg'],
    variants: [{ options: { Size: 'S' }, price: 5, barcode: '4006381333931', weightGrams: 199.5, image: '/small.svg' }],
  })
  const { vendor, images, media, variants } = (await shop.get('/v1/products/shirt')).json
  assert.equal(vendor, 'Blue Door')
  assert.deepEqual(images, ['https://cdn.example/front.jpg', 'http://vitrine.test/back.svg'])
  assert.deepEqual(media, [
    { url: 'https://cdn.example/front.jpg', alt: 'From the front' },
    { url: 'http://vitrine.test/back.svg', alt: '' },
  ])
  const [{ barcode, weightGrams, image }] = variants
  assert.deepEqual([barcode, weightGrams, image], ['4006381333931', 199.5, 'http://vitrine.test/small.svg'])
  for (const q of ['blue door', '4006381333931']) {
    assert.equal((await shop.get(`/v1/search?q=${encodeURIComponent(q)}`)).json.total, 1, q)
  }
})

test('an untracked variant is in stock at every outlet, also at one added later', async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Print', price: 5, stock: null },
    {
      name: 'Shirt',
      variants: [
        { options: { Size: 'S' }, price: 5, stock: 2 },
        { options: { Size: 'M' }, price: 5, stock: null },
      ],
    },
    { name: 'Mug', price: 5, stock: 0 },
  )
  const pune = await shop.newOutlet('Pune')
  for (const [outlet, shirts] of [
    [shop.outletId, 1001],
    [pune, 999],
  ] as const) {
    const { json } = await shop.get('/v1/products?inStock=true&sort=name', { 'x-outlet-id': outlet })
    assert.deepEqual(
      json.map((p: Record<string, unknown>) => [p.name, p.stock, p.stockTracked]),
      [
        ['Print', 999, false],
        ['Shirt', shirts, false],
      ],
    )
  }
})

test('price and stock are those of the requested outlet, or of the default outlet', async () => {
  const shop = await newStore(service)
  const pune = await shop.newOutlet('Pune')
  await shop.add(
    { name: 'Mug', price: 100, prices: { [pune]: 80 }, stock: { [shop.outletId]: 4, [pune]: 9 } },
    {
      name: 'Shirt',
      variants: [
        { options: { Size: 'S' }, price: 500, stock: { [pune]: 1 } },
        { options: { Size: 'M' }, price: 600, compareAtPrice: 650, prices: { [pune]: 450 } },
      ],
    },
  )
  const seen = async (headers = {}) =>
    (await shop.get('/v1/products?sort=name', headers)).json.map((p: Record<string, unknown>) => [
      p.price,
      p.compareAtPrice,
      p.stock,
    ])
  const inMain = [
    [100, null, 4],
    [500, null, 0],
  ]
  const inPune = [
    [80, null, 9],
    [450, 650, 1],
  ]
  assert.deepEqual(await seen(), inMain)
  assert.deepEqual(await seen({ 'x-outlet-id': shop.outletId }), inMain)
  assert.deepEqual(await seen({ 'x-outlet-id': pune }), inPune)
  const detail = (await shop.get('/v1/products/shirt', { 'x-outlet-id': pune })).json
  assert.deepEqual(
    detail.variants.map((v: Record<string, unknown>) => [v.price, v.stock]),
    [
      [500, 1],
      [450, 0],
    ],
  )
  assert.deepEqual(await names(shop, '/v1/products?maxPrice=90', { 'x-outlet-id': pune }), ['Mug'])
  assert.deepEqual(await names(shop, '/v1/products?maxPrice=90'), [])
  assert.deepEqual(await names(shop, '/v1/products?inStock=true'), ['Mug'])
  assert.deepEqual(await names(shop, '/v1/products?inStock=true&sort=name', { 'x-outlet-id': pune }), ['Mug', 'Shirt'])
})

test('an unknown outlet and an outlet of another store are refused', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  for (const outlet of [other.outletId, 'outlet_nowhere', '']) {
    assertError(await shop.get('/v1/products', { 'x-outlet-id': outlet }), 400, 'BAD_REQUEST')
  }
})

test('drafts and archived products are not visible and not counted', async () => {
  const shop = await newStore(service)
  const mugs = { price: 10, category: 'Mugs', stock: 1 }
  await shop.add({ name: 'Mug one', ...mugs }, { name: 'Mug two', ...mugs }, { name: 'Mug three', ...mugs })
  const [hidden] = (await shop.get('/v1/products/mug-two')).json.variants
  await shop.add({ name: 'Mug two', ...mugs, status: 'DRAFT' }, { name: 'Mug three', ...mugs, status: 'ARCHIVED' })
  assert.ok(hidden)
  assert.deepEqual(await names(shop, '/v1/products?limit=50'), ['Mug one'])
  assert.deepEqual(await names(shop, '/v1/products?category=mugs&inStock=true'), ['Mug one'])
  for (const slug of ['mug-two', 'mug-three']) assertError(await shop.get(`/v1/products/${slug}?now`), 404, 'NOT_FOUND')
  const found = (await shop.get('/v1/search?q=mug')).json
  assert.equal(found.total, 1)
  assert.deepEqual(
    found.data.map((p: { name: string }) => p.name),
    ['Mug one'],
  )
  assert.deepEqual(
    found.facets.categories.map((c: { count: number }) => c.count),
    [1],
  )
  assert.deepEqual((await shop.get('/v1/search/suggest?q=mug')).json.products.length, 1)
  assert.deepEqual((await shop.get('/v1/categories')).json.data[0].productCount, 1)
})

test('a product is found by id or slug, and not in another store', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  await shop.add({ name: 'Mug', price: 1 })
  await other.add({ name: 'Plate', price: 1 })
  const mug = (await shop.get('/v1/products/mug')).json
  assert.deepEqual((await shop.get(`/v1/products/${mug.id}`)).json, mug)
  for (const name of [mug.id, 'mug', 'plate-', 'PLATE', ' plate']) {
    assertError(await other.get(`/v1/products/${encodeURIComponent(name)}`), 404, 'NOT_FOUND')
  }
})

test("an id takes precedence over another product's equal slug", async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Real', price: 1 })
  const { id } = (await shop.get('/v1/products/real')).json
  await shop.add({ name: 'Impostor', slug: id, price: 2 })
  assert.equal((await shop.get(`/v1/products/${id}?again`)).json.name, 'Real')
})

test('a slug in any script finds its product', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'कमल का फूल', price: 1 }, { name: 'Slash', slug: 'a/b?c', price: 1 })
  assert.equal((await shop.get(`/v1/products/${encodeURIComponent('कमल-का-फूल')}`)).json.name, 'कमल का फूल')
  assert.equal((await shop.get(`/v1/products/${encodeURIComponent('a/b?c')}`)).json.name, 'Slash')
})

test('HEAD returns the same headers as GET without the body', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1 }, { name: 'Plate', price: 1 })
  const ask = async (method: string, path: string) => {
    const headers = { 'x-store-key': shop.key, 'accept-encoding': 'identity' }
    const answer = await fetch(`${service.url}${path}`, { method, headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const same = ['etag', 'content-type', 'x-next-cursor', 'x-has-more', 'link', 'cache-control', 'vary']
  for (const path of [
    '/v1/products?limit=1',
    '/v1/products/mug',
    '/v1/store',
    '/v1/search?q=mug',
    '/v1/products/none',
  ]) {
    const [got, head] = [await ask('GET', path), await ask('HEAD', path)]
    assert.equal(head.status, got.status)
    assert.equal(head.text, '')
    for (const name of same) assert.equal(head.headers.get(name), got.headers.get(name), `${path} ${name}`)
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(got.text)))
  }
})

test('categories are listed in order, paged, with the counts of products directly in them', async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'A', price: 1, category: 'Home > Mugs' },
    { name: 'B', price: 1, category: 'Home > Mugs' },
    { name: 'C', price: 1, category: 'Home' },
    { name: 'D', price: 1, category: 'Office > Mugs' },
  )
  const { json } = await shop.get('/v1/categories')
  assert.deepEqual(Object.keys(json).sort(), ['data', 'hasMore', 'nextCursor'])
  assert.deepEqual([json.hasMore, json.nextCursor], [false, null])
  const [home, mugs, office] = json.data
  assert.deepEqual(
    { ...mugs, id: '' },
    { id: '', name: 'Mugs', slug: 'mugs', parentId: home.id, image: '', productCount: 2, position: 2 },
  )
  assert.deepEqual(
    json.data.map((c: Record<string, unknown>) => [c.name, c.slug, c.parentId, c.productCount]),
    [
      ['Home', 'home', null, 1],
      ['Mugs', 'mugs', home.id, 2],
      ['Office', 'office', null, 0],
      ['Mugs', 'office-mugs', office.id, 1],
    ],
  )
})

test('an empty store returns empty lists', async () => {
  const shop = await newStore(service)
  assert.deepEqual((await shop.get('/v1/products')).json, [])
  assert.deepEqual((await shop.get('/v1/categories')).json, { data: [], nextCursor: null, hasMore: false })
  assert.deepEqual((await shop.get('/v1/menu')).json, { items: [] })
})
