import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { deriveSigner } from '../../core/secrets.ts'
import { openOrderShop, payOrder, placeOrder, sendCarrierEvent, showOrder } from '../orders/fixture.ts'
import { makeSimulatedKey } from './simulated-key.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openPaidOrder = async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha)
  await payOrder(service, shop, orderId)
  const sendEvent = async (event: Record<string, unknown>) => {
    const { status, json, text } = await sendCarrierEvent(service, shop, { orderId, ...event })
    assert.equal(status, 200, text)
    return json as { received: boolean; duplicate: boolean }
  }
  return { shop, asha, orderId, sendEvent, show: () => showOrder(asha, orderId) }
}

const storedEvents = async (shop: TestStore) => {
  const { id } = await shop.load()
  return service.db.many<{ id: string; outcome: string; orderId: string | null; body: Record<string, unknown> }>`
    select event_id as id, outcome, order_id as "orderId", body from delivery_event
    where store_id = ${id} order by received_at`
}

test('a carrier event changes the order and its shipment', async () => {
  const { sendEvent, show } = await openPaidOrder()
  const on = { partner: 'Bluebird', trackingNumber: 'BB1', trackingUrl: 'https://bluebird.example/BB1' }
  await sendEvent({ ...on, status: 'in_transit', estimatedDelivery: '2030-01-05', occurredAt: '2026-01-02T08:00:00Z' })
  const away = await show()
  const fields = {
    deliveryPartner: 'Bluebird',
    estimatedDelivery: '2030-01-05T00:00:00.000Z',
    trackingUrl: 'https://bluebird.example/BB1',
  }
  const { status, paymentStatus, deliveryStatus, deliveryPartner, estimatedDelivery, trackingUrl, deliveredAt } = away
  assert.deepEqual([status, deliveryStatus, deliveredAt], ['out_for_delivery', 'out_for_delivery', null])
  assert.deepEqual({ deliveryPartner, estimatedDelivery, trackingUrl }, fields)
  assert.equal(paymentStatus, 'paid')
  const [shipment] = away.shipments
  assert.deepEqual(
    [away.shipments.length, shipment.status, shipment.partner, shipment.trackingNumber, shipment.trackingUrl],
    [1, 'out_for_delivery', 'Bluebird', 'BB1', 'https://bluebird.example/BB1'],
  )
  assert.deepEqual([shipment.estimatedDelivery, shipment.items], ['2030-01-05T00:00:00.000Z', []])

  await sendEvent({ status: 'delivered', deliveredAt: '2026-01-04T10:30:00+05:30', occurredAt: '2026-01-04T05:01:00Z' })
  const there = await show()
  assert.deepEqual([there.status, there.deliveryStatus], ['delivered', 'delivered'])
  assert.equal(there.deliveredAt, '2026-01-04T05:00:00.000Z')
  assert.deepEqual(
    there.shipments.map((row: Record<string, unknown>) => [row.id, row.status, row.deliveredAt, row.partner]),
    [[shipment.id, 'delivered', '2026-01-04T05:00:00.000Z', 'Bluebird']],
  )
  assert.deepEqual(
    there.timeline.slice(2).map(({ type, message }: Record<string, string>) => [type, message]),
    [
      ['out_for_delivery', 'On its way with Bluebird.'],
      ['delivered', 'Delivered.'],
    ],
  )
})

test('a delivered order stays delivered, whatever events follow', async () => {
  const { sendEvent, show, shop } = await openPaidOrder()
  await sendEvent({ status: 'delivered', occurredAt: '2026-01-04T00:00:00Z' })
  const delivered = await show()
  for (const status of ['in_transit', 'out_for_delivery', 'lost', 'delivered']) {
    await sendEvent({ status, partner: 'Redbird', occurredAt: '2026-01-05T00:00:00Z' })
  }
  assert.deepEqual(await show(), delivered)
  assert.deepEqual(
    (await storedEvents(shop)).map(({ outcome }) => outcome),
    ['applied', 'after_delivery', 'after_delivery', 'after_delivery', 'after_delivery'],
  )
  // A parcel that is new is tracked, and the order stays delivered.
  await sendEvent({ status: 'in_transit', trackingNumber: 'BB2' })
  const { status, deliveryStatus, deliveredAt, shipments } = await show()
  assert.deepEqual([status, deliveryStatus, deliveredAt], ['delivered', 'delivered', delivered.deliveredAt])
  assert.deepEqual(
    shipments.map((row: { status: string }) => row.status),
    ['delivered', 'out_for_delivery'],
  )
})

test('an event older than the last one of its shipment is stored and changes nothing', async () => {
  const { sendEvent, show, shop } = await openPaidOrder()
  await sendEvent({ status: 'in_transit', partner: 'Bluebird', occurredAt: '2026-01-02T10:00:00Z' })
  const before = await show()
  await sendEvent({ eventId: 'old', status: 'picked_up', partner: 'Redbird', occurredAt: '2026-01-02T09:59:59Z' })
  assert.deepEqual(await show(), before)
  const old = (await storedEvents(shop)).find(({ id }) => id === 'old')
  assert.deepEqual([old?.outcome, old?.orderId, old?.body.status], ['stale', before.id, 'picked_up'])
  // A carrier clock that is ahead does not make later events stale.
  await sendEvent({ status: 'in_transit', occurredAt: '2126-01-01T00:00:00Z' })
  await sendEvent({ status: 'delivered' })
  assert.equal((await show()).status, 'delivered')
})

test('any other status is stored on the shipment and does not change the order', async () => {
  const { sendEvent, show } = await openPaidOrder()
  await sendEvent({ status: 'Customs hold', trackingNumber: 'BB1' })
  const held = await show()
  assert.deepEqual([held.status, held.deliveryStatus, held.shipments[0].status], ['paid', null, 'Customs hold'])
  await sendEvent({ status: 'In Transit', trackingNumber: 'BB1' })
  await sendEvent({ status: 'address_problem', trackingNumber: 'BB1' })
  const problem = await show()
  assert.deepEqual(
    [problem.status, problem.deliveryStatus, problem.shipments[0].status, problem.shipments.length],
    ['out_for_delivery', 'out_for_delivery', 'address_problem', 1],
  )
})

test('a tracking number that comes later belongs to the shipment without one, whatever its status says', async () => {
  const { sendEvent, show } = await openPaidOrder()
  await sendEvent({ status: 'preparing' })
  await sendEvent({ status: 'in_transit', trackingNumber: 'BB1' })
  const { shipments } = await show()
  assert.deepEqual([shipments.length, shipments[0].trackingNumber], [1, 'BB1'])
})

test('concurrent copies of one event have one effect', async () => {
  const { sendEvent, show } = await openPaidOrder()
  const event = { eventId: 'evt-1', status: 'in_transit', trackingNumber: 'BB1' }
  const answers = await Promise.all(Array.from({ length: 12 }, () => sendEvent(event)))
  assert.equal(answers.filter(({ duplicate }) => !duplicate).length, 1)
  assert.ok(answers.every(({ received }) => received))
  const order = await show()
  assert.equal(order.shipments.length, 1)
  assert.equal(order.timeline.filter(({ type }: { type: string }) => type === 'out_for_delivery').length, 1)
  assert.deepEqual(await sendEvent({ ...event, status: 'delivered' }), { received: true, duplicate: true })
  assert.deepEqual(await show(), order)
})

test('concurrent events of one order make one shipment for each tracking number', async () => {
  const { sendEvent, show } = await openPaidOrder()
  const numbers = ['A', 'B', 'A', 'B', 'A', 'B']
  await Promise.all(numbers.map((trackingNumber) => sendEvent({ status: 'in_transit', trackingNumber })))
  const { shipments } = await show()
  assert.deepEqual(shipments.map((row: { trackingNumber: string }) => row.trackingNumber).sort(), ['A', 'B'])
})

test('an event for an unknown order is stored with 404, and applies when sent again after the order exists', async () => {
  const { shop, asha, sendEvent } = await openPaidOrder()
  for (const name of [{ orderId: 'ord_none' }, { trackingNumber: 'T9' }, { shipmentId: 'ship_none' }]) {
    assertError(await sendCarrierEvent(service, shop, { status: 'in_transit', ...name }), 404, 'NOT_FOUND')
  }
  assert.deepEqual(
    (await storedEvents(shop)).map(({ outcome, orderId }) => [outcome, orderId]),
    [
      ['unmatched', null],
      ['unmatched', null],
      ['unmatched', null],
    ],
  )
  const event = { eventId: 'early', status: 'in_transit', trackingNumber: 'T10' }
  assertError(await sendCarrierEvent(service, shop, event), 404, 'NOT_FOUND')
  const orderId = await placeOrder(service, shop, asha)
  await sendEvent({ orderId, trackingNumber: 'T10', status: 'packed' })
  const { json } = await sendCarrierEvent(service, shop, event)
  assert.deepEqual(json, { received: true, duplicate: false })
  assert.equal((await showOrder(asha, orderId)).status, 'out_for_delivery')
})

test('the key identifies the store: a wrong one is 401 and stores nothing, and that of another store finds no order', async (t) => {
  const { shop, orderId, show } = await openPaidOrder()
  const other = await openOrderShop(service)
  const event = { orderId, status: 'in_transit' }
  for (const key of ['', 'vlk_wrong', shop.serverKey, shop.paymentWebhook.password]) {
    assertError(await sendCarrierEvent(service, shop, event, key), 401, 'UNAUTHORIZED')
  }
  assert.deepEqual(await storedEvents(shop), [])
  assertError(await sendCarrierEvent(service, other, event), 404, 'NOT_FOUND')
  assert.equal((await show()).status, 'paid')
  assertError(
    await service.call('/webhook/logistics/other', { method: 'POST', headers: { 'x-api-key': shop.logisticsKey } }),
    404,
    'NOT_FOUND',
  )
  const secrets = ['a secret for tests that is long enough to be one']
  const simulated = makeSimulatedKey(deriveSigner(secrets, 'simulate'), shop.storeId)
  const production = await startTestService({ production: true, secrets })
  t.after(() => production.close())
  assertError(await sendCarrierEvent(production, shop, event, simulated), 401, 'UNAUTHORIZED')
  assertError(await sendCarrierEvent(service, shop, event, `${simulated.slice(0, -2)}xx`), 401, 'UNAUTHORIZED')
  assert.equal((await sendCarrierEvent(service, shop, event, simulated)).status, 200)
})

test('a malformed event is 400 and is not stored', async () => {
  const { shop, orderId } = await openPaidOrder()
  const good = { orderId, status: 'in_transit' }
  for (const invalid of [
    { orderId: null },
    { orderId: '  ' },
    { status: undefined },
    { status: 7 },
    { status: ' ' },
    { eventId: '' },
    { eventId: 'x'.repeat(201) },
    { occurredAt: 'yesterday' },
    { occurredAt: '2026-02-31T00:00:00Z' },
    { deliveredAt: 1700000000 },
    { estimatedDelivery: '+275000-01-01T00:00:00Z' },
    { trackingUrl: 'javascript:alert(1)' },
    { trackingUrl: 'https://' },
  ]) {
    assertError(await sendCarrierEvent(service, shop, { ...good, ...invalid }), 400, 'BAD_REQUEST')
  }
  assert.deepEqual(await storedEvents(shop), [])
})
