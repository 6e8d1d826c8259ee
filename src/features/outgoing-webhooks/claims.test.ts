import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { crowdOf } from '../../../test/cluster.ts'
import { startTestService } from '../../../test/harness.ts'
import { seconds } from '../../core/clock.ts'
import { attemptDelivery, claimDueDeliveries } from './deliver.ts'
import { newWebhookRunner, newWebhookScene, startReceiver, until } from './fixture.ts'

/** Runs jobs for the length of a test. */
const run = (t: TestContext, runner: ReturnType<typeof newWebhookRunner>) => {
  t.after(runner.stop)
  runner.start()
  return runner
}

test('instances together never send more than two requests at once to an endpoint', async (t) => {
  const scene = await newWebhookScene(t)
  const other = await startTestService({ databaseUrl: scene.url })
  t.after(() => other.close())
  const [receiver, second] = [await startReceiver(t), await startReceiver(t)]
  const shop = await scene.newShop()
  const { id } = await shop.addEndpoint(receiver.url)
  const [many, few] = [crowdOf(300), crowdOf(100)]
  await shop.fill(id, many)
  await shop.fill((await shop.addEndpoint(second.url)).id, few)
  for (const { does, open } of [receiver, second]) {
    does.respond = async (response) => {
      // On a busy machine, short requests might never overlap: the first waits for the second.
      await until(() => open.most >= 2, 'two are open at once')
      await sleep(Math.random() * 5)
      response.end()
    }
  }
  const runners = [scene.service, other, scene.service].map((instance) =>
    run(t, newWebhookRunner(instance, scene.webhooks, { everyMs: 20 })),
  )
  const isShared = () => runners.filter((runner) => (runner.stats()[0]?.done ?? 0) > 0).length > 1
  let filled = many
  const isSent = () => receiver.received.length >= filled && second.received.length >= few
  await until(isSent, 'all are sent')
  // An instance that is quick enough sends all of them within the time of a chain.
  while (!isShared()) {
    assert.ok(filled < 6000, 'they share the work')
    filled += await shop.fill(id, many)
    await until(isSent, 'all are sent')
  }
  assert.deepEqual([receiver.open.most, second.open.most], [2, 2])
  assert.deepEqual([receiver.received.length, second.received.length], [filled, few], 'each is sent once')
  assert.deepEqual(
    runners.flatMap(({ failures }) => failures),
    [],
  )
})

test('claims at the same moment take two deliveries of an endpoint, and a claim ends after 40 seconds', async (t) => {
  const { service, newShop } = await newWebhookScene(t)
  const shop = await newShop()
  const endpoints = [await shop.addEndpoint('http://127.0.0.1:1/'), await shop.addEndpoint('http://127.0.0.1:1/')]
  for (const { id } of endpoints) await shop.fill(id, 50)
  for (let round = 1; round <= 5; round++) {
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimDueDeliveries(service.db, shop.store.id, 64)))
    const again = await claimDueDeliveries(service.db, shop.store.id, 64)
    const claimed = [...claims.flat(), ...again]
    assert.equal(new Set(claimed.map(({ id }) => id)).size, 4)
    for (const { id } of endpoints) assert.equal(claimed.filter(({ endpointId }) => endpointId === id).length, 2)
    service.clock.advance(seconds(39))
    assert.deepEqual(await claimDueDeliveries(service.db, shop.store.id, 64), [])
    service.clock.advance(seconds(2))
  }
})

test('an attempt is not followed by another one if its claim has expired or the service stops', async (t) => {
  const { service, webhooks, newShop } = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const shop = await newShop()
  await shop.fill((await shop.addEndpoint(receiver.url)).id, 10)
  const claimed = await claimDueDeliveries(service.db, shop.store.id, 64)
  const attempt = async (index: number, isStopping = false) => {
    const [claim, firstClaimedMs] = [claimed[index], performance.now()]
    assert.ok(claim)
    const { signal } = new AbortController()
    const due = { ...claim, store: shop.store, firstClaimedMs }
    return attemptDelivery({ ...service, webhooks }, due, signal, () => isStopping)
  }
  assert.ok(await attempt(0), 'its slot is its own')
  service.clock.advance(seconds(41))
  assert.equal(await attempt(1), undefined, 'another instance may have taken its slot')
  claimed.push(...(await claimDueDeliveries(service.db, shop.store.id, 64)))
  assert.equal(await attempt(2, true), undefined, 'it would wait until its claim expires')
  assert.ok(await attempt(3))
})

test('a claim takes the oldest of each endpoint, however long the queue of another is', async (t) => {
  const { service, newShop } = await newWebhookScene(t)
  const shop = await newShop()
  const [long, short] = [await shop.addEndpoint('http://127.0.0.1:1/'), await shop.addEndpoint('http://127.0.0.1:1/')]
  await shop.fill(long.id, 2000)
  await shop.fill(short.id, 1)
  const claimed = await claimDueDeliveries(service.db, shop.store.id, 3)
  assert.deepEqual(claimed.map(({ endpointId }) => endpointId).sort(), [long.id, long.id, short.id].sort())
  const limited = await claimDueDeliveries(service.db, (await newShop()).store.id, 3)
  assert.deepEqual(limited, [])
})

test('a receiver that does not answer delays no other endpoint of its store, and no other store', async (t) => {
  const scene = await newWebhookScene(t)
  const [slow, quick, elsewhere] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)]
  slow.does.respond = () => {}
  const [shop, other] = [await scene.newShop(), await scene.newShop()]
  await shop.fill((await shop.addEndpoint(slow.url)).id, 1000)
  const few = crowdOf(200)
  await shop.fill((await shop.addEndpoint(quick.url)).id, few)
  await other.fill((await other.addEndpoint(elsewhere.url)).id, few)
  run(t, scene.newRunner({ everyMs: 50 }))
  await until(() => quick.received.length === few && elsewhere.received.length === few, 'the others are sent')
  assert.deepEqual([slow.received.length, slow.open.now], [2, 2])
})

test('deliveries of an endpoint follow each other without waiting for a poll', async (t) => {
  const scene = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const shop = await scene.newShop()
  const many = crowdOf(400)
  await shop.fill((await shop.addEndpoint(receiver.url)).id, many)
  const runner = run(t, scene.newRunner({ everyMs: 600_000 }))
  let polls = 0
  scene.service.db.onStatement((text) => {
    if (/with recursive|group by d.store_id/.test(text)) polls++
  })
  runner.runSoon('webhook', shop.store.id)
  await until(() => receiver.received.length === many, 'all are sent')
  assert.ok(polls < 50, `${polls} polls`)
})

test('a signal after the commit sends an event at once', async (t) => {
  const scene = await newWebhookScene(t, { jobs: { everyMs: 600_000 } })
  const receiver = await startReceiver(t)
  const shop = await scene.newShop()
  await shop.addEndpoint(receiver.url, ['product.*'])
  await shop.add({ name: 'Mug', price: 1 })
  await until(() => receiver.received.length === 1, 'the event is sent')
  assert.equal(receiver.received[0]?.json.type, 'product.created')
})

test('a poll finds every store with due deliveries, beside a store with a long queue', async (t) => {
  const scene = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const shops = [await scene.newShop(), await scene.newShop(), await scene.newShop(), await scene.newShop()]
  const [busy, ...others] = shops
  assert.ok(busy)
  await busy.fill((await busy.addEndpoint(receiver.url)).id, 20_000)
  for (const shop of others) await shop.fill((await shop.addEndpoint(receiver.url)).id, 1)
  const later = others.at(-1)
  await scene.service.db.run`
    update webhook_delivery set next_at = vitrine_now() + interval '1 hour' where store_id = ${later?.store.id}`
  const [kind] = scene.kinds()
  const due = (await kind?.findDue()) ?? []
  assert.deepEqual(
    due.map(({ storeId, waiting }) => [storeId, waiting]),
    [[busy.store.id, 100], ...others.slice(0, -1).map(({ store }) => [store.id, 1])],
  )
})
