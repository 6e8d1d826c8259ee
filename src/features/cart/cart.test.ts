import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { crowdOf } from '../../../test/cluster.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { openShop, setStock } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('the first call of a guest returns a token, and the token finds the cart again', async () => {
  const { shop, mug } = await openShop(service)
  const first = await shop.get('/v1/cart')
  assert.equal(first.status, 200)
  assert.deepEqual(first.json, [])
  const token = first.headers.get('x-guest-token') ?? ''
  assert.match(token, /^gst_/)

  const guest = { 'x-store-key': shop.key, 'x-guest-token': token, 'content-type': 'application/json' }
  const body = JSON.stringify({ productId: mug, quantity: 2 })
  const added = await service.call('/v1/cart', { method: 'POST', headers: guest, body })
  assert.equal(added.status, 201, added.text)
  assert.equal(added.headers.get('x-cart-id'), added.json.id)
  const [line] = (await shop.get('/v1/cart', { 'x-guest-token': token })).json
  assert.match(line.id, /^line_/)
  const { id: _id, variantId, ...shown } = line
  assert.match(variantId, /^var_/)
  assert.deepEqual(shown, {
    productId: mug,
    quantity: 2,
    price: 100,
    lineTotal: 200,
    inStock: true,
    product: { name: 'Mug', image: 'https://cdn.example/mug.png', description: 'Holds tea', slug: 'mug', variant: '' },
  })
})

test('a guest who only reads leaves no rows in the database', async () => {
  const { shop } = await openShop(service)
  await newGuest(service, shop)
  const { id } = await shop.load()
  const rows = await service.db.one<{ count: number }>`select count(*) from guest where store_id = ${id}`
  assert.equal(rows.count, 0)
})

test('the cart has the totals of its lines', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const guest = await newGuest(service, shop)
  const before = await guest.call('POST', '/v1/cart', { body: { items: [{ productId: mug, quantity: 3 }] } })
  assert.equal(before.status, 201)
  const { json, status } = await guest.call('POST', '/v1/cart', { body: { productId: lamp } })
  assert.equal(status, 200)
  assert.equal(json.items.length, 2)
  assert.match(json.id, /^cart_[0-9a-z]{26}$/)
  const { id, items, createdAt, updatedAt, expiresAt, ...rest } = json
  assert.ok(id && items && createdAt && updatedAt && expiresAt)
  assert.deepEqual(rest, {
    customerId: null,
    outletId: shop.outletId,
    currency: 'INR',
    itemCount: 4,
    couponCode: null,
    subtotal: 550,
    discount: 0,
    shipping: 0,
    tax: 0,
    total: 550,
    version: 2,
    warnings: [],
  })
})

test('adding the same product again increases its line, also within one call', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  const { json } = await guest.call('POST', '/v1/cart', {
    body: { items: [{ productId: mug, quantity: 2 }, { productId: mug }] },
  })
  assert.deepEqual(
    json.items.map((item: { quantity: number }) => item.quantity),
    [4],
  )
})

test('a product with several variants needs a variantId, and each variant has its own line', async () => {
  const { shop, shirt: product, small, medium } = await openShop(service)
  const guest = await newGuest(service, shop)
  assertError(await guest.call('POST', '/v1/cart', { body: { productId: product } }), 422, 'UNPROCESSABLE_ENTITY')
  const good = await guest.call('POST', '/v1/cart', { body: { productId: product, variantId: small } })
  assert.equal(good.status, 201, good.text)
  assert.equal(good.json.items[0].product.variant, 'Small')
  const none = await guest.call('POST', '/v1/cart', { body: { productId: product, variantId: medium } })
  assertError(none, 409, 'INSUFFICIENT_STOCK')
})

test('a product or variant that is unknown, not for sale or mismatched cannot be added', async () => {
  const { shop, mug, small } = await openShop(service, { name: 'Old', price: 1, stock: 5, status: 'ARCHIVED' })
  const guest = await newGuest(service, shop)
  const store = await shop.load()
  const old = await service.db.one<{ id: string }>`select id from product where store_id = ${store.id} and slug = 'old'`
  for (const body of [{ productId: 'prod_none' }, { productId: old.id }, { productId: mug, variantId: small }]) {
    assertError(await guest.call('POST', '/v1/cart', { body }), 404, 'NOT_FOUND')
  }
  assert.deepEqual((await guest.call('GET', '/v1/cart')).json, [])
})

test('a quantity above stock is refused and changes nothing', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 9 } })
  const more = await guest.call('POST', '/v1/cart', {
    body: { items: [{ productId: lamp }, { productId: mug, quantity: 2 }] },
  })
  assertError(more, 409, 'INSUFFICIENT_STOCK')
  const after = await guest.call('GET', `/v1/cart/${json.id}`)
  assert.deepEqual(after.json, json)
})

test('invalid quantities are 422', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  for (const quantity of [0, -1, 1.5, 1000, '2', null, true, [], 1e300]) {
    const answer = await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity } })
    assertError(answer, 422, 'UNPROCESSABLE_ENTITY')
  }
  for (const body of [{}, { productId: mug, items: [] }, { quantity: 1 }, { items: [{}] }, { productId: '' }, []]) {
    assertError(await guest.call('POST', '/v1/cart', { body }), 422, 'UNPROCESSABLE_ENTITY')
  }
})

test('a line holds at most 999 units', async () => {
  const { shop, mug } = await openShop(service)
  await setStock(service, shop, mug, 5000)
  const guest = await newGuest(service, shop)
  await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 999 } })
  assertError(await guest.call('POST', '/v1/cart', { body: { productId: mug } }), 422, 'UNPROCESSABLE_ENTITY')
})

test('a change sets the given lines and leaves the others', async () => {
  const { shop, mug, lamp, shirt: product, small } = await openShop(service)
  const guest = await newGuest(service, shop)
  const items = [{ productId: mug }, { productId: lamp }, { productId: product, variantId: small }]
  const { json } = await guest.call('POST', '/v1/cart', { body: { items } })
  const [mugLine] = json.items
  const changed = await guest.call('PATCH', `/v1/cart/${json.id}`, {
    body: {
      items: [
        { id: mugLine.id, quantity: 5 },
        { productId: lamp, quantity: 0 },
      ],
    },
  })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(
    changed.json.items.map((item: { productId: string; quantity: number }) => [item.productId, item.quantity]),
    [
      [mug, 5],
      [product, 1],
    ],
  )
  assert.equal(changed.json.version, 2)
  const back = await guest.call('PATCH', `/v1/cart/${json.id}`, { body: { items: [{ productId: lamp, quantity: 2 }] } })
  assert.equal(back.json.items.length, 3)
})

test('single lines can be added, set and removed at their own paths', async () => {
  const { shop, mug, lamp } = await openShop(service)
  const guest = await newGuest(service, shop)
  const { json: cart } = await guest.call('POST', '/v1/cart', { body: { items: [] } })
  assert.deepEqual(cart.items, [])
  const added = await guest.call('POST', `/v1/cart/${cart.id}/items`, { body: { productId: mug, quantity: 2 } })
  assert.equal(added.status, 200, added.text)
  await guest.call('POST', `/v1/cart/${cart.id}/items`, { body: { productId: lamp } })
  const [line] = added.json.items
  const set = await guest.call('PATCH', `/v1/cart/${cart.id}/items/${line.id}`, { body: { quantity: 7 } })
  assert.equal(set.json.items[0].quantity, 7)
  const removed = await guest.call('DELETE', `/v1/cart/${cart.id}/items/${line.id}`)
  assert.deepEqual(
    removed.json.items.map((item: { productId: string }) => item.productId),
    [lamp],
  )
  assertError(await guest.call('DELETE', `/v1/cart/${cart.id}/items/${line.id}`), 404, 'NOT_FOUND')
  assertError(
    await guest.call('PATCH', `/v1/cart/${cart.id}/items/${line.id}`, { body: { quantity: 1 } }),
    404,
    'NOT_FOUND',
  )
  assertError(
    await guest.call('PATCH', `/v1/cart/${cart.id}`, { body: { items: [{ id: line.id, quantity: 1 }] } }),
    404,
    'NOT_FOUND',
  )
})

test('a change that names a line twice, or a line without id and product, is refused', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  const [{ id, variantId }] = json.items
  const twice = [
    [
      { id, quantity: 1 },
      { id, quantity: 2 },
    ],
    [
      { productId: mug, quantity: 1 },
      { productId: mug, variantId, quantity: 2 },
    ],
    [{ quantity: 1 }],
    [{ id, productId: mug, quantity: 1 }],
    [{ id, quantity: 1.5 }],
  ]
  for (const items of twice) {
    const answer = await guest.call('PATCH', `/v1/cart/${json.id}`, { body: { items } })
    assertError(answer, 422, 'UNPROCESSABLE_ENTITY')
  }
})

test('two hundred concurrent adds to one cart are all applied', async () => {
  const { shop, mug, lamp } = await openShop(service)
  await setStock(service, shop, mug, 1000)
  await setStock(service, shop, lamp, 1000)
  const guest = await newGuest(service, shop)
  const adds = crowdOf(200)
  const answers = await Promise.all(
    Array.from({ length: adds }, (_, i) =>
      guest.call('POST', '/v1/cart', { body: { productId: i % 2 ? mug : lamp, quantity: 1 + (i % 3) } }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, adds - 1)
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1)
  const { json } = await guest.call('GET', `/v1/cart/${answers[0]?.json.id}`)
  const expected = Array.from({ length: adds }, (_, i) => 1 + (i % 3)).reduce((sum, n) => sum + n, 0)
  assert.equal(json.itemCount, expected)
  assert.equal(json.version, adds)
})

test('concurrent adds never exceed stock, and every accepted unit is in the cart', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => guest.call('POST', `/v1/cart/${json.id}/items`, { body: { productId: mug } })),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 9)
  for (const answer of answers) if (answer.status !== 200) assertError(answer, 409, 'INSUFFICIENT_STOCK')
  assert.equal((await guest.call('GET', '/v1/cart')).json[0].quantity, 10)
})

test('anyone with the id can open a guest cart, and the cart of a customer is 404 to everyone else', async () => {
  const { shop, mug } = await openShop(service)
  const [guest, stranger] = [await newGuest(service, shop), await newGuest(service, shop)]
  const [asha, ravi] = [await newCustomer(service, shop), await newCustomer(service, shop)]
  const { json: guests } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  const seen = await stranger.call('GET', `/v1/cart/${guests.id}`)
  assert.equal(seen.json.id, guests.id)
  assert.equal(seen.headers.get('x-cart-id'), null)

  const { json: ashas, headers } = await asha.call('POST', '/v1/cart', { body: { productId: mug } })
  assert.equal(headers.get('x-cart-id'), ashas.id)
  assert.equal(ashas.customerId, asha.id)
  assert.equal(ashas.expiresAt, null)
  for (const other of [guest, ravi]) {
    assertError(await other.call('GET', `/v1/cart/${ashas.id}`), 404, 'NOT_FOUND')
    assertError(await other.call('PATCH', `/v1/cart/${ashas.id}`, { body: { items: [] } }), 404, 'NOT_FOUND')
    assertError(await other.call('POST', `/v1/cart/${ashas.id}/items`, { body: { productId: mug } }), 404, 'NOT_FOUND')
    const line = `/v1/cart/${ashas.id}/items/${ashas.items[0].id}`
    assertError(await other.call('DELETE', line), 404, 'NOT_FOUND')
  }
  assertError(await ravi.call('POST', `/v1/cart/${ashas.id}/claim`), 404, 'NOT_FOUND')
  assertError(await ravi.call('DELETE', `/v1/cart/${ashas.id}`), 404, 'NOT_FOUND')
  assert.equal((await asha.call('GET', '/v1/cart/me')).json.itemCount, 1)
})

test('a cart is 404 in another store', async () => {
  const { shop, mug } = await openShop(service)
  const { shop: other } = await openShop(service)
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  assertError(await other.get(`/v1/cart/${json.id}`), 404, 'NOT_FOUND')
  assertError(await other.get('/v1/cart', { 'x-guest-token': guest.token }), 400, 'BAD_REQUEST')
  const asha = await newCustomer(service, shop)
  assertError(await other.get('/v1/cart', { authorization: `Bearer ${asha.token}` }), 401, 'UNAUTHORIZED')
  assertError(await other.get('/v1/cart', { 'x-customer-id': asha.id }), 401, 'UNAUTHORIZED')
})

test('reading my cart and deleting it need a customer', async () => {
  const { shop, mug } = await openShop(service)
  const guest = await newGuest(service, shop)
  const { json } = await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  assertError(await guest.call('GET', '/v1/cart/me'), 401, 'UNAUTHORIZED')
  assertError(await guest.call('DELETE', `/v1/cart/${json.id}`), 401, 'UNAUTHORIZED')
  assertError(await guest.call('POST', `/v1/cart/${json.id}/claim`), 401, 'UNAUTHORIZED')

  const asha = await newCustomer(service, shop)
  assertError(await asha.call('GET', '/v1/cart/me'), 404, 'NOT_FOUND')
  const own = await asha.call('POST', '/v1/cart', { body: { productId: mug } })
  const deleted = await asha.call('DELETE', `/v1/cart/${own.json.id}`)
  assert.equal(deleted.status, 204)
  assert.equal(deleted.text, '')
  assertError(await asha.call('GET', '/v1/cart/me'), 404, 'NOT_FOUND')
  assert.deepEqual((await asha.call('GET', '/v1/cart')).json, [])
})
