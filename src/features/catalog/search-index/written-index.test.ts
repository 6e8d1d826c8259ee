import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fillIndexFile } from './fill-index.ts'
import { newDataDir } from './fixture.ts'
import { begunTerm, shortHash } from './index-file.ts'
import { entryEnd, type Listed } from './listed.sql.ts'
import { openIndexReader } from './read-index.ts'
import { listSlots } from './slots.ts'
import { isBlockFull, openWrittenIndex } from './written-index.ts'

const words = ['tea', 'teapot', 'te', 'mug', 'mugs', 'café', 'चाय', '急須', 'x', 'kettle', 'kettledrum']

/** A product of which everything follows from two numbers. */
const productOf = (seq: number, variety: number): Listed => {
  const names = words.filter((_, i) => (seq * 7 + variety * 3 + i) % 5 === 0)
  const others = words.filter((_, i) => (seq + variety + i) % 3 === 0)
  return {
    ...{ seq, version: variety, priceMinor: (seq * variety) % 1_000, inStock: (seq + variety) % 4 !== 0 },
    ...{ categoryId: variety % 3 === 0 ? null : `cat_${(seq + variety) % 4}`, nameKey: names.join(' ') },
    entries: [
      ...new Set([...names, ...others].map((word) => `7~${word}`)),
      ...names.map((word) => `7^${word}`),
      '7=Colour\u001fRed~',
    ].join(entryEnd),
  }
}

const newFile = (t: TestContext, products: readonly Listed[]) => {
  const path = join(newDataDir(t), '1-7.sqlite')
  const file = fillIndexFile(path, 'test')
  file.add(products)
  file.finish()
  return path
}

/** The products with a term, the newest first, as the file has them. */
const productsWith = (path: string, term: string) => {
  const reader = openIndexReader(path)
  const found = reader.blocks().flatMap((block) => {
    const slots = reader.slotsOf(term, block)
    const seqs = (slots === undefined ? [] : listSlots(slots)).map((slot) => reader.productAt(block, slot)?.seq ?? 0)
    if (block.isSorted)
      assert.deepEqual(
        seqs,
        seqs.toSorted((a, b) => a - b),
      )
    return seqs.sort((a, b) => b - a)
  })
  reader.close()
  return found
}

const assertHas = (path: string, products: ReadonlyMap<number, Listed>) => {
  const newest = [...products.values()].sort((one, other) => other.seq - one.seq)
  const has = ({ entries }: Listed, isWanted: (word: string) => boolean) =>
    entries.split(entryEnd).some((entry) => !entry.includes('=') && isWanted(entry.slice(1)))
  for (const mark of ['~', '^']) {
    for (const word of words) {
      const marked = `${mark}${word}`
      const whole = newest.filter((product) => has(product, (found) => found === marked))
      assert.deepEqual(
        productsWith(path, marked),
        whole.map(({ seq }) => seq),
        marked,
      )
      const term = begunTerm(marked)
      if (term === undefined) continue
      const begun = newest.filter((product) => has(product, (found) => found.startsWith(marked)))
      assert.deepEqual(
        productsWith(path, term),
        begun.map(({ seq }) => seq),
        term,
      )
    }
  }
  const reader = openIndexReader(path)
  const seen = new Map<number, unknown>()
  for (const block of reader.blocks()) {
    for (let slot = 0; slot < 600; slot++) {
      const product = reader.productAt(block, slot)
      if (product === undefined) continue
      const { seq, priceMinor, isInStock, category } = product
      seen.set(seq, { priceMinor, inStock: isInStock, categoryId: reader.categoryId(category) })
    }
  }
  for (const { nameKey } of newest.slice(0, 20)) {
    const named = reader.listNamed(shortHash(nameKey), 1_000)
    assert.deepEqual(
      named.map(({ block, slot }) => reader.productAt(block, slot)?.seq),
      newest.filter((product) => product.nameKey === nameKey).map(({ seq }) => seq),
    )
  }
  reader.close()
  const facts = newest.map(({ seq, priceMinor, inStock, categoryId }) => [seq, { priceMinor, inStock, categoryId }])
  assert.deepEqual(seen, new Map(facts as [number, unknown][]))
}

test('a file has what it was filled with, and every change that was written to it', (t) => {
  const products = new Map(Array.from({ length: 300 }, (_, i) => [i * 10 + 500, productOf(i * 10 + 500, 1)]))
  const path = newFile(t, [...products.values()])
  assertHas(path, products)
  for (let variety = 2; variety < 8; variety++) {
    const index = openWrittenIndex(path, 'test')
    assert.ok(index !== undefined)
    // Products are changed, removed, restored, and added behind, between and before the others.
    const added = [4_000, 777, 5, 3_999].map((seq) => seq + variety * 13)
    const seqs = [...products.keys()].filter((seq) => (seq + variety) % 7 === 0).concat(added)
    const gone = new Set(seqs.filter((seq) => (seq * variety) % 5 === 0))
    const listed = seqs.filter((seq) => !gone.has(seq)).map((seq) => productOf(seq, variety))
    index.write(seqs, listed.toReversed())
    for (const seq of gone) products.delete(seq)
    for (const product of listed) products.set(product.seq, product)
    assertHas(path, products)
    assert.deepEqual(
      new Map(index.listVersions(0, Number.MAX_SAFE_INTEGER)),
      new Map([...products.values()].map(({ seq, version }) => [seq, version])),
    )
    index.close()
  }
})

test('a file of another database, or that is not there, is not used', (t) => {
  const path = newFile(t, [productOf(1, 1)])
  assert.equal(openWrittenIndex(path, 'another'), undefined)
  assert.equal(openWrittenIndex(`${path}.2`, 'test'), undefined)
})

const none = new Uint16Array()

test('a reader sees what was written since, without reading all again', (t) => {
  const path = newFile(t, [productOf(1, 1), productOf(2, 1)])
  const reader = openIndexReader(path)
  assert.equal(reader.confirmedAtMs(), 0)
  const pricesOf = () => {
    const [block] = reader.blocks()
    assert.ok(block !== undefined)
    return [0, 1, 2].map((slot) => reader.productAt(block, slot)?.priceMinor)
  }
  assert.deepEqual(pricesOf(), [1, 2, undefined])
  const index = openWrittenIndex(path, 'test')
  index?.write([2, 3], [{ ...productOf(2, 1), priceMinor: 50 }, productOf(3, 5)])
  index?.confirm(1_234)
  assert.equal(reader.confirmedAtMs(), 1_234)
  assert.deepEqual(pricesOf(), [1, 50, 15])
  const blocks = () =>
    reader.blocks().map((block) => [block.isSorted, listSlots(reader.slotsOf('~new', block) ?? none)])
  assert.deepEqual(blocks(), [[true, []]])
  index?.write([2], [])
  index?.write([2], [{ ...productOf(2, 1), entries: '7~new' }])
  index?.confirm(2_345)
  assert.equal(reader.confirmedAtMs(), 2_345)
  assert.deepEqual(blocks(), [[false, [3]]])
  index?.close()
  reader.close()
})

/** Few words, so that very many are written quickly. */
const tinyOf = (seq: number): Listed => ({
  ...{ seq, version: 1, priceMinor: seq, inStock: true, categoryId: null, nameKey: 'mug' },
  entries: seq % 1_000 === 0 ? ['7~mug', '7~rare'].join(entryEnd) : '7~mug',
})

test('products of several blocks are found from the newest on, and new ones are added behind them', (t) => {
  const seqs = Array.from({ length: 130_000 }, (_, i) => i + 1)
  const path = newFile(t, seqs.map(tinyOf))
  const rare = seqs.filter((seq) => seq % 1_000 === 0)
  assert.deepEqual(productsWith(path, '~rare'), rare.toReversed())
  const index = openWrittenIndex(path, 'test')
  index?.write([130_001, 140_000, 150_000], [130_001, 140_000, 150_000].map(tinyOf))
  assert.deepEqual(productsWith(path, '~rare'), [150_000, 140_000, ...rare.toReversed()])
  index?.close()
})

test('a block that has no room for a product between its others has the file made anew', (t) => {
  const seqs = Array.from({ length: 57_345 }, (_, i) => (i + 1) * 10)
  const path = newFile(t, seqs.map(tinyOf))
  const index = openWrittenIndex(path, 'test')
  const between = Array.from({ length: 8_193 }, (_, i) => i * 10 + 5)
  index?.write(between.slice(1), between.slice(1).map(tinyOf))
  assert.throws(() => index?.write([5], [tinyOf(5)]), isBlockFull)
  assert.equal(productsWith(path, '~mug').length, 57_345 + 8_192)
  index?.close()
})

test('a product that is the newest again gets no block that is there already', (t) => {
  const seqs = Array.from({ length: 57_345 }, (_, i) => (i + 1) * 10)
  const path = newFile(t, seqs.map(tinyOf))
  const index = openWrittenIndex(path, 'test')
  // The first block is full, and all products of the second are removed, with the last ones of the first.
  const between = Array.from({ length: 8_192 }, (_, i) => i * 10 + 5)
  index?.write(between, between.map(tinyOf))
  index?.write([573_430, 573_440, 573_450], [])
  assert.throws(() => index?.write([573_440], [tinyOf(573_440)]), isBlockFull)
  index?.write([573_450], [tinyOf(573_450)])
  assert.deepEqual(productsWith(path, '~mug').slice(0, 2), [573_450, 573_420])
  index?.close()
})
