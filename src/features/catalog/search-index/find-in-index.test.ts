import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { SearchPage } from '../search.sql.ts'
import type { Term } from '../search-terms.ts'
import { fillIndexFile } from './fill-index.ts'
import { findInIndex } from './find-in-index.ts'
import { newDataDir } from './fixture.ts'
import { entryEnd, type Listed } from './listed.sql.ts'
import { openIndexReader } from './read-index.ts'
import { openWrittenIndex } from './written-index.ts'

/** The older, the cheaper. */
const listedOf = (seq: number, words: readonly string[]): Listed => ({
  ...{ seq, version: 1, priceMinor: seq, inStock: true, categoryId: null, nameKey: 'a name' },
  entries: words.map((word) => `7~${word}`).join(entryEnd),
})

const numbersTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

/** A file of products, of which some are removed, and to which others are added, after it was filled. */
const readerOf = (t: TestContext, products: readonly Listed[], gone: readonly number[] = [], added: Listed[] = []) => {
  const path = join(newDataDir(t), '1-7.sqlite')
  const file = fillIndexFile(path, 'test')
  file.add(products)
  file.finish()
  const index = openWrittenIndex(path, 'test')
  index?.write(gone, [])
  for (const one of added) index?.write([one.seq], [one])
  index?.close()
  const reader = openIndexReader(path)
  t.after(() => reader.close())
  return reader
}

/** A word, with the number of products that had it when words were counted. */
const wordOf = (word: string, products: number | null = null): Term => ({
  ...{ alternatives: [word], prefix: true, whole: true },
  common: { whole: products === null ? null : { products, named: 0 }, begun: null },
})

const pageOf = (terms: readonly Term[], more: Partial<SearchPage> = {}): SearchPage => ({
  ...{ terms, nameKey: 'another name', sort: 'relevance', limit: 3, ...more },
})

const seqsOf = (found: ReturnType<typeof findInIndex>) => found?.page.map(({ seq }) => seq)

test('more matches than are looked at are left to the database, whatever was expected', (t) => {
  // Nearly all products with one of the words have the other, so that there are more than two counts tell.
  const page = pageOf([wordOf('red', 20_000), wordOf('mug', 20_000)], { sort: 'price' })
  const find = (count: number) => {
    const products = numbersTo(count).map((seq) => listedOf(seq, ['red', 'mug']))
    return findInIndex(readerOf(t, products), page, 1_000_000)
  }
  assert.deepEqual(seqsOf(find(10_000)), [1, 2, 3])
  assert.equal(find(10_001), undefined)
})

test('a word that was common when words were counted, and is not any more, is counted', (t) => {
  const products = numbersTo(1_500).map((seq) => listedOf(seq, ['mug']))
  const few = findInIndex(readerOf(t, products, numbersTo(1_490)), pageOf([wordOf('mug', 1_500)]), 20_000)
  assert.deepEqual(seqsOf(few), [1_500, 1_499, 1_498])
  assert.deepEqual([few?.matches, few?.summary.total, few?.summary.inStock], [10, 10, 10])
  const none = findInIndex(readerOf(t, products, numbersTo(1_500)), pageOf([wordOf('mug', 1_500)]), 20_000)
  assert.deepEqual([none?.matches, none?.summary.total], [0, 0])
  const all = findInIndex(readerOf(t, products), pageOf([wordOf('mug', 1_500)]), 20_000)
  assert.deepEqual([all?.matches, all?.summary.total, all?.summary.inStock], [1_001, 1_500, 1_500])
})

test('a product whose name has no letters is not found by words that no product has', (t) => {
  const reader = readerOf(t, [listedOf(1, []), listedOf(2, ['kettle'])])
  const begun = (word: string) => pageOf([{ ...wordOf(word), whole: false }])
  assert.deepEqual(seqsOf(findInIndex(reader, begun('kettl'), 20_000)), [2])
  assert.deepEqual(seqsOf(findInIndex(reader, begun('zzzzz'), 20_000)), [])
  const inNoCategory = { ...begun('kettl'), categoryIds: ['cat_none'] }
  assert.deepEqual(seqsOf(findInIndex(reader, inNoCategory, 20_000)), [])
})

test('products that were published later than newer ones are found in their place, without reading all others', (t) => {
  const seqs = numbersTo(20_000).map((i) => i * 2)
  const mugOf = (seq: number) => listedOf(seq, ['mug'])
  const added = [39_995, 501, 40_005, 39_999, 1, 39_998].map(mugOf)
  const reader = readerOf(t, seqs.map(mugOf), [39_998, 39_996], added)
  let reads = 0
  const counted = {
    ...reader,
    productAt: (...place: Parameters<typeof reader.productAt>) => {
      reads++
      return reader.productAt(...place)
    },
  }
  const page = pageOf([wordOf('mug', 20_000)], { limit: 7 })
  const first = [40_005, 40_000, 39_999, 39_998, 39_995, 39_994, 39_992]
  assert.deepEqual(seqsOf(findInIndex(counted, page, 20_000)), first)
  assert.ok(reads < 500, `${reads} products were read`)
  const next = { ...page, sort: 'newest', position: [39_999] } as const
  assert.deepEqual(seqsOf(findInIndex(reader, { ...next, limit: 3 }, 20_000)), [39_998, 39_995, 39_994])
  const last = { ...page, sort: 'newest', position: [504], limit: 300 } as const
  const all = readerOf(t, seqs.slice(0, 300).map(mugOf), [2], [501, 1].map(mugOf))
  const expected = [502, 501, ...numbersTo(249).map((i) => 502 - 2 * i), 1]
  assert.deepEqual(seqsOf(findInIndex(all, last, 20_000)), expected)
})
