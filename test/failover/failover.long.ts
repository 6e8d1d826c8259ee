import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { channel } from '../../src/db/announce.ts'
import { listen } from '../../src/db/listen.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startTestService } from '../harness.ts'
import { openCrowd } from './crowd.ts'
import { lacksPatroni, managedClusterFor } from './patroni.ts'

const kills = Number(process.env.FAILOVER_KILLS ?? 10)
const seed = Number(process.env.FAILOVER_SEED ?? Date.now() % 1_000_000)
const skip = lacksPatroni() ? 'needs patroni, etcd-server, haproxy and postgresql-15' : false

/** Longer than a call takes at worst: two attempts to connect. A server that hangs is another matter. */
const slowestCallMs = 10_000
const backWithinMs = 5_000

for (const way of ['through HAProxy', 'by the names of both servers'] as const) {
  test(`the primary is killed ${kills} times under load, found ${way}: nothing acknowledged is lost`, { skip }, (t) =>
    killAgainAndAgain(t, way),
  )
}

const killAgainAndAgain = async (t: TestContext, way: 'through HAProxy' | 'by the names of both servers') => {
  const cluster = await managedClusterFor(t)
  const url = way === 'through HAProxy' ? cluster.proxyUrl : cluster.bothUrl
  await migrate({ connectionString: url })
  const service = await startTestService({ databaseUrl: url, databasePoolSize: 10, jobs: {} })
  t.after(() => service.close())
  let announced = 0
  const listener = await listen({
    ...{ connection: { connectionString: url }, channel, onLost: () => {}, onReconnect: () => {} },
    onMessage: () => {
      announced++
    },
  })
  t.after(() => listener.close())
  const crowd = await openCrowd(service, { buyers: 8, seed })
  t.after(crowd.leave)
  crowd.start()
  const backMs: number[] = []
  const promotedMs: number[] = []
  let promotions = 0
  for (let kill = 1; kill <= kills; kill++) {
    await cluster.untilSynchronous()
    await sleep(1_000 + ((seed * kill) % 500))
    const killedAt = performance.now()
    const killed = await cluster.killPrimary()
    if ((await cluster.untilPrimary()) !== killed) promotions++
    const promotedAt = performance.now()
    while (crowd.lastDoneAt() < promotedAt) {
      assert.deepEqual(crowd.failures, [])
      assert.ok(
        performance.now() - promotedAt < backWithinMs,
        `no call succeeds after kill ${kill}\n${service.logLines.slice(-20).join('')}`,
      )
      await sleep(10)
    }
    promotedMs.push(promotedAt - killedAt)
    backMs.push(crowd.lastDoneAt() - promotedAt)
    await crowd.stop()
    await crowd.check()
    const before = announced
    // The first ones may come before the connection that listens is back, which clears the caches.
    while (announced === before) {
      assert.ok(performance.now() - promotedAt < 2 * backWithinMs, `changes are not announced after kill ${kill}`)
      await crowd.change()
      await sleep(100)
    }
    assert.equal((await service.call('/health')).json.checks.listener, 'ok')
    crowd.start()
  }
  await crowd.stop()
  await crowd.check()
  const { done, figures } = crowd
  assert.ok(figures.slowestMs < slowestCallMs, `a call took ${figures.slowestMs} ms`)
  assert.ok(!service.logLines.some((line) => line.includes('"internal error"')))
  t.diagnostic(
    JSON.stringify({
      ...{
        way,
        seed,
        kills,
        promotions,
        orders: done.orders.size,
        payments: done.payments.size,
        refunds: done.refunds.size,
      },
      ...{ calls: figures.calls, refused: figures.refused, slowestMs: Math.round(figures.slowestMs) },
      ...{ promotedMs: promotedMs.map(Math.round), backMs: backMs.map(Math.round) },
    }),
  )
}
