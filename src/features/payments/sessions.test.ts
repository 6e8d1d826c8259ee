import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { minutes } from '../../core/clock.ts'
import { openScene, scriptedProvider } from './fixture.ts'
import { assertPayable, closePayment, readPayment, startPayment } from './sessions.ts'

const scripted = scriptedProvider()
let service: TestService
before(async () => {
  service = await startTestService({ paymentProviders: [scripted.provider] })
})
after(() => service.close())

const reset = () => {
  Object.assign(scripted.does, { start: 'open', status: 'open', close: 'closed', refund: 'refunded' })
  scripted.calls.length = 0
}

test('a payment has its own page and expires before the reservation', async () => {
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

test('concurrent starts of a payment start one', async () => {
  reset()
  const scene = await openScene(service, { provider: 'scripted' })
  const order = await scene.order()
  const views = await Promise.all(Array.from({ length: 10 }, () => startPayment(scene.ctx, order.id)))
  assert.equal(new Set(views.map(({ id, redirectUrl }) => `${id} ${redirectUrl}`)).size, 1)
  assert.deepEqual(await scene.paymentsOf(order.id), ['open'])
})

test('if the provider is down, starting is a 502 and can be repeated later', async () => {
  reset()
  const scene = await openScene(service, { provider: 'scripted' })
  const order = await scene.order()
  const pay = () => scene.asha.call('POST', '/v1/payment', { body: { orderId: order.id } })
  scripted.does.start = 'down'
  assertError(await pay(), 502, 'BAD_GATEWAY')
  assert.deepEqual(await scene.paymentsOf(order.id), ['starting'])
  const shown = (await scene.asha.call('GET', `/v1/payment/${order.id}`)).json
  assert.deepEqual([shown.status, shown.redirectUrl, shown.paymentStatus], ['starting', null, 'pending'])
  scripted.does.start = 'open'
  const { status, json } = await pay()
  assert.deepEqual([status, json.status, json.redirectUrl], [200, 'open', `https://pay.example/${order.payment}`])
})

test("a webhook that arrives before the provider's response wins", async (t) => {
  reset()
  const scene = await openScene(service, { provider: 'scripted', stock: 50 })
  t.after(() => Object.assign(scripted.meanwhile, { start: async () => {} }))
  for (const [status, outcome] of [
    ['success', 'paid'],
    ['failed', 'failed'],
  ] as const) {
    const order = await scene.order()
    scripted.meanwhile.start = async () => void (await scene.report(order, { status }))
    const { json } = await scene.asha.call('POST', '/v1/payment', { body: { orderId: order.id } })
    assert.deepEqual([json.status, json.redirectUrl, json.paymentStatus], [outcome, null, outcome])
    assert.deepEqual(await scene.paymentsOf(order.id), [outcome])
  }
})

test('a payment that is closed while it is being started stays closed', async (t) => {
  reset()
  const scene = await openScene(service, { provider: 'scripted' })
  t.after(() => Object.assign(scripted.meanwhile, { start: async () => {} }))
  const order = await scene.order()
  scripted.meanwhile.start = async () => void (await closePayment(scene.ctx, order.id))
  const view = await startPayment(scene.ctx, order.id)
  assert.deepEqual([view.status, view.redirectUrl], ['closed', null])
})

test('a failed payment can be retried, and each attempt is stored', async () => {
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

test('a retry at a provider that cannot charge the total is refused before a payment is stored', async (t) => {
  const { provider, calls } = scriptedProvider('picky')
  const refuseAmount = (_minor: number, currency: string) => `Picky payments are not supported in ${currency}.`
  const service = await serviceFor(t, { paymentProviders: [{ ...provider, refuseAmount }] })
  const scene = await openScene(service, { currency: 'MGA' })
  const order = await scene.openOrder()
  await scene.report(order, { status: 'failed' })
  const ctx = { ...scene.ctx, store: { ...scene.store, paymentProvider: 'picky' } }
  const refusal = { code: 'BAD_REQUEST', message: 'Picky payments are not supported in MGA.' }
  await assert.rejects(startPayment(ctx, order.id), refusal)
  assert.deepEqual([await scene.paymentsOf(order.id), calls], [['failed'], []])
  assert.deepEqual(await scene.timelineOf(order.id), ['placed', 'payment_failed'])
})

test('an Idempotency-Key cannot be reused for another order', async () => {
  const scene = await openScene(service)
  const [one, two] = [await scene.openOrder({ quantity: 1 }), await scene.openOrder({ quantity: 1 })]
  const pay = (orderId: string) =>
    scene.asha.call('POST', '/v1/payment', { body: { orderId }, headers: { 'idempotency-key': 'k' } })
  assert.equal((await pay(one.id)).status, 200)
  assertError(await pay(two.id), 409, 'CONFLICT')
})

test("a payment cannot be started for paid, cancelled, cash or other customers' orders", async () => {
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

test('starting a payment without a provider session returns the payment unchanged', async () => {
  const scene = await openScene(service)
  const cod = await scene.order({ method: 'cod' })
  const view = await startPayment(scene.ctx, cod.id)
  assert.deepEqual([view.provider, view.status, view.redirectUrl], ['cod', 'open', null])
})

test('an expired session is replaced by a new one until the order expires', async (t) => {
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

test('closing a payment follows the answer of the provider', async () => {
  reset()
  const scene = await openScene(service, { provider: 'scripted', stock: 50 })
  const busy = await scene.openOrder()
  scripted.does.close = 'in_progress'
  assert.equal(await closePayment(scene.ctx, busy.id), 'in_progress')
  assert.deepEqual(await scene.paymentsOf(busy.id), ['open'])
  scripted.does.close = 'down'
  await assert.rejects(closePayment(scene.ctx, busy.id), { code: 'BAD_GATEWAY' })
  Object.assign(scripted.does, { close: 'paid', status: 'success' })
  assert.equal(await closePayment(scene.ctx, busy.id), 'paid')
  assert.deepEqual(await scene.stateOf(busy.id), ['paid', 'paid', 'sold', null])
  Object.assign(scripted.does, { close: 'closed', status: 'open' })
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

test('production refuses sandbox payments, and so does a store without a provider', async (t) => {
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
