import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readProcessorTimes } from './buying-cpu.ts'
import { address } from './buying-scripts.ts'
import { fillBuyers, sessionOf } from './fill-buyers.ts'
import { readFor } from './latency.ts'
import { type Measured, requestLine, requireWrk, sendRequests } from './load.ts'
import { searchPaths } from './reads.ts'
import { openSellingStore, type SellingStore } from './selling-store.ts'
import { residentMegabytes } from './service.ts'

const help = `npm run bench:selling -- [--seconds 20] [--rounds 3] [--smoke]

A shop that sells: of 100 calls 70 read lists and products, 10 search, 15 change a cart and 5 check out. Prints the calls
a second, against the same lists and products from memory alone in the same run, and how long one list takes meanwhile. Needs
wrk.

  --seconds N   of each round
  --rounds N    rounds of each kind, in turn
  --smoke       everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const { smoke } = values
const seconds = smoke ? 1 : Number(values.seconds)
const rounds = smoke ? 1 : Number(values.rounds)
const products = smoke ? 200 : 10_000
/** More than a round can use: each buyer checks out once. */
const buyersOfRound = smoke ? 400 : 400 * seconds

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const store = await openSellingStore(products)
  try {
    print(heading)
    const memory: Round[] = []
    const selling: Round[] = []
    for (let round = 0; round < rounds; round++) {
      memory.push(await measure(store, 'reads alone', folder, browsing(store)))
      selling.push(await measure(store, 'a shop that sells', folder, await mixed(store, round)))
    }
    const [alone, mix] = [middle(memory), middle(selling)]
    print(`the mix runs at ${(mix.rate / alone.rate).toFixed(2)} of the reads alone`)
    print(`a list takes ${(mix.listMs / alone.listMs).toFixed(1)} times as long at the median`)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

const heading = ['', 'calls/s', 'p99 ms', 'list p50', 'list p99', 'service', 'database', 'memory MB']
  .map((word, i) => (i === 0 ? word.padEnd(20) : word.padStart(11)))
  .join('')

type Round = Measured & { listMs: number }

/** What shoppers look at: few pages are read often, most seldom. */
const readPaths = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    if (i % 2 === 0) return listPaths[Math.floor(i / 2) % listPaths.length] as string
    const rank = Math.floor(Math.exp(Math.log(products) * ((i * 0.618) % 1)))
    return `/v1/products/product-${rank}`
  })

const listPaths = [
  '/v1/products',
  '/v1/products?sort=price',
  ...Array.from({ length: 8 }, (_, i) => `/v1/products?category=category-${i}`),
]

const browsing = ({ key }: Pick<SellingStore, 'key'>) =>
  readPaths(1_000).map((path) => requestLine('GET', path, { 'x-store-key': key }))

/** The calls of a round in the order of the mix. Buyers have carts of two lines. */
const mixed = async ({ key, store, database, query }: SellingStore, round: number) => {
  const from = 1 + round * buyersOfRound
  await fillBuyers(database.connection, store, { from, to: from + buyersOfRound - 1 })
  await query('vacuum analyze')
  const variants = (await query(
    'select id as "variantId", product_id as "productId" from variant where store_id = $1 limit 5000',
    [store.id],
  )) as object[]
  const headersOf = (buyer: number) => ({
    ...{ 'x-store-key': key, authorization: `Bearer ${sessionOf(buyer)}`, 'content-type': 'application/json' },
  })
  const reads = browsing({ key })
  let calls = 0
  const next = <Item>(items: readonly Item[]) => items[calls++ % items.length] as Item
  const lines: string[] = []
  for (let buyer = from; buyer < from + buyersOfRound; buyer++) {
    // Twenty calls with one checkout in them.
    for (let i = 0; i < 14; i++) lines.push(next(reads))
    for (let i = 0; i < 2; i++) lines.push(requestLine('GET', next(searchPaths), { 'x-store-key': key }))
    // Carts of buyers who check out much later, so that the two do not wait for each other.
    const other = from + ((buyer - from + buyersOfRound / 2) % buyersOfRound)
    for (let i = 0; i < 3; i++)
      lines.push(requestLine('POST', '/v1/cart', headersOf(other), { ...next(variants), quantity: 1 }))
    lines.push(requestLine('POST', '/v1/checkout', headersOf(buyer), { shippingAddress: address }))
  }
  return lines
}

const measure = async (store: SellingStore, name: string, folder: string, requests: readonly string[]) => {
  const { service, key, serverPid } = store
  const file = join(folder, 'requests.tsv')
  writeFileSync(file, requests.join('\n'))
  let isOver = false
  const before = readProcessorTimes(service.pid, serverPid)
  const [measured, list] = await Promise.all([
    sendRequests({ file, pid: service.pid, url: service.url }, seconds).finally(() => {
      isOver = true
    }),
    readFor(service, key, { hasEnded: () => isOver }, { paths: ['/v1/products'], mayBeCached: true }),
  ])
  const after = readProcessorTimes(service.pid, serverPid)
  if (measured.errors > 0) throw new Error(`${name}: ${measured.errors} answers were errors.`)
  const micros = (part: 'service' | 'database') =>
    `${(((after[part] - before[part]) * 1e6) / measured.requests).toFixed(0)} µs`
  const figures = [
    ...[measured.rate.toFixed(0), measured.p99.toFixed(1), list.p50.toFixed(2), list.p99.toFixed(1)],
    ...[micros('service'), micros('database'), residentMegabytes(service.pid).toFixed(0)],
  ]
  print(name.padEnd(20) + figures.map((figure) => figure.padStart(11)).join(''))
  return { ...measured, listMs: list.p50 }
}

const middle = (all: readonly Round[]) => all.toSorted((a, b) => a.rate - b.rate)[all.length >> 1] as Round

await main()
