import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mustExist } from './must-exist.ts'

test('mustExist returns the value, or throws an error that names the missing one', () => {
  assert.equal(mustExist(0, 'a number'), 0)
  assert.equal(mustExist('', 'a text'), '')
  const rows: number[] = []
  assert.throws(() => mustExist(rows[0], 'the first row'), /^Error: the first row is missing$/)
  assert.throws(() => mustExist(null, 'the first row'), /the first row/)
})
