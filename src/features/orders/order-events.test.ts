import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Value } from 'typebox/value'
import { startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { hours } from '../../core/clock.ts'
import type { Tx } from '../../db/database.ts'
import { type Goods, openOrderShop, placeOrder, withOrder } from './fixture.ts'
import { OrderEventData } from './order-events.contract.ts'
import { type OrderSnapshot, showOrderEvent } from './order-events.ts'
import { type LockedOrder, readOrder } from './orders.sql.ts'
import * as settle from './settle.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Move = (tx: Tx, ctx: { store: Awaited<ReturnType<TestStore['load']>> }, order: LockedOrder) => Promise<unknown>

const upi = { method: 'upi', last4: '', upiId: '', reference: '' }
const parcel = { deliveryPartner: 'Bluebird', estimatedDelivery: null, trackingUrl: null, deliveredAt: null }
const entry = (type: string) => [{ type, message: `${type}.` }]
const refundFailed = { paymentStatus: 'paid', restocked: [], message: 'The refund failed.' } as const

const pay: Move = (tx, ctx, order) => settle.settleOrder(tx, ctx, order, upi)
const payTwice: Move = (tx, ctx, order) => settle.settleDuplicate(tx, ctx, order, upi)
const fail: Move = settle.noteFailedPayment
const retry: Move = (tx, ctx, order) => settle.notePaymentRetry(tx, ctx, order, order.expiresAt)
const holdLonger: Move = (tx, ctx, order) =>
  settle.notePaymentRetry(tx, ctx, order, new Date((order.expiresAt?.getTime() ?? 0) + hours(1)))
const cancel: Move = (tx, ctx, order) => settle.cancelOrder(tx, ctx, order, 'Cancelled.')
const refund: Move = (tx, ctx, order) => settle.refundOrder(tx, ctx, order)
const refundPart: Move = (tx, ctx, order) =>
  settle.refundOrder(tx, ctx, order, { isWhole: false, items: [], restock: false, message: 'A part was refunded.' })
const failRefund: Move = (tx, ctx, order) => settle.noteRefundFailed(tx, ctx, order, refundFailed)
const refundDuplicate: Move = settle.noteDuplicateRefunded
const fillDetails: Move = (tx, ctx, order) => settle.fillPaymentDetails(tx, ctx, order, { ...upi, upiId: 'asha@upi' })
const flag: Move = (tx, ctx, order) => settle.flagOrder(tx, ctx, order, 'DISPUTE', 'The payment is disputed.')
const comeBack: Move = (tx, ctx, order) =>
  settle.flagOrder(tx, ctx, order, 'PARCEL_RETURNED', 'The carrier returned the parcel.')
const ship: Move = (tx, ctx, order) => settle.noteShipment(tx, ctx, order, 'Shipped.')
const sendOut: Move = (tx, ctx, order) =>
  settle.moveOrder(tx, ctx, order, { ...parcel, status: 'out_for_delivery' }, entry('out_for_delivery'))
const deliverFirstParcel: Move = (tx, ctx, order) =>
  settle.moveOrder(tx, ctx, order, { ...parcel, status: 'out_for_delivery' }, entry('shipment_delivered'))
const report: Move = (tx, ctx, order) =>
  settle.moveOrder(tx, ctx, order, { ...parcel, status: null }, entry('shipment'))
const deliver: Move = (tx, ctx, order) =>
  settle.moveOrder(tx, ctx, order, { ...parcel, status: 'delivered' }, entry('delivered'))

const expectBack: Move = (tx, ctx, order) =>
  settle.noteOnTimeline(tx, ctx, order, { type: 'return_requested', message: 'Items come back.' })

type Case = { name: string; moves: readonly [Move, ...string[]][]; method?: 'cod'; goods?: Goods }

/** Each move with the events that it must record, in the order in which they happen. */
const cases: Case[] = [
  { name: 'a payment', moves: [[pay, 'order.paid'], [pay], [fail], [cancel]] },
  {
    name: 'a failed payment and a new one',
    moves: [[fail, 'order.payment_failed'], [fail], [retry], [pay, 'order.paid']],
  },
  { name: 'a longer hold', moves: [[holdLonger], [retry]] },
  { name: 'a cancellation', moves: [[cancel, 'order.cancelled'], [cancel], [fail]] },
  {
    name: 'a payment after the cancellation',
    moves: [
      [cancel, 'order.cancelled'],
      [pay, 'order.paid'],
    ],
  },
  {
    name: 'a duplicate payment',
    moves: [[payTwice, 'order.paid', 'order.attention'], [payTwice], [refundDuplicate, 'order.refunded']],
  },
  { name: 'a refund', moves: [[pay, 'order.paid'], [refund, 'order.refunded'], [refund]] },
  {
    name: 'refunds of parts',
    moves: [
      [pay, 'order.paid'],
      [refundPart, 'order.refunded'],
      [refundPart, 'order.refunded'],
      [refund, 'order.refunded'],
    ],
  },
  {
    name: 'a refund that fails afterwards',
    moves: [
      [pay, 'order.paid'],
      [refund, 'order.refunded'],
      [failRefund, 'order.attention'],
    ],
  },
  { name: 'a return', moves: [[pay, 'order.paid'], [expectBack]] },
  { name: 'details of the payment', moves: [[pay, 'order.paid'], [fillDetails], [fillDetails]] },
  {
    name: 'a flag',
    moves: [[pay, 'order.paid'], [flag, 'order.attention'], [settle.resolveAttention]],
  },
  {
    name: 'a delivery',
    moves: [
      [pay, 'order.paid'],
      [ship, 'order.shipped'],
      [report],
      [sendOut, 'order.out_for_delivery'],
      [deliver, 'order.delivered'],
      [comeBack, 'order.attention', 'order.returned'],
    ],
  },
  {
    name: 'a delivery in two parcels',
    moves: [
      [pay, 'order.paid'],
      [deliverFirstParcel, 'order.out_for_delivery'],
      [deliverFirstParcel],
      [deliver, 'order.delivered'],
    ],
  },
  {
    name: 'a delivery of a cash order',
    method: 'cod',
    moves: [
      [sendOut, 'order.out_for_delivery'],
      [deliver, 'order.delivered', 'order.paid'],
    ],
  },
  {
    name: 'reports after the delivery',
    moves: [[pay, 'order.paid'], [deliver, 'order.delivered'], [sendOut], [deliver]],
  },
  {
    name: 'a return of a disputed order',
    moves: [
      [pay, 'order.paid'],
      [ship, 'order.shipped'],
      [flag, 'order.attention'],
      [comeBack, 'order.attention', 'order.returned'],
    ],
  },
  {
    name: 'a shipment of a cancelled order',
    moves: [
      [cancel, 'order.cancelled'],
      [ship, 'order.shipped', 'order.attention'],
    ],
  },
]

const readEvents = (orderId: string) => service.db.many<{ type: string; sequence: number; data: OrderSnapshot }>`
  select type, sequence, data from event where subject = ${orderId} order by sequence`

for (const { name, moves, method = 'online', goods = { mug: 2 } } of cases) {
  test(`${name} records an event for each move, with the order as the API shows it, and none without`, async () => {
    const shop = await openOrderShop(service)
    const asha = await newCustomer(service, shop)
    const ctx = { store: await shop.load(), publicUrl: service.app.services.publicUrl }
    const orderId = await placeOrder(service, shop, asha, { goods, method })
    const expected = ['order.placed']
    for (const [move, ...types] of moves) {
      await withOrder(service, shop, orderId, move as never)
      expected.push(...types)
      const events = await readEvents(orderId)
      assert.deepEqual(
        events.map(({ type }) => type),
        expected,
      )
      if (types.length === 0) continue
      const shown = (await asha.call('GET', `/v1/customer/orders/${orderId}`)).json
      for (const { data } of events.slice(-types.length)) {
        const { customer, needsAttention, ...order } = showOrderEvent(ctx, data)
        assert.deepEqual(order, shown)
        if (types.includes('order.attention')) assert.notEqual(needsAttention, null)
        assert.equal(customer.id, asha.id)
      }
    }
    const events = await readEvents(orderId)
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      expected.map((_, i) => i + 1),
    )
    for (const { data } of events) assert.ok(Value.Check(OrderEventData, showOrderEvent(ctx, data)))
  })
}

test('a new order is answered and told of as it is read afterwards', async () => {
  const cap = { name: 'Cap', price: 20, stock: 5, sku: 'CAP', images: ['https://pictures.example/cap.png'] }
  const shop = await openOrderShop(service, cap)
  const asha = await newCustomer(service, shop)
  const products = await Promise.all(['mug', 'cap', 'book'].map((slug) => shop.get(`/v1/products/${slug}`)))
  const items = products.map(({ json }) => ({ productId: json.id as string, quantity: 1 }))
  assert.equal((await asha.call('POST', '/v1/cart', { body: { items } })).status, 201)
  const shippingAddress = {
    ...{ name: 'Asha Rao', phone: '+919876543210', line1: '12 Temple Road', city: 'Bengaluru' },
    ...{ postalCode: '560001', country: 'IN' },
  }
  const { status, json } = await asha.call('POST', '/v1/checkout', { body: { shippingAddress, note: 'Ring twice.' } })
  assert.equal(status, 201, JSON.stringify(json))
  const read = (await asha.call('GET', `/v1/customer/orders/${json.order.id}`)).json
  assert.deepEqual(
    read.items.map((item: Record<string, unknown>) => [item.name, item.sku, item.image, item.productId, item.digital]),
    [
      ['Mug', 'MUG', '', products[0]?.json.id, false],
      ['Cap', 'CAP', cap.images[0], products[1]?.json.id, false],
      ['Book', '', '', products[2]?.json.id, true],
    ],
  )
  assert.deepEqual(json.order, read)
  const [placed] = await readEvents(json.order.id)
  assert.ok(placed)
  const ctx = { store: await shop.load(), publicUrl: service.app.services.publicUrl }
  const { customer, needsAttention, ...told } = showOrderEvent(ctx, placed.data)
  assert.deepEqual([told, needsAttention, customer.id], [read, null, asha.id])
  const columns = await service.db.tx((tx) => readOrder(tx, ctx.store.id, json.order.id))
  const kept = [...Object.keys(columns ?? {}), 'customer', 'language'].sort()
  await withOrder(service, shop, json.order.id, pay as never)
  for (const { data } of await readEvents(json.order.id)) assert.deepEqual(Object.keys(data).sort(), kept)
})

test('every move of the state machine is among the cases', () => {
  const used = cases.flatMap(({ moves }) => moves.map(([move]) => String(move)))
  for (const [name, move] of Object.entries(settle)) {
    if (name === 'isPaid' || name === 'placeOrder') continue
    const isUsed = used.some((text) => text === String(move) || text.includes(`settle.${name}(`))
    assert.ok(isUsed, `${name} has no case in this test`)
  }
})

test('a move that is rolled back leaves no event', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha)
  const undone = withOrder(service, shop, orderId, async (tx, ctx, order) => {
    await settle.settleOrder(tx, ctx, order, upi)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(
    (await readEvents(orderId)).map(({ type }) => type),
    ['order.placed'],
  )
})

test('concurrent moves of one order get consecutive sequences', async () => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha)
  await Promise.all(Array.from({ length: 12 }, () => withOrder(service, shop, orderId, flag as never)))
  assert.deepEqual(
    (await readEvents(orderId)).map(({ sequence }) => sequence),
    Array.from({ length: 13 }, (_, i) => i + 1),
  )
})
