import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { basic, openScene, permutations } from './fixture.ts'
import { startPayment } from './sessions.ts'
import { sandboxHeaders } from './webhook-access.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a success settles the transaction, the order, the cart, the stock and the timeline together', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder({ quantity: 2 })
  await scene.addToCart(3)
  assert.deepEqual(await scene.stockNow(), [10, 2])
  assert.deepEqual(await scene.report(order), { received: true, duplicate: false })
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.deepEqual((await scene.look(order.id)).payment, {
    ...{ method: 'upi', last4: '', upiId: 'asha@bank', reference: 'utr-1' },
  })
  assert.deepEqual(await scene.paymentsOf(order.id), ['paid'])
  assert.deepEqual(await scene.cartNow(), [3])
  assert.deepEqual(await scene.stockNow(), [8, 0])
  assert.deepEqual(await scene.timelineOf(order.id), ['placed', 'paid'])
  const [stored] = await scene.inbox()
  assert.deepEqual([stored?.outcome, stored?.body.status], ['applied', 'success'])
})

test('fifty concurrent copies of one event, on two instances, have one effect', async (t) => {
  const other = await serviceFor(t)
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const event = scene.event(order)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => scene.send(event, {}, i % 2 ? service.url : other.url)),
  )
  assert.ok(answers.every(({ status, json }) => status === 200 && json.received))
  assert.equal(answers.filter(({ json }) => !json.duplicate).length, 1)
  assert.deepEqual(await scene.timelineOf(order.id), ['placed', 'paid'])
  assert.deepEqual([await scene.stockNow(), await scene.cartNow()], [[8, 0], []])
  assert.equal((await scene.inbox()).length, 1)
})

test('fifty concurrent events about one success have one effect, and all of them are stored', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const answers = await Promise.all(Array.from({ length: 50 }, () => scene.send(scene.event(order))))
  assert.ok(answers.every(({ status, json }) => status === 200 && json.duplicate === false))
  assert.deepEqual(await scene.timelineOf(order.id), ['placed', 'paid'])
  assert.deepEqual(await scene.stockNow(), [8, 0])
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.equal((await scene.inbox()).filter(({ outcome }) => outcome === 'applied').length, 1)
})

test('pending, failed and success in any sequence leave a paid order', async () => {
  const scene = await openScene(service, { stock: 100 })
  for (const statuses of permutations(['pending', 'failed', 'success'])) {
    const order = await scene.openOrder()
    for (const status of statuses) await scene.report(order, { status })
    assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null], statuses.join())
    assert.deepEqual(await scene.paymentsOf(order.id), ['paid'], statuses.join())
  }
  assert.deepEqual(await scene.stockNow(), [88, 0])
})

test('pending, failed, success and refunded in any sequence leave a refunded order', async () => {
  const scene = await openScene(service, { stock: 100 })
  for (const statuses of permutations(['pending', 'failed', 'success', 'refunded'])) {
    const order = await scene.openOrder()
    for (const status of statuses) await scene.report(order, { status })
    assert.deepEqual(await scene.stateOf(order.id), ['refunded', 'refunded', 'released', null], statuses.join())
    assert.deepEqual(await scene.paymentsOf(order.id), ['refunded'], statuses.join())
  }
  assert.deepEqual(await scene.stockNow(), [100, 0])
})

test('a failure leaves the order open, and a later success pays it', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  await scene.report(order, { status: 'failed' })
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'failed', 'reserved', null])
  assert.deepEqual(await scene.cartNow(), [2])
  await scene.report(order)
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
})

test('a webhook that arrives before the checkout has answered is applied, and the checkout returns the result', async () => {
  const scene = await openScene(service)
  const order = await scene.order()
  await scene.report(order)
  const view = await startPayment(scene.ctx, order.id)
  assert.deepEqual([view.status, view.redirectUrl, view.id], ['paid', null, order.payment])
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
})

test('a wrong amount or currency is refused with 409 and stored, and the order is unchanged', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const wrong = [{ amount: 199.99 }, { amount: 20_000 }, { amount: 200.001 }, { amount: 0 }, { currency: 'USD' }]
  for (const status of ['success', 'refunded', 'failed']) {
    for (const fields of wrong)
      assertError(await scene.send(scene.event(order, { status, ...fields })), 409, 'CONFLICT')
  }
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
  assert.deepEqual(await scene.timelineOf(order.id), ['placed'])
  const stored = await scene.inbox()
  assert.deepEqual([stored.length, new Set(stored.map(({ outcome }) => outcome))], [15, new Set(['mismatch'])])
})

test('amounts are compared in the minor units of the currency', async () => {
  for (const [currency, price] of [
    ['JPY', 700],
    ['KWD', 1.005],
    ['INR', 0.1],
  ] as const) {
    const scene = await openScene(service, { currency, price })
    const order = await scene.openOrder({ quantity: 3 })
    const amount = currency === 'KWD' ? 3.015 : order.total
    assert.equal((await scene.send(scene.event(order, { amount: amount * 100 }))).status, 409)
    assert.equal((await scene.send(scene.event(order, { amount }))).status, 200, currency)
  }
})

test('an event for an unknown order is stored with 404, and applies when sent again for an existing order', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const event = scene.event(order)
  const unknown = { ...event, orderId: 'ord_nobody' }
  assertError(await scene.send(unknown), 404, 'NOT_FOUND')
  assertError(await scene.send(unknown), 404, 'NOT_FOUND')
  assert.deepEqual(
    (await scene.inbox()).map(({ outcome }) => outcome),
    ['unknown_order'],
  )
  assert.deepEqual((await scene.send(event)).json, { received: true, duplicate: false })
  assert.deepEqual((await scene.send(event)).json, { received: true, duplicate: true })
})

test('a store cannot settle the order of another store', async () => {
  const mine = await openScene(service)
  const theirs = await openScene(service)
  const order = await theirs.openOrder()
  assertError(await mine.send(mine.event(order)), 404, 'NOT_FOUND')
  assertError(await mine.send(mine.event(order), { 'x-store-id': theirs.shop.storeId }), 401, 'UNAUTHORIZED')
  assert.deepEqual(await theirs.stateOf(order.id), ['pending', 'pending', 'reserved', null])
  assert.equal((await theirs.inbox()).length, 0)
})

test('without valid credentials nothing is read, stored or applied', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const { username, password } = scene.shop.paymentWebhook
  const bad: Record<string, string>[] = [
    { authorization: '' },
    { authorization: 'Basic' },
    { authorization: 'Basic !!!' },
    { authorization: `Bearer ${password}` },
    { authorization: basic(username, `${password}x`) },
    { authorization: basic(username, '') },
    { authorization: basic('', password) },
    { authorization: basic(`${username}x`, password) },
    { authorization: basic('sandbox', password) },
    { authorization: basic(username, scene.shop.logisticsKey) },
    { authorization: basic('', scene.shop.logisticsKey) },
    { 'x-store-id': '' },
    { 'x-store-id': 'store_nobody' },
    { 'x-store-id': `${scene.shop.storeId}, ${scene.shop.storeId}` },
  ]
  for (const headers of bad) {
    const answer = await scene.send(scene.event(order), headers)
    assertError(answer, 401, 'UNAUTHORIZED')
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /)
    assertError(await scene.send('no event at all', headers), 401, 'UNAUTHORIZED')
  }
  assert.deepEqual([await scene.inbox(), await scene.paymentsOf(order.id)], [[], ['open']])
})

test('a malformed event is 400; one with an id is stored', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const good = scene.event(order)
  const unreadable = [
    [],
    'text',
    null,
    {},
    { ...good, eventId: 1 },
    { ...good, amount: '200' },
    { ...good, orderId: '' },
  ]
  for (const body of unreadable) assertError(await scene.send(body), 400, 'BAD_REQUEST')
  assert.equal((await scene.inbox()).length, 0)
  const { amount, ...amountless } = good
  for (const [i, body] of [{ ...good, status: 'chargeback' }, amountless, { ...good, currency: null }].entries()) {
    assertError(await scene.send({ ...body, eventId: `odd ${i}` }), 400, 'BAD_REQUEST')
  }
  assert.deepEqual(
    (await scene.inbox()).map(({ outcome }) => outcome),
    ['malformed', 'malformed', 'malformed'],
  )
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
})

test('an event needs only its id, order, status, amount and currency', async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const { eventId, orderId, status, amount, currency } = scene.event(order)
  assert.equal((await scene.send({ eventId, orderId, status, amount, currency, last4: null })).status, 200)
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.deepEqual((await scene.look(order.id)).payment, { method: '', last4: '', upiId: '', reference: order.payment })
})

test('the sandbox credentials work for sandbox stores only, and never in production', async (t) => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const own = sandboxHeaders(service.app.services.payments, scene.store)
  assert.ok(own)
  const other = await newStore(service)
  assertError(await scene.send(scene.event(order), { ...own, 'x-store-id': other.storeId }), 401, 'UNAUTHORIZED')
  const production = await serviceFor(t, { production: true })
  assert.equal(sandboxHeaders(production.app.services.payments, scene.store), null)
  assertError(await scene.send(scene.event(order), own, production.url), 401, 'UNAUTHORIZED')
  await service.db.run`update store set payment_provider = 'cod' where id = ${scene.store.id}`
  assertError(await scene.send(scene.event(order), own), 401, 'UNAUTHORIZED')
  await service.db.run`update store set payment_provider = 'sandbox' where id = ${scene.store.id}`
  assert.equal((await scene.send(scene.event(order), own)).status, 200)
})

test("a provider's own webhook returns 200 once the event is stored, and unknown providers get 404", async () => {
  const scene = await openScene(service)
  const order = await scene.openOrder()
  const post = (path: string, body: unknown, headers: Record<string, string> = scene.headers) =>
    service.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const json = { 'content-type': 'application/json' }
  for (const name of ['nobody', 'cod', 'Sandbox', '__proto__']) {
    assertError(await post(`/webhook/${name}`, scene.event(order), json), 404, 'NOT_FOUND')
  }
  assertError(await post('/webhook/sandbox', scene.event(order), json), 401, 'UNAUTHORIZED')
  const broken = { method: 'POST', headers: json, body: `{"broken": "${'x'.repeat(500_000)}` }
  for (const path of ['/webhook/sandbox', '/webhook/payment']) {
    assertError(await service.call(path, broken), 401, 'UNAUTHORIZED')
  }
  assert.equal((await post('/webhook/sandbox', scene.event(order, { amount: 1 }))).status, 200)
  assert.equal((await post('/webhook/sandbox', { surprise: true })).status, 200)
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
  assert.equal((await post('/webhook/sandbox', scene.event(order))).status, 200)
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  assert.deepEqual(
    (await scene.inbox()).map(({ outcome }) => outcome),
    ['mismatch', 'malformed', 'applied'],
  )
})
