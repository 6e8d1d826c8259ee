import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubles } from '../../../test/doubles/doubles.ts'
import { openDouble } from '../../../test/doubles/fixture.ts'
import { choose } from '../../../test/doubles/payment-double.ts'
import { withinASecond } from '../../../test/harness.ts'
import { seconds } from '../../core/clock.ts'
import { newRunner } from '../../jobs/fixture.ts'
import { setStock } from '../cart/fixture.ts'

const openStripe = (t: Parameters<typeof openDouble>[0]) => {
  const stripe = doubles.find(({ name }) => name === 'stripe')
  assert.ok(stripe)
  return openDouble(t, stripe)
}

test('details that a webhook lacks are read by a job if the provider fails at first', async (t) => {
  const { double, service, openShop } = await openStripe(t)
  const order = await (await openShop()).order()
  double.faults.fail = 1000
  await choose(order.page, 'pay')
  assert.equal((await order.show()).paymentStatus, 'paid')
  double.faults.fail = 0
  assert.equal((await order.show()).payment.method, '')
  service.clock.advance(seconds(31))
  await newRunner(service).runDue()
  assert.equal((await order.show()).payment.method, 'card')
  const { isDone } = await service.db.one<{ isDone: boolean }>`
    select late_check_at is null as "isDone" from payment where id = ${order.payment.id}`
  assert.ok(isDone, 'they are read once')
})

test('a burst of webhooks reads details of few payments at a time', async (t) => {
  const { double, service, openShop } = await openStripe(t)
  const shop = await openShop()
  await setStock(service, shop.shop, shop.mug, 100)
  const orders = await Promise.all(Array.from({ length: 8 }, () => shop.order()))
  double.delivery.hold = true
  for (const { page } of orders) await choose(page, 'pay')
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  double.faults.until = promise
  const before = double.calls.length
  await double.release()
  for (const order of orders) assert.equal((await order.show()).paymentStatus, 'paid')
  assert.ok(await withinASecond(async () => double.calls.length - before === 4))
  answer()
  assert.ok(await withinASecond(async () => service.app.services.payments.detailReads.running === 0))
  service.clock.advance(seconds(31))
  await newRunner(service).runDue()
  for (const order of orders) assert.equal((await order.show()).payment.method, 'card')
  assert.deepEqual(await shop.findings(), [])
})
