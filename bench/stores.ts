import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readProcessorTimes } from './buying-cpu.ts'
import { copyStore, keyOfCopy } from './copy-store.ts'
import { requestLine, requireWrk, sendRequests } from './load.ts'
import { openSellingStore, type SellingStore } from './selling-store.ts'
import { residentMegabytes } from './service.ts'

const help = `npm run bench:stores -- [--stores 50000] [--products 20] [--seconds 20] [--smoke]

Measures what stores cost that only exist. Fills one database with copies of a store, and prints, with few stores and with
all of them: the bytes on disk, the processor time of a service that nobody calls (its jobs look for work), the cost of
reading a product of one store and of a different store each time, and the memory of the service. Needs wrk.

  --stores N    how many
  --products N  of each store; with 0, the settings of stores are read instead
  --seconds N   of each run
  --smoke       everything once, with few stores: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    stores: { type: 'string', default: '50000' },
    products: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '20' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const { smoke } = values
const few = 10
const stores = smoke ? 50 : Number(values.stores)
const seconds = smoke ? 1 : Number(values.seconds)
const idleSeconds = smoke ? 1 : 60
const products = Number(values.products)

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const store = await openSellingStore(products)
  try {
    await store.query('delete from category where store_id = $1 and product_count = 0', [store.store.id])
    await copyStore(store, { from: 1, to: few })
    await measure(store, few)
    const size = await sizeOf(store)
    const say = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`)
    await copyStore(store, { from: few + 1, to: stores, say })
    const added = (await sizeOf(store)) - size
    print(`each store adds ${(added / (stores - few) / 1024).toFixed(1)} kB to the database\n`)
    await measure(store, stores)
  } finally {
    await store.close()
  }
}

const sizeOf = async ({ query }: SellingStore) => {
  await query('vacuum analyze')
  return Number((await query('select pg_database_size(current_database()) as size'))[0]?.size)
}

const measure = async (store: SellingStore, count: number) => {
  const { service, serverPid } = store
  print(`${(count + 1).toLocaleString('en')} stores:`)
  await sleep(smoke ? 0 : 5_000)
  const before = readProcessorTimes(service.pid, serverPid)
  await sleep(idleSeconds * 1000)
  const after = readProcessorTimes(service.pid, serverPid)
  const wanted = Math.min(count, 200_000)
  const perMinute = (from: number, to: number) => `${(((to - from) * 60_000) / idleSeconds).toFixed(0)} ms`
  print(`  an idle minute      ${perMinute(before.service, after.service)} of the service`)
  print(`                      ${perMinute(before.database, after.database)} of the database`)
  await read(store, 'one store', [1])
  const different = Array.from({ length: wanted }, (_, i) => 1 + Math.floor((i * count) / wanted))
  await read(store, 'any store', different)
  print(`  memory              ${residentMegabytes(service.pid).toFixed(0)} MB\n`)
}

const read = async ({ service, serverPid }: SellingStore, name: string, copies: readonly number[]) => {
  const file = join(service.dataDir, 'requests')
  const path = (i: number) => (products === 0 ? '/v1/store' : `/v1/products/product-${1 + (i % products)}`)
  const lines = copies.map((copy, i) => requestLine('GET', path(i), { 'x-store-key': keyOfCopy(copy) }))
  writeFileSync(file, lines.join('\n'))
  const before = readProcessorTimes(service.pid, serverPid)
  const { rate, requests, p50, p99, errors } = await sendRequests({ url: service.url, pid: service.pid, file }, seconds)
  const after = readProcessorTimes(service.pid, serverPid)
  if (errors > 0) throw new Error(`${errors} of ${requests} reads of ${name} failed`)
  const each = (from: number, to: number) => (((to - from) * 1000) / requests).toFixed(2)
  print(
    `  ${products === 0 ? 'settings' : 'a product'}, ${name}  ${rate.toFixed(0)} a second, p50 ${p50} ms, p99 ${p99} ms, ${each(before.service, after.service)} ms ` +
      `of the service and ${each(before.database, after.database)} ms of the database`,
  )
}

await main()
