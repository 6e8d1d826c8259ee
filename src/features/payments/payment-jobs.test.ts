import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { runSql } from '../../../test/databases.ts'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { hours, minutes } from '../../core/clock.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { openScene, scriptedProvider } from './fixture.ts'
import { refundOrderById } from './refunds.ts'
import { startPayment } from './sessions.ts'

/** A service with its own database. `runJobs` runs all jobs until nothing is due. */
const newScene = async (t: TestContext, stock = 10) => {
  const scripted = scriptedProvider()
  const { service, url } = await serviceAlone(t, { paymentProviders: [scripted.provider] })
  const scene = await openScene(service, { provider: 'scripted', stock })
  const failures: string[] = []
  const runWith = async (instance: TestService) => {
    const runner = newRunner(instance)
    await runner.runDue()
    failures.push(...runner.failures)
  }
  return { ...scripted, ...scene, url, failures, runWith, runJobs: () => runWith(service) }
}

test('an order is settled without a webhook', async (t) => {
  const { does, runJobs, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  const unstarted = await scene.order({ quantity: 1 })
  does.status = 'success'
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
  scene.service.clock.advance(minutes(1.5))
  await runJobs()
  for (const { id } of [order, unstarted]) assert.deepEqual(await scene.stateOf(id), ['paid', 'paid', 'sold', null])
  assert.deepEqual((await scene.look(order.id)).payment?.reference, 'asked')
  assert.deepEqual(new Set((await scene.inbox()).map(({ source }) => source)), new Set(['scripted asked']))
})

test('an unpaid order is cancelled after half an hour, and its units and coupon are returned', async (t) => {
  const { calls, runJobs, ...scene } = await newScene(t)
  const open = await scene.openOrder({ quantity: 1 })
  const unstarted = await scene.order({ quantity: 1 })
  const failed = await scene.openOrder({ quantity: 1 })
  await scene.report(failed, { status: 'failed' })
  const cod = await scene.order({ quantity: 1, method: 'cod' })
  scene.service.clock.advance(minutes(29.5))
  await runJobs()
  assert.equal((await scene.look(open.id)).status, 'pending')
  scene.service.clock.advance(minutes(1))
  await runJobs()
  for (const { id } of [open, unstarted]) {
    assert.deepEqual(await scene.stateOf(id), ['cancelled', 'pending', 'released', null])
    assert.deepEqual(await scene.paymentsOf(id), ['closed'])
  }
  assert.deepEqual(await scene.stateOf(failed.id), ['cancelled', 'failed', 'released', null])
  assert.deepEqual(await scene.stateOf(cod.id), ['pending', 'pending', 'sold', null])
  assert.deepEqual(await scene.stockNow(), [9, 0])
  assert.equal(calls.filter((call) => call === 'close').length, 2)
})

test('an order paid in the last moment is settled and not cancelled', async (t) => {
  const { does, runJobs, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  scene.service.clock.advance(minutes(31))
  Object.assign(does, { status: 'success', close: 'paid' })
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
})

test('a payment in progress keeps its order open, for at most an hour if the provider is down', async (t) => {
  const { does, runJobs, failures, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  scene.service.clock.advance(minutes(31))
  Object.assign(does, { status: 'pending', close: 'in_progress' })
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
  Object.assign(does, { status: 'down', close: 'down' })
  scene.service.clock.advance(minutes(5))
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
  assert.ok(
    failures.some((line) => line.startsWith('order-expiry: ')),
    String(failures),
  )
  scene.service.clock.advance(hours(1))
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['cancelled', 'pending', 'released', null])
  Object.assign(does, { status: 'success', close: 'paid' })
  scene.service.clock.advance(hours(1))
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
})

test('a payment in progress does not count as failures, so a later failure cannot hold units beyond the hour', async (t) => {
  const { does, runJobs, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  scene.service.clock.advance(minutes(31))
  Object.assign(does, { status: 'pending', close: 'in_progress' })
  for (let minute = 0; minute < 9; minute++) {
    await runJobs()
    scene.service.clock.advance(minutes(2))
  }
  Object.assign(does, { status: 'down', close: 'down' })
  await runJobs()
  scene.service.clock.advance(minutes(40))
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['pending', 'pending', 'reserved', null])
  scene.service.clock.advance(minutes(3))
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['cancelled', 'pending', 'released', null])
})

test('if expiry races a successful payment, the order ends paid, with its units', async (t) => {
  const { runJobs, ...scene } = await newScene(t, 100)
  const orders = await Promise.all(Array.from({ length: 12 }, () => scene.openOrder({ quantity: 1 })))
  scene.service.clock.advance(minutes(31))
  await Promise.all([runJobs(), runJobs(), ...orders.map((order) => scene.report(order))])
  for (const { id } of orders) assert.deepEqual(await scene.stateOf(id), ['paid', 'paid', 'sold', null])
  assert.deepEqual(await scene.stockNow(), [88, 0])
})

test('the open session of an order that was paid otherwise or cancelled is closed', async (t) => {
  const { calls, runJobs, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  await scene.report(order, { status: 'failed' })
  await startPayment(scene.ctx, order.id)
  await scene.report(order)
  assert.deepEqual(await scene.paymentsOf(order.id), ['paid', 'open'])
  scene.service.clock.advance(minutes(2))
  await runJobs()
  assert.deepEqual(await scene.paymentsOf(order.id), ['paid', 'closed'])
  assert.ok(calls.includes('close'))
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
})

test('a due refund is made, and retried later if the provider is down', async (t) => {
  const { does, calls, runJobs, failures, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  await scene.report(order, { transactionId: 'txn-1' })
  await scene.report(order, { transactionId: 'txn-2' })
  const refunds = () => calls.filter((call) => call === 'refund').length
  does.refund = 'down'
  await runJobs()
  await runJobs()
  assert.deepEqual([refunds(), failures.length], [1, 1])
  does.refund = 'pending'
  scene.service.clock.advance(minutes(2))
  await runJobs()
  assert.deepEqual([refunds(), await scene.paymentsOf(order.id)], [2, ['paid', 'paid']])
  does.refund = 'succeeded'
  scene.service.clock.advance(minutes(10))
  await runJobs()
  assert.deepEqual([refunds(), await scene.paymentsOf(order.id)], [3, ['paid', 'refunded']])
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  scene.service.clock.advance(hours(48))
  await runJobs()
  assert.equal(refunds(), 3)
})

test('the refund job makes a refund that an operator requested while the provider was down', async (t) => {
  const { does, runJobs, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  await scene.report(order)
  does.refund = 'down'
  assert.equal((await refundOrderById(scene.service.app.services, order.id)).status, 'pending')
  assert.deepEqual(await scene.stateOf(order.id), ['paid', 'paid', 'sold', null])
  does.refund = 'succeeded'
  await runJobs()
  assert.deepEqual(await scene.stateOf(order.id), ['refunded', 'refunded', 'released', null])
})

test('instances share the checks: each payment is checked once', async (t) => {
  const { does, calls, runJobs, runWith, url, ...scene } = await newScene(t, 500)
  const count = 65
  for (let i = 0; i < count; i++) await scene.openOrder({ quantity: 1 })
  // A second instance with the same provider.
  const other = await startTestService({ databaseUrl: url, paymentProviders: [...providersOf(scene)] })
  t.after(() => other.close())
  scene.service.clock.advance(minutes(2))
  other.clock.advance(minutes(2))
  does.status = 'success'
  calls.length = 0
  await Promise.all([runJobs(), runWith(other), runJobs(), runWith(other)])
  assert.equal(calls.length, count)
  assert.deepEqual(await runSql(url, `select status, count(*)::integer from orders group by status`), [
    { status: 'paid', count },
  ])
  assert.deepEqual(await scene.stockNow(), [500 - count, 0])
})

const providersOf = (scene: { service: Awaited<ReturnType<typeof serviceAlone>>['service'] }) =>
  [...scene.service.app.services.payments.providers.values()].filter(({ name }) => name === 'scripted')

test('a payment that stays open is checked less and less often', async (t) => {
  const { calls, runJobs, ...scene } = await newScene(t)
  const order = await scene.openOrder()
  await scene.service.db.run`update orders set expires_at = null where id = ${order.id}`
  for (let minute = 0; minute < 60; minute++) {
    scene.service.clock.advance(minutes(1.1))
    await runJobs()
  }
  const inTheFirstHour = calls.filter((call) => call === 'status').length
  for (let hour = 0; hour < 48; hour++) {
    scene.service.clock.advance(hours(1))
    await runJobs()
  }
  const later = calls.filter((call) => call === 'status').length - inTheFirstHour
  assert.ok(inTheFirstHour >= 15 && inTheFirstHour <= 40, String(inTheFirstHour))
  assert.ok(later >= 8 && later <= 40, String(later))
})

test('orders that cannot expire do not block others', async (t) => {
  const { runJobs, url, failures, ...scene } = await newScene(t)
  const order = await scene.order({ quantity: 1 })
  const [{ columns }] = await runSql(
    url,
    `select string_agg(column_name, ', ') as columns from information_schema.columns
     where table_name = 'orders' and is_generated = 'NEVER'`,
  )
  const copies = (name: string, count: number, number: number) => `
    insert into orders (${columns}) select ${columns} from (
      select (jsonb_populate_record(o, jsonb_build_object('id', '${name}_' || n, 'number', ${number} + n,
        'cart_id', 'gone', 'expires_at', o.expires_at - interval '1 minute'))).*
      from orders o, generate_series(1, ${count}) n where o.id = '${order.id}') copied`
  // Many were shipped before they could expire, and one has a line without stock.
  await runSql(url, copies('sent', 50, 5000))
  await runSql(
    url,
    `insert into shipment (store_id, order_id, id, tracking_number, partner, status, created_at, updated_at)
     select store_id, id, id, '', '', 'in_transit', now(), now() from orders where id like 'sent%'`,
  )
  await runSql(url, copies('broken', 1, 6000))
  await runSql(
    url,
    `insert into order_line select (jsonb_populate_record(l, '{"order_id": "broken_1", "variant_id": "none"}')).*
     from order_line l where l.order_id = '${order.id}'`,
  )
  scene.service.clock.advance(minutes(31))
  await runJobs()
  assert.deepEqual(
    failures.map((line) => line.split(':')[0]),
    ['order-expiry'],
  )
  assert.deepEqual(await scene.stateOf(order.id), ['cancelled', 'pending', 'released', null])
})
