import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../../test/harness.ts'
import { days, hours, minutes, seconds } from '../../core/clock.ts'
import { serviceAlone } from '../../jobs/fixture.ts'
import { deleteEndpoint, enableEndpoint, testEndpoint } from './endpoints.ts'
import { newWebhookScene, newWebhookShop, startReceiver, testWebhooks, until } from './fixture.ts'

type Mail = { message: string; recipient: string; data: unknown }

const newScene = async (t: Parameters<typeof newWebhookScene>[0]) => {
  const scene = await newWebhookScene(t)
  const { db } = scene.service
  const receiver = await startReceiver(t)
  const shop = await scene.newShop()
  await db.run`update store set contact = '{"email":"owner@shop.example","phone":""}' where id = ${shop.store.id}`
  return {
    ...scene,
    receiver,
    shop,
    /** How many deliveries of the endpoint were reported as ended. */
    endedOf: (id: string) =>
      scene.ended
        .filter(({ storeId, endpointId }) => storeId === shop.storeId && endpointId === id)
        .reduce((sum, { endedDeliveries }) => sum + endedDeliveries, 0),
    mails: () => db.many<Mail>`select message, recipient, data from mail order by id`,
    statesOf: async () => (await shop.deliveries()).map(({ state }) => state),
  }
}

test('the answer 410 switches the endpoint off, ends its deliveries and tells the store', async (t) => {
  const { shop, receiver, runDue, mails, statesOf, givenUp, switchedOff, endedOf } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  for (let i = 0; i < 5; i++) await shop.record()
  receiver.does.respond = (response) => response.writeHead(410).end()
  await runDue()
  const { disabledReason, disabledAt } = await shop.endpoint(id)
  assert.equal(disabledReason, 'gone')
  assert.ok(disabledAt)
  assert.ok(receiver.received.length <= 2, 'only what was under way')
  assert.deepEqual(await statesOf(), Array(5).fill('failed'))
  assert.deepEqual(switchedOff, [{ storeId: shop.storeId, endpointId: id, reason: 'gone' }])
  assert.equal(givenUp.length + endedOf(id), 5, 'each is counted')
  assert.equal(givenUp.length, receiver.received.length)
  assert.deepEqual(await mails(), [
    {
      ...{ message: 'webhook.disabled', recipient: 'owner@shop.example' },
      data: { endpointId: id, url: receiver.url, reason: 'gone' },
    },
  ])
  const before = receiver.received.length
  await shop.record()
  await runDue()
  assert.equal(receiver.received.length, before, 'events of this time are not sent')
  assert.equal((await statesOf()).length, 5)
})

test('an endpoint that fails for three days without a success is switched off', async (t) => {
  const { service, shop, receiver, runDue, mails, statesOf } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  const fails = (response: { writeHead(status: number): { end(): unknown } }) => response.writeHead(500).end()
  receiver.does.respond = fails
  await shop.record()
  await runDue()
  service.clock.advance(days(2))
  receiver.does.respond = (response) => response.end()
  await shop.record()
  await runDue()
  assert.equal((await shop.endpoint(id)).failingSince, null, 'a success starts anew')
  receiver.does.respond = fails
  await shop.record()
  await runDue()
  service.clock.advance(days(3) - minutes(1))
  await shop.record()
  await runDue()
  assert.equal((await shop.endpoint(id)).disabledAt, null)
  service.clock.advance(minutes(2))
  await shop.record()
  await runDue()
  assert.equal((await shop.endpoint(id)).disabledReason, 'failing')
  assert.deepEqual(
    (await mails()).map(({ data }) => data),
    [{ endpointId: id, url: receiver.url, reason: 'failing' }],
  )
  assert.deepEqual([...new Set(await statesOf())].sort(), ['delivered', 'failed'])
})

test('an endpoint is not switched off by the first failure of an event', async (t) => {
  const { service, shop, receiver, runDue } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  receiver.does.respond = (response) => response.writeHead(500).end()
  await shop.record()
  await runDue()
  await service.db.run`update webhook_delivery set state = 'delivered', finished_at = vitrine_now()`
  service.clock.advance(days(4))
  await shop.record()
  await runDue()
  assert.equal((await shop.endpoint(id)).disabledAt, null)
  service.clock.advance(seconds(6))
  await runDue()
  assert.equal((await shop.endpoint(id)).disabledReason, 'failing')
})

test('a test that fails is not held against the endpoint', async (t) => {
  const { service, shop, receiver, runDue, mails, switchedOff } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  for (const status of [503, 410]) {
    receiver.does.respond = (response) => response.writeHead(status, { 'retry-after': '600' }).end()
    await service.db.tx((tx) => testEndpoint(tx, shop.store, id))
    await runDue()
    const { failingSince, pausedUntil, disabledAt } = await shop.endpoint(id)
    assert.deepEqual([failingSince, pausedUntil, disabledAt], [null, null, null], String(status))
  }
  assert.deepEqual([receiver.received.length, await mails(), switchedOff], [2, [], []])
})

test('an endpoint that is switched on again gets new events, and starts without its failures', async (t) => {
  const { service, shop, receiver, runDue } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  receiver.does.respond = (response) => response.writeHead(410).end()
  await shop.record()
  await runDue()
  const enabled = await service.db.tx((tx) => enableEndpoint(tx, shop.store, id))
  assert.deepEqual([enabled.disabledAt, enabled.disabledReason, enabled.failingSince], [null, null, null])
  receiver.does.respond = (response) => response.end()
  await shop.record()
  await runDue()
  assert.equal(receiver.received.length, 2)
})

test('a long queue of an endpoint that is deleted ends in batches, and the service reports each delivery', async (t) => {
  const { service, shop, receiver, runDue, endedOf } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  const other = await shop.addEndpoint(receiver.url)
  await shop.fill(id, 3500)
  await service.db
    .run`update webhook_delivery set next_at = (next_at at time zone 'UTC' + interval '3 hours') at time zone 'UTC' where id like '%7'`
  await shop.fill(other.id, 1)
  await service.db.tx((tx) => deleteEndpoint(tx, shop.store, id))
  const count = () => service.db.one<{ waiting: number }>`
    select count(*) as waiting from webhook_delivery where state = 'waiting' and endpoint_id = ${id}`
  await runDue()
  assert.equal((await count()).waiting, 0, 'also those that are due later')
  assert.deepEqual([endedOf(id), endedOf(other.id)], [3500, 0])
  assert.equal(receiver.received.length, 1, 'the other endpoint is not affected')
})

test('the service counts and logs what ends because an endpoint was deleted by a command', async (t) => {
  const { service, url } = await serviceAlone(t, { jobs: { everyMs: 20 } })
  // A command has its own connections, and ends before the jobs run.
  const command = await startTestService({ databaseUrl: url })
  t.after(() => command.close())
  const shop = await newWebhookShop(command, testWebhooks())
  const { id } = await shop.addEndpoint('http://127.0.0.1:1/')
  // Otherwise the jobs would begin to send.
  await service.db.run`update webhook_endpoint set paused_until = vitrine_now() + interval '1 hour' where id = ${id}`
  await shop.fill(id, 7)
  await command.db.tx((tx) => deleteEndpoint(tx, shop.store, id))
  const counted = async () => (await service.call('/metrics')).text.includes('\nvitrine_webhooks_given_up_total 7\n')
  await until(counted, 'all are counted')
  const { storeId, endpointId, endedDeliveries } = JSON.parse(
    service.logLines.find((line) => line.includes('"msg":"webhook deliveries ended')) ?? '{}',
  )
  assert.deepEqual(
    { storeId, endpointId, endedDeliveries },
    { storeId: shop.storeId, endpointId: id, endedDeliveries: 7 },
  )
})

test('a delivery that is under way when its endpoint is switched off keeps its result', async (t) => {
  const { service, shop, receiver, runDue, statesOf } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  receiver.does.respond = async (response) => {
    await service.db.tx((tx) => deleteEndpoint(tx, shop.store, id))
    response.end()
  }
  await shop.record()
  await runDue()
  assert.deepEqual(await statesOf(), ['delivered'])
})

test('a delivery of a killed instance ends too when its endpoint is switched off', async (t) => {
  const { service, shop, receiver, runDue, statesOf } = await newScene(t)
  const { id } = await shop.addEndpoint(receiver.url)
  await shop.record()
  await service.db.run`update webhook_delivery set is_sending = true, next_at = vitrine_now() + interval '40 s'`
  await service.db.tx((tx) => deleteEndpoint(tx, shop.store, id))
  await runDue()
  assert.deepEqual(await statesOf(), ['waiting'])
  service.clock.advance(seconds(41))
  await runDue()
  assert.deepEqual(await statesOf(), ['failed'])
  service.clock.advance(hours(1))
  assert.equal(receiver.received.length, 0)
})
