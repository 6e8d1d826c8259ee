import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { minutes } from '../../core/clock.ts'
import { obedientProvider, openScene } from './fixture.ts'
import { assertPayable, closePayment, readPayment, startPayment } from './sessions.ts'

const obedient = obedientProvider()
let service: TestService
before(async () => {
  service = await startTestService({ paymentProviders: [obedient.provider] })
})
after(() => service.close())

const reset = () => {
  Object.assign(obedient.does, { start: 'open', status: 'open', close: 'closed', refund: 'refunded' })
  obedient.calls.length = 0
}

test('a payment leads to a page of its own and ends before the reservation does', async () => {
  const scene = await openScene(service)
  const order = await scene.order()
  const view = await startPayment(scene.ctx, order.id)
  assert.deepEqual([view.id, view.provider, view.status], [order.payment, 'sandbox', 'open'])
  assert.match(view.redirectUrl ?? '', /^http:\/\/vitrine\.test\/sandbox\/pay\/\S+$/)
  const { expiresAt } = await scene.look(order.id)
  const lifeMs = Date.parse(view.expiresAt ?? '') - service.clock.now()
  assert.ok(Date.parse(view.expiresAt ?? '') < (expiresAt?.getTime() ?? 0))
  assert.ok(lifeMs > minutes(24) && lifeMs <= minutes(25))
  assert.deepEqual(await startPayment(scene.ctx, order.id), view)
  assert.deepEqual(await readPayment(service.db, scene.store.id, order.id), view)
})

test('starting a payment many times at once starts one', async () => {
  reset()
  const scene = await openScene(service, { provider: 'obedient' })
  const order = await scene.order()
  const views = await Promise.all(Array.from({ length: 10 }, () => startPayment(scene.ctx, order.id)))
  assert.equal(new Set(views.map(({ id, redirectUrl }) => `${id} ${redirectUrl}`)).size, 1)
  assert.deepEqual(await scene.paymentsOf(order.id), ['open'])
})

test('a provider that is away is a 502, and the payment can be started when it is back', async () => {
  reset()
  const scene = await openScene(service, { provider: 'obedient' })
  const order = await scene.order()
  const pay = () => scene.asha.call('POST', '/v1/payment', { body: { orderId: order.id } })
  obedient.does.start = 'away'
  assertError(await pay(), 502, 'BAD_GATEWAY')
  assert.deepEqual(await scene.paymentsOf(order.id), ['starting'])
  const shown = (await scene.asha.call('GET', `/v1/payment/${order.id}`)).json
  assert.deepEqual([shown.status, shown.redirectUrl, shown.paymentStatus], ['starting', null, 'pending'])
  obedient.does.start = 'open'
  const { status, json } = await pay()
  assert.deepEqual([status, json.status, json.redirectUrl], [200, 'open', `https://pay.example/${order.payment}`])
})

test('a webhook that is faster than the answer of the provider to us has the last word', async (t) => {
  reset()
  const scene = await openScene(service, { provider: 'obedient', stock: 50 })
  t.after(() => Object.assign(obedient.meanwhile, { start: async () => {} }))
  for (const [status, outcome] of [
    ['success', 'paid'],
    ['failed', 'failed'],
  ] as const) {
    const order = await scene.order()
    obedient.meanwhile.start = async () => void (await scene.report(order, { status }))
    const { json } = await scene.asha.call('POST', '/v1/payment', { body: { orderId: order.id } })
    assert.deepEqual([json.status, json.redirectUrl, json.paymentStatus], [outcome, null, outcome])
    assert.deepEqual(await scene.paymentsOf(order.id), [outcome])
  }
})

test('a payment that is closed while it is being started stays closed', async (t) => {
  reset()
  const scene = await openScene(service, { provider: 'obedient' })
  t.after(() => Object.assign(obedient.meanwhile, { start: async () => {} }))
  const order = await scene.order()
  obedient.meanwhile.start = async () => void (await closePayment(scene.ctx, order.id))
  const view = await startPayment(scene.ctx, order.id)
  assert.deepEqual([view.status, view.redirectUrl], ['closed', null])
})

test('a payment that failed can be retried, and each attempt is kept', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  await scene.report(order, { status: 'failed' })
  const pay = (key: string) =>
    scene.asha.call('POST', '/v1/payment', { body: { orderId: order.id }, headers: { 'idempotency-key': key } })
  const first = await pay('again')
  assert.deepEqual([first.json.status, first.json.paymentStatus, first.json.orderId], ['open', 'pending', order.id])
  assert.deepEqual([first.json.amount, first.json.currency], [200, 'INR'])
  assert.notEqual(first.json.id, order.payment)
  assert.deepEqual((await pay('again')).json, first.json)
  assert.deepEqual((await pay('once-more')).json, first.json)
  assert.deepEqual(await scene.paymentsOf(order.id), ['failed', 'open'])
  assert.deepEqual(await scene.timelineOf(order.id), ['placed', 'payment_failed', 'payment_retried'])
})

test('an Idempotency-Key of one order is refused for another', async () => {
  const scene = await openScene(service)
  const [one, two] = [await scene.openOrder({ quantity: 1 }), await scene.openOrder({ quantity: 1 })]
  const pay = (orderId: string) =>
    scene.asha.call('POST', '/v1/payment', { body: { orderId }, headers: { 'idempotency-key': 'k' } })
  assert.equal((await pay(one.id)).status, 200)
  assertError(await pay(two.id), 409, 'CONFLICT')
})

test('there is nothing to start for what is paid, over, paid at the door, or of somebody else', async () => {
  const scene = await openScene(service, { stock: 50 })
  const pay = (orderId: string) => scene.asha.call('POST', '/v1/payment', { body: { orderId } })
  const [paid, cancelled, cod] = [
    await scene.openOrder(),
    await scene.openOrder(),
    await scene.order({ method: 'cod' }),
  ]
  await scene.report(paid)
  await scene.cancel(cancelled.id)
  for (const { id } of [paid, cancelled, cod]) assertError(await pay(id), 409, 'CONFLICT')
  const bala = await newCustomer(service, scene.shop)
  const order = await scene.openOrder()
  assertError(await bala.call('POST', '/v1/payment', { body: { orderId: order.id } }), 404, 'NOT_FOUND')
  assertError(await bala.call('GET', `/v1/payment/${order.id}`), 404, 'NOT_FOUND')
  assertError(await pay('ord_nobody'), 404, 'NOT_FOUND')
  assertError(await scene.asha.call('POST', '/v1/payment', { body: { orderId: 7 } }), 400, 'BAD_REQUEST')
  const shown = (await scene.asha.call('GET', `/v1/payment/${paid.id}`)).json
  assert.deepEqual([shown.status, shown.orderStatus, shown.redirectUrl], ['paid', 'paid', null])
})

test('what is not started at a provider answers with the payment as it is', async () => {
  const scene = await openScene(service)
  const cod = await scene.order({ method: 'cod' })
  const view = await startPayment(scene.ctx, cod.id)
  assert.deepEqual([view.provider, view.status, view.redirectUrl], ['cod', 'open', null])
})

test('a session that has lapsed gives way to a new one while the order lives, and to none at its end', async (t) => {
  const service = await serviceFor(t)
  const scene = await openScene(service)
  const order = await scene.openOrder()
  service.clock.advance(minutes(26))
  const second = await startPayment(scene.ctx, order.id)
  assert.notEqual(second.id, order.payment)
  assert.deepEqual(await scene.paymentsOf(order.id), ['closed', 'open'])
  assert.ok(Date.parse(second.expiresAt ?? '') < ((await scene.look(order.id)).expiresAt?.getTime() ?? 0))
  service.clock.advance(minutes(3.5))
  assert.equal((await scene.asha.call('POST', '/v1/payment', { body: { orderId: order.id } })).status, 409)
})

test('closing asks the provider, who has the last word', async () => {
  reset()
  const scene = await openScene(service, { provider: 'obedient', stock: 50 })
  const busy = await scene.openOrder()
  obedient.does.close = 'in_progress'
  assert.equal(await closePayment(scene.ctx, busy.id), 'in_progress')
  assert.deepEqual(await scene.paymentsOf(busy.id), ['open'])
  obedient.does.close = 'away'
  await assert.rejects(closePayment(scene.ctx, busy.id), { code: 'BAD_GATEWAY' })
  Object.assign(obedient.does, { close: 'paid', status: 'success' })
  assert.equal(await closePayment(scene.ctx, busy.id), 'paid')
  assert.deepEqual(await scene.stateOf(busy.id), ['paid', 'paid', 'sold', null])
  Object.assign(obedient.does, { close: 'closed', status: 'open' })
  const idle = await scene.openOrder()
  assert.equal(await closePayment(scene.ctx, idle.id), 'closed')
  assert.equal(await closePayment(scene.ctx, idle.id), 'closed')
  assert.deepEqual(await scene.paymentsOf(idle.id), ['closed'])
})

test('a payment that was closed before it was started stays closed', async () => {
  const scene = await openScene(service)
  const order = await scene.order()
  assert.equal(await closePayment(scene.ctx, order.id), 'closed')
  assert.deepEqual(await scene.paymentsOf(order.id), ['closed'])
})

test('production takes no payments through the sandbox, nor does a store without a provider', async (t) => {
  const scene = await openScene(service)
  const production = await serviceFor(t, { production: true })
  const ctx = { ...production.app.services, store: scene.store }
  assert.throws(() => assertPayable(ctx), { code: 'SERVICE_UNAVAILABLE' })
  assertPayable(scene.ctx)
  for (const paymentProvider of ['cod', 'nobody']) {
    const store = { ...scene.store, paymentProvider }
    assert.throws(() => assertPayable({ ...scene.ctx, store }), { code: 'SERVICE_UNAVAILABLE' })
  }
})
