import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { contracts } from '../../contract.ts'
import { days } from '../../core/clock.ts'

let service: TestService
let neighbour: TestService
before(async () => {
  ;[service, neighbour] = await Promise.all([startTestService(), startTestService()])
})
after(() => Promise.all([service.close(), neighbour.close()]))

const shippingAddress = {
  ...{ name: 'Asha Rao', phone: '+919876543210', line1: '12 Temple Road' },
  ...{ city: 'Bengaluru', postalCode: '560001', country: 'IN' },
}

const openShop = async (at = service) => {
  const shop = await newStore(at)
  await shop.add({ name: 'Mug', price: 100, stock: 1000 })
  const productId: string = (await shop.get('/v1/products')).json[0].id
  return { shop, productId }
}

/** A customer with a cart and an order, and a guest with a cart. */
const openCustomer = async () => {
  const { shop, productId } = await openShop()
  const customer = await newCustomer(service, shop)
  const { json: cart } = await customer.call('POST', '/v1/cart', { body: { productId, quantity: 2 } })
  const placed = await customer.call('POST', '/v1/checkout', { body: { shippingAddress } })
  assert.equal(placed.status, 201, placed.text)
  const guest = await newGuest(service, shop)
  const { json: guestCart } = await guest.call('POST', '/v1/cart', { body: { productId } })
  const { id: storeId } = await shop.load()
  /** All that these calls may change. */
  const state = () => service.db.one<Record<string, object>>`
    select (select json_agg(c order by c.id) from cart c where c.store_id = ${storeId}) as carts,
      (select json_agg(i order by i.id) from cart_item i where i.store_id = ${storeId}) as lines,
      (select json_agg(o order by o.id) from orders o where o.store_id = ${storeId}) as orders,
      (select json_agg(p order by p.id) from payment p where p.store_id = ${storeId}) as payments,
      (select json_agg(s) from stock s where s.store_id = ${storeId}) as stock`
  const logOut = (at: TestService) =>
    at.call('/v1/auth/logout', {
      method: 'POST',
      headers: { 'x-store-key': shop.key, authorization: `Bearer ${customer.token}` },
    })
  const names = { '{cartId}': cart.id, '{itemId}': cart.items[0].id, '{orderId}': placed.json.order.id }
  return { shop, productId, customer, cart, guestCart, orderId: placed.json.order.id, names, state, logOut }
}

type Opened = Awaited<ReturnType<typeof openCustomer>>

const late = contracts.flatMap((contract) =>
  Object.entries(contract).filter(([, endpoint]) => 'lateSession' in endpoint && endpoint.lateSession),
)

/** Bodies that the service accepts. */
const bodies: Record<string, (opened: Opened) => unknown> = {
  addToCart: ({ productId }) => ({ productId }),
  changeCart: ({ productId }) => ({ items: [{ productId, quantity: 7 }] }),
  claimCart: () => ({}),
  addCartItem: ({ productId }) => ({ productId }),
  changeCartItem: () => ({ quantity: 5 }),
  checkOut: () => ({ shippingAddress, note: 'another order' }),
  startPayment: ({ orderId }) => ({ orderId }),
}

const pathOf = (path: string, names: Record<string, string>) =>
  path.replaceAll(/\{\w+\}/g, (name) => names[name] ?? assert.fail(`the test has no ${name}`))

for (const [name, { method, path }] of late) {
  test(`${name}: a session that ended on another instance is refused at once, and changes nothing`, async () => {
    for (const headers of [{}, { 'idempotency-key': 'late' }]) {
      const opened = await openCustomer()
      const { customer, names, state, logOut } = opened
      const ids = name === 'claimCart' ? { ...names, '{cartId}': opened.guestCart.id } : names
      const body = bodies[name]?.(opened)
      assert.equal((await logOut(neighbour)).status, 200)
      const before = await state()
      // The second time it is not known any more.
      for (let times = 0; times < 2; times++) {
        const refused = await customer.call(method, pathOf(path, ids), { body, headers })
        assertError(refused, 401, 'UNAUTHORIZED')
        assert.equal(refused.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      }
      assert.deepEqual(await state(), before)
    }
  })

  test(`${name}: a valid session is accepted, known to the instance or not`, async () => {
    const opened = await openCustomer()
    const { customer, names, shop } = opened
    const ids = name === 'claimCart' ? { ...names, '{cartId}': opened.guestCart.id } : names
    const body = bodies[name]?.(opened)
    const headers = {
      ...{ 'x-store-key': shop.key, authorization: `Bearer ${customer.token}` },
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    for (const at of [service, neighbour, neighbour]) {
      const { status, text } = await at.call(pathOf(path, ids), sent)
      // What was claimed or removed before is not there the second time.
      assert.ok(status < 300 || (at !== service && status === 404), `${status} ${text}`)
    }
  })
}

/** Calls that are refused for another reason too. */
const wrongCalls: Record<string, { method?: string; path: string; body: string; headers?: Record<string, string> }> = {
  'an invalid quantity': { path: '/v1/cart', body: '{"productId":"prod_x","quantity":0}' },
  'an unknown coupon': { path: '/v1/cart', body: '{"productId":"prod_x","couponCode":"NONE"}' },
  'no JSON': { path: '/v1/cart', body: '{"productId"' },
  'a list': { path: '/v1/cart', body: '[]' },
  'too long a body': { path: '/v1/cart', body: 'x'.repeat(2_000_000) },
  'another content type': { path: '/v1/cart', body: 'a', headers: { 'content-type': 'text/plain' } },
  'a malformed idempotency key': { path: '/v1/cart', body: '{"productId":"x"}', headers: { 'idempotency-key': 'a b' } },
  'a line without an id': { method: 'PATCH', path: '/v1/cart/cart_x', body: '{"items":[{"quantity":1}]}' },
  'an address that is no origin': { path: '/v1/checkout', body: '{"storefrontUrl":"not a url"}' },
  'an unknown order': { path: '/v1/payment', body: '{"orderId":"ord_x"}' },
}
for (const [what, { method = 'POST', path, body, headers = {} }] of Object.entries(wrongCalls)) {
  test(`with a session that has ended, ${what} is 401; with a valid one it is not`, async () => {
    const { customer, shop, logOut } = await openCustomer()
    const credentials = { 'x-store-key': shop.key, authorization: `Bearer ${customer.token}` }
    const call = () =>
      service.call(path, { method, headers: { ...credentials, 'content-type': 'application/json', ...headers }, body })
    const { status } = await call()
    assert.ok(status >= 400 && status < 500 && status !== 401, String(status))
    await logOut(neighbour)
    for (let times = 0; times < 2; times++) assertError(await call(), 401, 'UNAUTHORIZED')
  })
}

test('a session of another store or customer is refused, known or not', async () => {
  const { customer } = await openCustomer()
  const { shop: elsewhere } = await openShop()
  const headers = { authorization: `Bearer ${customer.token}` }
  for (let times = 0; times < 2; times++) {
    assertError(await elsewhere.get('/v1/cart', headers), 401, 'UNAUTHORIZED')
    assertError(await customer.call('GET', '/v1/cart', { headers: { 'x-customer-id': 'cus_x' } }), 401, 'UNAUTHORIZED')
    assert.equal((await customer.call('GET', '/v1/cart', { headers: { 'x-customer-id': customer.id } })).status, 200)
  }
})

test('a session ends after seven days', async (t) => {
  const moved = await serviceFor(t)
  const { shop, productId } = await openShop(moved)
  const customer = await newCustomer(moved, shop)
  assert.equal((await customer.call('POST', '/v1/cart', { body: { productId } })).status, 201)
  moved.clock.advance(days(7))
  assertError(await customer.call('POST', '/v1/cart', { body: { productId } }), 401, 'UNAUTHORIZED')
  assertError(await customer.call('GET', '/v1/cart'), 401, 'UNAUTHORIZED')
})

test('additions beside a logout: what was accepted is in the cart, and nothing is accepted afterwards', async () => {
  const { customer, productId, cart, logOut, shop } = await openCustomer()
  const add = () => customer.call('POST', '/v1/cart', { body: { productId } })
  let accepted = 0
  const shopping = Array.from({ length: 8 }, async () => {
    for (;;) {
      const { status, text } = await add()
      if (status === 401) return
      assert.equal(status, 200, text)
      accepted++
    }
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await logOut(neighbour)).status, 200)
  assertError(await add(), 401, 'UNAUTHORIZED')
  await Promise.all(shopping)
  const { id: storeId } = await shop.load()
  const { quantity } = await service.db.one<{ quantity: number }>`
    select quantity from cart_item where store_id = ${storeId} and cart_id = ${cart.id}`
  assert.equal(quantity, 2 + accepted)
})

test('the session of a known customer takes no statement of its own when a product is added', async () => {
  const { customer, productId } = await openCustomer()
  const texts: string[] = []
  const stop = service.db.onStatement((text) => texts.push(text))
  assert.equal((await customer.call('POST', '/v1/cart', { body: { productId } })).status, 200)
  stop()
  assert.equal(texts.length, 1)
  assert.match(texts[0] ?? '', /token_hash/)
})
