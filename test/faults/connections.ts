import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, newDatabase, newFolder, startService, undo, until } from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { type Line, openLine } from '../outage.ts'
import { checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { type Random, randomFor } from '../traffic/random.ts'
import { startTraffic } from '../traffic/start.ts'
import { isHealthy } from './health.ts'

type Fault = { name: string; begin(line: Line, random: Random): unknown }

const faults: readonly Fault[] = [
  { name: 'cut', begin: (line) => line.cut() },
  { name: 'half-open', begin: (line) => line.silence() },
  { name: 'slow', begin: (line, random) => line.delay(Math.ceil(300 * random())) },
  { name: 'exhausted', begin: (line) => line.exhaust() },
]

/**
 * The network between the service and its database fails in each way, `rounds` times, while buyers buy. Connections that
 * were silent for long are given up by the service itself.
 */
export const breakConnections = async (
  t: TestContext,
  { rounds, clients, lastsMs }: { rounds: number; clients: number; lastsMs: number },
) => {
  const random = randomFor(t)
  const direct = await newDatabase(t, { migrated: true })
  const line = await openLine(t, direct)
  const settings = {
    PORT: await freePort(),
    VITRINE_DATA_DIR: newFolder(t),
    VITRINE_DEMO_PORT: '0',
    LOG_LEVEL: 'error',
  }
  const { url, seen } = await startService(t, { ...settings, DATABASE_URL: line.url })
  undo(t, () => {
    // The reason of a 500, which is a fault, and of what a check was answered.
    const lines = seen.stdout.split('\n').filter((text) => text !== '')
    for (const line of lines.filter((text) => text.includes('internal error'))) t.diagnostic(line)
    if (!t.passed) for (const line of lines.slice(-5)) t.diagnostic(line)
  })
  const vitrine = commandsIn({ ...settings, DATABASE_URL: direct })
  const market = await openMarket(t, vitrine)
  const traffic = await startTraffic(t, market, { clients, choose: () => url, repeats: true, random })
  const check = () => checkLedger(market, traffic.ledger, { url, vitrine })
  for (let round = 0; round < rounds; round++) {
    for (const { name, begin } of faults) {
      await begin(line, random)
      await sleep(lastsMs * random())
      await line.mend()
      const mendedAt = performance.now()
      await until(() => isHealthy(url))
      await traffic.awaitOrders()
      const tookMs = performance.now() - mendedAt
      // Everyone gets on before the next fault.
      await traffic.awaitOrders(clients)
      t.diagnostic(`${name}: orders again ${Math.round(tookMs)} ms after the end`)
      await traffic.pause(check)
    }
  }
  await traffic.stop()
  t.diagnostic(traffic.tell())
  // The service answers all the time.
  assert.equal(traffic.answers.none, undefined)
  await check()
}
