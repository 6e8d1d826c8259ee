import { parseArgs } from 'node:util'
import { startBare } from './bare.ts'
import { measureImport } from './import.ts'
import { judgeKinds, judgeQueries, judgeQueriesByIndex, printScore } from './judge.ts'
import { type Load, type Measured, median, requireWrk, sendLoad } from './load.ts'
import { printPlans } from './plans.ts'
import { measureProcessor } from './processor.ts'
import { type Read, readsOf } from './reads.ts'
import { openRecorder } from './record-requests.ts'
import { newEmptyDir, peakMegabytes, readSecret, removeDataDir, residentMegabytes, startService } from './service.ts'
import { openShop, type Shop } from './shop.ts'

const help = `npm run bench -- [--products 10000] [--million] [--keep FOLDER] [--only PART] [--plans] [--processor]
                [--seconds 4] [--rounds 3] [--smoke]

Measures catalog reads of a real service, started for this run, against bare node:http that sends the same bytes, in
turns; reads that are not cached also against one that sends the same statements to the database before. Read the ratios: a
noisy machine moves both sides. Needs wrk.

  --products N  how many products the store has
  --million     in turns with a second service, of 1,000,000 products beside 1,000 other stores; filling it takes minutes
  --keep FOLDER the second service keeps its catalog there, and need not be filled the next time
  --only PART   only reads whose name has this part; 'judged queries' is the score of the answers
  --plans       instead of measuring, print how the database runs every statement of lists and searches
  --processor   instead of rates, the processor time of reads from the database; for machines that do other work too
  --seconds N   of each run
  --rounds N    runs of each, of which the median counts
  --smoke       everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '10000' },
    million: { type: 'boolean', default: false },
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
    plans: { type: 'boolean', default: false },
    processor: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const count = (n: number) => n.toLocaleString('en')

const { smoke } = values
const usualSize = { products: smoke ? 200 : Number(values.products), smallStores: smoke ? 2 : 10 }
const seconds = smoke ? 1 : Number(values.seconds)
const rounds = smoke ? 1 : Number(values.rounds)
const millionSize = { products: 1_000_000, smallStores: 1_000 }
const keptIn = (size: typeof usualSize) => (size === millionSize ? values.keep : undefined)

const main = async () => {
  if (values.help) return print(help)
  if (values.plans)
    return withShops([values.million ? millionSize : usualSize], ([shop]) => printPlans(shop as Shop, print))
  if (values.processor)
    return withShops(values.million ? [usualSize, millionSize] : [usualSize], (shops) =>
      measureProcessor(shops, values.only, print),
    )
  requireWrk()
  if (values.only === '') await measureStarts()
  await withShops(values.million ? [usualSize, millionSize] : [usualSize], async (shops) => {
    if (smoke) await askEverything(shops[0] as Shop)
    if ('judged queries'.includes(values.only)) await judgeShops(shops)
    await measureReads(shops)
    if (values.only === '') await measureImports(shops)
    for (const { products, service } of shops) {
      const peak = peakMegabytes(service.pid).toFixed(0)
      print(
        `service of ${count(products)} products: ${peak} MB at most, ${residentMegabytes(service.pid).toFixed(0)} MB now`,
      )
    }
  })
}

const withShops = async (sizes: (typeof usualSize)[], use: (shops: Shop[]) => Promise<void>) => {
  const shops: Shop[] = []
  try {
    for (const size of sizes) shops.push(await openShop(size, keptIn(size)))
    await use(shops)
  } finally {
    for (const shop of shops) await shop.close()
  }
}

const measureStarts = async () => {
  const dataDir = newEmptyDir()
  try {
    const first = await startService(dataDir)
    await first.stop()
    print(`first start to healthy  ${(first.startMs / 1000).toFixed(2)} s`)
    const later = await startService(dataDir)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    print(`later start to healthy  ${(later.startMs / 1000).toFixed(2)} s`)
    print(`Node when idle          ${residentMegabytes(later.pid).toFixed(0)} MB`)
    await later.stop()
  } finally {
    removeDataDir(dataDir)
  }
}

/** Says how good the answers are, so that speed is not bought with worse ones. */
const judgeShops = async (shops: readonly Shop[]) => {
  printScore('\njudged queries', await judgeQueries((shops[0] as Shop).service), print)
  if (!smoke) printScore('judged queries, by an index file', await judgeQueriesByIndex(), print)
  for (const shop of shops)
    printScore(`searches of ${count(shop.products)} products, by the whole store`, await judgeKinds(shop), print)
}

const measureReads = async (shops: readonly Shop[]) => {
  print(
    `\nreads, with 16 connections; page ${shops.map(({ deepPage }) => count(deepPage)).join(' and ')} is the deep one`,
  )
  print(
    `${'read'.padEnd(36)} ${'products'.padStart(9)}     rate  p50 ms  p99 ms  cpu µs  of bare  by cpu   of db    cost`,
  )
  // Node optimizes hot code while it runs; this measures a warm server.
  const first = readsOf().find(({ uncached }) => uncached) as Read
  if (!smoke) for (const shop of shops) await sendLoad(await loadOf(first, shop), 10)
  for (const read of readsOf()) {
    if (smoke && !measuredInSmoke.has(read.name)) continue
    if (read.name.includes(values.only)) await compare(read, shops)
  }
}

/** wrk runs for at least a second, so a smoke run measures one read of each kind. */
const measuredInSmoke = new Set(['list', 'list, any page, uncached', 'all these searches in turn'])

/** Every read once, and the plan of every statement. */
const askEverything = async (shop: Shop) => {
  const recorded: Load[] = []
  for (const read of readsOf()) {
    const load = await loadOf(read, shop)
    const { status } = await fetch(load.url, { headers: load.headers })
    if (status !== (read.revalidate ? 304 : 200)) throw new Error(`${read.name}: the answer was ${status}`)
    if (read.uncached && read.paths === undefined) recorded.push(load)
  }
  await recordStatements(shop, recorded)
  let lines = 0
  await printPlans(shop, () => {
    lines++
  })
  print(`${readsOf().length} reads were answered; their plans have ${lines} lines`)
}

/** As many addresses as fit into the environment of wrk, shuffled. */
const anyPageOf = ({ cursors }: Shop) =>
  Array.from({ length: 500 }, (_, i) => `/v1/products?cursor=${cursors[(i * 7919) % cursors.length]}`)

const loadOf = async ({ path, headers, revalidate, anyPage, ...rest }: Read, shop: Shop): Promise<Load> => {
  const place = path.replace('{deep}', shop.deepCursor).replace('{product}', shop.someProduct)
  const url = `${shop.service.url}${place}`
  const known = revalidate ? (await fetch(url, { headers: shop.headers })).headers.get('etag') : null
  return {
    ...rest,
    ...(anyPage && { paths: anyPageOf(shop) }),
    url,
    headers: { ...shop.headers, ...headers, ...(known && { 'if-none-match': known }) },
    pid: shop.service.pid,
  }
}

const warmUpSeconds = smoke ? 0 : 2

/** Takes turns, so that other load affects all sides. */
const compare = async (read: Read, shops: readonly Shop[]) => {
  const loads = await Promise.all(shops.map((shop) => loadOf(read, shop)))
  const bare = await startBare(loads[0] as Load)
  const asking =
    read.uncached && read.paths === undefined ? await startAsking(shops[0] as Shop, loads[0] as Load) : undefined
  try {
    const limits = asking === undefined ? [bare.load] : [bare.load, asking.load]
    const runs = [...limits, ...loads].map((load) => ({ load, results: [] as Measured[] }))
    if (warmUpSeconds > 0) for (const { load } of runs) await sendLoad(load, warmUpSeconds)
    for (let round = 0; round < rounds; round++) {
      for (const { load, results } of runs) results.push(await sendLoad(load, seconds))
    }
    const medians = runs.map(({ results }) => median(results))
    const ours = medians.slice(limits.length)
    for (const [i, measured] of ours.entries()) {
      const smaller = i > 0 ? ours[0] : undefined
      printRow(
        { name: read.name, products: shops[i]?.products ?? 0 },
        measured,
        medians.slice(0, limits.length),
        smaller,
      )
    }
  } finally {
    await bare.stop()
    await asking?.stop()
  }
}

/** A bare server that sends what the service was recorded sending for this read, with the caches of a running service. */
const startAsking = async (shop: Shop, load: Load) => {
  const [statements = []] = await recordStatements(shop, [load])
  return startBare(load, { asks: { database: shop.database.connection, statements } })
}

const recordStatements = async ({ database, service, headers }: Shop, loads: readonly Load[]) => {
  const requests = (n: number) =>
    loads.map(({ url }) => {
      const { pathname, search } = new URL(url)
      return { method: 'GET', url: `${pathname}${search}${search === '' ? '?' : '&'}_=${n}`, headers, body: '' }
    })
  const recorder = await openRecorder(database.connection, readSecret(service))
  try {
    return await recorder.record(requests(2), requests(1))
  } finally {
    await recorder.close()
  }
}

/** `cost`: processor time of an answer, relative to the same answer with the smaller catalog. */
const printRow = (
  { name, products }: { name: string; products: number },
  ours: Measured,
  [bare, asking]: readonly Measured[],
  smaller: Measured | undefined,
) => {
  if (ours.errors > 0) throw new Error(`${name}: ${ours.errors} answers were errors`)
  const of = (limit: Measured | undefined, digits: number) => (limit ? (ours.rate / limit.rate).toFixed(digits) : '')
  const cells = [
    count(products).padStart(9),
    ours.rate.toFixed(0).padStart(8),
    ours.p50.toFixed(2).padStart(7),
    ours.p99.toFixed(2).padStart(7),
    ours.cpuMicros.toFixed(1).padStart(7),
    of(bare, 3).padStart(8),
    (bare ? (bare.cpuMicros / ours.cpuMicros).toFixed(2) : '').padStart(7),
    of(asking, 2).padStart(7),
    smaller === undefined ? '' : `${(smaller.rate / ours.rate).toFixed(2)} ×`.padStart(7),
  ]
  print(`${name.padEnd(36)} ${cells.join(' ').trimEnd()}`)
}

const measureImports = async (shops: readonly Shop[]) => {
  print('\nvitrine catalog import, JSON lines')
  for (const shop of shops) {
    const products = smoke ? 200 : shop.products > 100_000 ? 100_000 : 20_000
    const { megabytes, ...runs } = await measureImport(shop.service, products)
    for (const [name, { seconds, peak }] of Object.entries(runs)) {
      const what = `${count(products)} (${megabytes.toFixed(0)} MB) beside ${count(shop.products)}, ${name}`
      print(
        `${what.padEnd(46)} ${count(Math.round(products / seconds)).padStart(7)} a second, ${peak.toFixed(0)} MB at most`,
      )
    }
  }
}

await main()
