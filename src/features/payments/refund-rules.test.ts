import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { newId } from '../../core/ids.ts'
import { scriptedProvider } from './fixture.ts'
import { openRefundScene } from './refund-fixture.ts'

const { provider, does } = scriptedProvider('refunding')
const inTens = scriptedProvider('in-tens').provider

let service: TestService
before(async () => {
  const refuseAmount = (minor: number) => (minor % 10 === 0 ? null : 'The last decimal is not 0.')
  service = await startTestService({ paymentProviders: [provider, { ...inTens, refuseAmount }] })
})
after(() => service.close())

test('refunds at once restock a unit once, also when the cart of the order is gone', async () => {
  for (let round = 0; round < 5; round++) {
    const scene = await openRefundScene(service)
    const order = await scene.order({ mug: 2 })
    const [line = ''] = order.lines
    await order.ship({ line, quantity: 1 })
    await service.db.run`delete from cart_item where store_id = ${scene.store.id}`
    await service.db.run`delete from cart where store_id = ${scene.store.id}`
    await Promise.all([1, 2].map(() => order.refund({ items: [{ id: line, quantity: 1 }] })))
    assert.equal(await scene.stock(), 19)
    assert.deepEqual(await scene.findings(), [])
  }
})

test('the refund of a second payment is no part of what is refunded of the order', async () => {
  const scene = await openRefundScene(service, { provider: 'refunding' })
  const order = await scene.order()
  const again = { orderId: order.id, status: 'success', amount: order.total, currency: 'INR' }
  await scene.report({ ...again, transactionId: newId('key') })
  const shown = await order.show()
  assert.deepEqual([shown.paymentStatus, shown.refundedTotal, shown.refunds.length], ['paid', 0, 1])
})

test('a part is refunded although the refund of a second payment has failed', async () => {
  const scene = await openRefundScene(service, { provider: 'refunding' })
  const order = await scene.order()
  const again = { orderId: order.id, status: 'success', amount: order.total, currency: 'INR' }
  await scene.report({ ...again, transactionId: newId('key') })
  await service.db.run`update refund set status = 'failed', due_at = null where store_id = ${scene.store.id}`
  does.refund = 'succeeded'
  const [id = ''] = order.lines
  const { paymentStatus } = await order.refund({ items: [{ id, quantity: 1 }] })
  assert.equal(paymentStatus, 'partially_refunded')
  assert.equal(await scene.stock(), 19)
  assert.deepEqual(await scene.findings(), [])
})

test('shares of a line are rounded for a provider that takes multiples of 10 only', async () => {
  const scene = await openRefundScene(service, { provider: 'in-tens', currency: 'KWD', prices: { Mug: 10 } })
  const order = await scene.order({ mug: 3 })
  const [id = ''] = order.lines
  await service.db.run`update order_line set line_total_minor = 10000 where store_id = ${scene.store.id}`
  assert.equal((await order.refund({ items: [{ id, quantity: 1 }] })).amount, 3.33)
  await assert.rejects(order.refund({ amount: 1.001 }), { code: 'REFUND_AMOUNT_REFUSED' })
})
