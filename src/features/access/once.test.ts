import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { hours } from '../../core/clock.ts'
import { openShop } from '../cart/fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const once = (key: string) => ({ 'idempotency-key': key })

test('the same key and body again gets the first answer, headers and status too, and has no effect', async () => {
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

test('the same key with a different body is 409, on another route or by another shopper it is a key of its own', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const [guest, asha] = [await newGuest(service, shop), await newCustomer(service, shop)]
  const { json } = await guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: mug } })
  const other = await guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: lamp } })
  assertError(other, 409, 'CONFLICT')
  const line = `/v1/cart/${json.id}/items`
  assert.equal((await guest.call('POST', line, { headers: once('a'), body: { productId: lamp } })).status, 200)
  assert.equal((await asha.call('POST', '/v1/cart', { headers: once('a'), body: { productId: lamp } })).status, 201)
})

test('fifty calls with one key at once have one effect and one answer', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => guest.call('POST', '/v1/cart', { headers: once('x'), body: { productId: mug } })),
  )
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal((await guest.call('GET', '/v1/cart')).json[0].quantity, 1)
})

test('a refusal is not kept: the same key may try again', async () => {
  const { shop, lamp } = await openShop(service)
  const guest = await newGuest(service, shop)
  const add = () => guest.call('POST', '/v1/cart', { headers: once('a'), body: { productId: lamp, quantity: 4 } })
  assertError(await add(), 409, 'INSUFFICIENT_STOCK')
  await shop.add({ name: 'Lamp', price: 250, stock: 9 })
  assert.equal((await add()).status, 201)
})

test('a key counts for twenty-four hours', async (t) => {
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

test('a guest without a token has no identity to keep an answer for', async () => {
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

test('a key that is none is refused', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  for (const key of ['', 'a b', 'x'.repeat(256)]) {
    const answer = await guest.call('POST', '/v1/cart', { headers: once(key), body: { productId: mug } })
    assertError(answer, 400, 'BAD_REQUEST')
  }
})
