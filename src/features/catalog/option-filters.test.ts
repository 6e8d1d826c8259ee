import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { joinLists } from './filters.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Options = Record<string, string>
const product = (name: string, variants: Options[], more: object = {}) => ({
  ...{ name, ...more },
  variants: variants.map((options) => ({ options, price: 10, stock: 1 })),
})

const aShop = async () => {
  const shop = await newStore(service)
  await shop.add(
    product('Kurta', [
      { Size: 'S', Colour: 'Indigo' },
      { Size: 'M', Colour: 'Rust' },
    ]),
    product('Shirt', [{ Size: 'S' }, { Size: 'M' }, { Size: 'L' }], { category: 'Clothes > Shirts' }),
    product('Mug', [{ Colour: 'Oat' }, { Colour: 'Indigo' }], { description: 'Not in rust.' }),
    { name: 'Indigo dye', description: 'Size S', price: 1, stock: 1 },
  )
  return shop
}

const narrowed = async (shop: TestStore, options: string, more = '') => {
  const answer = await shop.get(`/v1/products?options=${encodeURIComponent(options)}${more}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.map(({ name }: { name: string }) => name).toSorted()
}

test('an options filter selects products with a matching variant', async () => {
  const shop = await aShop()
  assert.deepEqual(await narrowed(shop, 'Colour:Indigo'), ['Kurta', 'Mug'])
  assert.deepEqual(await narrowed(shop, 'Size:S'), ['Kurta', 'Shirt'])
  assert.deepEqual(
    await narrowed(shop, 'Size:L,Size:M'),
    ['Kurta', 'Shirt'],
    'several values of one option are alternatives',
  )
  assert.deepEqual(await narrowed(shop, 'Size:S,Colour:Indigo'), ['Kurta'])
  assert.deepEqual(await narrowed(shop, 'Size:M,Colour:Indigo'), [], 'one variant must have both')
  assert.deepEqual(await narrowed(shop, 'Size:S', '&category=clothes'), ['Shirt'])
  assert.deepEqual(await narrowed(shop, 'Colour:Rust'), ['Kurta'], 'a word of the text is not an option')
  for (const nothing of ['Colour:indigo', 'Indigo:Colour', 'Colour:Ind', 'Size:S\u001f']) {
    assert.deepEqual(await narrowed(shop, nothing), [], nothing)
  }
})

test('an options filter works in a search too, counts included', async () => {
  const shop = await aShop()
  const { data, total, facets } = (await shop.get('/v1/search?q=indigo&options=Size:S')).json
  assert.deepEqual([data.map(({ name }: { name: string }) => name), total, facets.inStock.count], [['Kurta'], 1, 1])
  assert.equal((await shop.get('/v1/search?q=indigo')).json.total, 3)
  // Options are in the word index, but a search for words does not match them.
  assert.equal((await shop.get('/v1/search?q=colour')).json.total, 0)
})

test('a filtered list can be paged, and a cursor is valid only for its options', async () => {
  const shop = await newStore(service)
  await shop.add(...Array.from({ length: 7 }, (_, i) => product(`Mug ${i}`, [{ Colour: i % 2 === 0 ? 'Oat' : 'Red' }])))
  const first = await shop.get('/v1/products?options=Colour:Oat&limit=3&sort=name')
  const cursor = first.headers.get('x-next-cursor')
  assert.match(first.headers.get('link') ?? '', /options=Colour%3AOat/)
  const second = await shop.get(`/v1/products?options=Colour:Oat&limit=3&sort=name&cursor=${cursor}`)
  assert.deepEqual(
    [...first.json, ...second.json].map(({ name }: { name: string }) => name),
    ['Mug 0', 'Mug 2', 'Mug 4', 'Mug 6'],
  )
  assertError(await shop.get(`/v1/products?options=Colour:Red&limit=3&sort=name&cursor=${cursor}`), 400, 'BAD_REQUEST')
})

test('option names and values can be any text', async () => {
  const shop = await newStore(service)
  const texts = ["O'Neill & co | !", '1,5 L', 'a:b', 'back\\slash', '颜色 🎨', "'7=x':*", 'x'.repeat(150)]
  await shop.add(...texts.map((text, i) => product(`Product ${i}`, [{ [text]: text }])))
  const escaped = (text: string) => text.replaceAll(/[\\,:]/g, '\\$&')
  for (const [i, text] of texts.entries()) {
    assert.deepEqual(await narrowed(shop, `${escaped(text)}:${escaped(text)}`), [`Product ${i}`], text)
  }
  const long = 'long '.repeat(200)
  await shop.add(product('Long', [{ [long]: 'x' }]))
  assert.equal((await shop.get('/v1/products/long')).status, 200, 'a value too long for the index is saved anyway')
})

test('invalid options are refused', async () => {
  const shop = await newStore(service)
  const tooMany = Array.from({ length: 11 }, (_, i) => `Size:${i}`).join()
  for (const options of ['Size', ':S', 'Size:', ',', 'Size:S,', '\\', tooMany, `Size:${'x'.repeat(1000)}`]) {
    for (const path of ['/v1/products?', '/v1/search?q=mug&']) {
      assertError(await shop.get(`${path}options=${encodeURIComponent(options)}`), 400, 'BAD_REQUEST')
    }
  }
})

test('a product is not found by the options of a removed variant', async () => {
  const shop = await aShop()
  await shop.add(product('Mug', [{ Colour: 'Oat' }]))
  assert.deepEqual(await narrowed(shop, 'Colour:Indigo'), ['Kurta'])
})

test('filters lists the options of the products in the order of the products', async () => {
  const shop = await aShop()
  const filters = async (query: string) => (await shop.get(`/v1/filters${query}`)).json.options
  assert.deepEqual(await filters(''), [
    {
      name: 'Colour',
      values: [
        { value: 'Oat', count: 1 },
        { value: 'Indigo', count: 2 },
        { value: 'Rust', count: 1 },
      ],
    },
    {
      name: 'Size',
      values: [
        { value: 'S', count: 2 },
        { value: 'M', count: 2 },
        { value: 'L', count: 1 },
      ],
    },
  ])
  assert.deepEqual(
    (await filters('?category=shirts')).map(({ name }: { name: string }) => name),
    ['Size'],
  )
  assert.deepEqual(
    (await filters('?q=mug')).map(({ name }: { name: string }) => name),
    ['Colour'],
  )
  assert.deepEqual(await filters('?q=nothing'), [])
  assert.deepEqual(await filters('?category=nothing'), [])
  assert.deepEqual(await filters('?maxPrice=5'), [])
  const other = await newStore(service)
  assert.deepEqual((await other.get('/v1/filters')).json, { options: [] })
})

test('lists of values are joined with the order of each list preserved', () => {
  assert.deepEqual(joinLists([]), [])
  const sizes = [
    ['S', 'M', 'L'],
    ['UK 6', 'UK 7', 'UK 8'],
    ['UK 4', 'UK 5', 'UK 6'],
    ['M', 'L', 'XL'],
    ['XS', 'S'],
  ]
  assert.deepEqual(joinLists(sizes), ['XS', 'S', 'M', 'L', 'XL', 'UK 4', 'UK 5', 'UK 6', 'UK 7', 'UK 8'])
  assert.deepEqual(
    joinLists([
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'a'],
    ]),
    ['a', 'b'],
  )
})
