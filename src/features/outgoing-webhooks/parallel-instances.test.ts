import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onCluster } from '../../../test/cluster.ts'
import { runSql } from '../../../test/databases.ts'
import { startTestService } from '../../../test/harness.ts'
import { seconds } from '../../core/clock.ts'
import type { Db } from '../../db/database.ts'
import { type AttemptResult, noteAndClaimNext, noteAttempt } from './attempt.sql.ts'
import type { ClaimedDelivery } from './claim.sql.ts'
import { attemptDelivery, claimDueDeliveries } from './deliver.ts'
import { newWebhookRunner, newWebhookScene, startReceiver, until } from './fixture.ts'

const success: AttemptResult = {
  ...{ state: 'delivered', retryInMs: 0, isFailure: false, pauseMs: 0 },
  ...{ status: 200, durationMs: 1, error: '', answer: '' },
}
const failure: AttemptResult = { ...success, state: 'waiting', isFailure: true, status: 500, error: 'no' }

/** How many deliveries of an endpoint are being sent, for the endpoint with the most of them. */
const mostAtOnce = async (db: Db) =>
  (
    await db.one<{ most: number }>`
    select coalesce(max(n), 0) as most from (
      select count(*) as n from webhook_delivery
      where state = 'waiting' and is_sending and next_at > vitrine_now() group by endpoint_id) counted`
  ).most

test('instances that claim, chain, fail and die at once use at most two slots of an endpoint, and lose nothing', async (t) => {
  const { service, newShop } = await newWebhookScene(t)
  const { db, clock } = service
  const shop = await newShop()
  const storeId = shop.store.id
  for (let n = 0; n < 3; n++) await shop.fill((await shop.addEndpoint('http://127.0.0.1:1/')).id, 200)
  let isEnded = false
  let most = 0
  let advances = 0
  const watch = async () => {
    while (!isEnded) {
      const before = advances
      const found = await mostAtOnce(db)
      // One that was sent before the clock was advanced takes claims for valid that have expired.
      if (advances === before) most = Math.max(most, found)
    }
  }
  const sending = new Set<string>()
  /** Claims of instances that were killed, or that stand still. */
  const abandoned: ClaimedDelivery[] = []
  const work = async (claim: ClaimedDelivery | undefined): Promise<void> => {
    if (claim === undefined) return
    assert.ok(!sending.has(claim.id), 'it is claimed once')
    sending.add(claim.id)
    await sleep(Math.random() * 3)
    sending.delete(claim.id)
    const chance = Math.random()
    if (chance < 0.05) return void abandoned.push(claim)
    if (chance < 0.15) return void (await noteAttempt(db, storeId, claim, failure))
    if (chance < 0.3) return void (await noteAttempt(db, storeId, claim, success))
    await work((await noteAndClaimNext(db, storeId, claim, success)).next)
  }
  const instance = async () => {
    for (let idle = 0; idle < 20; ) {
      const claimed = await claimDueDeliveries(db, storeId, 8)
      idle = claimed.length === 0 ? idle + 1 : 0
      await Promise.all(claimed.map(work))
    }
  }
  const watching = watch()
  for (let rounds = 0; ; rounds++) {
    assert.ok(rounds < 100, 'all are delivered')
    await Promise.all([instance(), instance(), instance(), instance()])
    const { left } = await db.one<{ left: number }>`
      select count(*) as left from webhook_delivery where state = 'waiting'`
    if (left === 0) break
    advances++
    clock.advance(seconds(41))
    // They go on after their claims have expired, while others take them over.
    const late = abandoned.splice(0).map((claim) => noteAndClaimNext(db, storeId, claim, success))
    await Promise.all([...late, instance(), instance()])
    for (const { next } of await Promise.all(late)) assert.equal(next, undefined)
  }
  isEnded = true
  await watching
  assert.equal(most, 2)
  const attempts = await db.many<{ delivered: number }>`
    select count(*) filter (where a.error = '') as delivered from webhook_delivery d
    left join webhook_attempt a on a.store_id = d.store_id and a.delivery_id = d.id
    group by d.id`
  assert.equal(attempts.length, 600)
  assert.ok(attempts.every(({ delivered }) => delivered === 1))
})

test('an endpoint that fails gets one request at a time from all instances together', async (t) => {
  const scene = await newWebhookScene(t)
  const other = await startTestService({ databaseUrl: scene.url })
  t.after(() => other.close())
  const receiver = await startReceiver(t)
  receiver.does.respond = (response) => response.writeHead(500).end()
  const shop = await scene.newShop()
  const { id } = await shop.addEndpoint(receiver.url)
  await shop.record()
  await scene.runDue()
  assert.ok((await shop.endpoint(id)).failingSince)
  receiver.open.most = 0
  receiver.does.respond = async (response) => {
    await sleep(Math.random() * 5)
    response.writeHead(500).end()
  }
  await shop.fill(id, 60)
  const runners = [scene.service, other, scene.service].map((instance) => {
    const runner = newWebhookRunner(instance, scene.webhooks, { everyMs: 5 })
    t.after(runner.stop)
    runner.start()
    return runner
  })
  await until(() => receiver.received.length >= 61, 'each is tried')
  assert.ok(runners.filter((runner) => (runner.stats()[0]?.done ?? 0) > 0).length > 1, 'they share the work')
  assert.equal(receiver.open.most, 1)
})

test('what a chain has claimed is sent by another instance if its own is killed', async (t) => {
  const { service, webhooks, newShop, runDue } = await newWebhookScene(t)
  const receiver = await startReceiver(t)
  const shop = await newShop()
  await shop.fill((await shop.addEndpoint(receiver.url)).id, 3)
  const [claim] = await claimDueDeliveries(service.db, shop.store.id, 1)
  assert.ok(claim)
  const due = { ...claim, store: shop.store, firstClaimedMs: performance.now() }
  const next = await attemptDelivery({ ...service, webhooks }, due, new AbortController().signal)
  assert.ok(next)
  await runDue()
  assert.deepEqual([receiver.received.length, receiver.ids().includes(next.event?.id ?? '')], [2, false])
  service.clock.advance(seconds(41))
  await runDue()
  assert.deepEqual([receiver.received.length, new Set(receiver.ids()).size], [3, 3])
})

test('a claim passes over what a chain is claiming at the same moment', { timeout: 60_000 }, async (t) => {
  const { service, url, newShop } = await newWebhookScene(t)
  const other = await startTestService({ databaseUrl: url })
  t.after(() => other.close())
  const shop = await newShop()
  await shop.fill((await shop.addEndpoint('http://127.0.0.1:1/')).id, 4)
  const [claim] = await claimDueDeliveries(service.db, shop.store.id, 1)
  assert.ok(claim)
  const ids = await service.db.tx(async (tx) => {
    const { next } = await noteAndClaimNext(tx, shop.store.id, claim, success)
    // The chain is not yet committed.
    const claimed = await claimDueDeliveries(other.db, shop.store.id, 8)
    return [next?.id, ...claimed.map(({ id }) => id)]
  })
  assert.deepEqual([ids.length, new Set(ids).size, ids.includes(claim.id)], [2, 2, false])
  assert.equal(await mostAtOnce(service.db), 2)
})

test('a late result of an instance has no effect once another one has taken over', async (t) => {
  const { service, newShop } = await newWebhookScene(t)
  const { db, clock } = service
  const shop = await newShop()
  await shop.fill((await shop.addEndpoint('http://127.0.0.1:1/')).id, 1)
  const claimOne = async () => {
    const [claim] = await claimDueDeliveries(db, shop.store.id, 1)
    assert.ok(claim)
    return claim
  }
  const late = await claimOne()
  clock.advance(seconds(41))
  const current = await claimOne()
  for (const result of [failure, success]) {
    assert.equal(await noteAttempt(db, shop.store.id, late, result), 0)
    assert.deepEqual(await noteAndClaimNext(db, shop.store.id, late, result), { noted: 0, next: undefined })
  }
  assert.equal(await mostAtOnce(db), 1)
  assert.equal(await noteAttempt(db, shop.store.id, current, success), 1)
})

test('a chain ends when its endpoint is switched off, paused or fails', async (t) => {
  const { service, url, newShop } = await newWebhookScene(t)
  const { db } = service
  const changes = {
    off: `disabled_at = vitrine_now(), disabled_reason = 'merchant'`,
    paused: `paused_until = vitrine_now() + interval '10 s'`,
    failing: 'failing_since = vitrine_now()',
  }
  for (const [what, change] of Object.entries({ 'as before': 'updated_at = vitrine_now()', ...changes })) {
    const shop = await newShop()
    const { id } = await shop.addEndpoint('http://127.0.0.1:1/')
    await shop.fill(id, 5)
    const [claim] = await claimDueDeliveries(db, shop.store.id, 1)
    assert.ok(claim)
    await runSql(url, `update webhook_endpoint set ${change} where id = '${id}'`)
    const { noted, next } = await noteAndClaimNext(db, shop.store.id, claim, success)
    // A cluster notes the success first, and with it the failure of the endpoint has ended.
    const goesOn = what === 'as before' || (onCluster && what === 'failing')
    assert.deepEqual([noted, next !== undefined], [1, goesOn], what)
  }
})
