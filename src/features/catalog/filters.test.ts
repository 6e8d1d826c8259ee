import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const names = async (shop: TestStore, query: string): Promise<string[]> => {
  const answer = await shop.get(`/v1/products?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.map(({ name }: { name: string }) => name)
}

/** Oldest first. Each sort gives a different order, so that no sort can pass for another. */
const aShop = async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Bowl', price: 300, category: 'Home > Kitchen', stock: 1 },
    { name: 'Apron', price: 500, category: 'Home > Kitchen > Linen', stock: 0 },
    { name: 'Lamp', price: 100, category: 'Home', stock: 2 },
    { name: 'Pen', price: 50.5, category: 'Office', stock: 0 },
    { name: 'Eraser', price: 10, stock: 9 },
  )
  const categories = (await shop.get('/v1/categories')).json.data as { id: string; slug: string }[]
  return { ...shop, categoryId: (slug: string) => categories.find((category) => category.slug === slug)?.id ?? '' }
}

test('each sort gives its order, and the default is newest first', async () => {
  const shop = await aShop()
  const newest = ['Eraser', 'Pen', 'Lamp', 'Apron', 'Bowl']
  assert.deepEqual(await names(shop, ''), newest)
  assert.deepEqual(await names(shop, 'sort=newest'), newest)
  assert.deepEqual(await names(shop, 'sort=price'), ['Eraser', 'Pen', 'Lamp', 'Bowl', 'Apron'])
  assert.deepEqual(await names(shop, 'sort=-price'), ['Apron', 'Bowl', 'Lamp', 'Pen', 'Eraser'])
  assert.deepEqual(await names(shop, 'sort=name'), ['Apron', 'Bowl', 'Eraser', 'Lamp', 'Pen'])
  assert.deepEqual(await names(shop, 'sort=-name'), ['Pen', 'Lamp', 'Eraser', 'Bowl', 'Apron'])
  for (const sort of ['', 'PRICE', 'relevance', '+price', 'price,name']) {
    assertError(await shop.get(`/v1/products?sort=${encodeURIComponent(sort)}`), 400, 'BAD_REQUEST')
  }
})

test('sorting by name ignores case and accents', async () => {
  const shop = await newStore(service)
  await shop.add(...['cherry', 'Élan', 'banana', 'Apple', 'zebra', 'eland'].map((name) => ({ name, price: 1 })))
  assert.deepEqual(await names(shop, 'sort=name'), ['Apple', 'banana', 'cherry', 'Élan', 'eland', 'zebra'])
})

test('a category filter by id or slug includes the products of its descendants', async () => {
  const shop = await aShop()
  const inside = { home: ['Lamp', 'Apron', 'Bowl'], kitchen: ['Apron', 'Bowl'], linen: ['Apron'], office: ['Pen'] }
  for (const [slug, expected] of Object.entries(inside)) {
    assert.deepEqual(await names(shop, `category=${slug}`), expected)
    assert.deepEqual(await names(shop, `category=${shop.categoryId(slug)}`), expected)
  }
})

test('an unknown category and one of another store match nothing', async () => {
  const [shop, other] = [await aShop(), await aShop()]
  const strangers = ['nowhere', 'HOME', other.categoryId('home')]
  for (const category of strangers) assert.deepEqual(await names(shop, `category=${category}`), [])
  assertError(await shop.get('/v1/products?category='), 400, 'BAD_REQUEST')
})

test('moving a product to another category updates lists and counts', async () => {
  const shop = await aShop()
  await shop.add({ name: 'Apron', price: 500, category: 'Office' })
  assert.deepEqual(await names(shop, 'category=home&moved'), ['Lamp', 'Bowl'])
  assert.deepEqual(await names(shop, 'category=office&moved'), ['Pen', 'Apron'])
  const counts = (await shop.get('/v1/categories?limit=9')).json.data
  assert.deepEqual(
    counts.map((c: { slug: string; productCount: number }) => [c.slug, c.productCount]),
    [
      ['home', 1],
      ['kitchen', 1],
      ['linen', 0],
      ['office', 2],
    ],
  )
})

test('ids selects products of this store in the requested order and ignores unknown ids', async () => {
  const [shop, other] = [await aShop(), await aShop()]
  const id = async (of: TestStore, slug: string) => (await of.get(`/v1/products/${slug}`)).json.id
  const [pen, bowl, foreign] = [await id(shop, 'pen'), await id(shop, 'bowl'), await id(other, 'lamp')]
  assert.deepEqual(await names(shop, `ids=${bowl},${pen}`), ['Pen', 'Bowl'])
  assert.deepEqual(await names(shop, `ids=${bowl},${pen}&sort=name`), ['Bowl', 'Pen'])
  assert.deepEqual(await names(shop, `ids=${pen},,${pen},prod_unknown,${foreign}`), ['Pen'])
  assert.deepEqual(await names(shop, `ids=,`), [])
})

test('a hundred ids are accepted, and one more is refused', async () => {
  const shop = await newStore(service)
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `prod_${i}`).join(',')
  assert.deepEqual(await names(shop, `ids=${ids(100)}`), [])
  assertError(await shop.get(`/v1/products?ids=${ids(101)}`), 400, 'BAD_REQUEST')
})

test('price bounds include the bound itself', async () => {
  const shop = await aShop()
  assert.deepEqual(await names(shop, 'minPrice=100&sort=price'), ['Lamp', 'Bowl', 'Apron'])
  assert.deepEqual(await names(shop, 'maxPrice=100&sort=price'), ['Eraser', 'Pen', 'Lamp'])
  assert.deepEqual(await names(shop, 'minPrice=50.5&maxPrice=300&sort=price'), ['Pen', 'Lamp', 'Bowl'])
  assert.deepEqual(await names(shop, 'minPrice=50.505&maxPrice=99.999'), [])
  assert.deepEqual(await names(shop, 'minPrice=300&maxPrice=100'), [])
  assert.deepEqual(await names(shop, 'minPrice=0&maxPrice=1000000000000&limit=100').then((all) => all.length), 5)
  for (const price of ['-1', 'cheap', '1e13', 'NaN', 'Infinity', '']) {
    assertError(await shop.get(`/v1/products?minPrice=${price}`), 400, 'BAD_REQUEST')
  }
})

test('prices and bounds have no decimals in yen and three in dinars', async () => {
  const tokyo = await newStore(service, { currency: 'JPY' })
  await tokyo.add({ name: 'Tea', price: 980 }, { name: 'Cup', price: 981 })
  assert.equal((await tokyo.get('/v1/products/tea')).json.price, 980)
  assert.deepEqual(await names(tokyo, 'minPrice=981'), ['Cup'])
  assert.deepEqual(await names(tokyo, 'minPrice=980.5'), ['Cup'])
  assert.deepEqual(await names(tokyo, 'maxPrice=980.5'), ['Tea'])
  const kuwait = await newStore(service, { currency: 'KWD' })
  await kuwait.add({ name: 'Tea', price: 1.255 }, { name: 'Cup', price: 1.256 })
  assert.equal((await kuwait.get('/v1/products/tea')).json.price, 1.255)
  assert.deepEqual(await names(kuwait, 'minPrice=1.256'), ['Cup'])
  assert.deepEqual(await names(kuwait, 'maxPrice=1.255'), ['Tea'])
  assert.deepEqual((await kuwait.get('/v1/search?q=tea')).json.facets.price, { min: 1.255, max: 1.255 })
})

test('inStock selects products in stock, or products out of stock', async () => {
  const shop = await aShop()
  assert.deepEqual(await names(shop, 'inStock=true'), ['Eraser', 'Lamp', 'Bowl'])
  assert.deepEqual(await names(shop, 'inStock=false'), ['Pen', 'Apron'])
  for (const value of ['yes', '1', '', 'TRUE']) {
    assertError(await shop.get(`/v1/products?inStock=${value}`), 400, 'BAD_REQUEST')
  }
})

test('filters can be combined', async () => {
  const shop = await aShop()
  assert.deepEqual(await names(shop, 'category=home&inStock=true&maxPrice=200'), ['Lamp'])
  assert.deepEqual(await names(shop, 'category=kitchen&inStock=false'), ['Apron'])
  assert.deepEqual(await names(shop, 'category=home&minPrice=200&sort=-price'), ['Apron', 'Bowl'])
  const { id } = (await shop.get('/v1/products/bowl')).json
  assert.deepEqual(await names(shop, `ids=${id}&category=home&inStock=true&minPrice=300&maxPrice=300`), ['Bowl'])
  assert.deepEqual(await names(shop, `ids=${id}&category=linen`), [])
})

test('the page size is 20 by default, and can be 1 to 100', async () => {
  const shop = await newStore(service)
  await shop.add(...Array.from({ length: 101 }, (_, i) => ({ name: `Thing ${i}`, price: 1 })))
  assert.equal((await names(shop, '')).length, 20)
  assert.equal((await names(shop, 'limit=1')).length, 1)
  assert.equal((await names(shop, 'limit=100')).length, 100)
  for (const limit of ['0', '-1', '101', '1.5', 'abc', '', '1e3', '9007199254740993']) {
    assertError(await shop.get(`/v1/products?limit=${limit}`), 400, 'BAD_REQUEST')
  }
})
