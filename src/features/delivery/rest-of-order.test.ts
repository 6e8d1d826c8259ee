import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { sendCarrierEvent } from '../orders/fixture.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

/** A paid order of three mugs and two lamps, for a member of staff. */
const open = async () => {
  const { shop, order, findings } = await openRefundScene(service, { prices: { Mug: 100, Lamp: 250 } })
  const owner = await newStaff(service, shop)
  const { id, lines } = await order({ mug: 3, lamp: 2 })
  const [mug = '', lamp = ''] = lines
  const post = (path: string, body?: unknown) => {
    service.clock.advance(1000)
    return owner.inStore('POST', `/orders/${id}${path}`, body)
  }
  const ship = async (trackingNumber: string, items?: readonly { id: string; quantity: number }[]) => {
    const { json, text, status } = await post('/shipments', { partner: 'Bluebird', trackingNumber, items })
    assert.equal(status, 201, text)
    return json
  }
  const deliver = async (trackingNumber: string) => {
    service.clock.advance(1000)
    const { status, text } = await sendCarrierEvent(service, shop, { trackingNumber, status: 'delivered' })
    assert.equal(status, 200, text)
  }
  const refund = async (units: number, line = mug) =>
    assert.equal((await post('/refunds', { items: [{ id: line, quantity: units }] })).status, 201)
  const statusOf = async () => (await owner.inStore('GET', `/orders/${id}`)).json.status
  const slip = async (shipmentId: string) =>
    (await owner.inStore('GET', `/orders/${id}/packing-slip?shipmentId=${shipmentId}`)).text
  const toPack = async () => {
    const { status, text } = await owner.inStore('GET', `/orders/${id}/packing-slip?left=true`)
    assert.equal(status, 200, text)
    return [...text.matchAll(/<td class="number">(\d+)<\/td><td>(\w+)<\/td>/g)].map(
      ([, units, name]) => `${units} ${name}`,
    )
  }
  return { mug, lamp, post, ship, deliver, refund, statusOf, slip, toPack, owner, id, findings }
}

test('a shipment without items after others has the rest, without what was refunded', async () => {
  const { mug, lamp, ship, deliver, refund, statusOf, slip, findings } = await open()
  await ship('T1', [{ id: mug, quantity: 2 }])
  await refund(1)
  const { id, items } = await ship('T2')
  assert.deepEqual(items, [{ id: lamp, quantity: 2 }])
  assert.match(await slip(id), /<td class="number">2<\/td><td>Lamp<\/td>/)
  assert.doesNotMatch(await slip(id), /Mug/)
  await deliver('T1')
  assert.equal(await statusOf(), 'out_for_delivery')
  await deliver('T2')
  assert.equal(await statusOf(), 'delivered')
  assert.deepEqual(await findings(), [])
})

test('units that were refunded before the parcel left are neither packed nor waited for', async () => {
  const { mug, lamp, post, ship, deliver, refund, statusOf, slip, findings } = await open()
  await refund(1)
  const tooMany = { partner: 'Bluebird', trackingNumber: 'T1', items: [{ id: mug, quantity: 3 }] }
  assertError(await post('/shipments', tooMany), 409, 'CONFLICT')
  const { id } = await ship('T1')
  assert.match(await slip(id), /<td class="number">2<\/td><td>Mug<\/td>/)
  await deliver('T1')
  assert.equal(await statusOf(), 'delivered')

  const other = await open()
  await other.refund(2, other.lamp)
  await other.ship('T3', [{ id: other.mug, quantity: 3 }])
  await other.deliver('T3')
  assert.equal(await other.statusOf(), 'delivered')
  assert.notEqual(lamp, other.lamp)
  assert.deepEqual([...(await findings()), ...(await other.findings())], [])
})

test('a refund of a unit that was sent leaves the others to send', async () => {
  const { mug, lamp, post, ship, deliver, statusOf } = await open()
  await ship('T1', [{ id: mug, quantity: 2 }])
  await deliver('T1')
  assert.equal((await post('/refunds', { items: [{ id: mug, quantity: 1 }], restock: true })).status, 201)
  assert.deepEqual((await ship('T2')).items, [
    { id: mug, quantity: 1 },
    { id: lamp, quantity: 2 },
  ])
  await deliver('T2')
  assert.equal(await statusOf(), 'delivered')
})

test('a refund of the last units that were not sent ends the delivery', async () => {
  const { mug, lamp, ship, deliver, refund, statusOf, owner, id, findings } = await open()
  await ship('T1', [{ id: mug, quantity: 3 }])
  await ship('T2', [{ id: lamp, quantity: 1 }])
  await deliver('T1')
  await refund(1, mug)
  assert.equal(await statusOf(), 'out_for_delivery', 'T2 is on its way, and a lamp is left')
  await deliver('T2')
  const afterParcels = service.clock.now()
  assert.equal(await statusOf(), 'out_for_delivery')
  await refund(1, lamp)
  assert.equal(await statusOf(), 'delivered')
  const { json } = await owner.inStore('GET', `/orders/${id}`)
  assert.ok(Date.parse(json.deliveredAt) <= afterParcels, 'when the last parcel was')
  assert.deepEqual(await findings(), [])
})

test('a refund of a unit that was received, or while a parcel is on its way, does not end the delivery', async () => {
  const { mug, lamp, post, ship, deliver, refund, statusOf, findings } = await open()
  await ship('T1', [{ id: mug, quantity: 3 }])
  await deliver('T1')
  assert.equal((await post('/refunds', { items: [{ id: mug, quantity: 1 }], restock: true })).status, 201)
  assert.equal(await statusOf(), 'out_for_delivery')
  await ship('T2', [{ id: lamp, quantity: 1 }])
  await refund(1, lamp)
  assert.equal(await statusOf(), 'out_for_delivery')
  await deliver('T2')
  assert.equal(await statusOf(), 'delivered')
  assert.deepEqual(await findings(), [])
})

test('a packing slip of what is left has the units that are neither sent nor refunded', async () => {
  const { mug, lamp, ship, refund, toPack, owner, id } = await open()
  assert.deepEqual(await toPack(), ['3 Mug', '2 Lamp'])
  await ship('T1', [{ id: mug, quantity: 1 }])
  assert.deepEqual(await toPack(), ['2 Mug', '2 Lamp'])
  await refund(1, lamp)
  assert.deepEqual(await toPack(), ['2 Mug', '1 Lamp'])
  const { id: shipmentId } = await ship('T2')
  assert.deepEqual(await toPack(), [])
  const both = await owner.inStore('GET', `/orders/${id}/packing-slip?left=true&shipmentId=${shipmentId}`)
  assertError(both, 400, 'BAD_REQUEST')
})
