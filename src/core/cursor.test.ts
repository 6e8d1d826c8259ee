import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { Failure } from './errors.ts'
import { deriveSigner } from './secrets.ts'

const signer = deriveSigner(['the first secret'], 'cursor')
const isRefused = (error: unknown) => error instanceof Failure && error.code === 'BAD_REQUEST'

test('a cursor decodes to exactly the position it was made from', () => {
  for (const position of [[1], ['café mug', 12], [0.06079271, 9007199254740991], ['कमल', 0], ['', 1], ['a\nb".', 2]]) {
    assert.deepEqual(decodeCursor(signer, 'scope', encodeCursor(signer, 'scope', position)), position)
  }
})

test('a cursor needs no encoding in a URL', () => {
  assert.match(encodeCursor(signer, 'scope', ['ÿþ??>>', 3]), /^[\w.-]+$/)
})

test('a cursor with any character changed, added or removed is refused', () => {
  const cursor = encodeCursor(signer, 'scope', ['mug', 12])
  for (let i = 0; i < cursor.length; i++) {
    const other = cursor[i] === 'A' ? 'B' : 'A'
    for (const piece of [other, '', '.', `${cursor[i]}A`, '=']) {
      const changed = cursor.slice(0, i) + piece + cursor.slice(i + 1)
      if (changed !== cursor) assert.throws(() => decodeCursor(signer, 'scope', changed), isRefused, changed)
    }
  }
})

test('a cursor is refused in another scope, and so is one without payload or signature', () => {
  const cursor = encodeCursor(signer, 'scope', [1])
  const [payload, signature] = cursor.split('.')
  assert.throws(() => decodeCursor(signer, 'another scope', cursor), isRefused)
  for (const broken of ['', '.', payload ?? '', `${payload}.`, `.${signature}`, `${cursor}.`, `${cursor}.x`]) {
    assert.throws(() => decodeCursor(signer, 'scope', broken), isRefused, broken)
  }
})
