import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const corrected = async (shop: TestStore, q: string, more = '') => {
  const answer = await shop.get(`/v1/search?q=${encodeURIComponent(q)}${more}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.correctedQuery
}

const aShop = async () => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Running shoes', description: 'For every day.', price: 3, stock: 1 },
    { name: 'Plain mug', price: 1, stock: 1 },
    { name: 'Crème brûlée candle', price: 2, stock: 1 },
    { name: 'Cotton kurta', price: 4, stock: 1 },
    { name: 'Cotton kurti', price: 5, stock: 0 },
  )
  return shop
}

test('correctedQuery replaces misspelt words and keeps the others as typed', async () => {
  const shop = await aShop()
  assert.equal(await corrected(shop, 'runing sheos'), 'running shoe')
  assert.equal(await corrected(shop, '  Plain, cnadle! '), null, 'no product has both')
  assert.equal(await corrected(shop, ' Brûlée: cnadle '), 'Brûlée: candle')
  assert.equal(await corrected(shop, 'COTTEN Kurta'), 'cotton Kurta')
})

test('correctedQuery is null if nothing was corrected or found', async () => {
  const shop = await aShop()
  for (const q of ['shoes', 'runn', 'creme', 'mug p', '', '!', 'zzzzzz', 'mgu', 'Cotton $& kurta', '靴']) {
    assert.equal(await corrected(shop, q), null, q)
  }
  assert.equal(await corrected(shop, 'sheos', '&maxPrice=1'), null)
  const empty = await newStore(service)
  assert.equal(await corrected(empty, 'sheos'), null)
})

test('of equally likely corrections, the one in the first product is returned', async () => {
  const shop = await aShop()
  assert.equal(await corrected(shop, 'kurtx'), 'kurta', 'products in stock come first')
  assert.equal(await corrected(shop, 'kurtx', '&sort=-price'), 'kurti')
})

test('the prefix of a word with a digit is not corrected', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Lamp wxyz9', price: 2, stock: 1 }, { name: 'Lamp wxya', price: 1, stock: 1 })
  assert.equal(await corrected(shop, 'wxyz'), 'wxya')
  assert.equal(await corrected(shop, 'wxyz', '&sort=-price'), null)
})
