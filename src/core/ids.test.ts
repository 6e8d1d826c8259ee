import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCapabilityId, newId, randomText } from './ids.ts'

test('an id starts with its prefix and needs no encoding in a URL', () => {
  assert.match(newId('prod'), /^prod_[0-9a-hjkmnp-tv-z]{22}$/)
  assert.match(newId('outlet'), /^outlet_[0-9a-hjkmnp-tv-z]{22}$/)
})

test('later ids sort after earlier ones', () => {
  const start = Date.UTC(2026, 0, 1)
  const ids = [0, 1, 31, 32, 1000, 86_400_000, 366 * 86_400_000, 20 * 366 * 86_400_000].map((ms) =>
    newId('prod', start + ms),
  )
  assert.deepEqual(ids.toSorted(), ids)
})

test('ten thousand ids of one millisecond are all different', () => {
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newId('var', 0))).size, 10_000)
})

test('an id that grants access has at least 128 random bits and no time in it', () => {
  const [a, b] = [newCapabilityId('cart'), newCapabilityId('cart')]
  const random = a.slice('cart_'.length)
  assert.ok(random.length * 5 >= 128)
  assert.notEqual(random.slice(0, 8), b.slice('cart_'.length, 'cart_'.length + 8))
})

test('random text uses every character of its alphabet about equally', () => {
  const counts = new Map<string, number>()
  for (const letter of randomText(64_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  assert.equal(counts.size, 32)
  // The expected count is 2000; one that is off by a fifth is nine standard deviations away.
  for (const [letter, count] of counts) assert.ok(count > 1600 && count < 2400, `${letter}: ${count}`)
})
