import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProductCache } from './cached-products.ts'

const shop = { storeId: 1, outletId: 1 }

const openCache = ({ maxAgeMs = 60_000, maxBytes = 1_000_000 } = {}) => {
  const cache = createProductCache({ maxBytes, maxAgeMs })
  /** What was read in each call. */
  const reads: string[][] = []
  let prices = 1
  const find = (ids: readonly string[], outlet = shop, meanwhile = () => {}) =>
    cache.find(outlet, ids, async (missing) => {
      reads.push([...missing])
      const written = missing.map((id) => ({ id, json: `${id} for ${prices} in ${outlet.storeId}.${outlet.outletId}` }))
      meanwhile()
      return written
    })
  return { cache, reads, find, raisePrices: () => void prices++ }
}
type Found = Awaited<ReturnType<ReturnType<typeof openCache>['find']>>
const textsOf = ({ products }: Found) => Object.fromEntries(products)

test('only products that are not in memory are read', async () => {
  const { find, reads } = openCache()
  assert.deepEqual(textsOf(await find(['a', 'b'])), { a: 'a for 1 in 1.1', b: 'b for 1 in 1.1' })
  assert.deepEqual(Object.keys(textsOf(await find(['b', 'c']))).sort(), ['b', 'c'])
  await find(['c', 'a'])
  assert.deepEqual(reads, [['a', 'b'], ['c']])
})

test('outlets and stores do not share products', async () => {
  const { find, reads } = openCache()
  for (const outlet of [shop, { storeId: 1, outletId: 2 }, { storeId: 2, outletId: 1 }]) {
    const expected = { a: `a for 1 in ${outlet.storeId}.${outlet.outletId}` }
    assert.deepEqual(textsOf(await find(['a'], outlet)), expected)
    assert.deepEqual(textsOf(await find(['a'], outlet)), expected)
  }
  assert.equal(reads.length, 3)
})

test('a product that was sold is read again, at every outlet, and others are not', async () => {
  const { cache, find, reads, raisePrices } = openCache()
  const branch = { storeId: 1, outletId: 2 }
  for (const outlet of [shop, branch]) await find(['a', 'b'], outlet)
  raisePrices()
  cache.invalidateProducts(1, new Set(['a', 'unknown']))
  cache.invalidateProducts(3, new Set(['b']))
  for (const outlet of [shop, branch]) {
    const found = textsOf(await find(['a', 'b'], outlet))
    assert.match(found.a ?? '', /^a for 2/)
    assert.match(found.b ?? '', /^b for 1/)
  }
  assert.deepEqual(reads.slice(2), [['a'], ['a']])
})

test('after a change of a store all its products are read again', async () => {
  for (const invalidate of ['invalidateStore', 'invalidateAll'] as const) {
    const { cache, find, reads } = openCache()
    await find(['a'])
    await find(['a'], { storeId: 2, outletId: 1 })
    cache[invalidate](1)
    await find(['a'])
    await find(['a'], { storeId: 2, outletId: 1 })
    assert.equal(reads.length, invalidate === 'invalidateStore' ? 3 : 4)
  }
})

test('what was read before a change is not kept', async () => {
  const { cache, find, reads } = openCache()
  const changes = [
    () => cache.invalidateProducts(1, new Set(['a'])),
    () => cache.invalidateStore(1),
    () => cache.invalidateAll(),
  ]
  for (const change of changes) {
    await find(['a'], shop, change)
    await find(['a'])
    cache.invalidateAll()
  }
  assert.equal(reads.length, 2 * changes.length)
})

test('a product is kept for its maximum age, or as long as nothing changed', async () => {
  const { cache, find, reads } = openCache({ maxAgeMs: 0 })
  await find(['a'])
  await find(['a'])
  assert.equal(reads.length, 2, 'not confirmed')
  const hourMs = 3_600_000
  cache.confirm(Number.NEGATIVE_INFINITY, performance.now() + hourMs)
  await find(['a'])
  assert.equal(reads.length, 2, 'confirmed')
  cache.confirm(performance.now(), performance.now() + hourMs)
  await find(['a'])
  assert.equal(reads.length, 3, 'confirmed since it was read only')
})

test('the age of what is found is that of its oldest part', async () => {
  const { find } = openCache()
  const first = await find(['a'])
  const second = await find(['a', 'b'])
  assert.equal(second.asOfMs, first.asOfMs)
  assert.ok((await find(['c'])).asOfMs > first.asOfMs)
})

test('memory is bounded', async () => {
  const { find, reads } = openCache({ maxBytes: 3_500 })
  for (let n = 0; n < 100; n++) await find([`product ${n}`])
  await find(['product 99'])
  assert.equal(reads.length, 100)
  await find(['product 0'])
  assert.equal(reads.length, 101)
})
