import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const find = async (shop: TestStore, q: string, more = '') => {
  const answer = await shop.get(`/v1/search?q=${encodeURIComponent(q)}${more}`)
  assert.equal(answer.status, 200, `${q}: ${answer.text}`)
  return answer.json
}
const found = async (shop: TestStore, q: string, more = ''): Promise<string[]> =>
  (await find(shop, q, more)).data.map(({ name }: { name: string }) => name).toSorted()

const aShop = async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Café au lait mug', description: 'Stoneware, holds 300 ml.', price: 449, category: 'Mugs', stock: 3 },
    { name: 'Plain mug', description: 'For coffee or tea.', price: 199, category: 'Mugs', stock: 0 },
    { name: 'Cafe table', description: 'Round, of steel.', price: 4999, category: 'Tables', stock: 1 },
    { name: 'कमल का दीया', description: 'मिट्टी का दीया', price: 99, category: 'Lamps', stock: 5 },
    { name: 'Crème brûlée candle', price: 349, stock: 1 },
  )
  return shop
}

test('a word finds products by name and description', async () => {
  const shop = await aShop()
  assert.deepEqual(await found(shop, 'mug'), ['Café au lait mug', 'Plain mug'])
  assert.deepEqual(await found(shop, 'stoneware'), ['Café au lait mug'])
  assert.deepEqual(await found(shop, 'MUG'), ['Café au lait mug', 'Plain mug'])
  assert.deepEqual(await found(shop, 'elephant'), [])
})

test('a prefix is enough, and all words must match', async () => {
  const shop = await aShop()
  assert.deepEqual(await found(shop, 'stone'), ['Café au lait mug'])
  assert.deepEqual(await found(shop, 'pla mu'), ['Plain mug'])
  assert.deepEqual(await found(shop, 'mug coffee'), ['Plain mug'])
  assert.deepEqual(await found(shop, 'mug table'), [])
})

test('a known word followed by another must match whole, unless no product has all words', async () => {
  const shop = await newStore(service)
  const names = ['Iron table', 'Ironing table', 'Ironing boots', 'Iron gate']
  await shop.add(...names.map((name) => ({ name, price: 1, stock: 1 })))
  assert.deepEqual(await found(shop, 'iron table'), ['Iron table'])
  assert.deepEqual(await found(shop, 'iron tab'), ['Iron table'])
  assert.deepEqual(await found(shop, 'ironi table'), ['Ironing table'])
  assert.deepEqual(await found(shop, 'iron boots'), ['Ironing boots'])
  assert.deepEqual(await found(shop, 'irno table'), ['Iron table'])
  assert.deepEqual(await found(shop, 'iron'), names.toSorted())
})

test('the last word also matches as a prefix unless whole-word matches fill a page', async () => {
  const shop = await newStore(service)
  const lamps = Array.from({ length: 19 }, (_, i) => ({ name: `Lamp ${i}`, price: 1, stock: 1 }))
  await shop.add(...lamps, { name: 'Lampshade', price: 1, stock: 1 })
  assert.equal((await find(shop, 'lamp')).total, 20)
  await shop.add({ name: 'Lamp 19', price: 1, stock: 1 })
  for (const more of ['', '&limit=1', '&sort=price']) assert.equal((await find(shop, `lamp`, more)).total, 20, more)
  assert.deepEqual(await found(shop, 'lamp', '&limit=100'), [...lamps.map(({ name }) => name), 'Lamp 19'].toSorted())
  assert.deepEqual(await found(shop, 'lamps'), await found(shop, 'lamp'))
  assert.deepEqual(await found(shop, 'lampsh'), ['Lampshade'])
})

test('accents are ignored in products and queries, composed or not', async () => {
  const shop = await aShop()
  for (const q of ['cafe', 'café', 'CAFÉ', 'cafe\u0301']) {
    assert.deepEqual(await found(shop, q), ['Cafe table', 'Café au lait mug'], q)
  }
  for (const q of ['creme brulee', 'crème brûlée', 'brul']) {
    assert.deepEqual(await found(shop, q), ['Crème brûlée candle'], q)
  }
})

test('Hindi is found by words and prefixes', async () => {
  const shop = await aShop()
  for (const q of ['कमल', 'दीया', 'कम', 'मिट्टी']) assert.deepEqual(await found(shop, q), ['कमल का दीया'], q)
  assert.deepEqual(await found(shop, 'गुलाब'), [])
})

test('a misspelt word is corrected, and a correct one is not', async () => {
  const shop = await aShop()
  for (const q of ['stonewear', 'stonware', 'sotneware'])
    assert.deepEqual(await found(shop, q), ['Café au lait mug'], q)
  assert.deepEqual(await found(shop, 'cnadle'), ['Crème brûlée candle'])
  assert.deepEqual(await found(shop, 'table'), ['Cafe table'])
})

test('very long words do not break a search', async () => {
  const shop = await newStore(service)
  await shop.add({ name: `Mug ${'x'.repeat(400)}`, slug: 'long', description: 'y'.repeat(5000), price: 1 })
  assert.equal((await find(shop, 'mug')).total, 1)
  for (const q of ['x'.repeat(200), `${'x'.repeat(198)}zz`, 'y'.repeat(200), `z${'y'.repeat(199)}`, 'xxxxxxxz']) {
    await find(shop, q)
    assert.equal((await shop.get(`/v1/search/suggest?q=${q}`)).status, 200)
  }
})

test('matches in the name come before matches in the description', async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Teapot', description: 'Pours well.', price: 1 },
    { name: 'Tray', description: 'Carries a teapot.', price: 1 },
  )
  const { data } = await find(shop, 'teapot')
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    ['Teapot', 'Tray'],
  )
})

test('the total counts all matches, whatever the page size', async () => {
  const shop = await aShop()
  const { data, total, totalIsExact, facets, hasMore, nextCursor } = await find(shop, 'mug', '&limit=1')
  assert.deepEqual([data.length, total, totalIsExact, hasMore], [1, 2, true, true])
  assert.ok(nextCursor)
  assert.deepEqual(
    facets.categories.map(({ id: _id, ...rest }: { id: string }) => rest),
    [{ name: 'Mugs', slug: 'mugs', count: 2 }],
  )
  assert.deepEqual(facets.price, { min: 199, max: 449 })
  assert.deepEqual(facets.inStock, { count: 1 })
})

test('facets list every category of the matches, largest first', async () => {
  const shop = await newStore(service)
  const thing = (name: string, category?: string) => ({
    name: `Thing ${name}`,
    price: 1,
    ...(category && { category }),
  })
  await shop.add(thing('1', 'Few'), thing('2', 'Many'), thing('3', 'Many'), thing('4'))
  const { facets, total } = await find(shop, 'thing')
  assert.equal(total, 4)
  assert.deepEqual(
    facets.categories.map(({ name, count }: { name: string; count: number }) => [name, count]),
    [
      ['Many', 2],
      ['Few', 1],
    ],
  )
})

test('filters and sorts work as in the list, and the counts follow the filters', async () => {
  const shop = await aShop()
  assert.deepEqual(await found(shop, 'caf', '&category=mugs'), ['Café au lait mug'])
  assert.deepEqual(await found(shop, 'caf', '&category=nowhere'), [])
  assert.deepEqual(await found(shop, 'caf', '&minPrice=450'), ['Cafe table'])
  assert.deepEqual(await found(shop, 'mug', '&inStock=false'), ['Plain mug'])
  const { id } = (await shop.get('/v1/products/cafe-table')).json
  assert.deepEqual(await found(shop, 'caf', `&ids=${id}`), ['Cafe table'])
  const cheapest = await find(shop, 'mug', '&sort=price')
  assert.deepEqual(
    cheapest.data.map(({ price }: { price: number }) => price),
    [199, 449],
  )
  const dearest = await find(shop, 'mug', '&sort=-price&maxPrice=200')
  assert.deepEqual([dearest.total, dearest.facets.price], [1, { min: 199, max: 199 }])
})

test('a search result has the same products as the list', async () => {
  const shop = await aShop()
  const [listed] = (await shop.get('/v1/products?category=tables')).json
  assert.deepEqual((await find(shop, 'table')).data, [listed])
})

test('a search uses the prices and stock of its outlet', async () => {
  const shop = await newStore(service)
  const pune = await shop.newOutlet('Pune')
  await shop.add({ name: 'Mug', price: 10, prices: { [pune]: 8 }, stock: { [pune]: 4 } })
  const { data, facets } = (await shop.get('/v1/search?q=mug', { 'x-outlet-id': pune })).json
  assert.deepEqual([data[0].price, data[0].stock, facets.price.max, facets.inStock.count], [8, 4, 8, 1])
})

test('a search does not find products of another store', async () => {
  const [shop, other] = [await aShop(), await newStore(service)]
  assert.equal((await find(shop, 'mug')).total, 2)
  assert.equal((await find(other, 'mug')).total, 0)
  assert.deepEqual((await other.get('/v1/search/suggest?q=mug')).json, { products: [], categories: [] })
})

test('an empty query, and one of only punctuation or spaces, finds nothing', async () => {
  const shop = await aShop()
  for (const q of ['', ' ', '!', '&', '|', '---', '???', '  \t ', '&|!()<->:*', "''", '\\', '""', '…', '🫖']) {
    const { data, total, hasMore, nextCursor, facets } = await find(shop, q)
    assert.deepEqual([data, total, hasMore, nextCursor], [[], 0, false, null], JSON.stringify(q))
    assert.deepEqual(facets, { categories: [], price: { min: null, max: null }, inStock: { count: 0 } })
  }
})

test('query operators have no meaning and break nothing', async () => {
  const shop = await aShop()
  for (const q of [
    'mug &',
    'mug | table',
    '!mug',
    '(mug',
    'mug)',
    "mug'",
    "'mug'",
    'mug:*',
    'mug\\',
    'mug:A',
    '"mug"',
  ]) {
    const names = await found(shop, q)
    assert.ok(
      names.every((name) => /mug/i.test(name)),
      `${q}: ${names}`,
    )
  }
  for (const q of [
    'plain <-> mug',
    'plain & mug',
    'plain !mug',
    'plain | mug',
    "plain'mug",
    'plain:*mug',
    'plain\\mug',
  ]) {
    assert.deepEqual(await found(shop, q), ['Plain mug'], q)
  }
  for (const q of [
    "'; drop table product; --",
    '%',
    '_',
    '$1',
    '{}',
    '<script>',
    'a@b.example/c?d=e',
    "shop.example/it's/a'b:c&d",
    '\u202e',
    '\ufeff',
  ]) {
    await find(shop, q)
  }
})

test('a query of 200 characters is accepted, and one more is refused', async () => {
  const shop = await newStore(service)
  for (const letter of ['a', 'क', '🫖', 'a ']) {
    const text = letter.repeat(200).slice(0, 200 * (letter === '🫖' ? 2 : 1))
    assert.equal((await shop.get(`/v1/search?q=${encodeURIComponent(text)}`)).status, 200, letter)
    assertError(await shop.get(`/v1/search?q=${encodeURIComponent(`${text}x`)}`), 400, 'BAD_REQUEST')
  }
  assertError(await shop.get(`/v1/search/suggest?q=${'x'.repeat(201)}`), 400, 'BAD_REQUEST')
})

test('a search without q, or with two, is refused', async () => {
  const shop = await newStore(service)
  for (const path of ['/v1/search', '/v1/search/suggest', '/v1/search?q=a&q=b', '/v1/search?Q=a']) {
    assertError(await shop.get(path), 400, 'BAD_REQUEST')
  }
})

test('suggestions are a few products with image, and categories', async () => {
  const shop = await newStore(service)
  const mugs = Array.from({ length: 12 }, (_, i) => ({ name: `Mug ${i}`, price: 1, category: 'Mugs and cups' }))
  await shop.add(...mugs, { name: 'Café mug', price: 1, images: ['/a.svg', '/b.svg'] })
  const { products, categories } = (await shop.get('/v1/search/suggest?q=mu')).json
  assert.ok(products.length >= 5 && products.length <= 10)
  assert.deepEqual(
    categories.map(({ name, slug }: { name: string; slug: string }) => [name, slug]),
    [['Mugs and cups', 'mugs-and-cups']],
  )
  const one = (await shop.get('/v1/search/suggest?q=cafe')).json.products
  const { id, ...rest } = one[0]
  assert.equal(one.length, 1)
  assert.match(id, /^prod_/)
  assert.deepEqual(rest, { slug: 'cafe-mug', name: 'Café mug', image: 'http://vitrine.test/a.svg' })
  assert.deepEqual((await shop.get('/v1/search/suggest?q=')).json, { products: [], categories: [] })
})

test('a single last letter is ignored unless it is a word itself', async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Masala dabba', price: 1 },
    { name: 'Masala chai', price: 1 },
    { name: 'Vitamin tablets', price: 1 },
    { name: 'Vitamin C tablets', price: 1 },
  )
  const found = async (q: string) =>
    (await shop.get(`/v1/search?q=${encodeURIComponent(q)}`)).json.data.map(({ name }: { name: string }) => name).sort()
  const suggested = async (q: string) =>
    (await shop.get(`/v1/search/suggest?q=${encodeURIComponent(q)}`)).json.products
      .map(({ name }: { name: string }) => name)
      .sort()
  for (const ask of [found, suggested]) {
    assert.deepEqual(await ask('masala d'), ['Masala chai', 'Masala dabba'])
    assert.deepEqual(await ask('masala da'), ['Masala dabba'])
    assert.deepEqual(await ask('vitamin c'), ['Vitamin C tablets'])
    assert.deepEqual(await ask('vitamin x'), ['Vitamin C tablets', 'Vitamin tablets'])
    assert.deepEqual(await ask('teapot x'), [])
  }
})
