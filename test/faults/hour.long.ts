import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTemplate, seededInstallation, startService } from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { newCalls } from './calls.ts'
import { checkAcknowledged } from './check.ts'
import { openMarket } from './market.ts'
import { newPeople, type People } from './people.ts'
import { newSeed, type Random, seededRandom } from './random.ts'

makeTemplate()

const minutes = Number(process.env.TEST_MINUTES ?? 60)
const callsPerSecond = 50
const parts = 12

/** A share of each kind; the sum is 1. An order is three calls or more. */
const mix = (people: People, storeId: string): [share: number, does: (buyer: Headers) => Promise<unknown>][] => {
  const { shopper, merchant, call } = people
  const read = (path: string) => () => call({ method: 'GET', path, headers: shopper })
  const look = (path: string) => () =>
    call({ method: 'GET', path: `/admin/v1/stores/${storeId}${path}`, headers: merchant })
  return [
    [0.2, read('/v1/products?limit=20')],
    [0.2, read('/v1/products/mug')],
    [0.1, read('/v1/products?search=mug')],
    [0.1, read('/v1/store')],
    [0.15, people.fillCart],
    [0.1, async (buyer) => people.fillCart(buyer).then(() => people.order(buyer))],
    [0.1, look('/orders?limit=20')],
    [0.05, look('/today')],
  ]
}
type Headers = Record<string, string>

const pick = <Choice>(choices: readonly [number, Choice][], random: Random) => {
  let left = random()
  for (const [share, choice] of choices) {
    left -= share
    if (left <= 0) return choice
  }
  return choices.at(-1)?.[1] as Choice
}

test(`${minutes} minutes of mixed calls leave memory, descriptors and times as they were`, async (t) => {
  const settings = { ...(await seededInstallation(t)), LOG_LEVEL: 'warn' }
  const { url, pid } = await startService(t, settings)
  const market = await openMarket(t, commandsIn(settings))
  const seed = newSeed()
  const random = seededRandom(seed)
  t.diagnostic(`TEST_SEED=${seed} repeats the choices of this run`)
  const calls = newCalls(url, random)
  const people = await newPeople(market, calls, random)
  const actions = mix(people, market.storeId)
  // Each does one thing at a time.
  const buyers = (await Promise.all(Array.from({ length: 40 }, people.signUp))).map((headers) => ({
    headers,
    doing: Promise.resolve<unknown>(undefined),
  }))
  calls.takeTimes()

  const samples: { minute: number; residentMb: number; descriptors: number }[] = []
  const startedAt = performance.now()
  const minute = () => (performance.now() - startedAt) / 60_000
  for (let part = 1; part <= parts; part++) {
    for (let sampledAt = 0; minute() < (part * minutes) / parts; await sleep(1_000 / callsPerSecond)) {
      const buyer = buyers[Math.floor(random() * buyers.length)] as (typeof buyers)[number]
      const does = pick(actions, random)
      buyer.doing = buyer.doing
        .then(() => does(buyer.headers))
        .catch((error: Error) => void calls.faults.push(error.message))
      if (performance.now() < sampledAt) continue
      sampledAt = performance.now() + 5_000
      samples.push({ minute: minute(), residentMb: residentMb(pid), descriptors: countDescriptors(pid) })
    }
    const times = calls.takeTimes().sort((a, b) => a - b)
    const [p50, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)] ?? 0) as [number, number]
    const { residentMb: mb = 0, descriptors = 0 } = samples.at(-1) ?? {}
    t.diagnostic(
      `minute ${Math.round(minute())}: ${times.length} calls, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
        `${Math.round(mb)} MB, ${descriptors} descriptors`,
    )
  }
  await Promise.all(buyers.map(({ doing }) => doing))
  assert.deepEqual(calls.faults, [])
  // The first third fills caches and lets the engine optimize.
  const settled = samples.filter((sample) => sample.minute > minutes / 3)
  const slope = 60 * slopeOf(settled.map((sample) => [sample.minute, sample.residentMb]))
  const counts = settled.map(({ descriptors }) => descriptors)
  const { orders, paid, refunds } = people.acknowledged
  t.diagnostic(
    `memory grows by ${slope.toFixed(1)} MB an hour; ${Math.min(...counts)} to ${Math.max(...counts)} descriptors; ` +
      `${orders.size} orders, ${paid.size} payments, ${refunds.size} refunds`,
  )
  if (minutes >= 60) assert.ok(slope < 6, `memory grows by ${slope.toFixed(1)} MB an hour`)
  assert.ok(Math.max(...counts) - Math.min(...counts) < 50, 'descriptors are not closed')
  await checkAcknowledged(market, people.acknowledged, { url, settings })
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
