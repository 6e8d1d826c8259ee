import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  launchService,
  postgresPid,
  type Running,
  seededInstallation,
  startService,
  until,
} from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { awaitEvents, checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { randomFor } from '../traffic/random.ts'
import { startTraffic } from '../traffic/start.ts'
import { isHealthy } from './health.ts'

export type Victim = 'service' | 'database'

export type KillOptions = {
  /** One after another. */
  victims: readonly Victim[]
  clients: number
  /** The time between two kills is random, up to this. */
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
  const settings = { ...(await seededInstallation(t)), LOG_LEVEL: 'warn', ...options.settings }
  let service: Pick<Running, 'child' | 'seen' | 'url' | 'stop'> = await startService(t, settings)
  const vitrine = commandsIn(settings)
  const market = await openMarket(t, vitrine)
  const { url } = service
  const traffic = await startTraffic(t, market, { clients, choose: () => url, repeats: true, random })
  const readyAfterMs: number[] = []
  for (const victim of victims) {
    await sleep(random() * everyMs)
    await traffic.awaitOrders()
    const killedAt = performance.now()
    if (victim === 'service') {
      await service.stop('SIGKILL')
      service = launchService(t, settings)
    } else {
      process.kill(postgresPid(settings.VITRINE_DATA_DIR) ?? assert.fail('PostgreSQL does not run'), 'SIGKILL')
      await until(async () => !(await isHealthy(url)))
    }
    await until(() => isHealthy(url))
    readyAfterMs.push(performance.now() - killedAt)
  }
  await traffic.awaitOrders()
  await traffic.stop()
  const slowest = Math.round(Math.max(...readyAfterMs))
  t.diagnostic(`${victims.length} kills, ready again after ${median(readyAfterMs)} ms (slowest ${slowest} ms)`)
  t.diagnostic(traffic.tell())
  await checkLedger(market, traffic.ledger, { url, vitrine })
  if (eventsMs !== undefined) await awaitEvents(market, traffic.ledger, eventsMs)
}

const median = (values: readonly number[]) => Math.round([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0)
