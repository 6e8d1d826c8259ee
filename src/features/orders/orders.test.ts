import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { openOrderShop, payOrder, placeOrder, showOrder } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a customer lists their own orders only, newest first, in pages', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const ravi = await newCustomer(service, shop, { name: 'Ravi' })
  const placed = []
  for (let i = 0; i < 5; i++) placed.push(await placeOrder(service, shop, asha))
  const his = await placeOrder(service, shop, ravi)

  const seen: string[] = []
  let cursor = ''
  do {
    const { json } = await asha.call('GET', `/v1/customer/orders?limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...json.data.map(({ id }: { id: string }) => id))
    assert.equal(json.hasMore, json.nextCursor !== null)
    cursor = json.nextCursor ?? ''
  } while (cursor !== '' && seen.length < 10)
  assert.deepEqual(seen, placed.toReversed())

  const { json } = await ravi.call('GET', '/v1/customer/orders')
  assert.deepEqual([json.data.map(({ id }: { id: string }) => id), json.nextCursor, json.hasMore], [[his], null, false])
  const first = await asha.call('GET', '/v1/customer/orders?limit=2')
  assertError(await ravi.call('GET', `/v1/customer/orders?cursor=${first.json.nextCursor}`), 400, 'BAD_REQUEST')
})

test('an order shows its items, amounts and timeline completely', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const id = await placeOrder(service, shop, asha, { goods: { mug: 2, book: 1 } })
  const order = await showOrder(asha, id)
  assert.deepEqual(
    [order.id, order.number, order.status, order.paymentStatus, order.total, order.currency, order.outletId],
    [id, '1001', 'pending', 'pending', 250, 'INR', shop.outletId],
  )
  assert.deepEqual(
    order.items.map((item: Record<string, unknown>) => [item.name, item.sku, item.quantity, item.price, item.digital]),
    [
      ['Mug', 'MUG', 2, 100, false],
      ['Book', '', 1, 50, true],
    ],
  )
  const absent = 'deliveryStatus deliveryPartner estimatedDelivery deliveredAt trackingUrl couponCode payment'
  for (const name of [...absent.split(' '), 'storefrontUrl', 'shippingAddress']) {
    assert.equal(order[name], null, name)
  }
  assert.ok(!('needsAttention' in order), 'what needs attention is for the merchant')
  assert.deepEqual(order.shipments, [])

  await payOrder(service, shop, id)
  const paid = await showOrder(asha, id)
  assert.deepEqual([paid.status, paid.paymentStatus, paid.expiresAt], ['paid', 'paid', null])
  assert.deepEqual(paid.payment, { method: 'upi', last4: '', upiId: 'asha@upi', reference: '4471' })
  assert.deepEqual(
    paid.timeline.map(({ type, message }: Record<string, string>) => [type, message]),
    [
      ['placed', 'Order placed.'],
      ['paid', 'Paid by upi.'],
    ],
  )
  for (const { at } of paid.timeline) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('orders of other customers or stores, and unknown orders, are 404', async () => {
  const shop = await openOrderShop(service)
  const other = await openOrderShop(service)
  const [asha, ravi, stranger] = [
    await newCustomer(service, shop),
    await newCustomer(service, shop),
    await newCustomer(service, other),
  ]
  const id = await placeOrder(service, shop, asha)
  for (const customer of [ravi, stranger]) {
    assertError(await customer.call('GET', `/v1/customer/orders/${id}`), 404, 'NOT_FOUND')
    assertError(await customer.call('GET', `/v1/customer/orders/${id}?wait=25`), 404, 'NOT_FOUND')
    assertError(await customer.call('POST', `/v1/customer/orders/${id}/cancel`), 404, 'NOT_FOUND')
  }
  assertError(await asha.call('GET', '/v1/customer/orders/ord_nothing'), 404, 'NOT_FOUND')
  assertError(await shop.get(`/v1/customer/orders/${id}`), 401, 'UNAUTHORIZED')
  assert.equal((await showOrder(asha, id)).status, 'pending')
})
