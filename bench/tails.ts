import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startBare } from './bare.ts'
import { productLines, startImport } from './import.ts'
import { type Load, requestLine, requireWrk, sendRequests } from './load.ts'
import { searchPaths } from './reads.ts'
import { openSellingStore, type SellingStore } from './selling-store.ts'
import type { Pauses } from './watch-pauses.ts'
import { makeBuyer, openPhones } from './whole-order.ts'

const help = `npm run bench:tails -- [--seconds 30] [--orders 5] [--smoke]

The slowest of many reads from memory, while the shop sells: shoppers place whole orders and search at a steady rate, and
wrk reads lists and products meanwhile; then the same while a catalog is imported, and while expired rows are deleted. In
turns with a bare node:http server in the place of the service that is read, which shows what the machine itself allows.
Also prints the longest time in which the service did nothing else, and its longest collection of garbage. Needs wrk.

  --seconds N   of each run; the import and the cleanup are read for as long as they take
  --orders N    whole orders a second, with four times as many searches
  --smoke       everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    orders: { type: 'string', default: '5' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const { smoke } = values
const seconds = smoke ? 1 : Number(values.seconds)
const ordersASecond = Number(values.orders)
const products = smoke ? 200 : 10_000
const imported = smoke ? 200 : 20_000
const expired = smoke ? 200 : 100_000
/** Few, so that reads seldom wait for each other. */
const clients = 4
const shoppers = 16

const watchPauses = new URL('./watch-pauses.ts', import.meta.url).pathname

type Bench = { store: SellingStore; folder: string; sell: <Result>(work: () => Promise<Result>) => Promise<Result> }

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const phones = await openPhones()
  const watching = { NODE_OPTIONS: `--import=${watchPauses}`, BENCH_PAUSES: join(folder, 'pauses') }
  const store = await openSellingStore(products, { ...phones.settings, ...watching })
  const agent = new Agent({ keepAlive: true, maxSockets: shoppers })
  try {
    store.service.vitrine('store', 'set', '--store', store.store.publicId, '--otp-client-limit', '1000000')
    const sell = paced(store, await makeBuyer(store, phones, agent))
    await measureAll({ store, folder, sell })
  } finally {
    agent.destroy()
    await store.close()
    phones.close()
    rmSync(folder, { recursive: true })
  }
}

const measureAll = async (bench: Bench) => {
  const { store } = bench
  const load = {
    url: `${store.service.url}/v1/products`,
    headers: { 'x-store-key': store.key },
    pid: store.service.pid,
  }
  const bare = await startBare(load)
  try {
    await read(bench, load)
    print(heading)
    await row(bench, 'nothing else', bare.load, load)
    await row(bench, 'orders and searches', bare.load, load, (work) => bench.sell(work))
    await row(bench, '... and an import', bare.load, load, (work) => bench.sell(() => whileImporting(bench, work)))
    await row(bench, '... and cleanup', bare.load, load, (work) => bench.sell(() => whileDeleting(bench, work)))
  } finally {
    await bare.stop()
  }
}

const heading = ['', 'reads/s', 'p50', 'p99', 'p99.9', '/ p50', 'bare p50', 'p99.9', 'pause', 'collection']
  .map((word, i) => (i === 0 ? word.padEnd(22) : word.padStart(11)))
  .join('')

type During = <Result>(work: () => Promise<Result>) => Promise<Result>

const row = async (bench: Bench, name: string, bare: Load, load: Load, during: During = (work) => work()) => {
  const limit = await during(() => read(bench, bare))
  await readPauses(bench)
  const reads = await during(() => read(bench, load))
  const { longestPause, longestCollection } = await readPauses(bench)
  const ms = (figure: number) => `${figure.toFixed(2)} ms`
  const figures = [
    ...[reads.rate.toFixed(0), ms(reads.p50), ms(reads.p99), ms(reads.p999), (reads.p999 / reads.p50).toFixed(1)],
    ...[ms(limit.p50), ms(limit.p999), ms(longestPause), ms(longestCollection)],
  ]
  print(name.padEnd(22) + figures.map((figure) => figure.padStart(11)).join(''))
}

const read = async ({ folder }: Bench, { url, headers, pid }: Load) => {
  const file = join(folder, 'requests.tsv')
  const paths = ['/v1/products', ...Array.from({ length: 100 }, (_, i) => `/v1/products/product-${i + 1}`)]
  writeFileSync(file, paths.map((path) => requestLine('GET', path, headers)).join('\n'))
  const measured = await sendRequests({ url: new URL('/', url).href, pid, file, clients }, seconds)
  if (measured.errors > 0) throw new Error(`${measured.errors} of ${measured.requests} reads failed`)
  return measured
}

/** Since the last call. */
const readPauses = async ({ store, folder }: Bench): Promise<Pauses> => {
  const file = join(folder, 'pauses')
  rmSync(file, { force: true })
  process.kill(store.service.pid, 'SIGUSR2')
  for (;;) {
    await sleep(20)
    try {
      return JSON.parse(readFileSync(file, 'utf8'))
    } catch {
      // Not written yet.
    }
  }
}

/** Sells at a steady rate while `work` runs: a slow answer does not delay what comes next. */
const paced = ({ service, key }: SellingStore, buy: () => Promise<void>) => {
  let searches = 0
  const search = async () => {
    const path = searchPaths[++searches % searchPaths.length] as string
    const answer = await fetch(`${service.url}${path}&_=${searches}`, { headers: { 'x-store-key': key } })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`)
  }
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const calls = new Set<Promise<void>>()
    const failures: unknown[] = []
    const start = (call: () => Promise<void>) => {
      const called = call().catch((error: unknown) => void failures.push(error))
      calls.add(called)
      void called.finally(() => calls.delete(called))
    }
    const timers = [
      setInterval(() => start(buy), 1000 / ordersASecond),
      setInterval(() => start(search), 250 / ordersASecond),
    ]
    const result = await work().finally(() => timers.forEach(clearInterval))
    await Promise.all(calls)
    if (failures.length > 0) throw failures[0]
    return result
  }
}

/** Tells the rows of one run from those of the runs before. */
let runs = 0

/** Into another store of the service. */
const whileImporting = async <Result>({ store, folder }: Bench, work: () => Promise<Result>) => {
  const file = join(folder, `products-${++runs}.jsonl`)
  await pipeline(Readable.from(productLines(imported)), createWriteStream(file))
  const { storeId } = store.service.vitrine('store', 'create', ...newStore(runs)) as { storeId: string }
  const job = await startImport(store.service, storeId, file)
  const result = await work()
  await job.untilEnded()
  return result
}

const newStore = (n: number) => ['--name', `Import ${n}`, '--domain', `import-${n}.example`, '--currency', 'INR']

/** Guests' carts and stored answers that have expired. They are found within a minute; a smoke run
 * does not wait for it. */
const whileDeleting = async <Result>({ store: { store, query } }: Bench, work: () => Promise<Result>) => {
  const name = `old-${++runs}`
  await query(
    `insert into guest (store_id, id, seen_on)
     select $1, $2 || n, now() from generate_series(1, $3::integer) n`,
    [store.id, name, expired],
  )
  await query(
    `insert into cart (store_id, id, guest_id, outlet_id, created_at, updated_at, sweep_on)
     select $1, $4 || n, $4 || n, $2, now() - interval '90 days', now() - interval '90 days',
       now() - interval '60 days'
     from generate_series(1, $3::integer) n`,
    [store.id, store.outletId, expired, name],
  )
  await query(
    `insert into kept_answer (store_id, shopper, route, key, body_hash, answer, created_at)
     select $1, $3, 'old', n, '', '{}', now() - interval '90 days' from generate_series(1, $2::integer) n`,
    [store.id, expired, name],
  )
  const left = async () =>
    Number(
      (
        await query(
          `select (select count(*) from cart where store_id = $1 and id like $2 || '%')
            + (select count(*) from kept_answer where store_id = $1 and shopper = $2) as count`,
          [store.id, name],
        )
      )[0]?.count,
    )
  while (!smoke && (await left()) === 2 * expired) await sleep(200)
  const result = await work()
  while (!smoke && (await left()) > 0) await sleep(500)
  return result
}

await main()
