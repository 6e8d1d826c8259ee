import assert from 'node:assert/strict'
import { test } from 'node:test'
import { days, minutes } from '../../core/clock.ts'
import type { DomainErrorCode } from '../../core/domain-errors.ts'
import { newRunner } from '../../jobs/fixture.ts'
import { listDeliveries, redeliver, redeliverFailed } from './deliveries.ts'
import { testEndpoint } from './endpoints.ts'
import { newWebhookScene, startReceiver } from './fixture.ts'

const refuses = (work: () => unknown, code: DomainErrorCode) =>
  assert.rejects(async () => work(), { name: 'DomainError', code })

const newScene = async (t: Parameters<typeof newWebhookScene>[0]) => {
  const scene = await newWebhookScene(t)
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const shop = await scene.newShop()
  const endpoints = [
    await shop.addEndpoint(receiver.url),
    await shop.addEndpoint(other.url, ['order.cancelled']),
  ] as const
  const list = (query: Partial<Parameters<typeof listDeliveries>[2]> = {}) =>
    listDeliveries(scene.service.db, shop.store, { endpointId: null, state: null, before: null, limit: 100, ...query })
  return { ...scene, receiver, other, shop, endpoints, list }
}

test('deliveries are listed newest first, by endpoint and state, page after page', async (t) => {
  const { shop, receiver, endpoints, runDue, list, newShop } = await newScene(t)
  for (let i = 0; i < 3; i++) await shop.record('order.cancelled')
  await runDue()
  receiver.does.respond = (response) => response.writeHead(500).end('down')
  await shop.record('order.paid')
  await runDue()
  const all = await list()
  assert.deepEqual(
    [all.length, all[0]?.type, all[0]?.state, all[0]?.lastAttempt?.answer],
    [7, 'order.paid', 'waiting', 'down'],
  )
  assert.deepEqual(
    (await list({ endpointId: endpoints[1].id })).map(({ endpointId, type }) => [endpointId, type]),
    Array(3).fill([endpoints[1].id, 'order.cancelled']),
  )
  assert.equal((await list({ state: 'delivered' })).length, 6)
  assert.equal((await list({ state: 'failed' })).length, 0)
  const first = await list({ limit: 4 })
  assert.deepEqual([...first, ...(await list({ before: first.at(-1)?.id ?? '' }))], all)
  await refuses(() => list({ state: 'lost' }), 'DELIVERY_STATE_UNKNOWN')
  const stranger = await newShop()
  assert.deepEqual(await stranger.deliveries(), [])
})

test('every combination of filters lists the same deliveries, whether they wait, are being sent or have ended', async (t) => {
  const { service, shop, endpoints, list } = await newScene(t)
  for (const { id } of endpoints) await shop.fill(id, 60)
  // The newest as well as old ones are being sent, and one claim has expired.
  await service.db.run`
    update webhook_delivery set is_sending = true, next_at = vitrine_now() + interval '40 s'
    where id ~ '0(60|12)_'`
  await service.db.run`update webhook_delivery set is_sending = true where id ~ '040_'`
  await service.db.run`
    update webhook_delivery set state = case when id ~ '3_' then 'failed' else 'delivered' end,
      finished_at = vitrine_now()
    where id ~ '[356]_'`
  await service.db.run`
    update webhook_endpoint set disabled_at = vitrine_now(), disabled_reason = 'merchant', deleted_at = vitrine_now()
    where id = ${endpoints[1].id}`
  const all = await list({ limit: 1000 })
  assert.equal(all.length, 120)
  for (const endpointId of [null, endpoints[0].id, endpoints[1].id, 'whk_unknown']) {
    for (const state of [null, 'waiting', 'delivered', 'failed']) {
      for (const before of [null, all[60]?.id ?? '']) {
        const expected = all.filter(
          (one) =>
            (endpointId === null || one.endpointId === endpointId) &&
            (state === null || one.state === state) &&
            (before === null || one.id < before),
        )
        for (const limit of [7, 1000]) {
          const found = await list({ endpointId, state, before, limit })
          assert.deepEqual(found, expected.slice(0, limit), `${endpointId} ${state} ${before} ${limit}`)
        }
      }
    }
  }
})

test('a delivery is sent again with the same id, whatever its state, with all attempts', async (t) => {
  const { service, shop, receiver, runDue, list, newShop } = await newScene(t)
  await shop.record()
  await runDue()
  const id = (await list())[0]?.id ?? ''
  receiver.does.respond = (response) => response.writeHead(500).end()
  await redeliver(service.db, shop.store, id)
  await runDue()
  assert.equal(new Set(receiver.ids()).size, 1)
  assert.deepEqual([receiver.received.length, (await list())[0]?.state, (await list())[0]?.attempts], [2, 'waiting', 1])
  await redeliver(service.db, shop.store, id)
  await runDue()
  assert.deepEqual([receiver.received.length, (await list())[0]?.attempts], [3, 1], 'one that waits is sent at once')
  await service.db.run`update webhook_delivery set is_sending = true, next_at = vitrine_now() + interval '40 s'`
  await refuses(() => redeliver(service.db, shop.store, id), 'DELIVERY_IN_PROGRESS')
  await runDue()
  assert.equal(receiver.received.length, 3, 'one that is being sent is left alone')
  const stranger = await newShop()
  await refuses(() => redeliver(service.db, stranger.store, id), 'DELIVERY_NOT_FOUND')
  for (const unknown of ['dlv_a_b', 'dlv_1', 'whk_1', '', `dlv_${'a'.repeat(99)}_b`]) {
    await refuses(() => redeliver(service.db, shop.store, unknown), 'DELIVERY_NOT_FOUND')
  }
})

test('all failed deliveries are sent again, of one endpoint or of all that are on', async (t) => {
  const { service, shop, receiver, other, endpoints, runDue } = await newScene(t)
  const [first, second] = endpoints
  await shop.fill(first.id, 1100)
  await shop.fill(second.id, 20)
  const fail = () =>
    service.db.run`update webhook_delivery set state = 'failed', attempts = 10, finished_at = vitrine_now()`
  await fail()
  assert.equal(await redeliverFailed(service.db, shop.store, second.id), 20)
  await runDue()
  assert.deepEqual([receiver.received.length, other.received.length], [0, 20])
  assert.equal(await redeliverFailed(service.db, shop.store, null), 1100)
  assert.equal(await redeliverFailed(service.db, shop.store, null), 0)
  await fail()
  await service.db.run`
    update webhook_endpoint set disabled_at = vitrine_now(), disabled_reason = 'gone' where id = ${first.id}`
  await refuses(() => redeliverFailed(service.db, shop.store, first.id), 'WEBHOOK_DISABLED')
  assert.equal(await redeliverFailed(service.db, shop.store, null), 20)
})

test('a test that failed is not sent again with all that failed', async (t) => {
  const { service, shop, receiver, endpoints, runDue } = await newScene(t)
  receiver.does.respond = (response) => response.writeHead(500).end()
  const { deliveryId } = await service.db.tx((tx) => testEndpoint(tx, shop.store, endpoints[0].id))
  await runDue()
  assert.equal(await redeliverFailed(service.db, shop.store, null), 0)
  await redeliver(service.db, shop.store, deliveryId)
  await runDue()
  assert.equal(receiver.received.length, 2, 'by its id it is')
})

test('attempts, deliveries, events and deleted endpoints are deleted after thirty days, and nothing that waits', async (t) => {
  const { service, shop, receiver, runDue } = await newScene(t)
  const count = async () => {
    const { rows } = await service.db.one<{ rows: number[] }>`
      select array[(select count(*)::integer from event), (select count(*)::integer from webhook_delivery),
        (select count(*)::integer from webhook_attempt), (select count(*)::integer from webhook_endpoint)] as rows`
    return rows
  }
  const cleanUp = async () => {
    const runner = newRunner(service)
    await runner.runDue()
    assert.deepEqual(runner.failures, [])
  }
  await shop.record()
  await runDue()
  await shop.record('stock.low')
  service.clock.advance(days(30) - minutes(5))
  receiver.does.respond = (response) => response.writeHead(500).end()
  await shop.record()
  await runDue()
  await service.db.run`update webhook_delivery set next_at = vitrine_now() + interval '60 days' where state = 'waiting'`
  await cleanUp()
  assert.deepEqual(await count(), [3, 2, 2, 2])
  service.clock.advance(minutes(10))
  await cleanUp()
  assert.deepEqual(await count(), [1, 1, 1, 2])
  service.clock.advance(days(31))
  await service.db.run`
    update webhook_endpoint set disabled_at = now(), disabled_reason = 'merchant', deleted_at = vitrine_now()
    where store_id = ${shop.store.id} and not exists (
      select from webhook_delivery d where d.store_id = ${shop.store.id} and d.endpoint_id = webhook_endpoint.id)`
  await cleanUp()
  assert.deepEqual(await count(), [1, 1, 0, 2], 'an event stays as long as its delivery')
  service.clock.advance(days(41))
  receiver.does.respond = (response) => response.end()
  await runDue()
  await cleanUp()
  assert.deepEqual(await count(), [1, 1, 1, 1], 'it is delivered at last')
  service.clock.advance(days(31))
  await cleanUp()
  assert.deepEqual(await count(), [0, 0, 0, 1])
})
