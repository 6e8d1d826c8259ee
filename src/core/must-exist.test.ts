import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mustExist } from './must-exist.ts'

test('a value that must exist is returned, and its absence is an error that names it', () => {
  assert.equal(mustExist(0, 'a number'), 0)
  assert.equal(mustExist('', 'a text'), '')
  const rows: number[] = []
  assert.throws(() => mustExist(rows[0], 'the first row'), /^Error: the first row must exist, and does not$/)
  assert.throws(() => mustExist(null, 'the first row'), /the first row/)
})
