import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileUrls } from '../payments/fixture.ts'
import { checkStorefrontUrl, returnOrigin } from './storefront-url.ts'

const store = {
  domain: 'https://shop.example',
  origins: new Set(['https://shop.example', 'https://www.shop.example', 'http://localhost:5173']),
}

test('only exact entries of the allowlist, or the domain, are accepted as storefront', () => {
  for (const origin of store.origins) assert.equal(checkStorefrontUrl(store, origin), origin)
  assert.equal(checkStorefrontUrl({ ...store, origins: new Set() }, 'https://shop.example'), 'https://shop.example')
  assert.ok(new Set(hostileUrls).size >= 60)
  for (const text of hostileUrls) {
    assert.throws(() => checkStorefrontUrl(store, text), { code: 'BAD_REQUEST' }, JSON.stringify(text))
  }
})

test('an origin that is no longer on the allowlist is replaced by the domain', () => {
  assert.equal(returnOrigin(store, 'http://localhost:5173'), 'http://localhost:5173')
  for (const url of [null, ...hostileUrls]) assert.equal(returnOrigin(store, url), 'https://shop.example')
})
