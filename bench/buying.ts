import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/core/clock.ts'
import { connectDb } from '../src/db/database.ts'
import { checkInvariants } from '../src/features/doctor/invariants.ts'
import { balanceLedgers } from '../test/put-on-hand.ts'
import { costOfEach, type ProcessorTimes, readProcessorTimes } from './buying-cpu.ts'
import { checkoutOf, type PlacedOrder, recordBuying, settlementOf } from './buying-scripts.ts'
import { fillBuyers, fillOrders, sessionOf } from './fill-buyers.ts'
import { connections, requestLine as line, type Measured, median, requireWrk, sendRequests } from './load.ts'
import { runPgbench } from './pgbench.ts'
import { serviceSettings } from './record-requests.ts'
import { openSellingStore, type SellingStore } from './selling-store.ts'
import { residentMegabytes } from './service.ts'

const help = `npm run bench:buying -- [--million] [--seconds 4] [--rounds 3] [--smoke]

Measures checkout and settlement over HTTP against the same statements sent by pgbench to the same database, in turns; a
flash sale of 100 units to 5,000 buyers; and the list of orders. Then the invariants are checked. Read the ratios and the
processor time: a noisy machine moves the rates of both sides. Needs wrk and pgbench.

  --million     the list of orders again with 1,000,000 orders in the store; filling them takes minutes
  --seconds N   of each run
  --rounds N    runs of each, of which the median counts
  --smoke       everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    million: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const { smoke } = values
const products = smoke ? 200 : 10_000
const seconds = smoke ? 1 : Number(values.seconds)
const rounds = smoke ? 1 : Number(values.rounds)
/** Warm-up rounds, which are not counted. */
const warmUpRounds = smoke ? 0 : 1
/** More than either side can serve in a run, and the share of each client of pgbench. */
const buyersOfRun = 1_000 * seconds
const turnsOfRun = smoke ? 20 : 60 * seconds
const sale = smoke ? { units: 20, people: 500 } : { units: 100, people: 5_000 }
const pastOrders = smoke ? { customers: 100, orders: 1_000 } : { customers: 1_000, orders: 10_000 }

type Bench = SellingStore & { folder: string; buyersOfRun: number }

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const store = await openSellingStore(products)
  try {
    const bench = { ...store, folder, buyersOfRun }
    print(
      `${''.padEnd(26)}${['a second', 'p50 ms', 'p99 ms', 'pgbench', 'ratio'].map((word) => word.padStart(11)).join('')}`,
    )
    await measureBuying(bench)
    await measureFlashSale(bench)
    await checkBooks(bench)
    await measureOrders(bench)
    print(`service: ${residentMegabytes(store.service.pid).toFixed(0)} MB`)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

let buyers = 0
/** The next buyers with their carts. */
const moreBuyers = async ({ database, store }: Bench, count: number, product?: number) => {
  const range = { from: buyers + 1, to: buyers + count }
  buyers += count
  await fillBuyers(database.connection, store, { ...range, ...(product === undefined ? {} : { product }) })
  return range
}

/** A measurement, with the processor time per request. */
type Costed<Figures> = Figures & { cost: ProcessorTimes }

const withCost = async <Figures>(bench: Bench, run: () => Promise<Figures>, countOf: (figures: Figures) => number) => {
  const before = readProcessorTimes(bench.service.pid, bench.serverPid)
  const figures = await run()
  const after = readProcessorTimes(bench.service.pid, bench.serverPid)
  return { ...figures, cost: costOfEach(before, after, countOf(figures)) }
}

/** Sends each request once. Starting the list again would measure repeated requests instead. */
const send = async (bench: Bench, requests: readonly string[]): Promise<Costed<Measured>> => {
  const { service, folder } = bench
  const file = join(folder, 'requests.tsv')
  writeFileSync(file, requests.join('\n'))
  const run = () => sendRequests({ file, pid: service.pid, url: service.url }, seconds)
  const measured = await withCost(bench, run, (figures) => figures.requests)
  if (measured.requests + connections > requests.length && !smoke) {
    throw new Error(`The ${requests.length} requests of a run were sent in less than ${seconds} seconds: prepare more.`)
  }
  return measured
}

const sendByPgbench = (bench: Bench, script: string) => {
  const run = { folder: bench.folder, clients: connections, each: turnsOfRun, settings: serviceSettings }
  return withCost(
    bench,
    () => runPgbench(bench.database.connection, script, run),
    () => connections * turnsOfRun,
  )
}

type Range = { from: number; to: number }

const toLine = ({ method, url, headers, body }: ReturnType<typeof checkoutOf | typeof settlementOf>) =>
  line(method, url, headers, body)

const checkouts = (bench: Bench, { from, to }: Range) =>
  Array.from({ length: to - from + 1 }, (_, i) => toLine(checkoutOf(bench, from + i)))

const customersOf = ({ from, to }: Range) => [from, to].map((n) => sessionOf(n).replace('ses', 'cus'))

const settlements = async (bench: Bench, range: Range) => {
  const rows = await bench.query(
    `select o.id, o.total_minor::integer as minor, p.id as payment from orders o
     join payment p on p.store_id = o.store_id and p.order_id = o.id
     where o.store_id = $1 and o.status = 'pending' and o.customer_id between $2 and $3`,
    [bench.store.id, ...customersOf(range)],
  )
  return rows.map((order) => toLine(settlementOf(bench, order as PlacedOrder)))
}

type Sides = { ours: Costed<Measured>[]; theirs: Costed<{ rate: number }>[] }

const measureBuying = async (bench: Bench) => {
  const two = await moreBuyers(bench, 2)
  const scripts = await recordBuying(bench, [two.from, two.to])
  const checkout: Sides = { ours: [], theirs: [] }
  const settlement: Sides = { ours: [], theirs: [] }
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const [first, second, third] = [await more(bench), await more(bench), await more(bench)]
    // Collects the statistics that a database has after a minute of use. Without them the plans of a run depend on
    // when autovacuum last ran.
    await bench.query('vacuum analyze')
    const bought = await send(bench, checkouts(bench, first))
    const boughtThere = await sendByPgbench(bench, scripts.checkout(second.from))
    // Both sides settle the same number of orders of the same kind.
    await sendByPgbench(bench, scripts.checkout(third.from))
    const settled = await send(bench, await settlements(bench, third))
    const settledThere = await sendByPgbench(bench, scripts.settlement(second.from))
    if (round < warmUpRounds) continue
    checkout.ours.push(bought)
    checkout.theirs.push(boughtThere)
    settlement.ours.push(settled)
    settlement.theirs.push(settledThere)
  }
  printSides('checkout', checkout)
  printSides('settlement', settlement)
}

const more = (bench: Bench) => moreBuyers(bench, buyersOfRun)

const printSides = (name: string, { ours, theirs }: Sides) => {
  printLine(name, median(ours), middle(theirs.map(({ rate }) => rate)))
  const cost = (runs: readonly { cost: ProcessorTimes }[], part: keyof ProcessorTimes) =>
    middle(runs.map((run) => run.cost[part])).toFixed(2)
  print(
    `  processor ms each: service ${cost(ours, 'service')}, database ${cost(ours, 'database')}; ` +
      `with pgbench: database ${cost(theirs, 'database')}, pgbench ${cost(theirs, 'driver')}`,
  )
}

const middle = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

const printLine = (name: string, ours: Measured, theirs?: number) => {
  const figures = [ours.rate.toFixed(0), ours.p50.toFixed(2), ours.p99.toFixed(2)]
  if (theirs !== undefined) figures.push(theirs.toFixed(0), (ours.rate / theirs).toFixed(2))
  print(name.padEnd(26) + figures.map((figure) => figure.padStart(11)).join(''))
  if (ours.errors > 0) throw new Error(`${name}: ${ours.errors} answers were errors.`)
}

/** One product, few units, and many buyers at once. */
const measureFlashSale = async (bench: Bench) => {
  const { store } = bench
  const { units, people } = sale
  const variant = `var_${store.id}_00000042`
  await bench.query('update stock set on_hand = reserved + $1 where store_id = $2 and variant_id = $3', [
    ...[units, store.id, variant],
  ])
  await bench.query(balanceLedgers)
  const range = await moreBuyers(bench, people, 42)
  const measured = await send(bench, checkouts(bench, range))
  const [sold] = await bench.query(
    `select count(*) as orders from order_line l where l.store_id = $1 and l.variant_id = $2 and exists (
       select from orders o where o.store_id = l.store_id and o.id = l.order_id and o.stock_state = 'reserved'
         and o.customer_id between $3 and $4)`,
    [store.id, variant, ...customersOf(range)],
  )
  if (Number(sold?.orders) > units) throw new Error(`${sold?.orders} orders were taken for ${units} units.`)
  print(
    `flash sale: ${sold?.orders} orders for ${units} units; ${measured.rate.toFixed(0)} answers a second, ` +
      `p50 ${measured.p50.toFixed(1)} ms, p99 ${measured.p99.toFixed(1)} ms`,
  )
}

/** A fast result counts only if the data are correct. */
const checkBooks = async ({ database }: Bench) => {
  const db = connectDb({
    connection: database.connection,
    poolSize: 1,
    clock: systemClock,
    statementTimeoutMs: 600_000,
  })
  const findings = await checkInvariants(db)
  await db.close()
  for (const { rule, sentence } of findings) print(`  ${rule}: ${sentence}`)
  if (findings.length > 0) throw new Error('The invariants do not hold.')
  print('the invariants hold: units, money, coupons and states agree')
}

const measureOrders = async (bench: Bench) => {
  const { store, database, key } = bench
  const range = await moreBuyers(bench, pastOrders.customers)
  const lists = Array.from({ length: pastOrders.customers }, (_, i) =>
    line('GET', '/v1/customer/orders', { 'x-store-key': key, authorization: `Bearer ${sessionOf(range.from + i)}` }),
  )
  const measureLists = async (orders: number) => {
    const runs: Measured[] = []
    const file = join(bench.folder, 'requests.tsv')
    writeFileSync(file, lists.join('\n'))
    const load = { file, pid: bench.service.pid, url: bench.service.url }
    for (let round = 0; round < warmUpRounds + rounds; round++) runs.push(await sendRequests(load, seconds))
    const measured = median(runs.slice(warmUpRounds))
    printLine(`orders, of ${orders.toLocaleString('en')}`, measured)
    return measured
  }
  await fillOrders(database.connection, store, { ...range, orders: pastOrders.orders })
  const few = await measureLists(pastOrders.orders)
  if (!values.million) return
  // The same number per customer as before, so that the pages have the same size.
  const many = await moreBuyers(bench, 99_000)
  await fillOrders(database.connection, store, { ...many, orders: 990_000, after: 10_000 })
  const all = await measureLists(1_000_000)
  print(`list of orders: ${(few.rate / all.rate).toFixed(2)} times the cost of 10,000 orders`)
  await checkBooks(bench)
  const began = performance.now()
  bench.service.vitrine('doctor')
  print(`vitrine doctor: ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

await main()
