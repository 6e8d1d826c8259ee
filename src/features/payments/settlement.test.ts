import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { noteReplacement } from '../orders/orders.sql.ts'
import { openScene, type Scene } from './fixture.ts'
import { refundOrderById } from './refunds.ts'
import { closePayment, startPayment } from './sessions.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a success after the cancellation takes the units from stock again', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  await scene.cancel(order.id)
  assert.deepEqual(await scene.stockNow(), [10, 0])
  await scene.report(order)
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.deepEqual(await scene.stockNow(), [8, 0])
  assert.deepEqual(await scene.timelineOf(order.id), ['placed', 'cancelled', 'paid', 'reopened'])
})

test('a success after the cancellation without enough stock is flagged for the merchant', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  await scene.cancel(order.id)
  await scene.setStock(1)
  await scene.report(order)
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'released', 'OUT_OF_STOCK'])
  assert.deepEqual(await scene.stockNow(), [1, 0])
  await scene.report(order, { status: 'refunded' })
  assert.deepEqual(await scene.stateOf(order.id), ['refunded', 'refunded', 'released', null])
  assert.deepEqual(await scene.stockNow(), [1, 0])
})

test('a success for a shipped order settles the payment and keeps the status', async () => {
  const scene = await openScene(service)
  for (const status of ['out_for_delivery', 'delivered']) {
    const order = await scene.openOrder({ quantity: 1 })
    await service.db.run`update orders set status = ${status}, expires_at = null where id = ${order.id}`
    await scene.report(order)
    assert.deepEqual(await scene.stateOf(order.id), [status, 'paid', 'sold', null])
    await scene.report(order, { status: 'refunded' })
    assert.deepEqual(await scene.stateOf(order.id), [status, 'refunded', 'sold', null])
  }
})

test('a late failure of an old attempt leaves the new one open', async () => {
  const scene = await openScene(service)
  const first = await scene.openOrder()
  await scene.report(first, { status: 'failed' })
  const second = await startPayment(scene.ctx, first.id)
  assert.notEqual(second.id, first.payment)
  assert.deepEqual(await scene.stateOf(first.id), ['pending', 'pending', 'reserved', null])
  await scene.report(first, { status: 'failed' })
  assert.deepEqual(await scene.paymentsOf(first.id), ['failed', 'open'])
  assert.deepEqual(await scene.stateOf(first.id), ['pending', 'pending', 'reserved', null])
})

/** An order whose first attempt is reported as failed, and is then paid in addition to the second one. */
const payTwice = async (scene: Scene) => {
  const order = await scene.openOrder()
  await scene.report(order, { status: 'failed' })
  const second = { ...order, payment: (await startPayment(scene.ctx, order.id)).id }
  await scene.report(second)
  await scene.report(order)
  return { order, second }
}

test('an order that is paid twice is flagged, and the second payment is refunded', async () => {
  const scene = await openScene(service)
  const { order } = await payTwice(scene)
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', 'DUPLICATE_PAYMENT'])
  assert.deepEqual(await scene.paymentsOf(order.id), ['paid', 'paid'])
  const due = await service.db.many`
    select payment_id as id from refund where order_id = ${order.id} and status = 'pending'`
  assert.deepEqual(due, [{ id: order.payment }])
  assert.deepEqual(await scene.stockNow(), [8, 0])
  await scene.report(order, { status: 'refunded' })
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.deepEqual(await scene.paymentsOf(order.id), ['refunded', 'paid'])
})

test('a second payment that arrives after the refund is refunded too, and the flag is cleared', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  await scene.report(order, { transactionId: 'txn-1' })
  await scene.report(order, { transactionId: 'txn-1', status: 'refunded' })
  await scene.report(order, { transactionId: 'txn-2' })
  assert.deepEqual(await scene.stateOf(order.id), ['refunded', 'refunded', 'released', 'DUPLICATE_PAYMENT'])
  await scene.report(order, { transactionId: 'txn-2', status: 'refunded' })
  assert.deepEqual(await scene.stateOf(order.id), ['refunded', 'refunded', 'released', null])
  assert.deepEqual(await scene.stockNow(), [10, 0])
})

test("with the provider's own transaction ids, two ids are two payments and one id is one", async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  await scene.report(order, { transactionId: 'txn-1' })
  await scene.report(order, { transactionId: 'txn-1' })
  assert.deepEqual(await scene.paymentsOf(order.id), ['paid'])
  await scene.report(order, { transactionId: 'txn-2' })
  await scene.report(order, { transactionId: 'txn-2' })
  assert.deepEqual(await scene.paymentsOf(order.id), ['paid', 'paid'])
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', 'DUPLICATE_PAYMENT'])
})

test('of an order and its replacement, the one that is paid second is refunded', async () => {
  for (const lateFirst of [true, false]) {
    const scene = await openScene(service)
    const old = await scene.openOrder()
    await scene.cancel(old.id)
    const middle = await scene.openOrder({ quantity: 1 })
    await scene.cancel(middle.id)
    const fresh = await scene.openOrder({ quantity: 1 })
    await service.db.tx(async (tx) => {
      await noteReplacement(tx, scene.store.id, old.id, middle.id)
      await noteReplacement(tx, scene.store.id, middle.id, fresh.id)
    })
    const [first, second] = lateFirst ? [old, fresh] : [fresh, old]
    await scene.report(first)
    assert.deepEqual(await scene.stateOf(first.id), ['paid', 'paid', 'sold', null])
    const before = await scene.cartNow()
    await scene.report(second)
    assert.deepEqual(await scene.stateOf(second.id), ['paid', 'paid', 'released', 'DUPLICATE_PAYMENT'])
    assert.deepEqual(await scene.stockNow(), [10 - (lateFirst ? 2 : 1), 0])
    assert.deepEqual(await scene.cartNow(), before)
    assert.equal((await refundOrderById(service.app.services, second.id)).status, 'succeeded')
    assert.deepEqual(await scene.stateOf(second.id), ['refunded', 'refunded', 'released', null])
    assert.deepEqual(await scene.stateOf(first.id), ['paid', 'paid', 'sold', null])
  }
})

test('a payment of an order that a cash order replaced is refunded, and the cash order stays', async () => {
  const scene = await openScene(service)
  const old = await scene.openOrder()
  await scene.cancel(old.id)
  const cash = await scene.order({ quantity: 1, method: 'cod' })
  await service.db.tx((tx) => noteReplacement(tx, scene.store.id, old.id, cash.id))
  await scene.report(old)
  assert.deepEqual(await scene.stateOf(old.id), ['paid', 'paid', 'released', 'DUPLICATE_PAYMENT'])
  await scene.report(cash, { transactionId: 'till 7', method: 'cash' })
  assert.deepEqual(await scene.stateOf(cash.id), ['paid', 'paid', 'sold', null])
  assert.equal((await refundOrderById(service.app.services, old.id)).status, 'succeeded')
  assert.deepEqual(await scene.stockNow(), [9, 0])
})

test('two independent orders of one cart are both paid', async () => {
  const scene = await openScene(service)
  const first = await scene.openOrder()
  await scene.report(first)
  const second = await scene.openOrder()
  await scene.report(second)
  assert.deepEqual(await scene.stateOf(second.id), ['paid', 'paid', 'sold', null])
})

test('a webhook settles a cash order, and items added to the cart since stay there', async () => {
  const scene = await openScene(service)
  const order = await scene.order({ method: 'cod' })
  await scene.addToCart(1)
  await scene.report(order, { status: 'failed', transactionId: null })
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'sold', null])
  await scene.report(order, { transactionId: 'till 7', method: 'cash' })
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.deepEqual([await scene.paymentsOf(order.id), await scene.cartNow()], [['paid'], [1]])
  assert.deepEqual(await scene.stockNow(), [8, 0])
})

test('concurrent success and failure always leave a paid order', async (t) => {
  const other = await serviceFor(t)
  const scene = await openScene(service, { stock: 100 })
  for (let round = 0; round < 10; round++) {
    const order = await scene.openOrder({ quantity: 1 })
    await Promise.all([
      scene.send(scene.event(order), {}, other.url),
      ...[0, 1, 2].map(() => scene.send(scene.event(order, { status: 'failed' }))),
    ])
    assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  }
})

test('concurrent closing and success lose neither the payment nor the order', async (t) => {
  const other = await serviceFor(t)
  const scene = await openScene(service, { stock: 100 })
  for (let round = 0; round < 10; round++) {
    const order = await scene.openOrder({ quantity: 1 })
    const [closing, { status }] = await Promise.all([
      closePayment(scene.ctx, order.id),
      scene.send(scene.event(order), {}, other.url),
    ])
    assert.deepEqual([status, ['closed', 'paid'].includes(closing)], [200, true])
    assert.deepEqual(await scene.paymentsOf(order.id), ['paid'])
    assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  }
})

test('concurrent refunds of one order refund once', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  await scene.report(order)
  await Promise.allSettled(Array.from({ length: 5 }, () => refundOrderById(service.app.services, order.id)))
  await Promise.all(Array.from({ length: 5 }, () => scene.send(scene.event(order, { status: 'refunded' }))))
  assert.deepEqual(await scene.stateOf(order.id), ['refunded', 'refunded', 'released', null])
  assert.deepEqual(await scene.stockNow(), [10, 0])
  assert.deepEqual(await scene.timelineOf(order.id), ['placed', 'paid', 'refunded'])
})
