import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorCode, errorMessage, isSystemError, toError } from './thrown.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (thrown) {
    return thrown
  }
}

test('errors are read without trusting their type', () => {
  const absent = thrownBy(() => readFileSync('/no such file'))
  assert.equal(toError(absent), absent)
  assert.deepEqual([errorCode(absent), isSystemError(absent)], ['ENOENT', true])
  const plain = new Error('plain')
  assert.deepEqual([errorCode(plain), isSystemError(plain), errorMessage(plain)], [undefined, false, 'plain'])
  for (const other of [undefined, null, 'text', { code: 'ENOENT', message: 'text' }]) {
    assert.deepEqual([errorCode(other), isSystemError(other), errorMessage(other)], [undefined, false, String(other)])
  }
})
