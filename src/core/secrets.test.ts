import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveSigner, equalBytes, equalSecrets, hashSecret } from './secrets.ts'

test('a signature is valid for the same secret and text, and any change makes it invalid', () => {
  const signer = deriveSigner(['a secret'], 'cursor')
  const signature = signer.sign('text')
  assert.ok(signer.verify('text', signature))
  assert.equal(signer.verify('texT', signature), false)
  for (let i = 0; i < signature.length; i++) {
    const changed = signature.slice(0, i) + (signature[i] === 'A' ? 'B' : 'A') + signature.slice(i + 1)
    assert.equal(signer.verify('text', changed), false, `character ${i}`)
  }
  for (const other of ['', signature.slice(1), `${signature}A`, `${signature}=`]) {
    assert.equal(signer.verify('text', other), false)
  }
})

test('the first secret signs, and every secret verifies until it is removed', () => {
  const old = deriveSigner(['old'], 'cursor').sign('text')
  const both = deriveSigner(['new', 'old'], 'cursor')
  assert.ok(both.verify('text', old))
  assert.equal(both.sign('text'), deriveSigner(['new'], 'cursor').sign('text'))
  assert.equal(deriveSigner(['new'], 'cursor').verify('text', old), false)
})

test('a signature for one purpose is not valid for another', () => {
  const signature = deriveSigner(['a secret'], 'cursor').sign('text')
  for (const purpose of ['guest', 'otp', 'download'] as const) {
    assert.equal(deriveSigner(['a secret'], purpose).verify('text', signature), false)
  }
})

test('a signer needs a secret', () => {
  assert.throws(() => deriveSigner([], 'cursor'))
})

test('the hash of a secret does not contain it', () => {
  const hashed = hashSecret('vsk_secret')
  assert.equal(hashed, hashSecret('vsk_secret'))
  assert.notEqual(hashed, hashSecret('vsk_secreT'))
  assert.ok(!hashed.includes('secret') && hashed.length === 43)
})

test('comparison covers the whole text, even when the lengths differ', () => {
  assert.ok(equalSecrets('same', 'same') && equalSecrets('', ''))
  for (const other of ['', 'sam', 'same ', 'Same']) assert.equal(equalSecrets('same', other), false)
  assert.ok(equalBytes(Buffer.from('ab'), Buffer.from('ab')))
  assert.equal(equalBytes(Buffer.from('ab'), Buffer.from('abc')), false)
})
