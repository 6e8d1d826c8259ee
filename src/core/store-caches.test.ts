import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStoreCaches } from './store-caches.ts'

const openCaches = (maxBytes: number) => {
  const caches = createStoreCaches<{ size: number }, null>({ maxBytes, sizeOf: ({ size }) => size, more: () => null })
  const put = (store: number, key: string, size = 10) => {
    caches.open(store)
    caches.put(store, key, { size })
  }
  const has = (store: number, key: string) => caches.find(store)?.byKey.has(key) ?? false
  return { caches, put, has }
}

test('at the limit a busy store evicts its own values, whatever the number of other stores', () => {
  const { caches, put, has } = openCaches(10_000)
  for (let store = 1; store <= 500; store++) put(store, 'home')
  for (let n = 0; n < 5_000; n++) put(1_000, `page ${n}`)
  for (let store = 1; store <= 500; store++) assert.ok(has(store, 'home'), `store ${store}`)
  assert.ok(has(1_000, 'page 4999'))
  assert.ok(!has(1_000, 'page 0'))
  assert.deepEqual(caches.stats(), { entries: 1_000, bytes: 10_000 })
})

test('with more stores than fit, those without values take no memory', () => {
  const { caches, put, has } = openCaches(1_000)
  for (let store = 1; store <= 5_000; store++) put(store, 'home')
  assert.deepEqual(caches.stats(), { entries: 100, bytes: 1_000 })
  assert.ok(has(5_000, 'home'))
  const known = Array.from({ length: 5_000 }, (_, i) => caches.find(i + 1)).filter((cache) => cache !== undefined)
  assert.equal(known.length, 100)
})

test('sizes add up after values are replaced, deleted, refused and dropped', () => {
  const { caches, put, has } = openCaches(1_000)
  put(1, 'a', 100)
  put(1, 'a', 300)
  put(1, 'b', 200)
  put(2, 'a', 50)
  assert.equal(caches.stats().bytes, 550)
  put(1, 'a', 2_000)
  assert.ok(!has(1, 'a'))
  assert.equal(caches.stats().bytes, 250)
  caches.find(1)?.values.delete('b')
  assert.equal(caches.find(1), undefined)
  assert.deepEqual(caches.stats(), { entries: 1, bytes: 50 })
  caches.drop(2)
  put(3, 'a')
  caches.dropAll()
  assert.deepEqual(caches.stats(), { entries: 0, bytes: 0 })
})
