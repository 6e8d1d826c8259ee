import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Answer,
  assertError,
  serviceFor,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../test/harness.ts'
import { newGuest } from '../../../test/shoppers.ts'
import { newId } from '../../core/ids.ts'
import { insertCustomer } from '../accounts/customers.sql.ts'
import { openSession } from '../accounts/sessions.ts'
import type { StoreSettings } from '../stores/stores.sql.ts'
import { changeStore } from '../stores/stores.ts'
import { address, openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const unchanged: StoreSettings = {
  ...{ name: null, domain: null, locale: null, timezone: null, logo: null, contact: {}, address: null },
  ...{ taxIncluded: null, shippingFlatMinor: null, shippingFreeAboveMinor: null, cashOnDelivery: null },
}

/** Changes the settings of the store, and waits until the service uses them. */
const change = async (shop: TestStore, settings: Partial<StoreSettings>) => {
  const name = `Shop ${newId('store')}`
  const store = await shop.load()
  await service.db.tx((tx) => changeStore(tx, store, { ...unchanged, ...settings, name }))
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).json.name === name))
}

/** A shop with cash on delivery, 5000 pens (10 each) and five rings (60,000 each). */
const openCashShop = async (settings: Partial<StoreSettings> = {}) => {
  const open = await openShop(
    service,
    { name: 'Pen', price: 10, stock: 5000 },
    { name: 'Ring', price: 60_000, stock: 5 },
  )
  await change(open.shop, { cashOnDelivery: true, ...settings })
  const find = async (slug: string): Promise<string> => (await open.shop.get(`/v1/products/${slug}`)).json.id
  return { ...open, pen: await find('pen'), ring: await find('ring') }
}

const cod = { paymentMethod: 'cod' }

const assertRefused = (answer: Answer, status: number, code: string, text: RegExp) => {
  assertError(answer, status, code)
  assert.match(answer.json.error, text)
}

test('a customer cannot order the whole stock for cash: one order has at most 20 units', async () => {
  const { pen, newBuyer, stockOf } = await openCashShop()
  const mallory = await newBuyer({ productId: pen, quantity: 999 })
  assertRefused(await mallory.checkOut(cod), 409, 'CONFLICT', /limited to 20 units.*pay online/)
  assert.deepEqual(await stockOf(pen), { onHand: 5000, reserved: 0 })
  const asha = await newBuyer({ productId: pen, quantity: 20 })
  assert.equal((await asha.checkOut(cod)).status, 201)
  assert.equal((await mallory.checkOut()).status, 201, 'the same cart can be paid online')
})

test('a cash order has a maximum value, which depends on the currency unless the store sets it', async () => {
  const { shop, ring, newBuyer } = await openCashShop()
  const asha = await newBuyer({ productId: ring })
  assertRefused(await asha.checkOut(cod), 409, 'CONFLICT', /limited to ₹50,000/)
  await change(shop, { codMaxValueMinor: 59_999_99 })
  assertRefused(await asha.checkOut(cod), 409, 'CONFLICT', /limited to ₹59,999.99/)
  await change(shop, { codMaxValueMinor: 60_000_00 })
  assert.equal((await asha.checkOut(cod)).status, 201)
  await change(shop, { codMaxValueMinor: 'default' })
  const ravi = await newBuyer({ productId: ring })
  assertError(await ravi.checkOut(cod), 409, 'CONFLICT')
  await change(shop, { codMaxValueMinor: 'off' })
  assert.equal((await ravi.checkOut(cod)).status, 201)
})

test('a customer has at most five open cash orders, and delivery or cancellation frees a slot', async () => {
  const { shop, pen, newBuyer } = await openCashShop()
  const asha = await newBuyer()
  const order = async () => {
    await asha.call('POST', '/v1/cart', { body: { productId: pen } })
    return asha.checkOut(cod)
  }
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    const placed = await order()
    assert.equal(placed.status, 201, placed.text)
    ids.push(placed.json.order.id)
  }
  assertRefused(await order(), 409, 'CONFLICT', /5 cash orders that are not delivered yet/)
  const [first, second] = ids
  assert.equal((await asha.call('POST', `/v1/customer/orders/${first}/cancel`)).status, 200)
  assert.equal((await order()).status, 201)
  const deliver = (status: string) =>
    service.call('/webhook/logistics/carrier', {
      method: 'POST',
      headers: { 'x-api-key': shop.logisticsKey, 'content-type': 'application/json' },
      body: JSON.stringify({ eventId: `${second} ${status}`, orderId: second, status }),
    })
  assert.equal((await deliver('in_transit')).status, 200)
  assertError(await order(), 409, 'CONFLICT')
  assert.equal((await deliver('delivered')).status, 200)
  assert.equal((await order()).status, 201)
})

test('a store can require a verified phone for cash on delivery', async () => {
  const { shop, pen, newBuyer } = await openCashShop({ codVerifiedPhone: true })
  const asha = await newBuyer({ productId: pen })
  assertRefused(await asha.checkOut(cod), 403, 'FORBIDDEN', /verified phone number.*pay online/)
  const store = await shop.load()
  const id = newId('cus')
  const phone = `+9198${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
  const { token } = await service.db.tx(async (tx) => {
    const fields = { name: 'Ravi', email: null, contactPhone: '', passwordHash: null }
    await insertCustomer(tx, store.id, { id, phone, ...fields })
    return openSession(tx, { ...service.app.services, store }, id)
  })
  const call = (path: string, body: unknown) =>
    service.call(path, {
      method: 'POST',
      headers: { 'x-store-key': shop.key, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  assert.equal((await call('/v1/cart', { productId: pen })).status, 201)
  assert.equal((await call('/v1/checkout', { ...cod, shippingAddress: address })).status, 201)
})

test("one customer's unpaid orders hold at most 1,000 units, even if carts are deleted", async () => {
  const { pen, lamp, newBuyer, stockOf } = await openCashShop()
  const mallory = await newBuyer({ productId: pen, quantity: 999 })
  assert.equal((await mallory.checkOut()).status, 201)
  const again = async (items: unknown[]) => {
    const { json } = await mallory.call('GET', '/v1/cart/me')
    assert.equal((await mallory.call('DELETE', `/v1/cart/${json.id}`)).status, 204)
    assert.equal((await mallory.call('POST', '/v1/cart', { body: { items } })).status, 201)
    return mallory.checkOut()
  }
  assertRefused(await again([{ productId: pen, quantity: 2 }]), 409, 'CONFLICT', /hold 1000 units, and yours hold 999/)
  assert.equal((await again([{ productId: lamp }])).status, 201)
  assertRefused(await again([{ productId: pen }]), 409, 'CONFLICT', /yours hold 1000/)
  assert.deepEqual(await stockOf(pen), { onHand: 5000, reserved: 999 })
  const asha = await newBuyer({ productId: pen, quantity: 999 })
  assert.equal((await asha.checkOut()).status, 201, 'other customers are not affected')
})

test('replacing an unpaid order does not count it twice', async () => {
  const { pen, newBuyer, stockOf } = await openCashShop()
  const asha = await newBuyer({ productId: pen, quantity: 900 })
  assert.equal((await asha.checkOut()).status, 201)
  assert.equal((await asha.checkOut({ note: 'Ring the bell.' })).status, 201)
  assert.deepEqual(await stockOf(pen), { onHand: 5000, reserved: 900 })
})

test('concurrent orders of one customer do not exceed the limits together', async (t) => {
  const { shop, pen, newBuyer, stockOf } = await openCashShop({ codMaxOpenOrders: 3, maxHeldUnits: 25 })
  const asha = await newBuyer()
  // One instance serialises the requests of a customer; with two instances the database must decide.
  const twin = await serviceFor(t)
  const headers = { 'x-store-key': shop.key, authorization: `Bearer ${asha.token}`, 'content-type': 'application/json' }
  const checkOutAtTwin = (body: object) =>
    twin.call('/v1/checkout', {
      method: 'POST',
      headers,
      body: JSON.stringify({ shippingAddress: address, ...body }),
    })
  for (let round = 0; round < 8; round++) {
    await asha.call('POST', '/v1/cart', { body: { productId: pen, quantity: 3 } })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => {
        const body = { note: `${round} ${i}`, ...(i % 3 === 0 ? {} : cod) }
        return i % 2 === 0 ? asha.checkOut(body) : checkOutAtTwin(body)
      }),
    )
    for (const { status, text } of answers) assert.ok(status < 500, text)
  }
  const { id } = await service.db.one<{ id: number }>`
    select store_id as id from customer where id = ${asha.id}`
  const held = await service.db.one<{ units: number; cash: number }>`
    select coalesce(sum(l.quantity), 0) as units, count(distinct o.id) filter (where o.payment_method = 'cod') as cash
    from orders o join order_line l on l.store_id = o.store_id and l.order_id = o.id
    where o.store_id = ${id} and o.customer_id = ${asha.id} and o.status = 'pending'`
  assert.ok(held.units > 0 && held.units <= 25, `${held.units} units are held`)
  assert.ok(held.cash <= 3, `${held.cash} cash orders are open`)
  const { onHand, reserved } = await stockOf(pen)
  assert.equal(5000 - onHand + reserved, held.units)
})

test('concurrent checkouts and merges of one customer do not deadlock', async () => {
  const { shop, pen, lamp, newBuyer } = await openCashShop()
  const asha = await newBuyer({ productId: pen })
  const merges = Array.from({ length: 12 }, async () => {
    const guest = await newGuest(service, shop)
    await guest.call('POST', '/v1/cart', { body: { productId: pen } })
    await guest.call('POST', '/v1/wishlist', { body: { productId: lamp } })
    return asha.call('POST', '/v1/auth/merge-guest-data', {
      headers: { 'x-customer-id': asha.id },
      body: { guestToken: guest.token },
    })
  })
  const checkouts = Array.from({ length: 12 }, (_, i) => asha.checkOut({ note: `${i}` }))
  for (const { status, text } of await Promise.all(checkouts)) assert.ok(status < 500, text)
  for (const { status, text } of await Promise.all(merges)) assert.equal(status, 200, text)
})

test('a store that takes only cash does not suggest paying online', async () => {
  const { pen, newBuyer } = await openCashShop({ paymentProvider: 'cod' })
  const asha = await newBuyer({ productId: pen, quantity: 21 })
  const { json } = await asha.checkOut()
  assert.equal(json.code, 'CONFLICT')
  assert.doesNotMatch(json.error, /online/)
})
