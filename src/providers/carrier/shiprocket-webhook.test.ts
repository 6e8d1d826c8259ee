import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIndianTime, readShiprocketEvent } from './shiprocket-webhook.ts'

const event = {
  awb: '19041424751540',
  courier_name: 'Delhivery Surface',
  current_status: 'IN TRANSIT',
  current_status_id: 20,
  shipment_status: 'IN TRANSIT',
  shipment_status_id: 18,
  current_timestamp: '23 05 2023 11:43:52',
  order_id: '1001-ship_01k8x0v3m7q2w9c4t6y8za_348456385',
  sr_order_id: 348_456_385,
  awb_assigned_date: '2023-05-19 11:59:16',
  pickup_scheduled_date: '2023-05-19 11:59:17',
  etd: '2023-05-23 15:40:19',
  scans: [
    { date: '2023-05-19 11:59:16', status: 'X-UCI', activity: 'Manifested', location: 'Delhi', 'sr-status': '5' },
  ],
  is_return: 0,
  channel_id: 3_422_553,
}

test('an event gives the status, the names of the parcel and times in UTC', () => {
  assert.deepEqual(readShiprocketEvent(event), {
    eventId: 'shiprocket 19041424751540 18 23 05 2023 11:43:52',
    reference: event.order_id,
    trackingNumber: '19041424751540',
    status: 'in_transit',
    label: 'IN TRANSIT',
    partner: 'Delhivery Surface',
    estimatedDelivery: new Date('2023-05-23T10:10:19Z'),
    deliveredAt: null,
    trackingUrl: null,
    at: new Date('2023-05-23T06:13:52Z'),
  })
})

test('a tracking number is the same as a text and as a number', () => {
  const asNumber = readShiprocketEvent({ ...event, awb: 19_041_424_751_540, shipment_status_id: '18' })
  assert.deepEqual(asNumber, readShiprocketEvent(event))
})

test('only sure status ids decide, and the id of the order is not one of them', () => {
  const statusOf = (id: unknown, more = {}) =>
    readShiprocketEvent({ ...event, shipment_status_id: id, ...more })?.status ?? null
  const sure = [6, 7, 8, 9, 10, 17, 18, 21, 38, 42].map((id) => statusOf(id))
  assert.deepEqual(sure, [
    ...['in_transit', 'delivered', 'cancelled', 'returning', 'returned', 'out_for_delivery', 'in_transit'],
    ...['undelivered', 'in_transit', 'in_transit'],
  ])
  for (const id of [0, 1, 5, 11, 12, 13, 20, 23, 26, 40, 46, 48, 52, 999, -7, 7.5, 'NA', null, undefined, [7], {}]) {
    assert.equal(statusOf(id, { shipment_status: 'DELIVERED', current_status_id: 7 }), null, String(id))
  }
  const odd = readShiprocketEvent({ ...event, shipment_status_id: 39, shipment_status: 'MISROUTED' })
  assert.deepEqual([odd?.status, odd?.label], [null, 'MISROUTED'])
})

test('a delivery has its time', () => {
  const there = readShiprocketEvent({ ...event, shipment_status_id: 7 })
  assert.deepEqual([there?.status, there?.deliveredAt], ['delivered', new Date('2023-05-23T06:13:52Z')])
})

test('a parcel that a customer sends back is not taken for the one that was sent', () => {
  assert.equal(readShiprocketEvent({ ...event, is_return: 1 })?.reference, null)
})

test('an empty call is not an event', () => {
  for (const body of [undefined, null, {}, [], '', 0]) assert.equal(readShiprocketEvent(body), null)
})

test('an event without its usual fields has an id of its content', () => {
  const { current_timestamp: _, ...timeless } = event
  const odd = [timeless, { ...event, awb: null }, { ...event, shipment_status_id: 'NA' }, { hello: 'world' }, ['x']]
  const ids = odd.map((body) => readShiprocketEvent(body)?.eventId ?? '')
  assert.equal(new Set(ids).size, odd.length)
  for (const id of ids) assert.match(id, /^shiprocket [0-9a-f]{64}$/)
  assert.equal(readShiprocketEvent(timeless)?.at, null)
  assert.equal(readShiprocketEvent(structuredClone(timeless))?.eventId, ids[0])
})

test('a huge tracking number is cut', () => {
  const long = readShiprocketEvent({ ...event, awb: '9'.repeat(5000) })
  assert.ok((long?.eventId.length ?? 0) <= 200 && (long?.trackingNumber?.length ?? 0) <= 200)
})

test('times without an offset are Indian, and nonsense is no time', () => {
  assert.equal(parseIndianTime('2023-05-23 00:10:00')?.toISOString(), '2023-05-22T18:40:00.000Z')
  assert.equal(parseIndianTime('2023-05-23')?.toISOString(), '2023-05-22T18:30:00.000Z')
  assert.equal(parseIndianTime('01 03 2024 05:30')?.toISOString(), '2024-03-01T00:00:00.000Z')
  for (const text of ['', 'NA', '0000-00-00 00:00:00', '2023-02-31 10:00:00', '31 02 2023 10:00:00', 'tomorrow', '7']) {
    assert.equal(parseIndianTime(text), null, text)
  }
})

test('a tracking number that JSON has rounded is left out', () => {
  const rounded: unknown = JSON.parse('{"awb": 90071992547409931234, "shipment_status_id": 18}')
  assert.equal(readShiprocketEvent(rounded)?.trackingNumber, null)
  assert.equal(readShiprocketEvent({ awb: 19_041_424_751_540 })?.trackingNumber, '19041424751540')
})
