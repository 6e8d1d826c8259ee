import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readProcessorTimes } from './buying-cpu.ts'
import { searchPaths } from './reads.ts'
import { openRelay } from './round-trips.ts'
import { openSellingStore, type SellingStore } from './selling-store.ts'
import { newEmptyDir, readSecret, removeDataDir, startService } from './service.ts'
import { makeBuyer, openPhones, type Phones } from './whole-order.ts'

const help = `npm run bench:orders -- [--shoppers 8] [--seconds 20] [--smoke]

Measures what a whole order costs: a guest fills a cart, signs in by a one-time password, claims the cart, checks out and
opens the payment, and the provider reports it as paid. Seven calls. Prints the processor time of the service and of the
database, the commits, and the bytes that each order adds to the log and to the tables of the database. Then a second
service, whose way to the database counts round trips, buys and reads.

  --shoppers N  how many buy at the same time
  --seconds N   of the run, after a run to warm up
  --smoke       everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    shoppers: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '20' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const { smoke } = values
const shoppers = Number(values.shoppers)
const seconds = smoke ? 1 : Number(values.seconds)
const products = smoke ? 200 : 10_000

const main = async () => {
  if (values.help) return print(help)
  const phones = await openPhones()
  const store = await openSellingStore(products, phones.settings)
  const agent = new Agent({ keepAlive: true, maxSockets: shoppers })
  try {
    store.service.vitrine('store', 'set', '--store', store.store.publicId, '--otp-client-limit', '1000000')
    const buy = await makeBuyer(store, phones, agent)
    await buyFor(buy, smoke ? 0 : 5)
    // Statistics as a database has them after a minute of use.
    await store.query('vacuum analyze')
    await measure(store, buy)
    await countRoundTrips(store, phones, agent)
  } finally {
    agent.destroy()
    await store.close()
    phones.close()
  }
}

/** Returns the number of orders, at least one of each shopper. */
const buyFor = async (buy: () => Promise<void>, forSeconds: number) => {
  const end = performance.now() + forSeconds * 1000
  let orders = 0
  const shop = async () => {
    do {
      await buy()
      orders++
    } while (performance.now() < end)
  }
  await Promise.all(Array.from({ length: shoppers }, shop))
  return orders
}

const readDatabase = async ({ query }: SellingStore) => {
  const [row] = await query(`
    select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as log, pg_database_size(current_database()) as size,
      (select xact_commit from pg_stat_database where datname = current_database()) as commits`)
  return { log: Number(row?.log), size: Number(row?.size), commits: Number(row?.commits) }
}

const measure = async (store: SellingStore, buy: () => Promise<void>) => {
  const [times, state, began] = [timesOf(store), await readDatabase(store), performance.now()]
  const orders = await buyFor(buy, seconds)
  const tookMs = performance.now() - began
  const [timesAfter, stateAfter] = [timesOf(store), await readDatabase(store)]
  const [paid] = await store.query(`select count(*) from orders where store_id = $1 and status <> 'paid'`, [
    store.store.id,
  ])
  if (Number(paid?.count) > 0) throw new Error(`${paid?.count} orders are not paid.`)
  const each = (figure: number) => (figure / orders).toFixed(figure / orders < 100 ? 1 : 0)
  print(`${orders} orders of ${shoppers} shoppers, ${((orders * 1000) / tookMs).toFixed(0)} a second`)
  print(`each takes ${each((timesAfter.service - times.service) * 1000)} ms of the service`)
  print(`           ${each((timesAfter.database - times.database) * 1000)} ms of the database`)
  print(`           ${each(stateAfter.commits - state.commits)} commits`)
  print(`           ${each((stateAfter.log - state.log) / 1024)} kB of the database's log`)
  print(`           ${each((stateAfter.size - state.size) / 1024)} kB of its tables and indexes`)
}

const counted = smoke ? 1 : 50

/** One call after another. What the service asks by itself in that time, for its jobs, is left out. */
const countRoundTrips = async (store: SellingStore, phones: Phones, agent: Agent) => {
  const relay = await openRelay(store.database.connection)
  const dataDir = newEmptyDir()
  const settings = { ...phones.settings, DATABASE_URL: relay.url, VITRINE_SECRET: readSecret(store.service) }
  const service = await startService(dataDir, settings)
  try {
    const buy = await makeBuyer({ ...store, service }, phones, agent, 1_000_000)
    let read = 0
    const reading = (path: string) => async () => {
      const url = `${service.url}${path}${path.includes('?') ? '&' : '?'}_=${++read}`
      const { status } = await fetch(url, { headers: { 'x-store-key': store.key } })
      if (status !== 200) throw new Error(`${path}: the answer was ${status}`)
    }
    const kinds = [
      { name: 'an order', call: buy },
      { name: 'a product that is not cached', call: reading('/v1/products/product-7') },
      { name: 'a list that is not cached', call: reading('/v1/products') },
      { name: 'a search that is not cached', call: reading(searchPaths[0] ?? '') },
    ]
    const tripsOf = async (calls: number, call: () => Promise<unknown>) => {
      const [began, before] = [performance.now(), relay.count()]
      for (let i = 0; i < calls; i++) await call()
      return { seconds: (performance.now() - began) / 1000, trips: relay.count() - before }
    }
    for (const { call } of kinds) await tripsOf(5, call)
    const idle = await tripsOf(1, () => sleep(smoke ? 100 : 5_000))
    for (const { name, call } of kinds) {
      const { seconds, trips } = await tripsOf(counted, call)
      const own = trips - (seconds * idle.trips) / idle.seconds
      print(`${name}: ${(own / counted).toFixed(1)} round trips to the database`)
    }
  } finally {
    await service.stop()
    relay.close()
    removeDataDir(dataDir)
  }
}

const timesOf = ({ service, serverPid }: SellingStore) => readProcessorTimes(service.pid, serverPid)

await main()
