import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder, until } from '../../src/cli/fixture.ts'
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
  const listensMs: number[] = []
  const promotedMs: number[] = []
  let promotions = 0
  for (let kill = 1; kill <= kills; kill++) {
    await cluster.untilSynchronous()
    await sleep(1_000 + 500 * random())
    const killedAt = performance.now()
    const killed = await cluster.killPrimary()
    if ((await cluster.untilPrimary()) !== killed) promotions++
    const promotedAt = performance.now()
    const lines = () => service.logLines.slice(-20).join('')
    const [, listensAt] = await Promise.all([
      awaitBack(`no call succeeds after kill ${kill}`, lines, () => {
        assert.deepEqual(traffic.faults, [])
        return traffic.lastSuccessAt() >= promotedAt
      }),
      awaitBack(`changes are not announced after kill ${kill}`, lines, async () => {
        const { json } = await service.call('/health')
        return json.checks?.listener === 'ok'
      }),
    ])
    promotedMs.push(promotedAt - killedAt)
    backMs.push(traffic.lastSuccessAt() - promotedAt)
    listensMs.push(listensAt - promotedAt)
    await traffic.pause(async () => {
      await check()
      const before = announced
      // The listener of this test may be back later than that of the service.
      await until(async () => {
        const other = await newStore(service)
        await other.add({ name: 'Jug', price: 1 })
        await sleep(100)
        return announced > before
      })
    })
  }
  await traffic.stop()
  await check()
  // The service answers all the time, and within the time of two attempts to connect.
  assert.equal(traffic.answers.none, undefined)
  assert.ok(traffic.slowestMs() < slowestCallMs, `a call took ${traffic.slowestMs()} ms`)
  assert.ok(!service.logLines.some((line) => line.includes('"internal error"')))
  t.diagnostic(`${way}: ${kills} kills, ${promotions} promotions; ${traffic.tell()}`)
  const [promoted, back, listens] = [promotedMs, backMs, listensMs].map((times) => times.map(Math.round).join(', '))
  t.diagnostic(`promoted after ${promoted} ms; the first success ${back} ms later, the listener ${listens} ms later`)
}

/** Returns the time at which this holds. */
const awaitBack = async (failure: string, lines: () => string, isBack: () => boolean | Promise<boolean>) => {
  const beganAt = performance.now()
  while (!(await isBack())) {
    assert.ok(performance.now() - beganAt < backWithinMs, `${failure}\n${lines()}`)
    await sleep(10)
  }
  return performance.now()
}
