import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { openOrderShop, payOrder, placeOrder, showOrder } from '../orders/fixture.ts'
import { shipOrder } from './ship.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const send = (shop: TestStore, body: unknown, key = shop.logisticsKey) =>
  service.call('/webhook/logistics/parcel', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const storedEvents = async (shop: TestStore) => {
  const { id } = await shop.load()
  return service.db.many<{ id: string; outcome: string }>`
    select event_id as id, outcome from delivery_event where store_id = ${id} order by received_at`
}

const openShipment = async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha)
  await payOrder(service, shop, orderId)
  const store = await shop.load()
  const { shipmentId } = await service.db.tx((tx) =>
    shipOrder(tx, { store }, orderId, {
      ...{
        trackingNumber: '19041424751540',
        partner: 'Delhivery',
        trackingUrl: '',
        estimatedDelivery: null,
        items: [],
      },
    }),
  )
  const event = (more: Record<string, unknown> = {}) => ({
    ...{ awb: 19_041_424_751_540, courier_name: 'Delhivery Surface', shipment_status: 'IN TRANSIT' },
    ...{ shipment_status_id: 18, current_timestamp: '23 05 2023 11:43:52', order_id: `1001-${shipmentId}_348456385` },
    ...{ etd: '2023-05-25 15:40:19', is_return: 0, ...more },
  })
  return { shop, orderId, shipmentId, event, show: () => showOrder(asha, orderId) }
}

test('an event moves the order once, with times in UTC', async () => {
  const { shop, event, show } = await openShipment()
  assert.deepEqual((await send(shop, event())).json, { received: true, duplicate: false })
  assert.deepEqual((await send(shop, event({ awb: '19041424751540' }))).json, { received: true, duplicate: true })
  const moving = await show()
  assert.deepEqual([moving.status, moving.deliveryPartner], ['out_for_delivery', 'Delhivery Surface'])
  assert.equal(moving.estimatedDelivery, '2023-05-25T10:10:19.000Z')
  await send(shop, event({ shipment_status_id: 7, current_timestamp: '25 05 2023 00:10:00' }))
  const there = await show()
  assert.deepEqual([there.status, there.deliveredAt], ['delivered', '2023-05-24T18:40:00.000Z'])
})

test('an unsure status is kept as text and changes nothing', async () => {
  const { shop, event, show } = await openShipment()
  await send(shop, event({ shipment_status_id: 12, shipment_status: 'LOST' }))
  const lost = await show()
  assert.deepEqual([lost.status, lost.shipments[0].status], ['paid', 'LOST'])
  const later = { shipment_status_id: 26, shipment_status: 'delivered', current_timestamp: '24 05 2023 11:43:52' }
  await send(shop, event(later))
  assert.deepEqual([(await show()).status, (await show()).shipments[0].status], ['paid', 'DELIVERED'])
})

test('an event without our reference is matched by its tracking number', async () => {
  const { shop, event, show } = await openShipment()
  await send(shop, event({ order_id: '1001' }))
  assert.equal((await show()).status, 'out_for_delivery')
})

test('an event that matches nothing is stored and answered with 200', async () => {
  const { shop, event, show } = await openShipment()
  const strange = [
    event({ awb: 'X9', order_id: '77' }),
    event({ awb: null, order_id: null }),
    event({ awb: 'X8', is_return: 1 }),
    { hello: 'world' },
  ]
  for (const body of strange) assert.deepEqual((await send(shop, body)).json, { received: true, duplicate: false })
  assert.deepEqual(
    (await storedEvents(shop)).map(({ outcome }) => outcome),
    strange.map(() => 'unmatched'),
  )
  assert.equal((await show()).status, 'paid')
})

test('a test of the address is answered with 200 and stores nothing', async () => {
  const { shop } = await openShipment()
  for (const body of ['', '{}']) assert.equal((await send(shop, body)).status, 200, body)
  const bare = await service.call('/webhook/logistics/parcel', {
    method: 'POST',
    headers: { 'x-api-key': shop.logisticsKey },
  })
  assert.equal(bare.status, 200)
  assert.deepEqual(await storedEvents(shop), [])
})

test('a wrong key is 401, and the key of another store moves no order', async () => {
  const { shop, event, show } = await openShipment()
  const other = await openOrderShop(service)
  for (const key of ['', 'vlk_wrong', shop.serverKey]) assertError(await send(shop, event(), key), 401, 'UNAUTHORIZED')
  assert.deepEqual(await storedEvents(shop), [])
  assert.equal((await send(other, event())).status, 200)
  assert.equal((await show()).status, 'paid')
})

test('a body that is not a JSON object is 400', async () => {
  const { shop } = await openShipment()
  for (const body of ['{"awb":', '[]', 'null', '"x"']) assertError(await send(shop, body), 400, 'BAD_REQUEST')
})

test('simultaneous copies of an event have one effect', async () => {
  const { shop, event, show } = await openShipment()
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(shop, event())))
  assert.equal(answers.filter(({ json }) => json.duplicate === false).length, 1)
  assert.equal((await show()).timeline.filter(({ type }: { type: string }) => type === 'out_for_delivery').length, 1)
})
