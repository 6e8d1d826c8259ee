import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newStore, serviceFor, withinASecond } from '../../../test/harness.ts'
import { keepBriefly } from './kept-briefly.ts'

test('what was read before a change of the store is forgotten, also if it arrives later', () => {
  const kept = keepBriefly<string>()
  const [one, other] = [kept.open(1), kept.open(2)]
  one.values.set('mug', 'known')
  other.values.set('mug', 'known')
  assert.equal(kept.open(1).values.get('mug'), 'known')
  kept.drop(1)
  one.values.set('tea', 'late')
  assert.equal(kept.open(1).values.size, 0)
  assert.equal(kept.open(2).values.get('mug'), 'known')
  kept.dropAll()
  assert.equal(kept.open(2).values.size, 0)
})

test('what is kept of all stores is bounded', () => {
  const kept = keepBriefly<string>()
  kept.open(1).values.set('mug', 'known')
  kept.noteAdded(20_001)
  assert.equal(kept.open(1).values.size, 0)
})

test('a word that was unknown a moment ago is searched for when a product has it', async (t) => {
  const service = await serviceFor(t)
  const shop = await newStore(service)
  await shop.add({ name: 'Copper kettle', slug: 'copper-kettle', price: 5, stock: 1 })
  const find = async () => {
    const path = `/v1/search?q=kettel&_=${Math.random()}`
    const { json } = await service.call(path, { headers: { 'x-store-key': shop.key } })
    return [json.correctedQuery, ...json.data.map(({ slug }: { slug: string }) => slug)].join()
  }
  assert.equal(await find(), 'kettle,copper-kettle')
  await shop.add({ name: 'Kettel', slug: 'kettel', price: 5, stock: 1 })
  assert.ok(await withinASecond(async () => (await find()) === ',kettel'))
})
