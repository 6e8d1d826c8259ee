import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAskedKeys } from './asked-keys.ts'

test('a key was asked for before if the same store has asked for it', () => {
  const wasAsked = createAskedKeys()
  assert.equal(wasAsked(1, '/v1/products'), false)
  assert.equal(wasAsked(2, '/v1/products'), false)
  assert.equal(wasAsked(1, '/v1/products?page=2'), false)
  assert.equal(wasAsked(1, '/v1/products'), true)
  assert.equal(wasAsked(2, '/v1/products'), true)
})

test('thousands of keys are remembered, and few are mistaken', () => {
  const wasAsked = createAskedKeys()
  const keys = Array.from({ length: 5000 }, (_, i) => `1/v1/products?search=${i}`)
  assert.equal(keys.filter((key) => wasAsked(7, key)).length, 0)
  const remembered = keys.toReversed().filter((key) => wasAsked(7, key)).length
  assert.ok(remembered > 4500, String(remembered))
})
