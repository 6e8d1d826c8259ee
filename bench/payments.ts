import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { systemClock } from '../src/core/clock.ts'
import { connectDb } from '../src/db/database.ts'
import { openEmbedded } from '../src/db/embedded.ts'
import { checkInvariants } from '../src/features/doctor/invariants.ts'
import { costOfEach, findServer, readProcessorTimes } from './buying-cpu.ts'
import { openDoubleSide, openSandboxSide, type PaymentSide, startDoubles, stopDoubles } from './payment-sides.ts'
import { type OneAnswer, type OneRequest, quantile, sendEach } from './send-each.ts'
import { cpuSeconds, newDataDir, removeDataDir, startService } from './service.ts'

const help = `npm run bench:payments -- [--purchases 200] [--rounds 9] [--burst 1000] [--smoke]

Measures purchases, from the checkout to the webhook that settles the order, with Stripe, Razorpay and Juspay against the
same purchases with the sandbox, in turns. Doubles in their own processes stand in for the providers. Processor time is
that of the service and the database; that of the doubles is left out. Then sends a burst of webhooks about different
unpaid orders, and the same again. Read the ratios: a noisy machine moves the times of both sides.

  --purchases N  of each provider in a round
  --rounds N     of which the median counts
  --burst N      webhooks of a burst
  --smoke        everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    purchases: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '9' },
    burst: { type: 'string', default: '1000' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const { smoke } = values
const products = smoke ? 50 : 500
const rounds = smoke ? 1 : Number(values.rounds)
const purchases = smoke ? 10 : Number(values.purchases)
/** Purchases of a round that are made one after the other, to measure their time. */
const alone = smoke ? 5 : Math.ceil(purchases / 4)
const burst = smoke ? 50 : Number(values.burst)
/** Warm-up rounds, which are not counted. */
const warmUpRounds = smoke ? 0 : 1
const connections = 16
const burstConnections = 100

const print = (text: string) => void process.stdout.write(`${text}\n`)

type Bench = { servicePid: number; serverPid: number; connection: pg.ClientConfig; sides: readonly PaymentSide[] }

const main = async () => {
  if (values.help) return print(help)
  const doubles = await startDoubles()
  const dataDir = newDataDir()
  const urls = Object.fromEntries(doubles.map(({ name, url }) => [`VITRINE_${name.toUpperCase()}_URL`, url]))
  const service = await startService(dataDir, urls)
  const database = await openEmbedded({ dataDir, role: 'command' })
  const { connection } = database
  try {
    const place = { service, connection, products }
    const sides = [await openSandboxSide(place)]
    for (const double of doubles) sides.push(await openDoubleSide(place, double))
    const bench = { servicePid: service.pid, serverPid: await findServer(connection), connection, sides }
    await measurePurchases(bench)
    await measureBursts(bench)
    await checkData(connection)
  } finally {
    await database.stop()
    await service.stop()
    await stopDoubles(doubles)
    removeDataDir(dataDir)
  }
}

/** Milliseconds of each purchase. `more` is the cost of events about an order that is paid already. */
type Purchase = Record<'service' | 'database' | 'checkout' | 'settlement' | 'paid' | 'more' | 'alone', number>

const measurePurchases = async (bench: Bench) => {
  const total = (purchases + alone) * (warmUpRounds + rounds)
  for (const side of bench.sides) await side.addBuyers(total)
  const measured = new Map(bench.sides.map(({ name }) => [name, [] as Purchase[]]))
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    // Without fresh statistics the plans of a round depend on when autovacuum last ran.
    await query(bench, 'vacuum analyze')
    // No side is always the first one after the vacuum.
    const turn = round % bench.sides.length
    for (const side of [...bench.sides.slice(turn), ...bench.sides.slice(0, turn)]) {
      const figures = { ...(await measureCost(bench, side)), alone: await measureTime(bench, side) }
      if (round >= warmUpRounds) measured.get(side.name)?.push(figures)
    }
  }
  printPurchases(measured)
}

/**
 * Many at once, as a busy service gets them. The double is stopped while the orders are settled: what the service asks it
 * after that, such as what an order was paid with, is counted with the further events.
 */
const measureCost = async (bench: Bench, side: PaymentSide) => {
  const cost = async (requests: readonly OneRequest[]) => {
    const before = readProcessorTimes(bench.servicePid, bench.serverPid)
    const answers = await sendEach(requests, connections)
    await untilIdle(bench)
    const after = readProcessorTimes(bench.servicePid, bench.serverPid)
    return { answers, ...costOfEach(before, after, purchases) }
  }
  const checkout = await cost(side.nextCheckouts(purchases))
  const webhooks = await side.payAll(checkout.answers)
  const settlement = await whileStopped(side.doublePid, () => cost(webhooks.flatMap(settling)))
  const more = await cost(webhooks.flatMap((about) => about.slice(0, -1)))
  requireSuccess(side, [...settlement.answers, ...more.answers])
  const service = checkout.service + settlement.service
  const database = checkout.database + settlement.database
  return {
    ...{ service, database, paid: service + database },
    checkout: checkout.service + checkout.database,
    settlement: settlement.service + settlement.database,
    more: more.service + more.database,
  }
}

const whileStopped = async <Result>(pid: number | undefined, work: () => Promise<Result>): Promise<Result> => {
  if (pid === undefined) return work()
  process.kill(pid, 'SIGSTOP')
  try {
    return await work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** The last event about an order settles it, whatever the provider. */
const settling = (about: readonly OneRequest[]) => about.slice(-1)

/** One after the other. The service waits while the double works, so the processor time of the double is subtracted. */
const measureTime = async (bench: Bench, { doublePid, ...side }: PaymentSide) => {
  const time = async (requests: readonly OneRequest[]) => {
    const beforeSeconds = doublePid === undefined ? 0 : cpuSeconds(doublePid)
    const answers = await sendEach(requests, 1)
    const doubleMs = doublePid === undefined ? 0 : (cpuSeconds(doublePid) - beforeSeconds) * 1000
    const answerMs = answers.reduce((sum, answer) => sum + answer.answerMs, 0)
    return { answers, ownMs: (answerMs - doubleMs) / alone }
  }
  const checkout = await time(side.nextCheckouts(alone))
  const settlement = await time((await side.payAll(checkout.answers)).flatMap(settling))
  await untilIdle(bench)
  return checkout.ownMs + settlement.ownMs
}

/** Some work follows an answer: Stripe is asked what an order was paid with. */
const untilIdle = async ({ servicePid }: Bench) => {
  for (let before = -1; before !== cpuSeconds(servicePid); ) {
    before = cpuSeconds(servicePid)
    await sleep(200)
  }
}

const requireSuccess = ({ name }: PaymentSide, answers: readonly OneAnswer[]) => {
  const refused = answers.find(({ status }) => status !== 200)
  if (refused) throw new Error(`${name}: a webhook was answered with ${refused.status}: ${refused.body}`)
}

const printRow = (name: string, cells: readonly string[]) =>
  print(name.padEnd(10) + cells.map((cell) => cell.padStart(11)).join(''))

const printPurchases = (measured: ReadonlyMap<string, readonly Purchase[]>) => {
  print('processor ms from checkout to paid, and of further events; ms of a purchase made alone; ratios to the sandbox')
  printRow('', ['service', 'database', 'checkout', 'settlement', 'paid', 'ratio', 'more', 'alone', 'ratio'])
  const sandbox = measured.get('sandbox') ?? []
  for (const [name, runs] of measured) {
    const middle = (part: keyof Purchase) => median(runs.map((run) => run[part]))
    // Round by round, since the speed of the machine changes between rounds.
    const ratio = (part: keyof Purchase) =>
      median(runs.map((run, round) => run[part] / (sandbox[round]?.[part] ?? Number.NaN)))
    printRow(name, [
      ...[middle('service'), middle('database'), middle('checkout'), middle('settlement')],
      ...[middle('paid'), ratio('paid'), middle('more'), middle('alone'), ratio('alone')],
    ])
  }
}

const median = (figures: readonly number[]) => quantile(figures, 0.5).toFixed(2)

const measureBursts = async (bench: Bench) => {
  print(`a burst of ${burst} webhooks on ${burstConnections} connections: ms until the answer`)
  printRow('', ['p50', 'p99', 'max', 'paid', 'again: p50', 'p99', 'max', 'paid'])
  for (const side of bench.sides) {
    await side.addBuyers(burst)
    await query(bench, 'vacuum analyze')
    const checkouts = await sendEach(side.nextCheckouts(burst), connections)
    const orders = checkouts.map(({ body }) => JSON.parse(body).order.id as string)
    const webhooks = (await side.payAll(checkouts)).flatMap(settling)
    if (webhooks.length !== burst) throw new Error(`${side.name}: ${webhooks.length} webhooks for ${burst} orders.`)
    const cells: string[] = []
    for (let time = 0; time < 2; time++) {
      await untilIdle(bench)
      const answers = await sendEach(webhooks, burstConnections)
      requireSuccess(side, answers)
      const times = answers.map(({ answerMs }) => answerMs)
      cells.push(...[0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(0)))
      cells.push(String(await countPaid(bench, side, orders)))
    }
    printRow(side.name, cells)
  }
}

const countPaid = async (bench: Bench, { storeId }: PaymentSide, orders: readonly string[]) => {
  const [row] = await query(
    bench,
    `select count(*) as paid from orders where store_id = $1 and id = any ($2) and status = 'paid'`,
    [storeId, orders],
  )
  return Number(row?.paid)
}

const query = async ({ connection }: Bench, text: string, parameters: unknown[] = []) => {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query(text, parameters)
  await client.end()
  return rows as Record<string, unknown>[]
}

/** A fast result counts only if the data are correct. */
const checkData = async (connection: pg.ClientConfig) => {
  const db = connectDb({ connection, poolSize: 1, clock: systemClock, statementTimeoutMs: 600_000 })
  const findings = await checkInvariants(db)
  await db.close()
  for (const { rule, sentence } of findings) print(`  ${rule}: ${sentence}`)
  if (findings.length > 0) throw new Error('The invariants do not hold.')
  print('the invariants hold')
}

await main()
