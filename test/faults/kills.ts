import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  freePort,
  launchService,
  postgresPid,
  type Running,
  seededInstallation,
  startService,
  until,
  workersOf,
} from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { awaitEvents, checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { randomFor } from '../traffic/random.ts'
import { startTraffic } from '../traffic/start.ts'
import { isHealthy } from './health.ts'
import { waitedForProcessorMs } from './processor-waits.ts'

export type Victim = 'service' | 'database'

export type KillOptions = {
  /** One after another. */
  victims: readonly Victim[]
  clients: number
  /** A kill comes at a random moment in this time, after half as many orders as there are clients. */
  everyMs: number
  /** Settings of the service, such as its workers. */
  settings?: Record<string, string>
  /** How long deliveries of events are awaited at the end. Those under way at a kill are sent again after 40 seconds. */
  eventsMs?: number
}

/**
 * Kills the service or its PostgreSQL with SIGKILL at random moments, while buyers buy. The service is started again by
 * this function, as a service manager would; the service itself restarts its embedded PostgreSQL.
 */
export const killAtRandom = async (t: TestContext, options: KillOptions) => {
  const { victims, clients, everyMs, eventsMs } = options
  const random = randomFor(t)
  // With one port of the demo shop: each new one adds origins to its store.
  const installation = { ...(await seededInstallation(t)), VITRINE_DEMO_PORT: await freePort() }
  const settings = { ...installation, LOG_LEVEL: 'warn', ...options.settings }
  let service: Running = await startService(t, settings)
  const vitrine = commandsIn(settings)
  const market = await openMarket(t, vitrine)
  const { url } = service
  const traffic = await startTraffic(t, market, { clients, choose: () => url, repeats: true, random })
  const check = () => checkLedger(market, traffic.ledger, { url, vitrine })
  const readyAfterMs: number[] = []
  const ownMs: number[] = []
  for (const victim of victims) {
    // On a slow machine too, calls get on between two kills. Then the moment is random.
    await traffic.awaitOrders(Math.ceil(clients / 2))
    await sleep(random() * everyMs)
    const killedAt = performance.now()
    if (victim === 'service') {
      await service.stop('SIGKILL')
      service = launchService(t, settings)
    } else {
      process.kill(postgresPid(settings.VITRINE_DATA_DIR) ?? assert.fail('PostgreSQL does not run'), 'SIGKILL')
      await until(async () => !(await isHealthy(url)))
    }
    await until(() => {
      const { child, seen } = service
      assert.equal(child.exitCode ?? child.signalCode, null, `the service ended: ${seen.stdout}${seen.stderr}`)
      return isHealthy(url)
    })
    const tookMs = performance.now() - killedAt
    readyAfterMs.push(tookMs)
    if (victim === 'service') {
      // The first worker is the one that answers, and begins when the main process has opened the database.
      const inTurn = [service.pid, ...workersOf(service).slice(0, 1)]
      ownMs.push(inTurn.map(waitedForProcessorMs).reduce((left, waitedMs) => left - waitedMs, tookMs))
    }
    await traffic.pause(check)
  }
  await traffic.awaitOrders()
  await traffic.stop()
  t.diagnostic(`${victims.length} kills, ready again after ${describeTimes(readyAfterMs)}`)
  if (ownMs.length > 0) t.diagnostic(`less the time that it waited for a processor: ${describeTimes(ownMs)}`)
  t.diagnostic(traffic.tell())
  await check()
  if (eventsMs !== undefined) await awaitEvents(market, traffic.ledger, eventsMs)
}

const describeTimes = (timesMs: readonly number[]) => {
  const sorted = timesMs.map(Math.round).sort((a, b) => a - b)
  return `${sorted[sorted.length >> 1]} ms (slowest ${sorted.at(-1)} ms)`
}
