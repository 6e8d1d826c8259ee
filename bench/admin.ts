import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { systemClock } from '../src/core/clock.ts'
import { connectDb } from '../src/db/database.ts'
import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { checkInvariants } from '../src/features/doctor/invariants.ts'
import { balanceLedgers } from '../test/put-on-hand.ts'
import { type AdminRequest, listCombinations, listOperations } from './admin-requests.ts'
import { fillCatalog } from './big-catalog.ts'
import { type AdminStore, fillAdminOrders } from './fill-admin.ts'
import { requestLine, requireWrk, sendRequests } from './load.ts'
import { runPgbench } from './pgbench.ts'
import { openRecorder, type Recording, serviceSettings, writeReplay } from './record-requests.ts'
import { type OneRequest, quantile, sendEach } from './send-each.ts'
import { createStore, newDataDir, removeDataDir, residentMegabytes, type Service, startService } from './service.ts'

const help = `npm run bench:admin -- [--orders 1000000] [--seconds 5] [--smoke]

Measures the admin API in a store with many orders, over HTTP with 1 and 8 connections, against the same statements sent
by pgbench to the same database. The statements are recorded from the service. Then every filter of the list of orders
is combined with every kind of search, and the slowest five are shown. Needs wrk and pgbench. At the end the invariants
are checked.

  --orders N    in the store; a million take minutes to fill in
  --seconds N   of each run
  --smoke       everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const { smoke } = values
const orders = smoke ? 2_000 : Number(values.orders)
const products = smoke ? 200 : 10_000
const seconds = smoke ? 1 : Number(values.seconds)
const clientCounts = [1, 8]
/** Requests for each combination of a filter and a search, of which the first is not counted. */
const repeats = smoke ? 2 : 6
const mostMs = 50

type Bench = {
  service: Service
  database: EmbeddedServer
  folder: string
  store: AdminStore
  path: string
  headers: Record<string, string>
}

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const dataDir = newDataDir()
  const service = await startService(dataDir)
  const database = await openEmbedded({ dataDir, role: 'command' })
  try {
    const bench = await fillStore(service, database, folder)
    await measureOperations(bench)
    await measureCombinations(bench)
    print(`service: ${residentMegabytes(service.pid).toFixed(0)} MB`)
    await checkBooks(bench)
  } finally {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
    rmSync(folder, { recursive: true })
  }
}

const fillStore = async (service: Service, database: EmbeddedServer, folder: string): Promise<Bench> => {
  const began = performance.now()
  const say = (text: string) => print(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`)
  const { storeId } = createStore(service, 'Bench', 'sandbox')
  const { token } = service.vitrine('token', 'create', '--store', storeId, '--role', 'owner') as { token: string }
  const outlet = service.vitrine('outlet', 'create', '--store', storeId, '--name', 'Second') as { outletId: string }
  await fillCatalog(database.connection, storeId, { products, smallStores: 10 }, say)
  const client = new pg.Client(database.connection)
  await client.connect()
  await client.query(balanceLedgers)
  const { rows } = await client.query(
    `select s.id, s.default_outlet_id as "outletId", o.id as "otherOutletId"
     from store s join outlet o on o.store_id = s.id and o.public_id = $2 where s.public_id = $1`,
    [storeId, outlet.outletId],
  )
  await client.end()
  const store: AdminStore = { ...rows[0], products }
  await fillAdminOrders(database.connection, store, orders, say)
  say('filled')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return { service, database, folder, store, path: `/admin/v1/stores/${storeId}`, headers }
}

const measureOperations = async (bench: Bench) => {
  const heads = ['clients', 'a second', 'p50 ms', 'p99 ms', 'pgbench', 'ms each', 'ratio']
  print(`\n${''.padEnd(28)}${heads.map((head) => head.padStart(10)).join('')}`)
  const recorder = await openRecorder(bench.database.connection)
  for (const [name, requests] of listOperations(bench.store.id, orders)) {
    const recordings = await recorder.record(requests.map((one) => toOne(bench, one)))
    for (const clients of clientCounts) await measureOperation(bench, { name, requests, recordings, clients })
  }
  await recorder.close()
}

type Operation = { name: string; requests: readonly AdminRequest[]; recordings: readonly Recording[]; clients: number }

const measureOperation = async (bench: Bench, { name, requests, recordings, clients }: Operation) => {
  const { service, database, folder, path, headers } = bench
  const file = join(folder, 'requests.tsv')
  const lines = requests.map((one) => requestLine(one.method, path + one.path, fieldsOf(headers, one), one.body))
  writeFileSync(file, lines.join('\n'))
  const load = { file, pid: service.pid, url: service.url, clients }
  // The first second fills caches and is not counted.
  if (!smoke) await sendRequests(load, 1)
  const ours = await sendRequests(load, seconds)
  if (ours.errors > 0) throw new Error(`${name}: ${ours.errors} answers were errors.`)
  const { script, variables, ...replay } = writeReplay(recordings, {
    clients,
    shareOut: requests.some(({ method }) => method !== 'GET'),
  })
  const run = { folder, clients, variables, settings: serviceSettings, ...(smoke ? { each: 2 } : { seconds }) }
  const theirs = await runPgbench(database.connection, script, run)
  const rate = theirs.rate * replay.requests
  const figures = [ours.rate.toFixed(0), ours.p50.toFixed(2), ours.p99.toFixed(2), rate.toFixed(0)]
  figures.push((theirs.ms / replay.requests).toFixed(2), (ours.rate / rate).toFixed(2))
  print(name.padEnd(28) + [String(clients), ...figures].map((figure) => figure.padStart(10)).join(''))
}

/** A type only for a body. */
const fieldsOf = ({ authorization = '', ...type }: Record<string, string>, { body }: AdminRequest) =>
  body === undefined ? { authorization } : { authorization, ...type }

const toOne = ({ path, headers }: Bench, one: AdminRequest, origin = ''): OneRequest => ({
  ...{ method: one.method, url: origin + path + one.path, headers: fieldsOf(headers, one) },
  body: one.body === undefined ? '' : JSON.stringify(one.body),
})

/** One filter with one search, each several times on one connection. */
const measureCombinations = async (bench: Bench) => {
  const { publicId } = await readOutlet(bench)
  const measured: { name: string; p50: number }[] = []
  const combinations = listCombinations(orders, publicId).filter((_, i) => !smoke || i % 10 === 0)
  for (const { name, path } of combinations) {
    const one = toOne(bench, { method: 'GET', path }, bench.service.url)
    const answers = await sendEach(Array(repeats).fill(one), 1)
    const wrong = answers.find(({ status }) => status !== 200)
    if (wrong !== undefined) throw new Error(`${name}: ${wrong.status} ${wrong.body}`)
    measured.push({
      name,
      p50: quantile(
        answers.slice(1).map(({ answerMs }) => answerMs),
        0.5,
      ),
    })
  }
  const sorted = measured.toSorted((a, b) => b.p50 - a.p50)
  const slow = sorted.filter(({ p50 }) => p50 >= mostMs).length
  print(
    `\n${sorted.length} combinations of a filter and a search: p50 of ${slow} is ${mostMs} ms or more. The slowest:`,
  )
  for (const { name, p50 } of sorted.slice(0, 5)) print(`  ${p50.toFixed(1).padStart(7)} ms  ${name}`)
}

const readOutlet = async ({ database, store }: Bench): Promise<{ publicId: string }> => {
  const client = new pg.Client(database.connection)
  await client.connect()
  const { rows } = await client.query('select public_id as "publicId" from outlet where id = $1', [store.otherOutletId])
  await client.end()
  return rows[0]
}

/** A fast result counts only if the data are correct. */
const checkBooks = async ({ database }: Bench) => {
  const db = connectDb({
    ...{ connection: database.connection, poolSize: 1, clock: systemClock, statementTimeoutMs: 600_000 },
  })
  const findings = await checkInvariants(db)
  await db.close()
  for (const { rule, sentence } of findings) print(`  ${rule}: ${sentence}`)
  if (findings.length > 0) throw new Error('The invariants do not hold.')
  print('the invariants hold: units, money, reports and states agree')
}

await main()
