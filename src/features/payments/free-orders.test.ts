import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { DomainError } from '../../core/domain-errors.ts'
import { checkInvariants } from '../doctor/invariants.ts'
import { openScene } from './fixture.ts'
import { refundOrderById } from './refunds.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('an order with a total of 0 is refunded together with its payment, and no amount of it can be', async () => {
  const scene = await openScene(service, { price: 0 })
  const order = await scene.openOrder()
  await scene.report(order)
  assert.deepEqual(await scene.paymentsOf(order.id), ['paid'])
  await assert.rejects(refundOrderById(service.app.services, order.id, { amount: 50 }), DomainError)
  const refund = await refundOrderById(service.app.services, order.id)
  assert.deepEqual([refund.refundId, refund.amount, refund.paymentStatus], [null, 0, 'refunded'])
  assert.deepEqual(await scene.paymentsOf(order.id), ['refunded'])
  assert.deepEqual(await checkInvariants(service.db, { storeId: scene.store.id }), [])
})
