import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { newGuest } from '../../../test/shoppers.ts'
import { days } from '../../core/clock.ts'
import { openShop, setPrice, setStock, shirt } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a changed price has a warning until the line is written again', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  await setPrice(service, shop, mug, 12_000)
  const moved = await guest.call('GET', `/v1/cart/${json.id}`)
  assert.equal(moved.json.items[0].price, 120)
  assert.equal(moved.json.total, 120)
  assert.deepEqual(
    moved.json.warnings.map(({ code, itemId }: { code: string; itemId: string }) => [code, itemId]),
    [['PRICE_CHANGED', json.items[0].id]],
  )
  assert.equal(moved.json.version, json.version, 'a read writes nothing')
  const line = `/v1/cart/${json.id}/items/${json.items[0].id}`
  assert.deepEqual((await guest.call('PATCH', line, { body: { quantity: 1 } })).json.warnings, [])
})

test('a cart stays readable and warns about lines that are sold out, low on stock or no longer for sale', async () => {
  const { shop, mug, lamp, shirt: product, small } = await openShop(service)
  const guest = await newGuest(service, shop)
  const items = [
    { productId: mug, quantity: 5 },
    { productId: lamp, quantity: 2 },
    { productId: product, variantId: small },
  ]
  const { json } = await guest.call('POST', '/v1/cart', { body: { items } })
  await setStock(service, shop, mug, 2)
  await setStock(service, shop, lamp, 0)
  await shop.add({ ...shirt, status: 'ARCHIVED' })
  const after = (await guest.call('GET', `/v1/cart/${json.id}`)).json
  assert.deepEqual(
    after.warnings.map(({ code }: { code: string }) => code),
    ['LOW_STOCK', 'OUT_OF_STOCK', 'UNAVAILABLE'],
  )
  assert.deepEqual(
    after.items.map(({ inStock }: { inStock: boolean }) => inStock),
    [false, false, false],
  )
  assert.equal(after.items[2].product.name, 'Shirt')
  assert.equal(after.subtotal, 1000, 'a line that is not for sale costs nothing')
  const gone = `/v1/cart/${json.id}/items/${after.items[2].id}`
  assertError(await guest.call('PATCH', gone, { body: { quantity: 2 } }), 404, 'NOT_FOUND')
  assert.equal((await guest.call('DELETE', gone)).json.items.length, 2)
})

test('a cart keeps the outlet it was created for', async () => {
  const shop = await newStore(service)
  const pune = await shop.newOutlet('Pune')
  await shop.add({ name: 'Mug', price: 100, prices: { [pune]: 80 }, stock: { [shop.outletId]: 1, [pune]: 9 } })
  const mug = (await shop.get('/v1/products/mug')).json.id
  const guest = await newGuest(service, shop)
  const inPune = { 'x-outlet-id': pune }
  const { json } = await guest.call('POST', '/v1/cart', { headers: inPune, body: { productId: mug, quantity: 3 } })
  assert.equal(json.outletId, pune)
  assert.equal(json.total, 240)
  const more = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  assert.equal(more.json.items[0].quantity, 4, 'without X-Outlet-Id the outlet of the cart applies')
  const elsewhere = { 'x-outlet-id': shop.outletId }
  for (const [method, path, body] of [
    ['POST', '/v1/cart', { productId: mug }],
    ['PATCH', `/v1/cart/${json.id}`, { items: [{ productId: mug, quantity: 1 }] }],
    ['GET', '/v1/cart', undefined],
    ['GET', `/v1/cart/${json.id}`, undefined],
  ] as const) {
    assertError(await guest.call(method, path, { headers: elsewhere, body }), 409, 'CONFLICT')
  }
  await guest.call('PATCH', `/v1/cart/${json.id}`, { body: { items: [{ productId: mug, quantity: 0 }] } })
  const moved = await guest.call('POST', '/v1/cart', { headers: elsewhere, body: { productId: mug } })
  assert.equal(moved.json.outletId, shop.outletId)
  assert.equal(moved.json.total, 100)
})

test('a guest cart expires thirty days after its last write, and the next write creates a new one', async (t) => {
  const own = await serviceFor(t)
  const { shop, mug, lamp } = await openShop(own)
  const guest = await newGuest(own, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  own.clock.advance(days(29))
  const read = await guest.call('GET', `/v1/cart/${json.id}`)
  assert.equal(read.json.itemCount, 1)
  const token = read.headers.get('x-guest-token')
  assert.ok(token, 'the token is renewed with use')
  own.clock.advance(days(1) + 1000)
  const later = (method: string, path: string, body?: unknown) =>
    guest.call(method, path, { headers: { 'x-guest-token': token }, body })
  assertError(await later('GET', `/v1/cart/${json.id}`), 404, 'NOT_FOUND')
  assert.deepEqual((await later('GET', '/v1/cart')).json, [])
  assertError(await later('PATCH', `/v1/cart/${json.id}`, { items: [] }), 404, 'NOT_FOUND')
  const added = await later('POST', '/v1/cart', { productId: lamp })
  assert.equal(added.status, 201, added.text)
  assert.notEqual(added.json.id, json.id)
  assert.deepEqual(
    added.json.items.map(({ productId }: { productId: string }) => productId),
    [lamp],
  )
  assertError(await guest.call('GET', '/v1/cart'), 400, 'BAD_REQUEST')
})
