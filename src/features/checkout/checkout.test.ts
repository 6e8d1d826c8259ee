import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertError,
  serviceFor,
  startTestService,
  type TestService,
  type TestStore,
  withinASecond,
} from '../../../test/harness.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { announceStore } from '../../db/announce.ts'
import { setPrice, setStock } from '../cart/fixture.ts'
import { address, openShop } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a checkout returns the order and the payment page, and reserves the units', async () => {
  const { shop, mug, lamp, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug, quantity: 2 }, { productId: lamp })
  const { status, json } = await asha.checkOut({ note: 'Ring twice', version: asha.cart.version, expectedTotal: 450 })
  assert.equal(status, 201, JSON.stringify(json))
  const { order, payment } = json
  assert.match(order.id, /^ord_/)
  assert.equal(order.number, '1001')
  assert.deepEqual([order.status, order.paymentStatus, order.paymentMethod], ['pending', 'pending', 'online'])
  assert.deepEqual([order.subtotal, order.discount, order.shipping, order.tax, order.total], [450, 0, 0, 0, 450])
  assert.deepEqual(
    order.items.map(({ name, quantity, price, lineTotal }: Record<string, unknown>) => [
      name,
      quantity,
      price,
      lineTotal,
    ]),
    [
      ['Mug', 2, 100, 200],
      ['Lamp', 1, 250, 250],
    ],
  )
  assert.deepEqual(order.shippingAddress, { ...address, line2: '', landmark: '', state: '' })
  assert.equal(order.note, 'Ring twice')
  assert.equal(order.payment, null)
  assert.deepEqual(
    order.timeline.map(({ type }: { type: string }) => type),
    ['placed'],
  )
  assert.equal(payment.provider, service.double?.name ?? 'sandbox')
  assert.equal(payment.status, 'open')
  assert.ok(payment.redirectUrl.startsWith(`${service.double?.url ?? 'http://vitrine.test'}/`))
  assert.ok(payment.expiresAt < order.expiresAt, 'the payment session expires before the reservation')
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 2 })
  assert.ok(await withinASecond(async () => (await shop.get('/v1/products/mug')).json.stock === 8))
  assert.equal((await asha.call('GET', '/v1/cart')).json.length, 2, 'the cart stays until it is paid')
})

test('a checkout needs a customer and a cart with items', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const guest = await newGuest(service, shop)
  await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  assertError(await guest.call('POST', '/v1/checkout', { body: {} }), 401, 'UNAUTHORIZED')
  const asha = await newBuyer()
  assertError(await asha.checkOut(), 400, 'BAD_REQUEST')
  assertError(await asha.checkOut({ cartId: 'cart_none' }), 404, 'NOT_FOUND')
})

test('a physical item needs an address, saved or complete', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  const ravi = await newCustomer(service, shop)
  const { json: theirs } = await ravi.call('POST', '/v1/customer/addresses', { body: address })
  assertError(await asha.checkOut({ shippingAddress: undefined }), 400, 'BAD_REQUEST')
  assertError(await asha.checkOut({ shippingAddress: { ...address, city: undefined } }), 400, 'BAD_REQUEST')
  assertError(await asha.checkOut({ shippingAddress: { ...address, country: 'Nowhere' } }), 400, 'BAD_REQUEST')
  assertError(await asha.checkOut({ shippingAddress: undefined, addressId: theirs.id }), 404, 'NOT_FOUND')
  const { json: own } = await asha.call('POST', '/v1/customer/addresses', { body: { ...address, line2: 'Floor 3' } })
  assertError(await asha.checkOut({ addressId: own.id }), 400, 'BAD_REQUEST')
  const { status, json } = await asha.checkOut({ shippingAddress: undefined, addressId: own.id })
  assert.equal(status, 201)
  assert.equal(json.order.shippingAddress.line2, 'Floor 3')
})

test('a download needs no address', async () => {
  const { newBuyer, shop } = await openShop(service, {
    name: 'Book',
    price: 5,
    digital: { url: 'https://f.example/b' },
  })
  const book = (await shop.get('/v1/products/book')).json.id
  const asha = await newBuyer({ productId: book })
  const { status, json } = await asha.checkOut({ shippingAddress: undefined })
  assert.equal(status, 201)
  assert.equal(json.order.shippingAddress, null)
  assert.equal(json.order.items[0].digital, true)
})

test('a price that the shopper has not seen is not charged', async () => {
  const { shop, mug, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  assertError(await asha.checkOut({ version: asha.cart.version + 1 }), 409, 'STALE_CHECKOUT')
  assertError(await asha.checkOut({ expectedTotal: 99.99 }), 409, 'STALE_CHECKOUT')
  await setPrice(service, shop, mug, 12_000)
  assertError(await asha.checkOut(), 409, 'STALE_CHECKOUT')
  assertError(await asha.checkOut({ expectedTotal: 100 }), 409, 'STALE_CHECKOUT')
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 0 })
  assert.equal((await asha.checkOut({ expectedTotal: 120 })).json.order.total, 120)
})

test('an unavailable or insufficient item cannot be ordered, and nothing is reserved', async () => {
  const { shop, mug, lamp, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug, quantity: 2 }, { productId: lamp, quantity: 3 })
  await setStock(service, shop, lamp, 2)
  assertError(await asha.checkOut(), 409, 'INSUFFICIENT_STOCK')
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 0 })
  await shop.add({ name: 'Lamp', price: 250, stock: 3, status: 'ARCHIVED' })
  assertError(await asha.checkOut(), 409, 'STALE_CHECKOUT')
})

test('a repeated checkout returns the open order, and a different one replaces it', async () => {
  const { mug, lamp, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug, quantity: 2 })
  const first = await asha.checkOut()
  const again = await asha.checkOut()
  assert.equal(again.status, 200)
  assert.equal(again.json.order.id, first.json.order.id)
  assert.equal(again.json.payment.id, first.json.payment.id)
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 2 })

  await asha.call('POST', '/v1/cart', { body: { productId: lamp } })
  const other = await asha.checkOut()
  assert.equal(other.status, 201, other.text)
  assert.notEqual(other.json.order.id, first.json.order.id)
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 2 })
  assert.deepEqual(await stockOf(lamp), { onHand: 3, reserved: 1 })
  const old = (await asha.call('GET', `/v1/customer/orders/${first.json.order.id}`)).json
  assert.equal(old.status, 'cancelled')
  assert.equal((await asha.call('GET', `/v1/payment/${first.json.order.id}`)).json.status, 'closed')
})

/** Enables cash on delivery, and waits until the service uses it. */
const takeCash = async (shop: TestStore, { db } = service) => {
  const { id } = await shop.load()
  await db.tx(async (tx) => {
    await tx.run`update store set cash_on_delivery = true where id = ${id}`
    await announceStore(tx, id)
  })
  const isHeard = async () => (await shop.get('/v1/store')).json.paymentMethods.includes('cod')
  assert.ok(await withinASecond(isHeard))
}

test('an order with cash on delivery is placed immediately, if the store takes cash', async () => {
  const { shop, mug, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug, quantity: 2 })
  assertError(await asha.checkOut({ paymentMethod: 'cod' }), 400, 'BAD_REQUEST')
  await takeCash(shop)
  const placed = await asha.checkOut({ paymentMethod: 'cod' })
  assert.equal(placed.status, 201, placed.text)
  const { order, payment } = placed.json
  assert.deepEqual([order.status, order.paymentStatus, order.expiresAt], ['pending', 'pending', null])
  assert.deepEqual([payment.provider, payment.redirectUrl], ['cod', null])
  assert.deepEqual(await stockOf(mug), { onHand: 8, reserved: 0 })
  assert.deepEqual((await asha.call('GET', '/v1/cart')).json, [])
})

test('a checkout without a method uses the first that works: cash where the online provider is for testing', async (t) => {
  const production = await serviceFor(t, { production: true })
  const { shop, mug, newBuyer } = await openShop(production)
  await takeCash(shop, production)
  const online = service.double === undefined ? [] : ['online']
  assert.deepEqual((await shop.get('/v1/store')).json.paymentMethods, [...online, 'cod'])
  const asha = await newBuyer({ productId: mug })
  const placed = await asha.checkOut()
  assert.equal(placed.status, 201, placed.text)
  assert.equal(placed.json.payment.provider, service.double?.name ?? 'cod')
})

test('an order of downloads cannot be paid with cash on delivery', async () => {
  const { newBuyer, shop } = await openShop(service, {
    name: 'Book',
    price: 5,
    digital: { url: 'https://f.example/b' },
  })
  await takeCash(shop)
  const asha = await newBuyer({ productId: (await shop.get('/v1/products/book')).json.id })
  assertError(await asha.checkOut({ paymentMethod: 'cod' }), 400, 'BAD_REQUEST')
})

test('an order with a total of 0 is paid immediately', async () => {
  const { newBuyer, shop, stockOf } = await openShop(service, { name: 'Sticker', price: 0, stock: 4 })
  const sticker = (await shop.get('/v1/products/sticker')).json.id
  const asha = await newBuyer({ productId: sticker })
  const { status, json } = await asha.checkOut()
  assert.equal(status, 201)
  assert.deepEqual([json.order.status, json.order.paymentStatus], ['paid', 'paid'])
  assert.equal(json.payment.redirectUrl, null)
  assert.deepEqual(await stockOf(sticker), { onHand: 3, reserved: 0 })
  assert.deepEqual((await asha.call('GET', '/v1/cart')).json, [])
})

test('fifty concurrent calls with one Idempotency-Key create one order, and another body is refused', async () => {
  const { mug, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  const once = { 'idempotency-key': 'order-1' }
  const answers = await Promise.all(Array.from({ length: 50 }, () => asha.checkOut({}, once)))
  for (const { status, text } of answers) assert.ok(status < 300, text)
  assert.equal(new Set(answers.map(({ json }) => json.order.id)).size, 1)
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 1 })
  const later = await asha.checkOut({}, once)
  assert.equal(later.status, 201)
  assertError(await asha.checkOut({ note: 'other' }, once), 409, 'CONFLICT')
})

test('a process that dies between the order and the response loses nothing', async () => {
  const { shop, mug, newBuyer, stockOf } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  const once = { 'idempotency-key': 'order-2' }
  const first = await asha.checkOut({}, once)
  const { id } = await shop.load()
  // The state right after the commit: the order is stored, and the provider was not called.
  await service.db.run`
    update kept_answer set answer = ${JSON.stringify({ orderId: first.json.order.id })} where store_id = ${id}`
  await service.db.run`
    update payment set status = 'starting', redirect_url = null, reference = null where store_id = ${id}`
  const again = await asha.checkOut({}, once)
  assert.equal(again.status, 201, again.text)
  assert.equal(again.json.order.id, first.json.order.id)
  assert.match(again.json.payment.redirectUrl, /^http/)
  assert.deepEqual(await stockOf(mug), { onHand: 10, reserved: 1 })
})

test('a repeated call returns the same order and payment, even after another payment was started', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  const once = { 'idempotency-key': 'order-3' }
  const first = await asha.checkOut({}, once)
  const { order, payment } = first.json
  const { id } = await shop.load()
  await service.db.run`update payment set status = 'failed' where store_id = ${id} and id = ${payment.id}`
  const retried = await asha.call('POST', '/v1/payment', { body: { orderId: order.id } })
  assert.notEqual(retried.json.id, payment.id)
  const again = await asha.checkOut({}, once)
  assert.equal(again.status, 201)
  assert.deepEqual([again.json.order.id, again.json.payment.id], [order.id, payment.id])
  assert.deepEqual([again.json.payment.status, again.json.payment.redirectUrl], ['failed', null])
})

test('checking out an open order with new idempotency keys stores no whole answers', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const asha = await newBuyer({ productId: mug })
  const answers = [await asha.checkOut()]
  for (let i = 0; i < 5; i++) answers.push(await asha.checkOut({}, { 'idempotency-key': `open-${i}` }))
  assert.deepEqual(new Set(answers.map(({ json }) => json.payment.id)).size, 1)
  const { id } = await shop.load()
  const { bytes } = await service.db.one<{ bytes: number }>`
    select sum(pg_column_size(k.*)) as bytes from kept_answer k where store_id = ${id}`
  assert.ok(bytes < 5 * 400, `${bytes} bytes`)
})

test('concurrent orders of a store get consecutive numbers', async () => {
  const { mug, newBuyer } = await openShop(service)
  const buyers = await Promise.all(Array.from({ length: 8 }, () => newBuyer({ productId: mug })))
  const answers = await Promise.all(buyers.map((buyer) => buyer.checkOut()))
  assert.deepEqual(
    answers.map(({ json }) => Number(json.order.number)).sort((a, b) => a - b),
    [1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008],
  )
})

test('a checkout takes at most ten statements and the check of the session, for any number of lines', async () => {
  const things = Array.from({ length: 60 }, (_, i) => ({ name: `Thing ${i}`, price: 10 + i, stock: 9 }))
  const { shop, newBuyer } = await openShop(service, ...things)
  const ids: string[] = (await shop.get('/v1/products?limit=60')).json.map(({ id }: { id: string }) => id)
  const simple = ids.filter((_, i) => i < 50)
  for (const products of [simple.slice(0, 1), simple]) {
    const asha = await newBuyer(...products.map((productId) => ({ productId })))
    const texts: string[] = []
    const stop = service.db.onStatement((text) => texts.push(text))
    const answer = await asha.checkOut()
    stop()
    assert.equal(answer.status, 201, answer.text)
    const transaction = texts.slice(texts.indexOf('begin'), texts.indexOf('commit') + 1)
    assert.ok(transaction.length <= 11, transaction.join('\n---\n'))
  }
})
