import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseBest, readMatches } from './matches.ts'

test('matches are read from one text', () => {
  assert.deepEqual(readMatches(null), [])
  assert.deepEqual(readMatches('12 4500 71 cat_a,9007199254740991 0 16 ,7 1 37 cat_b'), [
    {
      ...{ seq: 12, priceMinor: 4500, rank: 8, categoryId: 'cat_a' },
      ...{ isLater: true, isWhole: true, isInStock: true },
    },
    {
      ...{ seq: Number.MAX_SAFE_INTEGER, priceMinor: 0, rank: 2, categoryId: null },
      ...{ isLater: false, isWhole: false, isInStock: false },
    },
    {
      ...{ seq: 7, priceMinor: 1, rank: 4, categoryId: 'cat_b' },
      ...{ isLater: true, isWhole: false, isInStock: true },
    },
  ])
})

test('the best matches are those that sorting all of them finds, on every page', () => {
  const matches = Array.from({ length: 500 }, (_, i) => {
    const seq = (i * 7919) % 1009
    return readMatches(`${seq} 1 ${(2 + (seq % 7)) * 8} `)[0]
  }).filter((match) => match !== undefined)
  const sorted = matches.toSorted((a, b) => b.rank - a.rank || b.seq - a.seq)
  for (const limit of [1, 21, 101, 600]) {
    assert.deepEqual(chooseBest(matches, undefined, limit), sorted.slice(0, limit))
    const last = sorted[250]
    assert.ok(last)
    assert.deepEqual(chooseBest(matches, [last.rank, last.seq], limit), sorted.slice(251, 251 + limit))
  }
})
