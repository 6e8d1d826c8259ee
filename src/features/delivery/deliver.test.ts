import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { checkInvariants } from '../doctor/invariants.ts'
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
import { deliverOrder } from './deliver.ts'
import { shipOrder } from './ship.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openOrder = async (wanted: { goods?: Goods; method?: 'online' | 'cod' } = {}) => {
  const shop = await openOrderShop(service)
  const store = await shop.load()
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha, wanted)
  const ship = (trackingNumber: string, ...items: { line: string; quantity: number }[]) =>
    service.db.tx((tx) =>
      shipOrder(tx, { store }, orderId, {
        ...{ trackingNumber, items, partner: 'Bluebird', trackingUrl: '', estimatedDelivery: null },
      }),
    )
  return {
    ...{ shop, store, orderId, ship },
    deliver: () => service.db.tx((tx) => deliverOrder(tx, { store }, orderId, service.clock.now())),
    show: () => showOrder(asha, orderId),
    assertConsistent: async () => assert.deepEqual(await checkInvariants(service.db, { storeId: store.id }), []),
    paymentStatus: async () =>
      (
        await service.db.one<{ status: string }>`
        select status from payment where store_id = ${store.id} and order_id = ${orderId}`
      ).status,
  }
}

type Row = Record<string, unknown>
const typesOf = ({ timeline }: { timeline: { type: string }[] }) => timeline.map(({ type }) => type)

test('a cash order that the store delivers itself is delivered and paid', async () => {
  const { deliver, show, shop, paymentStatus, assertConsistent } = await openOrder({ method: 'cod' })
  assert.deepEqual(await deliver(), { delivered: true })
  const order = await show()
  assert.deepEqual(
    [order.status, order.paymentStatus, order.deliveryStatus, order.payment.method],
    ['delivered', 'paid', 'delivered', 'cod'],
  )
  assert.ok(order.deliveredAt)
  assert.deepEqual(typesOf(order), ['placed', 'delivered', 'paid'])
  assert.equal(order.timeline[1].message, 'Marked as delivered by the store.')
  assert.deepEqual(
    order.shipments.map((row: Row) => [row.status, row.trackingNumber]),
    [['delivered', '']],
  )
  assert.equal(await paymentStatus(), 'paid')
  assert.equal(await stockOf(shop, 'mug'), 9)
  await assertConsistent()
})

test('marking an order as delivered covers its parcels, and makes one for the remaining units', async () => {
  const { deliver, show, ship, shop, orderId } = await openOrder({
    goods: { mug: 2, lamp: 1, book: 1 },
  })
  await payOrder(service, shop, orderId)
  await ship('BB1', { line: 'MUG', quantity: 1 })
  await sendCarrierEvent(service, shop, { orderId, trackingNumber: 'BB1', status: 'in_transit' })
  assert.deepEqual(await deliver(), { delivered: true })
  const order = await show()
  assert.equal(order.status, 'delivered')
  const [mug, lamp] = order.items
  assert.deepEqual(
    order.shipments.map(({ status, items }: Row) => [status, items]),
    [
      ['delivered', [{ id: mug.id, quantity: 1 }]],
      [
        'delivered',
        [
          { id: mug.id, quantity: 1 },
          { id: lamp.id, quantity: 1 },
        ],
      ],
    ],
  )
  assert.deepEqual(await deliver(), { delivered: false })
  assert.deepEqual(await show(), order)
})

test('concurrent deliveries by command and by webhook have one effect', async () => {
  const { deliver, show, shop, orderId, paymentStatus } = await openOrder({ method: 'cod' })
  const sendEvent = () => sendCarrierEvent(service, shop, { orderId, status: 'delivered' })
  await Promise.all([deliver(), sendEvent(), deliver(), sendEvent(), deliver(), sendEvent()])
  const order = await show()
  assert.deepEqual([order.status, order.paymentStatus, order.shipments.length], ['delivered', 'paid', 1])
  const types = typesOf(order)
  assert.deepEqual(types, ['placed', 'delivered', 'paid'])
  assert.equal(await paymentStatus(), 'paid')
  assert.equal(await stockOf(shop, 'mug'), 9)
})

test('a carrier event after the manual delivery changes nothing', async () => {
  const { deliver, show, shop, orderId } = await openOrder({ method: 'cod' })
  await deliver()
  const order = await show()
  const { json } = await sendCarrierEvent(service, shop, { orderId, status: 'in_transit', partner: 'Late' })
  assert.equal(json.received, true)
  assert.deepEqual(await show(), order)
})

test('orders that cannot have been delivered are refused and stay unchanged', async () => {
  const unpaid = await openOrder()
  await assert.rejects(unpaid.deliver(), { name: 'DomainError', message: /is not paid yet and cannot be delivered/ })
  const file = await openOrder({ goods: { book: 1 } })
  await payOrder(service, file.shop, file.orderId)
  await assert.rejects(file.deliver(), { name: 'DomainError', message: /contains only downloads/ })
  const cancelled = await openOrder({ method: 'cod' })
  await withOrder(service, cancelled.shop, cancelled.orderId, (tx, ctx, order) => cancelOrder(tx, ctx, order, 'No.'))
  await assert.rejects(cancelled.deliver(), { name: 'DomainError', message: /is cancelled and cannot be delivered/ })
  const refunded = await openOrder()
  await payOrder(service, refunded.shop, refunded.orderId)
  await withOrder(service, refunded.shop, refunded.orderId, refundOrder)
  await assert.rejects(refunded.deliver(), { name: 'DomainError', message: /is refunded and cannot be delivered/ })
  for (const [{ show }, status] of [
    [unpaid, 'pending'],
    [file, 'paid'],
    [cancelled, 'cancelled'],
    [refunded, 'refunded'],
  ] as const) {
    assert.equal((await show()).status, status)
  }
})

test('an unpaid order that is already shipped can be marked as delivered', async () => {
  const { deliver, ship, show } = await openOrder()
  await ship('BB1')
  assert.deepEqual(await deliver(), { delivered: true })
  const order = await show()
  assert.deepEqual([order.status, order.paymentStatus], ['delivered', 'pending'])
})
