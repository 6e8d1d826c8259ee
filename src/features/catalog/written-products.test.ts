import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import Type, { type TSchema } from 'typebox'
import { newStore, startTestService, type TestService, withinASecond } from '../../../test/harness.ts'
import { announceCatalog } from '../../db/announce.ts'
import { compileSerializer } from '../../http/compilers.ts'
import { Product, SearchResult } from './catalog.contract.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const oddTexts = [
  'plain',
  '"quoted" and \\escaped\\ / with a slash',
  'a tab\tand\r\nlines',
  'चाय का प्याला, чашка, ☕, 𝒜 and \u2028 a line separator',
  '</script><!-- & \u007f',
]
const uploaded = `/media/store_x/${'0a'.repeat(16)}-1200x800.jpg`
const oddImages = [
  [],
  ['/demo/images/mug.svg', 'https://cdn.example/mug.png'],
  ['https://cdn.example/mug.png', '/a "quoted" name.svg', '/back\\slash.svg'],
  [uploaded, '/front.svg', uploaded],
  ['https://cdn.example/"/media/a.png', uploaded],
  ['/media/other.jpg'],
]
const serialize = compileSerializer(Type.Array(Product) as TSchema)
const serializeResult = compileSerializer(SearchResult as TSchema)

for (const currency of ['INR', 'JPY', 'KWD']) {
  test(`a list is written as its schema would write it, with the values of each product, in ${currency}`, async () => {
    const shop = await newStore(service, { currency })
    const step = currency === 'JPY' ? 1 : 0.5
    for (const [i, name] of oddTexts.entries()) {
      await shop.add(
        { name: `${i} ${name}`, description: name, price: 7 + i * step, category: `Odd > ${i} ${name}`, stock: i },
        { name: `Reduced ${i}`, price: i * step, compareAtPrice: 100 + i, stock: 1 },
        {
          name: `Shirt ${i}`,
          category: 'Clothes',
          options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
          variants: ['S', 'M', 'L'].map((size, at) => ({ options: { Size: size }, price: 10 + at, stock: at * i })),
        },
      )
    }
    const { id: storeId } = await shop.load()
    const ids = await service.db.many<{ id: string }>`select id from product where store_id = ${storeId} order by id`
    for (const [i, { id }] of ids.entries()) {
      await service.db.run`
        update product set images = ${oddImages[i % oddImages.length]} where store_id = ${storeId} and id = ${id}`
    }
    const change = async (slug: string, changed: Record<string, boolean>) => {
      const { variants } = (await shop.get(`/v1/products/${slug}`)).json
      const { active = true, tracked = true } = changed
      await service.db.run`update variant set active = ${active}, stock_tracked = ${tracked}
        where store_id = ${storeId} and id = ${variants.at(-1).id}`
    }
    await change('shirt-1', { tracked: false })
    await change('shirt-2', { active: false })
    await change('shirt-3', { active: false, tracked: false })
    await change('reduced-3', { tracked: false })

    const outlets = [{}, { 'x-outlet-id': await shop.newOutlet('Elsewhere') }]
    for (const headers of outlets) {
      const found = new Set<string>()
      for (const query of ['', 'sort=-name', 'sort=price&limit=4', 'limit=100', 'category=clothes', 'inStock=true']) {
        const { text, json } = await shop.get(`/v1/products?${query}`, headers)
        assert.ok(text === serialize(json), `${query}: the bytes differ`)
        for (const product of json) {
          found.add(product.slug)
          const {
            options: _o,
            variants: _v,
            seo: _s,
            vendor: _w,
            media: _m,
            digital: _d,
            ...same
          } = (await shop.get(`/v1/products/${product.id}`, headers)).json
          assert.deepEqual(product, same)
          assert.equal(JSON.stringify(product), JSON.stringify(same))
        }
      }
      assert.equal(found.size, ids.length)
      const listed = new Map((await shop.get('/v1/products?limit=100', headers)).json.map((p: Product) => [p.id, p]))
      for (const query of [
        'shirt',
        'quoted',
        'reducde&sort=name&limit=2',
        'shi&limit=1&sort=-price',
        'plain',
        'qqqqq',
      ]) {
        const { text, json } = await shop.get(`/v1/search?q=${query}`, headers)
        assert.ok(text === serializeResult(json), `${query}: the bytes of the search differ`)
        assert.equal(json.data.length > 0, query !== 'qqqqq', query)
        for (const product of json.data) assert.deepEqual(product, listed.get(product.id))
      }
    }
  })
}

test('stock of a list is that of active variants, and untracked ones count as 999', async () => {
  const shop = await newStore(service)
  const sizes = ['S', 'M', 'L', 'XL']
  await shop.add({
    name: 'Shirt',
    options: [{ name: 'Size', values: sizes }],
    variants: sizes.map((size, i) => ({ options: { Size: size }, price: 10, stock: 10 ** i })),
  })
  const { id: storeId } = await shop.load()
  const set = (size: string, active: boolean, tracked: boolean) => service.db.run`
    update variant set active = ${active}, stock_tracked = ${tracked}
    where store_id = ${storeId} and options ->> 'Size' = ${size}`
  /** What is written by SQL alone is announced to nobody. */
  const isShown = async (expected: object) => {
    await service.db.tx((tx) => announceCatalog(tx, storeId))
    const shown = async () => {
      const [{ stock, stockTracked }] = (await shop.get('/v1/products')).json
      return { stock, stockTracked }
    }
    await withinASecond(async () => isDeepStrictEqual(await shown(), expected))
    assert.deepEqual(await shown(), expected)
  }
  await isShown({ stock: 1111, stockTracked: true })
  await set('M', false, true)
  await isShown({ stock: 1101, stockTracked: true })
  await set('L', true, false)
  await isShown({ stock: 1001 + 999, stockTracked: false })
  await set('XL', false, false)
  await isShown({ stock: 1 + 999, stockTracked: false })
})
