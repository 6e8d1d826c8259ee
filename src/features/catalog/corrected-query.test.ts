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

test('a search tells what it took misspelt words for, and leaves the others as they were typed', async () => {
  const shop = await aShop()
  assert.equal(await corrected(shop, 'runing sheos'), 'running shoe')
  assert.equal(await corrected(shop, '  Plain, cnadle! '), null, 'no product has both')
  assert.equal(await corrected(shop, ' Brûlée: cnadle '), 'Brûlée: candle')
  assert.equal(await corrected(shop, 'COTTEN Kurta'), 'cotton Kurta')
})

test('a search that corrected nothing, or found nothing, tells no other words', async () => {
  const shop = await aShop()
  for (const q of ['shoes', 'runn', 'creme', 'mug p', '', '!', 'zzzzzz', 'mgu', 'Cotton $& kurta', '靴']) {
    assert.equal(await corrected(shop, q), null, q)
  }
  assert.equal(await corrected(shop, 'sheos', '&maxPrice=1'), null)
  const empty = await newStore(service)
  assert.equal(await corrected(empty, 'sheos'), null)
})

test('of words that are as likely the one is told that the first product has', async () => {
  const shop = await aShop()
  assert.equal(await corrected(shop, 'kurtx'), 'kurta', 'what is in stock comes first')
  assert.equal(await corrected(shop, 'kurtx', '&sort=-price'), 'kurti')
})

test('a word with a digit is no correction of its own beginning', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Lamp wxyz9', price: 2, stock: 1 }, { name: 'Lamp wxya', price: 1, stock: 1 })
  assert.equal(await corrected(shop, 'wxyz'), 'wxya')
  assert.equal(await corrected(shop, 'wxyz', '&sort=-price'), null)
})
