import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { putOnHand } from '../../../test/put-on-hand.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { hours } from '../../core/clock.ts'
import { openShop, quantities } from '../cart/fixture.ts'
import { maxKeysPerShopper } from './idempotency.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const once = (key: string) => ({ 'idempotency-key': key })

test('repeating a call with the same key and body returns the first response, status and headers included, and has no effect', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const add = () => guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: mug } })
  const first = await add()
  assert.equal(first.status, 201)
  const second = await add()
  assert.equal(second.status, 201)
  assert.deepEqual(second.json, first.json)
  assert.equal(second.headers.get('x-cart-id'), first.json.id)
  assert.equal((await guest.call('GET', '/v1/cart')).json[0].quantity, 1)
})

test('the same key with a different body is 409; on another route or by another shopper it is independent', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
  const { json } = await guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: mug } })
  const other = await guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: lamp } })
  assertError(other, 409, 'CONFLICT')
  const line = `/v1/cart/${json.id}/items`
  assert.equal((await guest.call('POST', line, { headers: once('a'), body: { productId: lamp } })).status, 200)
  assert.equal((await asha.call('POST', '/v1/cart', { headers: once('a'), body: { productId: lamp } })).status, 201)
})

test('a repeated call returns the current cart and has no second effect', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const guest = await newGuest(service, shop)
  const add = () => guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: mug, couponCode: 'NO' } })
  const first = await add()
  assert.deepEqual((await add()).json, first.json)
  await guest.call('POST', '/v1/cart', { headers: once('b'), body: { productId: lamp } })
  const again = await add()
  assert.equal(again.status, 201)
  assert.deepEqual(quantities(again.json), [
    [mug, 1],
    [lamp, 1],
  ])
})

test('a repeated call does not recreate a deleted cart', async () => {
  const { shop, mug } = await openShop(service)
  const asha = await newCustomer(service, shop)
  const add = () => asha.call('POST', '/v1/cart', { headers: once('a'), body: { productId: mug } })
  const { json } = await add()
  assert.equal((await asha.call('DELETE', `/v1/cart/${json.id}`)).status, 204)
  assertError(await add(), 404, 'NOT_FOUND')
  assertError(await asha.call('GET', '/v1/cart/me'), 404, 'NOT_FOUND')
})

test('the stored size of a key does not depend on the size of the response', async () => {
  const products = Array.from({ length: 100 }, (_, i) => ({
    name: `Thing ${i}`,
    price: 1,
    stock: 5,
    description: 'x'.repeat(500),
  }))
  const { shop, mug } = await openShop(service, ...products)
  const guest = await newGuest(service, shop)
  const { id } = await shop.load()
  const things = await service.db.many<{ productId: string }>`
    select id as "productId" from product where store_id = ${id} and name like 'Thing%'`
  const items = things.map(({ productId }) => ({ productId, quantity: 1 }))
  await putOnHand(service.db, id, 1000)
  const large = await guest.call('POST', '/v1/cart', { body: { items } })
  assert.ok(large.text.length > 50_000, large.text)
  const keys = Array.from({ length: 10 }, (_, i) => `key-${i}`)
  for (const key of keys) {
    const answer = await guest.call('POST', '/v1/cart', { headers: once(key), body: { productId: mug } })
    assert.equal(answer.status, 200)
  }
  const { rows, bytes } = await service.db.one<{ rows: number; bytes: number }>`
    select count(*) as rows, sum(pg_column_size(k.*)) as bytes from kept_answer k where store_id = ${id}`
  assert.equal(rows, keys.length)
  assert.ok(bytes < keys.length * 400, `${bytes} bytes`)
})

test('the newest hundred keys of a shopper are stored, and keys of other shoppers are not affected', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
  const { id } = await shop.load()
  await putOnHand(service.db, id, 1000)
  const add = (key: string) => guest.call('POST', '/v1/cart', { headers: once(key), body: { productId: mug } })
  const other = () => asha.call('POST', '/v1/cart', { headers: once('0'), body: { productId: lamp } })
  await other()
  for (let i = 0; i <= maxKeysPerShopper; i++) assert.ok((await add(`${i}`)).status < 300)
  const { kept } = await service.db.one<{ kept: number }>`
    select count(*) as kept from kept_answer where store_id = ${id} and shopper like 'guest%'`
  assert.equal(kept, maxKeysPerShopper)
  assert.equal((await add('1')).json.itemCount, maxKeysPerShopper + 1)
  assert.equal((await add('0')).json.itemCount, maxKeysPerShopper + 2)
  assert.equal((await other()).json.itemCount, 1)
})

test('a whole response stored by an earlier version is returned unchanged', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const add = () => guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: mug } })
  const { json } = await add()
  const { id } = await shop.load()
  const whole = { status: 201, body: { ...json, itemCount: 7 }, headers: { 'x-cart-id': json.id } }
  await service.db.run`update kept_answer set answer = ${JSON.stringify(whole)} where store_id = ${id}`
  const again = await add()
  assert.deepEqual([again.status, again.json], [201, { ...json, itemCount: 7 }])
})

test('fifty concurrent calls with one key have one effect and one response', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => guest.call('POST', '/v1/cart', { headers: once('x'), body: { productId: mug } })),
  )
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal((await guest.call('GET', '/v1/cart')).json[0].quantity, 1)
})

test('an error is not stored: the same key can be retried', async () => {
  const { shop, lamp } = await openShop(service)
  const guest = await newGuest(service, shop)
  const add = () => guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: lamp, quantity: 4 } })
  assertError(await add(), 409, 'INSUFFICIENT_STOCK')
  await shop.add({ name: 'Lamp', price: 250, stock: 9 })
  assert.equal((await add()).status, 201)
})

test('a key expires after 24 hours', async (t) => {
  const own = await serviceFor(t)
  const { shop, mug } = await openShop(own)
  const guest = await newGuest(own, shop)
  const add = () => guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: mug } })
  await add()
  own.clock.advance(hours(23))
  assert.equal((await add()).json.itemCount, 1)
  own.clock.advance(hours(1))
  assert.equal((await add()).json.itemCount, 2)
  assert.equal((await add()).json.itemCount, 2)
})

test('a key has no effect for a guest without a token', async () => {
  const { shop, mug } = await openShop(service)
  const add = () =>
    service.call('/v1/cart', {
      method: 'POST',
      headers: { 'x-store-key': shop.key, 'content-type': 'application/json', ...once('a') },
      body: JSON.stringify({ productId: mug }),
    })
  const [first, second] = [await add(), await add()]
  assert.notEqual(first.json.id, second.json.id)
})

test('a malformed key is refused', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  for (const key of ['', 'a b', 'x'.repeat(256)]) {
    const answer = await guest.call('POST', '/v1/cart', { headers: once(key), body: { productId: mug } })
    assertError(answer, 400, 'BAD_REQUEST')
  }
})
