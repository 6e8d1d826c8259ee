import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ShiprocketDouble, startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import { startTestService, type TestService } from '../../../test/harness.ts'
import type { Carrier } from '../../providers/carrier/carrier.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { openCarrierOrder } from './fixture.ts'
import { trackShipment } from './shipment-actions.ts'

let service: TestService
let double: ShiprocketDouble
before(async () => {
  double = await startShiprocketDouble({ now: () => service.clock.now() })
  service = await startTestService({ carriers: [createShiprocket(double.url)] })
})
after(async () => {
  await service.close()
  await double.close()
})

/** A booked parcel, and a way to send events of Shiprocket about it with any tracking number. */
const openBooked = async () => {
  const opened = await openCarrierOrder(service, double)
  const booked = await opened.book()
  const send = async (awb: string, statusId: number, label: string) => {
    service.clock.advance(1000)
    const [date = '', time = ''] = new Date(service.clock.now() + 5.5 * 3_600_000).toISOString().slice(0, 19).split('T')
    const answer = await service.call('/webhook/logistics/parcel', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': opened.shop.logisticsKey },
      body: JSON.stringify({
        ...{ awb, courier_name: 'Other Courier', shipment_status: label, shipment_status_id: statusId },
        ...{ current_timestamp: `${date} ${time}`, order_id: `1001-${booked.id}_1`, is_return: 0 },
      }),
    })
    assert.equal(answer.status, 200, answer.text)
  }
  const shipment = async () => {
    const { shipments } = await opened.show()
    assert.equal(shipments.length, 1)
    return [shipments[0].trackingNumber, shipments[0].status]
  }
  return { ...opened, booked, send, shipment }
}

test('a parcel that gets another courier has the number of that courier', async () => {
  const { booked, send, shipment, show } = await openBooked()
  await send('NEW1', 19, 'OUT FOR PICKUP')
  assert.deepEqual(await shipment(), ['NEW1', 'OUT FOR PICKUP'])
  await send(booked.trackingNumber, 8, 'CANCELLED')
  await send(booked.trackingNumber, 16, 'CANCELLATION REQUESTED')
  assert.deepEqual(await shipment(), ['NEW1', 'OUT FOR PICKUP'], 'the old number is cancelled, not the parcel')
  await send('NEW1', 7, 'DELIVERED')
  assert.deepEqual([await shipment(), (await show()).status], [['NEW1', 'delivered'], 'delivered'])
})

test('a cancellation of the current number cancels the shipment', async () => {
  const { booked, send, shipment } = await openBooked()
  await send(booked.trackingNumber, 8, 'CANCELLED')
  assert.deepEqual(await shipment(), [booked.trackingNumber, 'cancelled'])
})

test('tracking ignores the old number when another courier took the parcel meanwhile', async () => {
  const { ctx, booked, send, shipment } = await openBooked()
  double.delivery.lose = true
  await double.scan(booked.trackingNumber, 8)
  double.delivery.lose = false
  const carrier = createShiprocket(double.url)
  const track: Carrier['track'] = async (...args) => {
    const answer = await carrier.track(...args)
    await send('NEW2', 42, 'PICKED UP')
    return answer
  }
  const carriers = { ...ctx.carriers, byName: new Map([['shiprocket', { ...carrier, track }]]) }
  await trackShipment({ ...ctx, carriers }, booked.id)
  assert.deepEqual(await shipment(), ['NEW2', 'out_for_delivery'])
})

test('a number without its leading zeros is the same number', async () => {
  const { booked, send, shipment } = await openBooked()
  const stored = `00${booked.trackingNumber}`
  await service.db.run`update shipment set tracking_number = ${stored} where id = ${booked.id}`
  await send(booked.trackingNumber, 42, 'PICKED UP')
  assert.deepEqual(await shipment(), [stored, 'out_for_delivery'])
})
