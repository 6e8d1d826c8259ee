import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { shipOrder } from '../delivery/ship.ts'
import { openOrderShop, payOrder, placeOrder, showOrder, stockOf } from '../orders/fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openOrder = async (method: 'online' | 'cod' = 'online') => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha, { goods: { mug: 4 }, method })
  const cancel = () => asha.call('POST', `/v1/customer/orders/${orderId}/cancel`)
  return { shop, asha, orderId, cancel, show: () => showOrder(asha, orderId) }
}

const paymentStatus = async (shop: TestStore, orderId: string) => {
  const { id } = await shop.load()
  return (
    await service.db.one<{ status: string }>`
    select status from payment where store_id = ${id} and order_id = ${orderId}`
  ).status
}

/** Replaces the answer of the sandbox provider. */
const replaceClosing = (t: { after(undo: () => void): void }, close: () => Promise<'closed' | 'in_progress'>) => {
  const sandbox = service.app.services.payments.providers.get('sandbox')
  assert.ok(sandbox)
  const usual = sandbox.close
  sandbox.close = close
  t.after(() => {
    sandbox.close = usual
  })
}

test('cancelling an unpaid order closes its payment at the provider and returns its units once', async () => {
  const { shop, orderId, cancel, show } = await openOrder()
  assert.equal(await stockOf(shop, 'mug'), 6)
  const { status, json } = await cancel()
  assert.deepEqual([status, json.status, json.paymentStatus, json.expiresAt], [200, 'cancelled', 'pending', null])
  assert.deepEqual(json.timeline.at(-1).message, 'Cancelled by the customer.')
  assert.equal(await paymentStatus(shop, orderId), 'closed')
  assert.equal(await stockOf(shop, 'mug'), 10)
  const again = await cancel()
  assert.deepEqual([again.status, again.json], [200, await show()])
  assert.equal(again.json.timeline.length, json.timeline.length)
  assert.equal(await stockOf(shop, 'mug'), 10)
})

test('an order that is paid, here or at the provider, is not cancelled', async () => {
  const paid = await openOrder()
  await payOrder(service, paid.shop, paid.orderId)
  assertError(await paid.cancel(), 409, 'CONFLICT')
  assert.equal((await paid.show()).status, 'paid')

  // The shopper has paid at the provider, but the webhook was lost.
  const unheard = await openOrder()
  const store = await unheard.shop.load()
  await service.db.run`
    insert into sandbox_payment (store_id, payment_id, state, updated_at)
    select store_id, id, 'success', now() from payment where store_id = ${store.id} and order_id = ${unheard.orderId}`
  assertError(await unheard.cancel(), 409, 'CONFLICT')
  assert.deepEqual([(await unheard.show()).status, (await unheard.show()).paymentStatus], ['paid', 'paid'])
  assert.equal(await stockOf(unheard.shop, 'mug'), 6)
})

test('an order is not cancelled while it is being paid', async (t) => {
  const { shop, cancel, show, orderId } = await openOrder()
  replaceClosing(t, async () => 'in_progress')
  assertError(await cancel(), 409, 'CONFLICT')
  assert.deepEqual([(await show()).status, await paymentStatus(shop, orderId)], ['pending', 'open'])
})

test('a payment that arrives during the call to the provider wins over the cancellation', async (t) => {
  const { shop, orderId, cancel, show } = await openOrder()
  replaceClosing(t, async () => {
    await payOrder(service, shop, orderId)
    return 'closed'
  })
  assertError(await cancel(), 409, 'CONFLICT')
  assert.equal((await show()).status, 'paid')
  assert.equal(await stockOf(shop, 'mug'), 6)
})

test('if the provider cannot be reached, cancelling is a 502 and the order is unchanged', async (t) => {
  const { cancel, show } = await openOrder()
  replaceClosing(t, async () => {
    throw new Error('connection refused')
  })
  assertError(await cancel(), 502, 'BAD_GATEWAY')
  assert.equal((await show()).status, 'pending')
})

test('cash on delivery can be cancelled until it is shipped', async () => {
  const early = await openOrder('cod')
  assert.equal(await stockOf(early.shop, 'mug'), 6)
  assert.equal((await early.cancel()).json.status, 'cancelled')
  assert.equal(await stockOf(early.shop, 'mug'), 10)
  assert.equal(await paymentStatus(early.shop, early.orderId), 'closed')

  const late = await openOrder('cod')
  const store = await late.shop.load()
  const parcel = { trackingNumber: 'T1', partner: 'Bluebird', trackingUrl: '', estimatedDelivery: null, items: [] }
  await service.db.tx((tx) => shipOrder(tx, { store }, late.orderId, parcel))
  assertError(await late.cancel(), 409, 'CONFLICT')
  assert.equal((await late.show()).status, 'pending')
  assert.equal(await stockOf(late.shop, 'mug'), 6)
  assert.equal(await paymentStatus(late.shop, late.orderId), 'open')
})
