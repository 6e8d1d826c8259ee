import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openEmbedded } from '../src/db/embedded.ts'
import { findServer, readProcessorTimes } from './buying-cpu.ts'
import { openSandboxSide, type PaymentSide } from './payment-sides.ts'
import { type OneRequest, quantile, sendEach } from './send-each.ts'
import { newDataDir, removeDataDir, startService } from './service.ts'

const help = `npm run bench:outbox -- [--orders 200] [--rounds 40] [--smoke]

Measures what recording an event costs a checkout and a settlement: the same service, switched between recording and not
recording, in turns. Prints the share that recording adds to the processor time of service and database, and to the time
until the last answer; the median of all rounds, and the middle half of them.

  --orders N  of each side in a round
  --rounds N  of both sides
  --smoke     everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '40' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const { smoke } = values
const orders = smoke ? 10 : Number(values.orders)
const rounds = smoke ? 1 : Number(values.rounds)
/** Warm-up rounds, which are not counted. */
const warmUpRounds = smoke ? 0 : 3
const connections = 8

const print = (text: string) => void process.stdout.write(`${text}\n`)

type Bench = { servicePid: number; serverPid: number; connection: pg.ClientConfig; side: PaymentSide }

const main = async () => {
  if (values.help) return print(help)
  const preload = new URL('./without-events.ts', import.meta.url)
  const dataDir = newDataDir()
  // From the source: a bundle has a client of PostgreSQL of its own.
  const source = new URL('../src/main.ts', import.meta.url).pathname
  const service = await startService(dataDir, { NODE_OPTIONS: `--import ${preload}` }, source)
  const database = await openEmbedded({ dataDir, role: 'command' })
  const { connection } = database
  try {
    const side = await openSandboxSide({ service, connection, products: smoke ? 50 : 500 })
    await side.addBuyers(2 * orders * (warmUpRounds + rounds))
    await measure({ servicePid: service.pid, serverPid: await findServer(connection), connection, side })
  } finally {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
  }
}

/** Of the requests of one side in one round: processor time and time until the last answer. */
type Cost = { processor: number; time: number }
type Step = 'checkout' | 'settlement'
type Round = Record<Step, Cost>

const measure = async (bench: Bench) => {
  const recording: Round[] = []
  const silent: Round[] = []
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    // Without fresh statistics the plans of a round depend on when autovacuum last ran.
    await query(bench, 'vacuum analyze')
    // Each side is the first one after the vacuum in every other round.
    for (const records of round % 2 === 0 ? [true, false] : [false, true]) {
      if (!records) process.kill(bench.servicePid, 'SIGUSR2')
      const costs = await buy(bench, records)
      if (!records) process.kill(bench.servicePid, 'SIGUSR2')
      if (round >= warmUpRounds) (records ? recording : silent).push(costs)
    }
  }
  print(`What recording events adds (${rounds} rounds of ${orders} orders with it and ${orders} without)`)
  for (const step of ['checkout', 'settlement'] as const) {
    const added = (of: keyof Cost) => {
      const shares = recording.map((costs, i) => costs[step][of] / (silent[i]?.[step][of] ?? Number.NaN) - 1)
      const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => `${(quantile(shares, share) * 100).toFixed(1)} %`)
      return `${middle} (${low} to ${high})`
    }
    print(`  ${step.padEnd(12)}processor time ${added('processor')}, time ${added('time')}`)
  }
}

const buy = async (bench: Bench, records: boolean): Promise<Round> => {
  const { side } = bench
  const before = await countEvents(bench)
  const { answers, ...checkout } = await send(bench, side.nextCheckouts(orders), 201)
  const webhooks = await side.payAll(answers)
  const { answers: _, ...settlement } = await send(bench, webhooks.flat(), 200)
  const recorded = (await countEvents(bench)) - before
  // Otherwise the figures would compare something else.
  if (recorded !== (records ? 2 * orders : 0)) throw new Error(`${recorded} events were recorded.`)
  return { checkout, settlement }
}

const send = async (bench: Bench, requests: readonly OneRequest[], status: number) => {
  await sleep(100)
  const before = readProcessorTimes(bench.servicePid, bench.serverPid)
  const began = performance.now()
  const answers = await sendEach(requests, connections)
  const time = performance.now() - began
  const after = readProcessorTimes(bench.servicePid, bench.serverPid)
  const other = answers.find((answer) => answer.status !== status)
  if (other !== undefined) throw new Error(`A request was answered with ${other.status}: ${other.body}`)
  return { answers, time, processor: after.service + after.database - before.service - before.database }
}

const countEvents = async (bench: Bench) => Number((await query(bench, 'select count(*) from event'))[0]?.count)

const query = async ({ connection }: Bench, text: string) => {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query<{ count: string }>(text)
  await client.end()
  return rows
}

await main()
