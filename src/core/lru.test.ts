import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLru } from './lru.ts'

test('the least recently used entry is evicted at the limit', () => {
  const cache = createLru<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  cache.set('a', 4)
  assert.deepEqual(
    [...cache.entries()],
    [
      ['a', 4],
      ['c', 3],
    ],
  )
})

test('entries are allocated as the cache fills', () => {
  // More entries than an array can have.
  const cache = createLru<string, number>(2 ** 32)
  cache.set('a', 1)
  assert.equal(cache.get('a'), 1)
})
