import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import { type ShiprocketDouble, startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { openOrderShop, payOrder, placeOrder } from '../orders/fixture.ts'
import { openCarrierOrder } from './fixture.ts'

let service: TestService
let double: ShiprocketDouble
before(async () => {
  double = await startShiprocketDouble({ now: () => service.clock.now() })
  service = await startTestService({ passwords: cheapPasswords, carriers: [createShiprocket(double.url)] })
})
after(async () => {
  await service.close()
  await double.close()
})

const open = async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const staff = await newStaff(service, shop, 'fulfilment')
  const owner = await newStaff(service, shop)
  const place = (options: Parameters<typeof placeOrder>[3] = {}) => placeOrder(service, shop, asha, options)
  const audit = async (action: string) => (await owner.inStore('GET', `/audit?action=${action}`)).json.data
  const ship = (id: string, body: unknown, headers = {}) =>
    staff.inStore('POST', `/orders/${id}/shipments`, body, headers)
  return { shop, asha, staff, owner, place, audit, ship }
}

const parcel = { trackingNumber: 'BB1', partner: 'Bluebird' }

test('parts of an order are shipped, never more units than it has, and once for a key', async () => {
  const { shop, place, audit, ship } = await open()
  const id = await place({ goods: { mug: 2, lamp: 1 } })
  await payOrder(service, shop, id)
  const first = { ...parcel, items: [{ id: 'MUG', quantity: 1 }], trackingUrl: 'https://bluebird.example/BB1' }
  const [one, again] = await Promise.all([
    ship(id, first, { 'idempotency-key': 's' }),
    ship(id, first, { 'idempotency-key': 's' }),
  ])
  assert.equal(one.status, 201, one.text)
  assert.deepEqual(again.json, one.json)
  assert.deepEqual([one.json.trackingNumber, one.json.items.length, one.json.carrier], ['BB1', 1, null])
  assertError(await ship(id, first), 409, 'CONFLICT')
  const rest = (n: number) =>
    ship(id, { trackingNumber: `R${n}`, partner: 'Bluebird', items: [{ id: 'MUG', quantity: 1 }] })
  const answers = await Promise.all([rest(1), rest(2), rest(3)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  const byVan = { partner: 'Our own van', items: [{ id: 'LAMP', quantity: 1 }] }
  assert.equal((await ship(id, byVan)).json.trackingNumber, '', 'no number is needed')
  assertError(
    await ship(id, { ...parcel, trackingNumber: 'N', items: [{ id: 'NONE', quantity: 1 }] }),
    404,
    'NOT_FOUND',
  )
  for (const body of [
    {},
    { trackingNumber: 'BB3' },
    { partner: ' ' },
    { ...parcel, trackingUrl: 'javascript:1' },
    { ...parcel, estimatedDelivery: 'soon' },
  ]) {
    assertError(await ship(id, body), 400, 'BAD_REQUEST')
  }
  const entries = await audit('order.shipped')
  assert.equal(entries.length, 3)
  assert.equal(entries.at(-1).changes.shipment.after.trackingNumber, 'BB1')
})

test('an order is shipped or cancelled, never both', async () => {
  const { owner, place, ship } = await open()
  for (let i = 0; i < 5; i++) {
    const id = await place({ method: 'cod' })
    const [shipped, cancelled] = await Promise.all([ship(id, parcel), owner.inStore('POST', `/orders/${id}/cancel`)])
    assert.deepEqual([shipped.status, cancelled.status].sort(), shipped.status === 201 ? [201, 409] : [200, 409])
    const { status, shipments } = (await owner.inStore('GET', `/orders/${id}`)).json
    assert.equal(shipments.length, status === 'cancelled' ? 0 : 1)
  }
})

test('delivering twice at once delivers once, and pays a cash order', async () => {
  const { staff, place, audit } = await open()
  const id = await place({ method: 'cod' })
  const deliver = () => staff.inStore('POST', `/orders/${id}/deliver`)
  const answers = await Promise.all([deliver(), deliver(), deliver()])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  const { status, paymentStatus, timeline } = (await deliver()).json
  assert.deepEqual([status, paymentStatus], ['delivered', 'paid'])
  assert.equal(timeline.filter(({ type }: { type: string }) => type === 'delivered').length, 1)
  const [entry, ...more] = await audit('order.delivered')
  assert.deepEqual([entry.changes, more], [{ status: { before: 'pending', after: 'delivered' } }, []])
  assertError(await staff.inStore('POST', `/orders/${await place()}/deliver`), 409, 'CONFLICT')
})

test('a caller who may not read orders gets no personal data from changing one', async () => {
  const { shop, place } = await open()
  const id = await place({ method: 'cod' })
  const note = { text: 'Asha wants a call' }
  const all = await newProgram(service, shop, { role: 'owner' })
  await all.inStore('POST', `/orders/${id}/notes`, note)
  const program = await newProgram(service, shop, { permissions: ['orders:fulfil'] })
  assertError(await program.inStore('GET', `/orders/${id}`), 403, 'FORBIDDEN')
  const { status, text, json } = await program.inStore('POST', `/orders/${id}/deliver`)
  assert.deepEqual([status, json.status, json.items.length], [200, 'delivered', 1])
  assert.doesNotMatch(text, /Asha|cus_/)
})

test('a parcel is booked with the account of the store, once for a key', async () => {
  const scene = await openCarrierOrder(service, double)
  const staff = await newStaff(service, scene.shop, 'fulfilment')
  const body = { carrier: 'shiprocket', weightKg: 0.5 }
  const book = (given: unknown, key: string) =>
    staff.inStore('POST', `/orders/${scene.orderId}/shipments`, given, { 'idempotency-key': key })
  assertError(await book({ carrier: 'shiprocket' }, 'a'), 400, 'BAD_REQUEST')
  assertError(await book({ carrier: 'nobody', weightKg: 1 }, 'b'), 400, 'BAD_REQUEST')
  const [one, two] = [await book(body, 'c'), await book(body, 'c')]
  assert.equal(one.status, 201, one.text)
  assert.deepEqual([two.status, two.json], [201, one.json])
  assert.deepEqual([one.json.carrier, one.json.status], ['shiprocket', 'booked'])
  assert.equal((await scene.parcels()).length, 1)
  assertError(await book(body, 'd'), 409, 'CONFLICT')
})

test('a booked parcel gets a label and a pickup, and is cancelled while the courier has not taken it', async () => {
  const scene = await openCarrierOrder(service, double)
  const staff = await newStaff(service, scene.shop, 'fulfilment')
  const { id } = await scene.book()
  const act = (what: string, shipment = id, who = staff) =>
    who.inStore('POST', `/orders/${scene.orderId}/shipments/${shipment}/${what}`)
  assertError(await act('label', 'ship_other'), 404, 'NOT_FOUND')
  assertError(await act('label', id, await newStaff(service, scene.shop, 'support')), 403, 'FORBIDDEN')
  const labelled = await act('label')
  assert.equal(labelled.status, 200, labelled.text)
  assert.match(labelled.json.labelUrl, /^http/)
  const picked = await act('pickup')
  assert.ok(picked.json.pickupAt, picked.text)
  const other = await openCarrierOrder(service, double)
  const stranger = await newStaff(service, other.shop, 'fulfilment')
  assertError(await act('cancel', id, stranger), 404, 'NOT_FOUND')
  const answers = await Promise.all([act('cancel'), act('cancel')])
  for (const { status, json, text } of answers) assert.deepEqual([status, json.status], [200, 'cancelled'], text)
  assert.deepEqual(await scene.parcels(), [])
  const owner = await newStaff(service, scene.shop)
  const entries = (await owner.inStore('GET', `/audit?resource=order&resourceId=${scene.orderId}`)).json.data
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action).filter((action: string) => action.includes('parcel')),
    ['order.parcel_cancelled', 'order.parcel_pickup', 'order.parcel_labelled'],
  )
  assertError(await act('label'), 409, 'CONFLICT')
})
