import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerCache, createAnswerCache, makeCachedAnswer } from './cached-answers.ts'

const newCache = (maxBytes = 1_000_000) => createAnswerCache({ maxBytes, maxAgeMs: 60_000 })

/** A read that ends when the test says so. */
const slowRead = (text: string) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let count = 0
  const make = async () => {
    count++
    await promise
    return makeCachedAnswer(text)
  }
  return { make, finish: resolve, break: reject, count: () => count }
}
const read = (text: string) => async () => makeCachedAnswer(text)
const textOf = (answer: { text: string } | undefined) => answer?.text

test('an answer is cached for its store and its key only', async () => {
  const cache = newCache()
  await cache.fill(1, 'a', read('one'))
  assert.equal(textOf(cache.get(1, 'a')), 'one')
  assert.equal(cache.get(2, 'a'), undefined)
  assert.equal(cache.get(1, 'b'), undefined)
})

test('an answer is not returned after its maximum age', async () => {
  const cache = createAnswerCache({ maxBytes: 1_000_000, maxAgeMs: 0 })
  await cache.fill(1, 'a', read('one'))
  assert.equal(cache.get(1, 'a'), undefined)
  await cache.fill(1, 'a', read('two'))
  assert.equal(cache.stats().entries, 1)
})

test('concurrent requests for a key share one read', async () => {
  const cache = newCache()
  const slow = slowRead('one')
  const all = Promise.all(Array.from({ length: 50 }, () => cache.fill(1, 'a', slow.make)))
  slow.finish()
  assert.deepEqual(new Set((await all).map(textOf)), new Set(['one']))
  assert.equal(slow.count(), 1)
})

test('requests for different keys or stores do not wait for each other', async () => {
  const cache = newCache()
  const slow = slowRead('slow')
  const waiting = cache.fill(1, 'a', slow.make)
  assert.equal(textOf(await cache.fill(1, 'b', read('b'))), 'b')
  assert.equal(textOf(await cache.fill(2, 'a', read('two'))), 'two')
  slow.finish()
  assert.equal(textOf(await waiting), 'slow')
})

test('an answer read before an invalidation is not returned after it', async () => {
  for (const invalidate of ['invalidateStore', 'invalidateAll'] as const) {
    const cache = newCache()
    const old = slowRead('old')
    const began = cache.fill(1, 'a', old.make)
    cache[invalidate](1)
    old.finish()
    assert.equal(textOf(await began), 'old', 'a request from before the change may see the old state')
    assert.equal(cache.get(1, 'a'), undefined)
    assert.equal(cache.stats().bytes, 0)
    assert.equal(textOf(await cache.fill(1, 'a', read('new'))), 'new')
    assert.equal(textOf(cache.get(1, 'a')), 'new')
  }
})

test('a request after an invalidation does not join a read that began before it, whichever ends first', async () => {
  for (const first of ['old', 'new']) {
    const cache = newCache()
    const [old, fresh] = [slowRead('old'), slowRead('new')]
    const before = cache.fill(1, 'a', old.make)
    cache.invalidateStore(1)
    const afterwards = cache.fill(1, 'a', fresh.make)
    if (first === 'old') old.finish()
    else fresh.finish()
    await (first === 'old' ? before : afterwards)
    old.finish()
    fresh.finish()
    assert.deepEqual([await before, await afterwards].map(textOf), ['old', 'new'])
    assert.equal(textOf(cache.get(1, 'a')), 'new')
  }
})

test('a stale read that ends late does not prevent sharing of the new one', async () => {
  const cache = newCache()
  const [old, fresh] = [slowRead('old'), slowRead('new')]
  const before = cache.fill(1, 'a', old.make)
  cache.invalidateStore(1)
  const one = cache.fill(1, 'a', fresh.make)
  old.finish()
  await before
  const another = cache.fill(1, 'a', fresh.make)
  fresh.finish()
  await Promise.all([one, another])
  assert.equal(fresh.count(), 1)
})

test('invalidating one store keeps the answers of others', async () => {
  const cache = newCache()
  await cache.fill(1, 'a', read('one'))
  await cache.fill(2, 'a', read('two'))
  cache.invalidateStore(1)
  assert.equal(cache.get(1, 'a'), undefined)
  assert.equal(textOf(cache.get(2, 'a')), 'two')
})

test('a failed read rejects all requests that share it, and the next request tries again', async () => {
  const cache = newCache()
  const slow = slowRead('never')
  const waiting = [cache.fill(1, 'a', slow.make), cache.fill(1, 'a', slow.make)]
  slow.break(new Error('the database is unavailable'))
  for (const one of await Promise.allSettled(waiting)) assert.equal(one.status, 'rejected')
  assert.equal(cache.get(1, 'a'), undefined)
  assert.equal(textOf(await cache.fill(1, 'a', read('back'))), 'back')
})

/** Answers that are asked for once may not be kept. */
const fillTwice = async (cache: AnswerCache, store: number, key: string, text: string) => {
  await cache.fill(store, key, read(text))
  await cache.fill(store, key, read(text))
}

test('memory is bounded, and the newest answers stay', async () => {
  const cache = newCache(100_000)
  for (let i = 0; i < 200; i++) await fillTwice(cache, 1, `key ${i}`, 'x'.repeat(2000))
  assert.ok(cache.stats().bytes <= 100_000)
  assert.ok(cache.stats().entries > 10)
  assert.ok(cache.get(1, 'key 199'))
  assert.equal(cache.get(1, 'key 0'), undefined)
})

test('answers that are asked for once take a part of the memory only', async () => {
  const cache = newCache(100_000)
  await cache.fill(1, 'early', read('x'.repeat(2000)))
  for (let i = 0; i < 1000; i++) await cache.fill(1, `once ${i}`, read('x'.repeat(2000)))
  assert.ok(cache.stats().bytes < 25_000)
  assert.ok(cache.get(1, 'early'))
  await cache.fill(1, 'twice', read('one'))
  assert.equal(cache.get(1, 'twice'), undefined)
  await cache.fill(1, 'twice', read('two'))
  assert.equal(textOf(cache.get(1, 'twice')), 'two')
  const slow = slowRead('together')
  const both = [cache.fill(1, 'together', slow.make), cache.fill(1, 'together', slow.make)]
  slow.finish()
  await Promise.all(both)
  assert.equal(textOf(cache.get(1, 'together')), 'together')
})

test('a store that fills the cache evicts its own answers only', async () => {
  const cache = newCache(100_000)
  for (const store of [2, 3, 4]) {
    for (let i = 0; i < 5; i++) await fillTwice(cache, store, `key ${i}`, 'x'.repeat(500))
  }
  for (let i = 0; i < 1000; i++) await fillTwice(cache, 1, `key ${i}`, 'x'.repeat(2000))
  assert.ok(cache.stats().bytes <= 100_000)
  for (const store of [2, 3, 4]) {
    for (let i = 0; i < 5; i++) assert.ok(cache.get(store, `key ${i}`), `store ${store}, key ${i}`)
  }
})

test('an answer larger than the cache is returned, not cached, and evicts nothing', async () => {
  const cache = newCache(10_000)
  await cache.fill(2, 'small', read('small'))
  await cache.fill(1, 'a', read('was small'))
  const huge = await cache.fill(1, 'a', read('x'.repeat(20_000)))
  assert.equal(huge.byteLength, 20_000)
  assert.equal(cache.get(1, 'a'), undefined)
  assert.equal(textOf(cache.get(2, 'small')), 'small')
  cache.invalidateAll()
  assert.equal(cache.stats().bytes, 0)
})

test('the byte count follows replacement, eviction and invalidation, and returns to zero', async () => {
  const cache = newCache(50_000)
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 60; i++) await cache.fill(i % 3, `key ${i % 20}`, read('x'.repeat(100 * (i % 7))))
  }
  const { bytes, entries } = cache.stats()
  assert.ok(bytes > 0 && entries > 0)
  cache.invalidateStore(1)
  assert.ok(cache.stats().bytes < bytes)
  cache.invalidateAll()
  assert.deepEqual([cache.stats().bytes, cache.stats().entries], [0, 0])
})

test('equal texts have equal ETags, and different texts different ones', () => {
  const tag = (text: string) => makeCachedAnswer(text).etag
  assert.match(tag('a'), /^W\/"[\w-]{27}"$/)
  assert.equal(tag('a'), tag('a'))
  assert.notEqual(tag('a'), tag('b'))
})

const shows = (text: string, products: readonly string[] | null) => async () => makeCachedAnswer(text, { products })

test('an answer of known products is fresh for as long as changes are confirmed, others are not', async () => {
  const cache = createAnswerCache({ maxBytes: 1_000_000, maxAgeMs: 1_000 })
  await cache.fill(1, 'known', shows('known', ['mug']))
  await cache.fill(1, 'none', shows('none', []))
  await cache.fill(1, 'unknown', shows('unknown', null))
  const later = performance.now() + 5_000
  assert.equal(cache.get(1, 'known', later), undefined)
  cache.confirm(performance.now(), later)
  assert.equal(cache.get(1, 'known', later), undefined)
  cache.confirm(0, later)
  assert.equal(textOf(cache.get(1, 'known', later + 900)), 'known')
  assert.equal(textOf(cache.get(1, 'none', later + 900)), 'none')
  assert.equal(cache.get(1, 'unknown', later + 900), undefined)
  assert.equal(cache.get(1, 'known', later + 1_100), undefined)
  cache.confirm(0, later + 100_000)
  assert.equal(cache.get(1, 'known', later + 100_000), undefined)
})

test('a changed product drops the answers that show it, in its store only', async () => {
  const cache = newCache()
  await cache.fill(1, 'list', shows('list', ['mug', 'lamp']))
  await cache.fill(1, 'lamp', shows('lamp', ['lamp']))
  await cache.fill(2, 'list', shows('other list', ['mug']))
  cache.invalidateProducts(1, new Set(['mug']))
  assert.equal(cache.get(1, 'list'), undefined)
  assert.equal(textOf(cache.get(1, 'lamp')), 'lamp')
  assert.equal(textOf(cache.get(2, 'list')), 'other list')
  assert.equal(cache.stats().entries, 2)
})

test('an answer whose product has changed since its read began is not cached', async () => {
  const cache = newCache()
  const started = Promise.withResolvers<void>()
  const filling = ['mug', 'lamp'].map((product) =>
    cache.fill(1, product, async () => {
      await started.promise
      return makeCachedAnswer(product, { products: [product] })
    }),
  )
  cache.invalidateProducts(1, new Set(['mug']))
  started.resolve()
  assert.deepEqual((await Promise.all(filling)).map(textOf), ['mug', 'lamp'])
  assert.equal(cache.get(1, 'mug'), undefined)
  assert.equal(textOf(cache.get(1, 'lamp')), 'lamp')
})
