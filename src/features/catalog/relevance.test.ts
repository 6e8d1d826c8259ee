import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { seedDemo } from '../demo-store/demo-store.ts'

let service: TestService
let demoKey: string
before(async () => {
  service = await startTestService()
  demoKey = (await service.db.tx(seedDemo)).browserKey
})
after(() => service.close())

const slugsFor = async (query: string, key = demoKey) => {
  const path = `/v1/search?limit=10&q=${encodeURIComponent(query)}`
  const { status, json } = await service.call(path, { headers: { 'x-store-key': key } })
  assert.equal(status, 200)
  return (json.data as { slug: string }[]).map(({ slug }) => slug)
}

/** Queries in the demo shop with the product that must come first, chosen by hand. A failure means worse search results. */
const judged: Record<string, string> = {
  // Exact words and prefixes.
  shoes: 'everyday-running-shoes',
  'running shoes': 'everyday-running-shoes',
  'everyday run': 'everyday-running-shoes',
  kurta: 'block-print-cotton-kurta',
  'masala chai': 'masala-chai-blend',
  tawa: 'cast-iron-dosa-tawa',
  teapot: 'stoneware-teapot',
  // Singular, plural, upper case, missing or extra accents.
  shoe: 'everyday-running-shoes',
  mugs: 'cafe-au-lait-mug',
  CAFE: 'cafe-au-lait-mug',
  café: 'cafe-au-lait-mug',
  'creme brulee': 'creme-brulee-soy-candle',
  'applique bag': 'applique-sling-bag',
  // Typos.
  sheos: 'everyday-running-shoes',
  shose: 'everyday-running-shoes',
  runing: 'everyday-running-shoes',
  iphon: 'iphone-16-case-walnut',
  ihpone: 'iphone-16-case-walnut',
  candel: 'creme-brulee-soy-candle',
  notbook: 'handmade-paper-notebook',
  // Whole words before prefixes: a pen is not a pendant lamp.
  pen: 'brass-fountain-pen',
  // Name before description.
  cotton: 'block-print-cotton-kurta',
  rose: 'creme-de-rose-day-cream',
  // Other scripts.
  चाय: 'masala-chai-blend',
  दीया: 'brass-diya-set',
  // By category, by option, by SKU in any spelling.
  'footwear running': 'everyday-running-shoes',
  'women kurta': 'block-print-cotton-kurta',
}

test('each judged query finds its product first', async () => {
  const wrong: string[] = []
  for (const [query, expected] of Object.entries(judged)) {
    const found = await slugsFor(query)
    if (found[0] !== expected) wrong.push(`${query}: expected ${expected}, found ${found.slice(0, 3).join(', ')}`)
  }
  assert.deepEqual(wrong, [])
})

test('every product of the demo store is found first by its own name', async () => {
  const { json } = await service.call('/v1/products?limit=100', { headers: { 'x-store-key': demoKey } })
  for (const { name, slug } of json) assert.equal((await slugsFor(name))[0], slug, name)
})

test('a category finds all its products', async () => {
  const found = await slugsFor('footwear')
  assert.deepEqual(found.toSorted(), ['embroidered-juttis', 'everyday-running-shoes', 'kolhapuri-sandals'])
})

test('nonsense finds nothing', async () => {
  for (const query of ['xyzzy', 'qwrtplk', '???', 'shoes xyzzy']) assert.deepEqual(await slugsFor(query), [], query)
})

test('Hindi, Arabic, Japanese, Thai, Greek and Russian are found by their parts', async () => {
  const shop = await newStore(service)
  const names = {
    hindi: 'हाथ से बना सूती कुर्ता',
    arabic: 'قميص قطني أبيض',
    japanese: '有田焼の湯呑み',
    katakana: 'コットンシャツ',
    thai: 'เสื้อยืดผ้าฝ้าย',
    greek: 'Βαμβακερό πουκάμισο',
    russian: 'Хлопковая рубашка',
  }
  await shop.add(...Object.entries(names).map(([slug, name]) => ({ slug, name, price: 1, stock: 1 })))
  const expected: Record<string, string> = {
    कुर्ता: 'hindi',
    सूती: 'hindi',
    قميص: 'arabic',
    قُطني: 'arabic',
    湯呑み: 'japanese',
    有田焼: 'japanese',
    シャツ: 'katakana',
    ผ้าฝ้าย: 'thai',
    πουκαμισο: 'greek',
    рубашка: 'russian',
    рубашк: 'russian',
  }
  for (const [query, slug] of Object.entries(expected)) assert.deepEqual(await slugsFor(query, shop.key), [slug], query)
})

test('a SKU is found with any separators', async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Mug', sku: 'MUG-CAFE-01', price: 5, stock: 1 },
    { name: 'Plate', sku: 'PLT-BLUE-02', price: 5, stock: 1 },
  )
  for (const query of ['MUG-CAFE-01', 'mug cafe 01', 'mug_cafe_01']) {
    assert.deepEqual(await slugsFor(query, shop.key), ['mug'], query)
  }
  assert.deepEqual(await slugsFor('PLT-BLUE', shop.key), ['plate'])
})

test('of equally good matches, products in stock come before sold-out ones', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Red lamp', price: 5, stock: 3 }, { name: 'Blue lamp', price: 5, stock: 0 })
  assert.deepEqual(await slugsFor('lamp', shop.key), ['red-lamp', 'blue-lamp'])
})
