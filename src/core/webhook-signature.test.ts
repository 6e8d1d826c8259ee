import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWebhookSecret, signWebhook } from './webhook-signature.ts'

/** Computed with the package standardwebhooks 1.1.1. */
const vector = {
  secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  message: {
    id: 'msg_1',
    timestampSeconds: 1_700_000_000,
    body: '{"type":"order.paid","timestamp":"2026-11-15T09:30:00Z","data":{"id":"ord_1"}}',
  },
  signature: 'v1,zrQUmCMn5mX39vfp196qfxo3mHoIRkGOWYHPLsTyK68=',
}

test('a signature is that of the reference implementation', () =>
  assert.equal(signWebhook([vector.secret], vector.message), vector.signature))

test('two secrets make two signatures, separated by a space', () => {
  const other = newWebhookSecret()
  assert.equal(
    signWebhook([other, vector.secret], vector.message),
    `${signWebhook([other], vector.message)} ${vector.signature}`,
  )
})

test('a secret has 32 random bytes', () => {
  const secrets = Array.from({ length: 20 }, newWebhookSecret)
  assert.equal(new Set(secrets).size, 20)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
})
