import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startDouble } from '../../../test/doubles/double.ts'
import { startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import { newId } from '../../core/ids.ts'
import { ProviderRefused, ProviderUnavailable } from '../http.ts'
import type { Parcel } from './carrier.ts'
import { createShiprocket } from './shiprocket.ts'

const openAccount = async (t: TestContext, more: { now?: () => number } = {}) => {
  const double = await startShiprocketDouble(more)
  t.after(() => double.close())
  double.delivery.lose = true
  const carrier = createShiprocket(double.url)
  const account = { storeId: 'store_1', credentials: double.openAccount('https://shop.example', 'vlk_1') }
  const within = (ms = 5000) => AbortSignal.timeout(ms)
  const create = (parcel: Parcel) => carrier.createShipment(account, parcel, within())
  /** A shipment with a courier. */
  const book = async (parcel = newParcel()) => {
    const shipment = await create(parcel)
    return { parcel, shipment, ...(await carrier.assignCourier(account, shipment, null, within())) }
  }
  return { double, carrier, account, within, create, book }
}

const newParcel = (more: Partial<Parcel> = {}): Parcel => ({
  ...{
    reference: `1001-${newId('ship')}`,
    orderedAt: new Date('2026-01-31T20:00:00Z'),
    currency: 'INR',
    isCash: false,
  },
  to: {
    ...{ name: 'Asha Rao', phone: '+919876543210', email: 'asha@example.com', line1: '12 Lake Road', line2: 'Flat 4' },
    ...{ city: 'Pune', state: 'Maharashtra', postalCode: '411001', country: 'IN' },
  },
  items: [{ sku: 'MUG', name: 'Mug', quantity: 2, unitMinor: 44_950 }],
  ...{ valueMinor: 97_800, weightKg: 0.4, lengthCm: 10, breadthCm: 10, heightCm: 12 },
  ...more,
})

test('a shipment is created with address, items, weight and amount in rupees', async (t) => {
  const { double, create, carrier } = await openAccount(t)
  const parcel = newParcel({ isCash: true })
  assert.equal(carrier.refuseParcel(parcel), null)
  const { carrierOrder, carrierShipment } = await create(parcel)
  assert.match(`${carrierOrder} ${carrierShipment}`, /^\d+ \d+$/)
  const [made] = double.shipments()
  assert.equal(made?.reference, parcel.reference)
  const { order_date, payment_method, sub_total, billing_phone, billing_pincode, order_items, weight } =
    made?.request ?? {}
  assert.deepEqual([order_date, payment_method, sub_total, weight], ['2026-02-01 01:30', 'COD', 978, 0.4])
  assert.deepEqual([billing_phone, billing_pincode], [9_876_543_210, 411_001])
  assert.deepEqual(order_items, [{ name: 'Mug', sku: 'MUG', units: 2, selling_price: 449.5 }])
})

test('a repeated create, also after a lost answer, finds the shipment that exists', async (t) => {
  const { double, create, book } = await openAccount(t)
  await book()
  for (const fault of ['drop', 'failAfter'] as const) {
    const parcel = newParcel()
    const before = double.shipments().length
    double.faults[fault] = 1
    const first = await create(parcel)
    assert.deepEqual(await create(parcel), first)
    assert.equal(double.shipments().length, before + 1, fault)
  }
})

test('simultaneous creates make one shipment', async (t) => {
  const { double, create } = await openAccount(t)
  const parcel = newParcel()
  const made = await Promise.all(Array.from({ length: 5 }, () => create(parcel)))
  assert.equal(new Set(made.map(({ carrierShipment }) => carrierShipment)).size, 1)
  assert.equal(double.shipments().length, 1)
})

test('a refused create names the field, also when the refusal comes with 200', async (t) => {
  const { carrier, account, create, within } = await openAccount(t)
  await assert.rejects(create(newParcel({ weightKg: 0 })), /Shiprocket: The weight is invalid/)
  const elsewhere = { ...account, credentials: { ...account.credentials, pickupLocation: 'Attic' } }
  await assert.rejects(carrier.createShipment(elsewhere, newParcel(), within()), (error: Error) => {
    assert.ok(error instanceof ProviderRefused)
    return /Wrong Pickup location/.test(error.message)
  })
})

test('a courier is assigned once, however often the call is made', async (t) => {
  const { double, carrier, account, create, within } = await openAccount(t)
  const shipment = await create(newParcel())
  double.faults.drop = 1
  const first = await carrier.assignCourier(account, shipment, '51', within())
  assert.equal(first.partner, 'Delhivery Air')
  assert.deepEqual(await carrier.assignCourier(account, shipment, '24', within()), first)
  assert.equal(double.shipments()[0]?.awb, first.trackingNumber)
})

test('a courier that cannot be had is a refusal, though Shiprocket answers 200', async (t) => {
  const { double, carrier, account, create, within } = await openAccount(t)
  const shipment = await create(newParcel())
  double.behaviour.courier = 'refused'
  await assert.rejects(carrier.assignCourier(account, shipment, null, within()), (error: Error) => {
    assert.ok(error instanceof ProviderRefused)
    return /This courier is not serviceable/.test(error.message)
  })
  double.behaviour.courier = 'assigned'
  assert.equal((await carrier.assignCourier(account, shipment, null, within())).partner, 'Xpressbees Surface')
})

test('a label has an address, and a failure inside 200 is a refusal', async (t) => {
  const { double, carrier, account, book, within } = await openAccount(t)
  const { shipment } = await book()
  assert.match(await carrier.makeLabel(account, shipment, within()), /^http.*\.pdf$/)
  double.behaviour.label = 'refused'
  await assert.rejects(carrier.makeLabel(account, shipment, within()), /Label could not be created/)
})

test('a pickup is scheduled once, in Indian time', async (t) => {
  const { carrier, account, book, within } = await openAccount(t, { now: () => Date.parse('2026-01-30T10:00:00Z') })
  const { shipment } = await book()
  const first = await carrier.schedulePickup(account, shipment, within())
  assert.equal(first?.toISOString(), '2026-01-31T10:00:00.000Z')
  assert.deepEqual(await carrier.schedulePickup(account, shipment, within()), first)
})

test('tracking gives the status, the times in UTC and the page of the parcel', async (t) => {
  let nowMs = Date.parse('2026-01-30T10:00:00Z')
  const { double, carrier, account, book, within } = await openAccount(t, { now: () => nowMs })
  const { trackingNumber } = await book()
  const track = () => carrier.track(account, trackingNumber, within())
  const unknown = await track()
  assert.deepEqual([unknown.status, unknown.label, unknown.at], [null, '', null])
  await double.scan(trackingNumber, 42)
  nowMs = Date.parse('2026-01-31T05:00:00Z')
  await double.scan(trackingNumber, 19)
  const odd = await track()
  assert.deepEqual([odd.status, odd.label], [null, 'OUT FOR PICKUP'], 'not a sure status')
  await double.scan(trackingNumber, 7)
  const { status, at, deliveredAt, estimatedDelivery, partner, trackingUrl } = await track()
  assert.deepEqual([status, partner], ['delivered', 'Xpressbees Surface'])
  assert.deepEqual([at?.getTime(), deliveredAt?.getTime()], [nowMs, nowMs])
  assert.equal(estimatedDelivery?.toISOString(), '2026-02-02T05:00:00.000Z')
  assert.match(String(trackingUrl), new RegExp(trackingNumber))
})

test('a shipment is cancelled once, and not after a scan', async (t) => {
  const { double, carrier, account, book, create, within } = await openAccount(t)
  const { parcel, shipment } = await book()
  double.faults.drop = 1
  await carrier.cancelShipment(account, shipment, within())
  await carrier.cancelShipment(account, shipment, within())
  assert.equal(double.shipments().length, 0)
  await assert.rejects(create(parcel), /was cancelled/)
  const sent = await book()
  await double.scan(sent.trackingNumber, 42)
  await assert.rejects(carrier.cancelShipment(account, sent.shipment, within()), /Cannot cancel a shipped order/)
})

test('one login serves many calls, and an expired token is replaced', async (t) => {
  const { double, book } = await openAccount(t)
  await book()
  await book()
  const countLogins = () => double.calls.filter((call) => call.endsWith('/auth/login')).length
  assert.equal(countLogins(), 1)
  double.expireTokens()
  await book()
  assert.equal(countLogins(), 2)
  assert.equal(double.shipments().length, 3)
})

test('a wrong password is refused, and a change of the password does not use the old token', async (t) => {
  const { double, carrier, account, create, within } = await openAccount(t)
  assert.match(await carrier.check(account, within()), /accepted the login/)
  const wrong = { ...account, credentials: { ...account.credentials, password: 'x' } }
  await assert.rejects(carrier.check(wrong, within()), ProviderRefused)
  await assert.rejects(carrier.createShipment(wrong, newParcel(), within()), ProviderRefused)
  const elsewhere = { ...account, credentials: { ...account.credentials, pickupLocation: 'Attic' } }
  await assert.rejects(carrier.check(elsewhere, within()), /no pickup location "Attic".*Primary/)
  assert.equal(double.shipments().length, 0)
  await create(newParcel())
})

test('a refused login is not repeated until the credentials change', async (t) => {
  const { double, carrier, account, create, within } = await openAccount(t)
  const wrong = { ...account, credentials: { ...account.credentials, password: 'x' } }
  for (let n = 0; n < 3; n++) {
    await assert.rejects(carrier.track(wrong, '1', within()), (error) => {
      assert.ok(error instanceof ProviderRefused)
      return /refused the login/.test(error.message)
    })
  }
  assert.equal(double.calls.filter((call) => call.endsWith('/auth/login')).length, 1)
  await create(newParcel())
})

test('texts of a tracked parcel are cut short, and only web addresses are kept', async (t) => {
  const track = async (url: string) => {
    const body = {
      tracking_data: {
        ...{ shipment_status: 99, track_url: url },
        shipment_track: [{ current_status: 'L'.repeat(5_000), courier_name: 'C'.repeat(5_000) }],
      },
    }
    const server = await startDouble({ api: () => ({ status: 200, body: { token: 'a', ...body } }) })
    t.after(() => server.close())
    const account = { storeId: 'store_1', credentials: { email: 'a@shop.example', password: 'b' } }
    return createShiprocket(server.url).track(account, '1', AbortSignal.timeout(5000))
  }
  const { label, partner, trackingUrl } = await track('https://shiprocket.example/1')
  assert.deepEqual([label.length, partner?.length, trackingUrl], [100, 100, 'https://shiprocket.example/1'])
  for (const url of ['javascript:alert(1)', 'https://', `https://a.example/${'x'.repeat(3_000)}`]) {
    assert.equal((await track(url)).trackingUrl, null, url.slice(0, 40))
  }
})

test('a carrier that is slow, silent or down is unavailable, and nothing is made twice', async (t) => {
  const { double, carrier, account, create, within } = await openAccount(t)
  const parcel = newParcel()
  await carrier.check(account, within())
  double.faults.silent = 1
  await assert.rejects(carrier.createShipment(account, parcel, within(50)))
  // The create, then the three tries of the search for it.
  double.faults.fail = 4
  await assert.rejects(create(parcel), ProviderUnavailable)
  double.faults.slowMs = 200
  await assert.rejects(carrier.createShipment(account, parcel, within(50)))
  double.faults.slowMs = 0
  await create(parcel)
  assert.equal(double.shipments().length, 1)
})

test('a parcel that Shiprocket would refuse is refused before the call', async (t) => {
  const { carrier } = await openAccount(t)
  const { to } = newParcel()
  const refused: [Partial<Parcel>, RegExp][] = [
    [{ currency: 'EUR' }, /INR/],
    [{ to: { ...to, country: 'DE' } }, /within India/],
    [{ to: { ...to, postalCode: '4110' } }, /six digits/],
    [{ to: { ...to, phone: '12345' } }, /ten digits/],
    [{ to: { ...to, email: '' } }, /e-mail/],
    [{ to: { ...to, state: '' } }, /state/],
    [{ to: { ...to, city: 'x'.repeat(31) } }, /city/],
    [{ heightCm: 0.5 }, /0\.5 cm/],
    [{ reference: 'x'.repeat(51) }, /50 characters/],
  ]
  for (const [more, reason] of refused) assert.match(String(carrier.refuseParcel(newParcel(more))), reason)
})
