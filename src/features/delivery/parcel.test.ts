import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { newShipment } from './carrier.ts'
import type { Shipment } from './delivery.sql.ts'
import { makeParcel, type ParcelItems, readReference, referenceOf } from './parcel.ts'

const line = (id: string, quantity: number, lineTotalMinor: number, more = {}) => ({
  ...{ id, position: 0, productId: 'prod', variantId: `var_${id}`, name: id, variant: '', image: '', sku: '' },
  ...{ quantity, unitMinor: Math.round(lineTotalMinor / quantity), lineTotalMinor, discountMinor: 0, taxMinor: 0 },
  ...{ digital: null, refunded: 0, restocked: 0, stockCounted: true, ...more },
})

/** 3 mugs for 100.01 and a lamp for 250.00, less 10.00, with 18.00 tax and 79.00 for delivery. */
const order = {
  ...{ id: 'ord_1', number: 1001, createdAt: new Date('2026-01-31T10:00:00Z'), currency: 'INR' },
  ...{ paymentMethod: 'cod', paymentStatus: 'pending', subtotalMinor: 35_001, discountMinor: 1_000, taxMinor: 1_800 },
  ...{ shippingMinor: 7_900, totalMinor: 43_701 },
  lines: [
    line('mug', 3, 10_001, { variant: 'Oat', sku: 'MUG' }),
    line('lamp', 1, 25_000, { discountMinor: 1_000, taxMinor: 1_800 }),
  ],
  shippingAddress: {
    ...{ name: 'Asha', phone: '', line1: '12 Lake Road', line2: 'Flat 4', landmark: 'near the lake', city: 'Pune' },
    ...{ state: 'Maharashtra', postalCode: '411 001', country: 'IN' },
  },
} as unknown as LockedOrder

const parcel = (items: ParcelItems, others: readonly Shipment[] = [], more: Partial<LockedOrder> = {}) =>
  makeParcel({
    ...{ order: { ...order, ...more }, shipmentId: 'ship_1', items, others },
    size: { weightKg: 1, lengthCm: 10, breadthCm: 10, heightCm: 10 },
    contact: { email: '', phone: '+91 98765 43210' },
    store: { contact: { email: 'care@shop.example', phone: '' } },
  })

const sent = (items: { id: string; quantity: number }[], status = 'booked') => ({ ...newShipment('T'), items, status })

test('the parcels of an order add up to its total, and the first has the cost of delivery', () => {
  const first = parcel([{ id: 'mug', quantity: 1 }])
  const second = parcel([{ id: 'mug', quantity: 2 }], [sent([{ id: 'mug', quantity: 1 }])])
  const third = parcel([{ id: 'lamp', quantity: 1 }], [sent([{ id: 'mug', quantity: 3 }])])
  assert.equal(first.valueMinor, 3_334 + 7_900)
  assert.equal(first.valueMinor + second.valueMinor + third.valueMinor, order.totalMinor)
  const whole = [
    { id: 'mug', quantity: 3 },
    { id: 'lamp', quantity: 1 },
  ]
  assert.equal(parcel(whole).valueMinor, order.totalMinor)
  assert.equal(parcel(whole, [sent(whole, 'cancelled')]).valueMinor, order.totalMinor, 'a cancelled one does not count')
})

test('tax that prices include is not added', () => {
  const included = { totalMinor: order.totalMinor - 1_800 }
  assert.equal(parcel([{ id: 'lamp', quantity: 1 }], [], included).valueMinor, 25_000 - 1_000 + 7_900)
})

test('a parcel has the address, a phone number, an e-mail address and the names of its items', () => {
  const { to, items, isCash, reference } = parcel([{ id: 'mug', quantity: 3 }])
  assert.deepEqual([to.phone, to.email, to.postalCode], ['+919876543210', 'care@shop.example', '411001'])
  assert.equal(to.line2, 'Flat 4, near the lake')
  assert.deepEqual(items, [{ sku: 'MUG', name: 'mug, Oat', quantity: 3, unitMinor: 3_334 }])
  assert.deepEqual([isCash, reference], [true, '1001-ship_1'])
  assert.equal(parcel([{ id: 'lamp', quantity: 1 }]).items[0]?.sku, 'var_lamp', 'carriers want a SKU')
})

test('the courier collects nothing for a paid order', () => {
  assert.equal(parcel([{ id: 'lamp', quantity: 1 }], [], { paymentStatus: 'paid' }).isCash, false)
  assert.equal(
    parcel([{ id: 'lamp', quantity: 1 }], [], { paymentMethod: 'online', paymentStatus: 'paid' }).isCash,
    false,
  )
})

test('an order without an address has nothing to deliver', () => {
  assert.throws(() => parcel([], [], { shippingAddress: null }), /nothing to deliver/)
})

test('a reference has at most 50 characters and names the shipment, with a suffix too', () => {
  const id = newId('ship')
  const reference = referenceOf(999_999_999, id)
  assert.ok(reference.length <= 50)
  for (const text of [reference, `${reference}_348456385`, id, `${id}_1`]) assert.equal(readReference(text), id)
  for (const text of [null, '', '1001', 'ship_', `${id}0`, `X${id}`, '1001-ship_short', 'x'.repeat(10_000)]) {
    assert.equal(readReference(text), null, String(text).slice(0, 60))
  }
})
