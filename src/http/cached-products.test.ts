import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProductCache } from './cached-products.ts'

const shop = { storeId: 1, outletId: 1 }

const openCache = ({ maxAgeMs = 60_000, maxBytes = 1_000_000 } = {}) => {
  const cache = createProductCache({ maxBytes, maxAgeMs })
  /** What was read in each call. */
  const reads: number[][] = []
  let prices = 1
  const find = (seqs: readonly number[], outlet = shop, meanwhile = () => {}) =>
    cache.find(outlet, seqs, async (missing) => {
      reads.push([...missing])
      const json = `for ${prices} in ${outlet.storeId}.${outlet.outletId}`
      const written = missing.map((seq) => ({ seq, id: `prod_${seq}`, json, fingerprint: json }))
      meanwhile()
      return written
    })
  return { cache, reads, find, raisePrices: () => void prices++ }
}
type Found = Awaited<ReturnType<ReturnType<typeof openCache>['find']>>
const textsOf = ({ products }: Found) => Object.fromEntries([...products].map(([seq, { json }]) => [seq, json]))

test('only products that are not in memory are read', async () => {
  const { find, reads } = openCache()
  assert.deepEqual(textsOf(await find([1, 2])), { 1: 'for 1 in 1.1', 2: 'for 1 in 1.1' })
  const { products } = await find([2, 3])
  assert.deepEqual([...products.keys()].sort(), [2, 3])
  assert.deepEqual([products.get(2)?.id, products.get(3)?.id], ['prod_2', 'prod_3'])
  await find([3, 1])
  assert.deepEqual(reads, [[1, 2], [3]])
})

test('outlets and stores do not share products', async () => {
  const { find, reads } = openCache()
  for (const outlet of [shop, { storeId: 1, outletId: 2 }, { storeId: 2, outletId: 1 }]) {
    const expected = { 1: `for 1 in ${outlet.storeId}.${outlet.outletId}` }
    assert.deepEqual(textsOf(await find([1], outlet)), expected)
    assert.deepEqual(textsOf(await find([1], outlet)), expected)
  }
  assert.equal(reads.length, 3)
})

test('a product that was sold is read again, at every outlet, and others are not', async () => {
  const { cache, find, reads, raisePrices } = openCache()
  const branch = { storeId: 1, outletId: 2 }
  for (const outlet of [shop, branch]) await find([1, 2], outlet)
  raisePrices()
  cache.invalidateProducts(1, new Set(['prod_1', 'unknown']))
  cache.invalidateProducts(3, new Set(['prod_2']))
  for (const outlet of [shop, branch]) {
    const found = textsOf(await find([1, 2], outlet))
    assert.match(found[1] ?? '', /^for 2/)
    assert.match(found[2] ?? '', /^for 1/)
  }
  assert.deepEqual(reads.slice(2), [[1], [1]])
})

test('after a change of a store all its products are read again', async () => {
  for (const invalidate of ['invalidateStore', 'invalidateAll'] as const) {
    const { cache, find, reads } = openCache()
    await find([1])
    await find([1], { storeId: 2, outletId: 1 })
    cache[invalidate](1)
    await find([1])
    await find([1], { storeId: 2, outletId: 1 })
    assert.equal(reads.length, invalidate === 'invalidateStore' ? 3 : 4)
  }
})

test('what was read before a change is not kept', async () => {
  const { cache, find, reads } = openCache()
  const changes = [
    () => cache.invalidateProducts(1, new Set(['prod_1'])),
    () => cache.invalidateStore(1),
    () => cache.invalidateAll(),
  ]
  for (const change of changes) {
    await find([1], shop, change)
    await find([1])
    cache.invalidateAll()
  }
  assert.equal(reads.length, 2 * changes.length)
})

test('a product is kept for its maximum age, or as long as nothing changed', async () => {
  const { cache, find, reads } = openCache({ maxAgeMs: 0 })
  await find([1])
  await find([1])
  assert.equal(reads.length, 2, 'not confirmed')
  const hourMs = 3_600_000
  cache.confirm(Number.NEGATIVE_INFINITY, performance.now() + hourMs)
  await find([1])
  assert.equal(reads.length, 2, 'confirmed')
  cache.confirm(performance.now(), performance.now() + hourMs)
  await find([1])
  assert.equal(reads.length, 3, 'confirmed since it was read only')
})

test('the age of what is found is that of its oldest part', async () => {
  const { find } = openCache()
  const first = await find([1])
  const second = await find([1, 2])
  assert.equal(second.asOfMs, first.asOfMs)
  assert.ok((await find([3])).asOfMs > first.asOfMs)
})

test('memory is bounded', async () => {
  const { find, reads } = openCache({ maxBytes: 3_500 })
  for (let n = 0; n < 100; n++) await find([n])
  await find([99])
  assert.equal(reads.length, 100)
  await find([0])
  assert.equal(reads.length, 101)
})
