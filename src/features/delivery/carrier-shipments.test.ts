import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ShiprocketDouble, startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import { startTestService, type TestService } from '../../../test/harness.ts'
import type { Carrier } from '../../providers/carrier/carrier.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { placeOrder, withOrder } from '../orders/fixture.ts'
import { listOrdersOfStore } from '../orders/order-list.ts'
import { flagOrder } from '../orders/settle.ts'
import { callCarrier } from './carriers.ts'
import { deliverOrder } from './deliver.ts'
import { type OrderOptions, openCarrierOrder } from './fixture.ts'
import { cancelShipment, labelShipment, schedulePickup, trackShipment } from './shipment-actions.ts'

let service: TestService
let double: ShiprocketDouble
let shiprocket: Carrier
before(async () => {
  double = await startShiprocketDouble({ now: () => service.clock.now() })
  shiprocket = createShiprocket(double.url)
  service = await startTestService({ carriers: [shiprocket] })
})
after(async () => {
  await service.close()
  await double.close()
})

const openOrder = (options?: OrderOptions) => openCarrierOrder(service, double, options)

test('an order is booked with a courier, labelled, picked up, tracked and delivered', async () => {
  const { ctx, book, show, parcels } = await openOrder({ goods: { mug: 2, lamp: 1, book: 1 } })
  const booked = await book({ courierId: '51' })
  assert.deepEqual([booked.status, booked.partner], ['booked', 'Delhivery Air'])
  const [parcel] = await parcels()
  assert.deepEqual(parcel?.request.payment_method, 'Prepaid')
  assert.deepEqual(
    (parcel?.request.order_items as { sku: string; units: number }[] | undefined)?.map(({ sku, units }) => [
      sku,
      units,
    ]),
    [
      ['MUG', 2],
      ['LAMP', 1],
    ],
    'a download is not shipped',
  )
  const shown = await show()
  assert.deepEqual([shown.status, shown.shipments[0].trackingNumber], ['paid', booked.trackingNumber])
  assert.match(shown.timeline.at(-1).message, /Booked with Delhivery Air, number/)
  assert.match((await labelShipment(ctx, booked.id)).labelUrl, /\.pdf$/)
  assert.ok((await schedulePickup(ctx, booked.id)).pickupAt)

  await double.scan(booked.trackingNumber, 42)
  const moving = await show()
  assert.deepEqual([moving.status, moving.shipments.length], ['out_for_delivery', 1], 'by webhook')
  double.delivery.lose = true
  await double.scan(booked.trackingNumber, 7)
  double.delivery.lose = false
  assert.equal((await trackShipment(ctx, booked.id)).status, 'delivered')
  assert.equal((await show()).status, 'delivered')
})

test('the courier collects the total of a cash order, split over its parcels', async () => {
  const { book, parcels } = await openOrder({ goods: { mug: 3, lamp: 1 }, method: 'cod' })
  await book({ items: [{ line: 'MUG', quantity: 1 }] })
  await book()
  await assert.rejects(book(), /no units left to ship/)
  const rows = await parcels()
  assert.deepEqual(
    rows.map(({ request }) => [request.payment_method, request.sub_total]),
    [
      ['COD', 100],
      ['COD', 450],
    ],
  )
})

test('a booking that was interrupted continues with the same command', async () => {
  const { ctx, book, show, parcels } = await openOrder()
  await callCarrier(ctx, 'shiprocket', (carrier, account, signal) => carrier.check(account, signal))
  // The create has its effect, its answer is lost, and so are those to the search.
  double.faults.failAfter = 4
  await assert.rejects(book(), /did not answer/)
  double.faults.failAfter = 0
  assert.deepEqual(
    (await show()).shipments.map(({ status }: { status: string }) => status),
    ['preparing'],
  )
  double.behaviour.courier = 'refused'
  await assert.rejects(book(), /not serviceable/)
  double.behaviour.courier = 'assigned'
  await assert.rejects(trackShipment(ctx, (await show()).shipments[0].id), /no courier/)
  const booked = await book()
  assert.equal((await parcels()).length, 1)
  const shown = await show()
  assert.deepEqual([shown.shipments.length, shown.shipments[0].id, booked.status], [1, booked.id, 'booked'])
  assert.equal(shown.timeline.filter(({ type }: { type: string }) => type === 'shipped').length, 1)
})

test('simultaneous bookings make one shipment', async () => {
  const { book, show, parcels } = await openOrder()
  const booked = await Promise.allSettled(Array.from({ length: 4 }, () => book()))
  assert.ok(booked.some(({ status }) => status === 'fulfilled'))
  assert.deepEqual([(await parcels()).length, (await show()).shipments.length], [1, 1])
})

test('a booking that is cancelled while the carrier makes it is cancelled there too', async (t) => {
  for (const step of ['createShipment', 'assignCourier'] as const) {
    const { ctx, book, show, parcels } = await openOrder()
    const work = shiprocket[step] as (...asked: unknown[]) => Promise<never>
    t.mock.method(shiprocket, step, async (...asked: unknown[]) => {
      const [{ id }] = (await show()).shipments
      const cancelled = cancelShipment(ctx, id)
      // The carrier does not know of a cancellation that came before the creation.
      if (step === 'createShipment') await cancelled
      const answer = await work(...asked)
      assert.equal((await cancelled).status, 'cancelled')
      return answer
    })
    await assert.rejects(book(), step)
    t.mock.restoreAll()
    assert.deepEqual(await parcels(), [], step)
    assert.equal((await book()).status, 'booked')
    assert.equal((await parcels()).length, 1)
  }
})

test('an unfinished booking must be finished or cancelled before other items are booked', async () => {
  const { ctx, book, show } = await openOrder({ goods: { mug: 2, lamp: 1 } })
  double.behaviour.courier = 'refused'
  await assert.rejects(book({ items: [{ line: 'MUG', quantity: 1 }] }), /not serviceable/)
  double.behaviour.courier = 'assigned'
  await assert.rejects(book({ items: [{ line: 'LAMP', quantity: 1 }] }), /is not booked yet/)
  const [unfinished] = (await show()).shipments
  assert.equal((await cancelShipment(ctx, unfinished.id)).status, 'cancelled')
  await book({ items: [{ line: 'LAMP', quantity: 1 }] })
})

test('a refused parcel leaves no shipment behind', async () => {
  const { book, show, orderId } = await openOrder()
  await assert.rejects(book({ heightCm: 0.2 }), /0\.5 cm/)
  await service.db.run`update order_line set name = '' where order_id = ${orderId}`
  await assert.rejects(book(), /order items is invalid/)
  assert.deepEqual((await show()).shipments, [])
})

test('an unpaid online order, a cancelled one, and a store without an account cannot book', async () => {
  const unpaid = await openOrder({ isPaid: false })
  await assert.rejects(unpaid.book(), /not paid/)
  await assert.rejects(unpaid.book({ carrier: 'pigeon' }), /no carrier "pigeon"/)
  const { store, book } = await openOrder()
  await service.db.run`delete from carrier_account where store_id = ${store.id}`
  await assert.rejects(book(), /no account at the carrier/)
})

test('a cancelled shipment is cancelled at the carrier, and its items can be shipped again', async () => {
  const { ctx, book, show, parcels, orderId, store } = await openOrder({ goods: { mug: 2 } })
  const first = await book()
  assert.equal((await cancelShipment(ctx, first.id)).status, 'cancelled')
  assert.equal((await cancelShipment(ctx, first.id)).status, 'cancelled')
  await assert.rejects(labelShipment(ctx, first.id), /is cancelled/)
  assert.deepEqual(await parcels(), [])
  const second = await book()
  await assert.rejects(
    (async () => {
      await double.scan(second.trackingNumber, 42)
      await cancelShipment(ctx, second.id)
    })(),
    /Cannot cancel a shipped order/,
  )
  await double.scan(second.trackingNumber, 7)
  const order = await show()
  assert.deepEqual(
    [order.status, order.shipments.map(({ status }: { status: string }) => status)],
    ['delivered', ['cancelled', 'delivered']],
  )
  assert.deepEqual(await service.db.tx((tx) => deliverOrder(tx, { store }, orderId, service.clock.now())), {
    delivered: false,
  })
})

test('a parcel that the carrier returns flags the order', async () => {
  const { shop, orderId, book, show } = await openOrder({ method: 'cod' })
  const { trackingNumber } = await book()
  for (const statusId of [42, 21, 9, 10]) {
    service.clock.advance(1000)
    await double.scan(trackingNumber, statusId)
  }
  const { status, paymentStatus, shipments } = await show()
  assert.deepEqual([status, paymentStatus, shipments[0].status], ['out_for_delivery', 'pending', 'returned'])
  await withOrder(service, shop, orderId, async (_tx, _ctx, { needsAttention }) =>
    assert.equal(needsAttention, 'PARCEL_RETURNED'),
  )
})

test('a returned parcel keeps a flag about money and is in the history', async () => {
  const { shop, store, asha, orderId, book, show } = await openOrder()
  const { trackingNumber } = await book()
  await withOrder(service, shop, orderId, (tx, ctx, order) => flagOrder(tx, ctx, order, 'DISPUTE', 'Disputed.'))
  for (const statusId of [9, 10]) {
    service.clock.advance(1000)
    await double.scan(trackingNumber, statusId)
  }
  await withOrder(service, shop, orderId, async (_tx, _ctx, { needsAttention }) =>
    assert.equal(needsAttention, 'DISPUTE'),
  )
  const other = await placeOrder(service, shop, asha)
  const list = async (isFlagged: boolean) =>
    (await listOrdersOfStore(service.db, store, { ...(isFlagged && { attention: true }), limit: 20 })).map(
      ({ id }) => id,
    )
  assert.deepEqual([await list(true), await list(false)], [[orderId], [other, orderId]])
  assert.match((await show()).timeline.at(-1).message, /returned the parcel/)
})
