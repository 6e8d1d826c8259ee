import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSignedReturn } from './juspay-return.ts'

const responseKey = '92206A0A4A75499C9B11206C2B3B9A53'
const query = {
  order_id: 'order_1727694028',
  status: 'AUTHORIZATION_FAILED',
  status_id: '27',
  myQP: 'aGVsbG9Xb3JsZA==',
  signature: '8Esx2nrz3KE059rdsTkffYKu6AXXk07KzBo3KOexl3I=',
  signature_algorithm: 'HMAC-SHA256',
}

test('the signature of a Juspay return covers every parameter', () => {
  assert.equal(isSignedReturn(responseKey, query), true)
  const { myQP: _, ...fewer } = query
  for (const forged of [
    { ...query, status: 'CHARGED' },
    { ...query, order_id: 'another' },
    { ...query, more: '1' },
    { ...query, signature: '' },
    { ...query, signature: undefined },
    { ...query, signature_algorithm: 'none' },
    fewer,
    {},
  ]) {
    assert.equal(isSignedReturn(responseKey, forged), false, JSON.stringify(forged))
  }
  assert.equal(isSignedReturn('another key', query), false)
})
