import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runSql } from '../../../test/databases.ts'
import { databaseUrl, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { countStoreWords } from './word-counts.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const countOf = async (storeId: number) => {
  const rows = await runSql(
    databaseUrl,
    `select due_at, counted_at, products from search_count where store_id = ${storeId}`,
  )
  return rows[0]
}

test('new products have the words of their store counted, once', async () => {
  const shop = await newStore(service)
  const { id: storeId, defaultOutlet } = await shop.load()
  await shop.add({ name: 'Mug', price: 1, stock: 1 }, { name: 'Cup', price: 1, stock: 1 })
  assert.ok((await countOf(storeId)).due_at)
  await countStoreWords(service.db, { storeId, outletId: defaultOutlet.id })
  const { due_at, products } = await countOf(storeId)
  assert.deepEqual([due_at, products], [null, 2])
  await shop.add({ name: 'Mug', price: 2, stock: 2 })
  assert.equal((await countOf(storeId)).due_at, null, 'a change of a product is no reason to count')
  assert.equal((await shop.get('/v1/search?q=mug')).json.total, 1)
})

test('a word with one typo anywhere is corrected', async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Stoneware', price: 1, stock: 1 }, { name: 'Copper', price: 1, stock: 1 })
  const word = 'stoneware'
  const typos = [...word].flatMap((_, i) => {
    const [start, end] = [word.slice(0, i), word.slice(i + 1)]
    const swapped = end === '' ? [] : [`${start}${end[0]}${word[i]}${end.slice(1)}`]
    return [`${start}${end}`, `${start}x${end}`, `${start}x${word[i]}${end}`, ...swapped]
  })
  for (const typo of typos) {
    const { data } = (await shop.get(`/v1/search?q=${typo}`)).json
    assert.deepEqual(
      data.map(({ slug }: { slug: string }) => slug),
      [word],
      typo,
    )
  }
})
