import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, newDatabase, newFolder, startService } from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { startTraffic } from '../traffic/start.ts'
import { makeShortLivedOld, sizesOfShortLived } from './short-lived-rows.ts'

const minutes = Number(process.env.TEST_MINUTES ?? 60)
const parts = 12
const preload = fileURLToPath(new URL('collect-on-signal.ts', import.meta.url))
/** Together they make fifty calls a second. */
const [clients, everyMs] = [40, 800]

test(`${minutes} minutes of mixed calls leave memory, descriptors, times and tables as they were`, async (t) => {
  const database = await newDatabase(t, { migrated: true })
  const settings = {
    ...{ PORT: await freePort(), DATABASE_URL: database, VITRINE_DATA_DIR: newFolder(t) },
    ...{ VITRINE_DEMO_PORT: '0', LOG_LEVEL: 'warn' },
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${preload}`,
  }
  const { url, pid } = await startService(t, settings)
  const vitrine = commandsIn(settings)
  const market = await openMarket(t, vitrine)
  const options = { clients, everyMs, choose: () => url, repeats: true, looksAround: true }
  const traffic = await startTraffic(t, market, options)

  const sizes: Awaited<ReturnType<typeof sizesOfShortLived>>[] = []
  const samples: { minute: number; residentMb: number; descriptors: number }[] = []
  const startedAt = performance.now()
  const minute = () => (performance.now() - startedAt) / 60_000
  for (let part = 1; part <= parts; part++) {
    for (; minute() < (part * minutes) / parts; await sleep(Math.min(58_000, (60_000 * minutes) / parts / 2))) {
      assert.deepEqual(traffic.faults, [])
      process.kill(pid, 'SIGUSR2')
      await sleep(1_500)
      samples.push({ minute: minute(), residentMb: residentMb(pid), descriptors: countDescriptors(pid) })
    }
    const times = traffic.takeTimes()
    const [p50, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)] ?? 0) as [number, number]
    const { residentMb: mb = 0, descriptors = 0 } = samples.at(-1) ?? {}
    t.diagnostic(
      `minute ${Math.round(minute())}: ${times.length} calls, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
        `${Math.round(mb)} MB, ${descriptors} descriptors`,
    )
    // A part is as long as rows are kept: what was there before it has been deleted at its end.
    sizes.push(await sizesOfShortLived(database))
    await makeShortLivedOld(database)
  }
  await traffic.stop()
  // The first third fills caches and lets the engine optimize.
  const settled = samples.filter((sample) => sample.minute > minutes / 3)
  const slope = 60 * slopeOf(settled.map((sample) => [sample.minute, sample.residentMb]))
  const counts = settled.map(({ descriptors }) => descriptors)
  t.diagnostic(traffic.tell())
  t.diagnostic(
    `memory grows by ${slope.toFixed(1)} MB an hour; ${Math.min(...counts)} to ${Math.max(...counts)} descriptors`,
  )
  if (minutes >= 60) assert.ok(slope < 6, `memory grows by ${slope.toFixed(1)} MB an hour`)
  assert.ok(Math.max(...counts) - Math.min(...counts) < 50, 'descriptors are not closed')
  for (const { name, ...last } of sizes.at(-1) ?? []) {
    const first = sizes[1]?.find((table) => table.name === name) ?? assert.fail(`${name} is missing`)
    const told = `${name}: ${first.rows} rows and ${first.mb.toFixed(1)} MB in the second part, ${last.rows} and ${last.mb.toFixed(1)} in the last`
    t.diagnostic(told)
    if (minutes >= 60) assert.ok(last.rows < 2 * first.rows && last.mb < 2 * first.mb, told)
  }
  await checkLedger(market, traffic.ledger, { url, vitrine })
})

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const countDescriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** By the method of least squares. */
const slopeOf = (points: readonly (readonly [x: number, y: number])[]) => {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const sum = (term: (x: number, y: number) => number) =>
    points.reduce((total, [x, y]) => total + term(x - meanX, y - meanY), 0)
  return sum((x, y) => x * y) / sum((x) => x * x)
}
