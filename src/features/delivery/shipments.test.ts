import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import {
  type Goods,
  openOrderShop,
  payOrder,
  placeOrder,
  sendCarrierEvent,
  showOrder,
  stockOf,
  withOrder,
} from '../orders/fixture.ts'
import { cancelOrder, refundOrder } from '../orders/settle.ts'
import { type ShipRequest, shipOrder } from './ship.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const parcel = { trackingNumber: 'T1', partner: 'Bluebird', trackingUrl: '', estimatedDelivery: null, items: [] }

const openOrder = async (options: { goods?: Goods; method?: 'online' | 'cod'; isPaid?: boolean } = {}) => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha, options)
  if (options.isPaid ?? options.method !== 'cod') await payOrder(service, shop, orderId)
  const store = await shop.load()
  return {
    ...{ shop, asha, orderId, store },
    ship: (request: Partial<ShipRequest> = {}) =>
      service.db.tx((tx) => shipOrder(tx, { store }, orderId, { ...parcel, ...request })),
    sendEvent: async (event: Record<string, unknown>) => {
      const { status, text } = await sendCarrierEvent(service, shop, event)
      assert.equal(status, 200, text)
    },
    show: () => showOrder(asha, orderId),
  }
}

const statuses = (order: { shipments: { status: string }[] }) => order.shipments.map(({ status }) => status)

test('an order with several shipments is delivered when all of them are', async () => {
  const { ship, sendEvent, show } = await openOrder()
  const first = await ship({ trackingNumber: 'T1' })
  await ship({ trackingNumber: 'T2' })
  assert.deepEqual([(await show()).status, statuses(await show())], ['paid', ['shipped', 'shipped']])

  await sendEvent({ trackingNumber: 'T2', status: 'delivered', deliveredAt: '2026-01-09T00:00:00Z' })
  const half = await show()
  assert.deepEqual([half.status, half.deliveryStatus, half.deliveredAt], ['out_for_delivery', 'out_for_delivery', null])
  assert.deepEqual(statuses(half), ['shipped', 'delivered'])

  await sendEvent({ shipmentId: first.shipmentId, status: 'delivered', deliveredAt: '2026-01-08T00:00:00Z' })
  const whole = await show()
  assert.deepEqual([whole.status, whole.deliveredAt], ['delivered', '2026-01-09T00:00:00.000Z'])
  assert.deepEqual(statuses(whole), ['delivered', 'delivered'])
})

test('an event that names only the order applies to all its shipments', async () => {
  const { ship, sendEvent, show, orderId } = await openOrder()
  await ship({ trackingNumber: 'T1' })
  await ship({ trackingNumber: 'T2' })
  await sendEvent({ orderId, status: 'delivered' })
  assert.deepEqual([(await show()).status, statuses(await show())], ['delivered', ['delivered', 'delivered']])
})

test('delivering one part of an order does not deliver the rest', async () => {
  const { ship, sendEvent, show } = await openOrder({ goods: { mug: 2, lamp: 1, book: 1 } })
  await ship({ trackingNumber: 'T1', items: [{ line: 'MUG', quantity: 2 }] })
  await sendEvent({ trackingNumber: 'T1', status: 'delivered' })
  assert.equal((await show()).status, 'out_for_delivery')
  const lamp = (await show()).items[1].id
  await ship({ trackingNumber: 'T2', items: [{ line: lamp, quantity: 1 }] })
  await sendEvent({ trackingNumber: 'T2', status: 'delivered' })
  const order = await show()
  assert.deepEqual([order.status, order.shipments[1].items], ['delivered', [{ id: lamp, quantity: 1 }]])
})

test('a store cannot ship unknown lines, too many units, a download, or a tracking number twice', async () => {
  const { ship, show } = await openOrder({ goods: { mug: 2, book: 1 } })
  const book = (await show()).items[1].id
  await ship({ trackingNumber: 'T1', items: [{ line: 'MUG', quantity: 1 }] })
  const refused: [Partial<ShipRequest>, RegExp][] = [
    [{ trackingNumber: 'T1' }, /already has a shipment with the number T1/],
    [{ trackingNumber: 'T2', items: [{ line: 'CUP', quantity: 1 }] }, /has no line "CUP"/],
    [{ trackingNumber: 'T2', items: [{ line: 'MUG', quantity: 2 }] }, /Cannot ship 2 of Mug: only 1 left to ship/],
    [{ trackingNumber: 'T2', items: [{ line: book, quantity: 1 }] }, /Book is a download/],
  ]
  for (const [request, reason] of refused) await assert.rejects(ship(request), reason)
  assert.equal((await show()).shipments.length, 1)
})

test('delivery pays a cash order and leaves the cart of the next order unchanged', async () => {
  const { shop, asha, store, orderId, sendEvent, show } = await openOrder({ method: 'cod', goods: { mug: 2, book: 1 } })
  const { json: mug } = await shop.get('/v1/products/mug')
  const { json: cart } = await asha.call('POST', '/v1/cart', { body: { productId: mug.id, quantity: 2 } })
  await service.db.run`
    update orders set cart_id = ${cart.id} where store_id = ${store.id} and id = ${orderId}`
  await sendEvent({ orderId, status: 'in_transit' })
  assert.deepEqual([(await show()).status, (await show()).paymentStatus], ['out_for_delivery', 'pending'])
  await sendEvent({ orderId, status: 'delivered' })
  const order = await show()
  assert.deepEqual([order.status, order.paymentStatus, order.payment.method], ['delivered', 'paid', 'cod'])
  assert.equal((await asha.call('GET', '/v1/cart')).json[0].quantity, 2)
  assert.equal((await asha.call('GET', '/v1/downloads')).json.data.length, 1)
  const { status } = await service.db.one<{ status: string }>`
    select status from payment where store_id = ${store.id} and order_id = ${orderId}`
  assert.equal(status, 'paid')
})

test('a shipped unpaid order keeps its payment open, is sold, and can neither expire nor be cancelled', async () => {
  const { shop, store, asha, orderId, sendEvent, show } = await openOrder({ isPaid: false, goods: { mug: 4 } })
  await sendEvent({ orderId, status: 'in_transit' })
  const sent = await show()
  assert.deepEqual([sent.status, sent.paymentStatus, sent.expiresAt], ['out_for_delivery', 'pending', null])
  const { json: mug } = await shop.get('/v1/products/mug')
  assert.deepEqual(
    await service.db.one`
    select on_hand as "onHand", reserved from stock where store_id = ${store.id} and product_id = ${mug.id}`,
    { onHand: 6, reserved: 0 },
  )
  await withOrder(service, shop, orderId, (tx, ctx, order) => cancelOrder(tx, ctx, order, 'Too late.'))
  assert.equal((await asha.call('POST', `/v1/customer/orders/${orderId}/cancel`)).status, 409)
  assert.equal((await show()).status, 'out_for_delivery')
  assert.equal(await stockOf(shop, 'mug'), 6)
  await payOrder(service, shop, orderId)
  assert.deepEqual([(await show()).status, (await show()).paymentStatus], ['out_for_delivery', 'paid'])
  assert.equal(await stockOf(shop, 'mug'), 6)
})

test('a shipped order is not cancelled, even before the first carrier event', async () => {
  const { shop, orderId, ship, show } = await openOrder({ isPaid: false, goods: { mug: 4 } })
  await ship()
  await withOrder(service, shop, orderId, (tx, ctx, order) => cancelOrder(tx, ctx, order, 'Expired.'))
  const order = await show()
  assert.deepEqual([order.status, order.expiresAt, order.timeline.at(-1).type], ['pending', null, 'shipped'])
  assert.equal(await stockOf(shop, 'mug'), 6)
})

test('a cancelled order that is shipped anyway changes status, takes its units again and is flagged', async () => {
  for (const end of [cancelOrder, refundOrder]) {
    const { shop, orderId, sendEvent, show } = await openOrder({ isPaid: end === refundOrder, goods: { lamp: 2 } })
    await withOrder(service, shop, orderId, (tx, ctx, order) =>
      end === cancelOrder ? cancelOrder(tx, ctx, order, 'Over.') : refundOrder(tx, ctx, order),
    )
    assert.equal(await stockOf(shop, 'lamp'), 3)
    await sendEvent({ orderId, status: 'delivered' })
    const order = await show()
    assert.equal(order.status, 'delivered')
    assert.ok(!('needsAttention' in order), 'the flag is for the merchant')
    await withOrder(service, shop, orderId, async (_tx, _ctx, { needsAttention }) =>
      assert.equal(needsAttention, 'SENT_UNPAID'),
    )
    assert.equal(order.paymentStatus, end === refundOrder ? 'refunded' : 'pending')
    assert.equal(await stockOf(shop, 'lamp'), 1)
  }
})

test('a refund returns the units to stock only if nothing was shipped', async () => {
  const unshipped = await openOrder({ goods: { mug: 4 } })
  await withOrder(service, unshipped.shop, unshipped.orderId, refundOrder)
  assert.deepEqual([(await unshipped.show()).status, await stockOf(unshipped.shop, 'mug')], ['refunded', 10])
  const sent = await openOrder({ goods: { mug: 4 } })
  await sent.ship()
  await withOrder(service, sent.shop, sent.orderId, refundOrder)
  assert.deepEqual([(await sent.show()).status, await stockOf(sent.shop, 'mug')], ['refunded', 6])
})

test('concurrent carrier events, payment and cancellation leave a consistent order', async () => {
  for (let round = 0; round < 4; round++) {
    const { shop, asha, orderId, sendEvent, show } = await openOrder({ isPaid: false, goods: { mug: 3 } })
    await Promise.all([
      sendEvent({ orderId, trackingNumber: 'A', status: 'delivered' }),
      payOrder(service, shop, orderId),
      sendEvent({ orderId, trackingNumber: 'B', status: 'delivered' }),
      asha.call('POST', `/v1/customer/orders/${orderId}/cancel`),
    ])
    const order = await show()
    assert.deepEqual([order.status, order.paymentStatus, order.shipments.length], ['delivered', 'paid', 2])
    assert.equal(await stockOf(shop, 'mug'), 7)
  }
})
