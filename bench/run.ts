import { parseArgs } from 'node:util'
import { openEmbedded } from '../src/db/embedded.ts'
import { startBare } from './bare.ts'
import { fillCatalog } from './big-catalog.ts'
import { type Load, type Measured, median, requireWrk, sendLoad } from './load.ts'
import { newDataDir, removeDataDir, residentMegabytes, type Service, startService } from './service.ts'

const help = `npm run bench -- [--products 10000] [--million] [--seconds 4] [--rounds 3]

Measures catalog reads of a real service, started for this run, against bare node:http that sends the same bytes, in
turns. Read the ratios: a noisy machine moves both sides. Needs wrk.

  --products N  how many products the store has
  --million     then the same with 1,000,000 products beside 1,000 other stores, and how the costs compare; takes long
  --seconds N   of each run
  --rounds N    runs of each, of which the median counts`

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '10000' },
    million: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  await measureStarts()
  const usual = await measureReads({ products: Number(values.products), smallStores: 10 })
  if (!values.million) return
  const million = await measureReads({ products: 1_000_000, smallStores: 1_000 })
  print(`\ncost at 1,000,000 products against ${Number(values.products).toLocaleString('en')} (p50, uncached)`)
  for (const [name, { p50 }] of million) {
    const before = usual.get(name)
    if (name.includes('uncached') && before !== undefined) print(`${name.padEnd(30)} ${(p50 / before.p50).toFixed(2)}`)
  }
}

const measureStarts = async () => {
  const dataDir = newDataDir()
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

/** Two words of the generated catalog that are together in some, but not many, products; and one that is in most. */
const queries = { 'two words': 'wieea wouta', 'one word': 'wrsta', 'a common word': 'wa' }

const measureReads = async (size: { products: number; smallStores: number }) => {
  const dataDir = newDataDir()
  const measured = new Map<string, Measured>()
  try {
    const service = await startService(dataDir, { NODE_ENV: 'production', VITRINE_PUBLIC_URL: 'http://localhost' })
    try {
      const key = await prepareStore(service, size)
      const load = (path: string, more: Record<string, string> = {}): Load => ({
        url: `${service.url}${path}`,
        headers: { 'x-store-key': key, ...more },
        pid: service.pid,
      })
      const { headers: sent } = await fetch(`${service.url}/v1/products`, { headers: load('').headers })
      print(`\n${size.products.toLocaleString('en')} products`)
      print(`${'read'.padEnd(30)}     rate  p50 ms  p99 ms  cpu µs    bare  cpu µs   ratio  by cpu`)
      const compareTo = async (name: string, asked: Load) => void measured.set(name, await compare(name, asked))
      await compareTo('list', load('/v1/products'))
      await compareTo('list, gzip', load('/v1/products', { 'accept-encoding': 'gzip' }))
      await compareTo('list, 304', load('/v1/products', { 'if-none-match': sent.get('etag') ?? '' }))
      await compareTo('list, uncached', { ...load('/v1/products'), uncached: true })
      await compareTo('list by price, uncached', { ...load('/v1/products?sort=price'), uncached: true })
      await compareTo('category, uncached', { ...load('/v1/products?category=category-7'), uncached: true })
      await compareTo('product', load('/v1/products/product-77'))
      await compareTo('product, uncached', { ...load('/v1/products/product-77'), uncached: true })
      for (const [name, words] of Object.entries(queries)) {
        const path = `/v1/search?q=${words.replaceAll(' ', '+')}`
        await compareTo(`search ${name}`, load(path))
        await compareTo(`search ${name}, uncached`, { ...load(path), uncached: true })
      }
      print(`Node after the load: ${residentMegabytes(service.pid).toFixed(0)} MB`)
    } finally {
      await service.stop()
    }
  } finally {
    removeDataDir(dataDir)
  }
  return measured
}

const prepareStore = async (service: Service, size: { products: number; smallStores: number }) => {
  const made = service.vitrine('store', 'create', '--name', 'Bench', '--domain', 'b.example', '--currency', 'INR')
  const { storeId } = made as { storeId: string }
  const { key } = service.vitrine('key', 'create', '--store', storeId, '--rate-limit', '1000000000') as { key: string }
  const database = await openEmbedded({ dataDir: service.dataDir, role: 'guest' })
  const say = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[Kfilling: ${text}`)
  await fillCatalog(database.connection, storeId, size, say)
  await database.stop()
  return key
}

const warmUpSeconds = 4

/** In turns, so that what disturbs the machine disturbs both sides. */
const compare = async (name: string, load: Load): Promise<Measured> => {
  const bare = await startBare(load)
  try {
    const seconds = Number(values.seconds)
    // Node compiles what is hot as it goes; what is measured is a server that has been up for a while.
    await sendLoad(load, warmUpSeconds)
    await sendLoad(bare.load, warmUpSeconds)
    const ours: Measured[] = []
    const limit: Measured[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      limit.push(await sendLoad(bare.load, seconds))
      ours.push(await sendLoad(load, seconds))
    }
    printRow(name, median(ours), median(limit))
    return median(ours)
  } finally {
    await bare.stop()
  }
}

const printRow = (name: string, ours: Measured, limit: Measured) => {
  if (ours.errors > 0) throw new Error(`${ours.errors} answers were errors`)
  const cells = [
    ours.rate.toFixed(0).padStart(8),
    ours.p50.toFixed(2).padStart(7),
    ours.p99.toFixed(2).padStart(7),
    ours.cpuMicros.toFixed(1).padStart(7),
    limit.rate.toFixed(0).padStart(7),
    limit.cpuMicros.toFixed(1).padStart(7),
    (ours.rate / limit.rate).toFixed(2).padStart(7),
    (limit.cpuMicros / ours.cpuMicros).toFixed(2).padStart(7),
  ]
  print(`${name.padEnd(30)} ${cells.join(' ')}`)
}

await main()
