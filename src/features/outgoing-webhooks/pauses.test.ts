import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { claimDueDeliveries } from './deliver.ts'
import { enableEndpoint } from './endpoints.ts'
import { newWebhookScene, startReceiver } from './fixture.ts'

for (const [status, retryAfter, pauseMs] of [
  [429, undefined, seconds(10)],
  [502, undefined, seconds(10)],
  [503, '120', minutes(2)],
  [504, '864000', hours(24)],
  [500, '60', minutes(1)],
] as const) {
  const name = retryAfter === undefined ? `${status}` : `${status} with Retry-After ${retryAfter}`
  test(`after ${name} nothing is sent to the endpoint for ${pauseMs / 1000} seconds`, async (t) => {
    const { service, newShop, runDue } = await newWebhookScene(t)
    const receiver = await startReceiver(t)
    const shop = await newShop()
    const { id } = await shop.addEndpoint(receiver.url)
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    receiver.does.respond = (response) => response.writeHead(status, headers).end()
    await shop.record()
    await runDue()
    receiver.does.respond = (response) => response.end()
    const pausedMs = ((await shop.endpoint(id)).pausedUntil?.getTime() ?? 0) - service.clock.now()
    assert.ok(pausedMs > pauseMs - seconds(5) && pausedMs <= pauseMs, `${pausedMs / 1000} s`)
    await shop.record()
    await runDue()
    service.clock.advance(pauseMs - seconds(5))
    await runDue()
    assert.equal(receiver.received.length, 1)
    service.clock.advance(pauseMs / 10 + seconds(6))
    await runDue()
    assert.equal(receiver.received.length, 3)
  })
}

test('a pause ends when the endpoint is switched on, and other endpoints have none', async (t) => {
  const { service, newShop, runDue } = await newWebhookScene(t)
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const shop = await newShop()
  const { id } = await shop.addEndpoint(receiver.url)
  await shop.addEndpoint(other.url)
  receiver.does.respond = (response) => response.writeHead(429).end()
  await shop.record()
  await runDue()
  await shop.record()
  await runDue()
  assert.deepEqual([receiver.received.length, other.received.length], [1, 2])
  await service.db.tx((tx) => enableEndpoint(tx, shop.store, id))
  await runDue()
  assert.equal(receiver.received.length, 2)
})

test('an endpoint that fails gets one request at a time until it works again', async (t) => {
  const { service, newShop, runDue } = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const shop = await newShop()
  const { id } = await shop.addEndpoint(receiver.url)
  receiver.does.respond = (response) => response.writeHead(500).end()
  await shop.record()
  await runDue()
  await shop.fill(id, 10)
  receiver.open.most = 0
  await runDue()
  assert.deepEqual([receiver.received.length, receiver.open.most], [11, 1])
  receiver.does.respond = (response) => response.end()
  await shop.record()
  await runDue()
  assert.equal((await shop.endpoint(id)).failingSince, null)
  await shop.fill(id, 10)
  assert.equal((await claimDueDeliveries(service.db, shop.store.id, 64)).length, 2)
})
