import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveCipher } from './encryption.ts'

const cipher = deriveCipher(['a secret'], 'payment-account')

test('a sealed text opens with the same secret and the same context only', () => {
  for (const text of ['', 'rzp_live_secret', 'ключ 🔑', 'x'.repeat(10_000)]) {
    assert.equal(cipher.open(cipher.seal(text, 'store_1 sandbox'), 'store_1 sandbox'), text)
  }
  assert.equal(cipher.open(cipher.seal('text', 'store_1 sandbox'), 'store_2 sandbox'), null)
})

test('a sealed text does not reveal its content, and sealing twice gives different texts', () => {
  const sealed = cipher.seal('rzp_live_secret', 'here')
  assert.ok(!sealed.includes('rzp') && !Buffer.from(sealed.slice(3), 'base64url').toString('latin1').includes('rzp'))
  assert.notEqual(sealed, cipher.seal('rzp_live_secret', 'here'))
})

test('a sealed text with any byte changed does not open', () => {
  const sealed = cipher.seal('text', 'here')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] as number) ^ 1
    assert.equal(cipher.open(`v1.${changed.toString('base64url')}`, 'here'), null, `byte ${i}`)
  }
  for (const other of ['', 'v1.', 'v1', `v2${sealed.slice(2)}`, `${sealed}.x`, 'v1.AAAA']) {
    assert.equal(cipher.open(other, 'here'), null)
  }
})

test('the first secret seals, and every secret opens until it is removed', () => {
  const old = deriveCipher(['old'], 'payment-account').seal('text', 'here')
  const both = deriveCipher(['new', 'old'], 'payment-account')
  assert.equal(both.open(old, 'here'), 'text')
  assert.equal(deriveCipher(['new'], 'payment-account').open(both.seal('text', 'here'), 'here'), 'text')
  assert.equal(deriveCipher(['new'], 'payment-account').open(old, 'here'), null)
  assert.throws(() => deriveCipher([], 'payment-account'))
})
