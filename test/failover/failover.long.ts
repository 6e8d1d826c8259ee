import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder } from '../../src/cli/fixture.ts'
import { channel } from '../../src/db/announce.ts'
import { listen } from '../../src/db/listen.ts'
import { migrate } from '../../src/db/migrate.ts'
import { commandsIn } from '../every-command.ts'
import { newStore, startTestService } from '../harness.ts'
import { checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { randomFor } from '../traffic/random.ts'
import { startTraffic } from '../traffic/start.ts'
import { lacksPatroni, managedClusterFor } from './patroni.ts'

const kills = Number(process.env.FAILOVER_KILLS ?? 10)
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
  const secret = 's'.repeat(40)
  const service = await startTestService({ databaseUrl: url, databasePoolSize: 10, jobs: {}, secrets: [secret] })
  t.after(() => service.close())
  let announced = 0
  const listener = await listen({
    ...{ connection: { connectionString: url }, channel, onLost: () => {}, onReconnect: () => {} },
    onMessage: () => {
      announced++
    },
  })
  t.after(() => listener.close())
  const vitrine = commandsIn({ DATABASE_URL: url, VITRINE_SECRET: secret, VITRINE_DATA_DIR: newFolder(t) })
  const market = await openMarket(t, vitrine)
  const random = randomFor(t)
  const traffic = await startTraffic(t, market, { clients: 8, choose: () => service.url, repeats: true, random })
  const check = () => checkLedger(market, traffic.ledger, { url: service.url, vitrine })
  const backMs: number[] = []
  const promotedMs: number[] = []
  let promotions = 0
  for (let kill = 1; kill <= kills; kill++) {
    await cluster.untilSynchronous()
    await sleep(1_000 + 500 * random())
    const killedAt = performance.now()
    const killed = await cluster.killPrimary()
    if ((await cluster.untilPrimary()) !== killed) promotions++
    const promotedAt = performance.now()
    while (traffic.lastSuccessAt() < promotedAt) {
      assert.deepEqual(traffic.faults, [])
      assert.ok(
        performance.now() - promotedAt < backWithinMs,
        `no call succeeds after kill ${kill}\n${service.logLines.slice(-20).join('')}`,
      )
      await sleep(10)
    }
    promotedMs.push(promotedAt - killedAt)
    backMs.push(traffic.lastSuccessAt() - promotedAt)
    await traffic.stop()
    await check()
    const [before, checkedAt] = [announced, performance.now()]
    // The first ones may come before the connection that listens is back, which clears the caches.
    while (announced === before) {
      assert.ok(performance.now() - checkedAt < 2 * backWithinMs, `changes are not announced after kill ${kill}`)
      const other = await newStore(service)
      await other.add({ name: 'Jug', price: 1 })
      await sleep(100)
    }
    assert.equal((await service.call('/health')).json.checks.listener, 'ok')
    traffic.start()
  }
  await traffic.stop()
  await check()
  // The service answers all the time, and within the time of two attempts to connect.
  assert.equal(traffic.answers.none, undefined)
  assert.ok(traffic.slowestMs() < slowestCallMs, `a call took ${traffic.slowestMs()} ms`)
  assert.ok(!service.logLines.some((line) => line.includes('"internal error"')))
  t.diagnostic(`${way}: ${kills} kills, ${promotions} promotions; ${traffic.tell()}`)
  const [promoted, back] = [promotedMs, backMs].map((times) => times.map(Math.round).join(', '))
  t.diagnostic(`promoted after ${promoted} ms; the first success ${back} ms later`)
}
