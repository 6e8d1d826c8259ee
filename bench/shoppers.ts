import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { fillCatalog } from './big-catalog.ts'
import { code, fillCarts, fillCodes, guestId, guestToken, hashCode, phone } from './fill-shoppers.ts'
import { connections, requestLine as line, type Measured, median, requireWrk, sendRequests } from './load.ts'
import { runPgbench, type Varying, writeStatements } from './pgbench.ts'
import { openRecorder, type Recorder, serviceSettings } from './record-requests.ts'
import type { OneRequest } from './send-each.ts'
import { createStore, newEmptyDir, removeDataDir, residentMegabytes, type Service, startService } from './service.ts'

const help = `npm run bench:shoppers -- [--million] [--only PART] [--seconds 4] [--rounds 3] [--smoke]

Measures adding to a cart, reading one and verifying a one-time password, over HTTP against the same statements sent by
pgbench to the same database, in turns. Read the ratios: a noisy machine moves both sides. Needs wrk and pgbench.

  --million     again with 1,000,000 carts in the store; filling them takes minutes
  --only PART   only what has this part in its name
  --seconds N   of each run
  --rounds N    runs of each, of which the median counts
  --smoke       everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    million: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const secret = 'a secret that signs the tokens of this run alone'
const { smoke } = values
const products = smoke ? 200 : 10_000
const fewCarts = smoke ? 500 : 10_000
const seconds = smoke ? 1 : Number(values.seconds)
const rounds = smoke ? 1 : Number(values.rounds)
/** Warm-up rounds, which are not counted. */
const warmUpRounds = smoke ? 0 : 1

type Bench = {
  service: Service
  database: EmbeddedServer
  recorder: Recorder
  store: { id: number; outletId: number }
  key: string
}

/** Something to measure: requests for wrk, and the same as a script for pgbench. */
type Task = { requests: string[]; script: string; usesUp?: boolean }

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const dataDir = newEmptyDir()
  const service = await startService(dataDir, { VITRINE_SECRET: secret, DATABASE_POOL_SIZE: String(connections) })
  const database = await openEmbedded({ dataDir, role: 'command' })
  try {
    const bench = await fillStore(service, database)
    print(heading)
    const few = await measureAll(bench, fewCarts, folder)
    if (values.million) {
      await fillCarts(database.connection, { ...bench.store, products }, { from: fewCarts + 1, to: 1_000_000 })
      const many = await measureAll(bench, 1_000_000, folder)
      for (const [name, { micros }] of many)
        print(
          `${name}: ${(micros / (few.get(name)?.micros ?? 0)).toFixed(2)} times the cost of ${fewCarts.toLocaleString('en')} carts`,
        )
    }
    await bench.recorder.close()
    print(`service: ${residentMegabytes(service.pid).toFixed(0)} MB`)
  } finally {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
    rmSync(folder, { recursive: true })
  }
}

const fillStore = async (service: Service, database: EmbeddedServer): Promise<Bench> => {
  const { storeId, key } = createStore(service, 'Bench', 'sandbox')
  await fillCatalog(database.connection, storeId, { products, smallStores: 10 }, () => {})
  const client = new pg.Client(database.connection)
  await client.connect()
  const { rows } = await client.query('select id, default_outlet_id as "outletId" from store where public_id = $1', [
    storeId,
  ])
  // High limits: this measures additions, not refusals.
  await client.query('update stock set on_hand = 1000000 where store_id = $1', [rows[0].id])
  await client.end()
  await fillCarts(database.connection, { ...rows[0], products }, { from: 1, to: fewCarts })
  return { service, database, recorder: await openRecorder(database.connection, secret), store: rows[0], key }
}

const heading = ['', 'carts', 'requests/s', 'p50 ms', 'p99 ms', 'pgbench/s', 'ratio']
  .map((word, i) => (i === 0 ? word.padEnd(28) : word.padStart(11)))
  .join('')

type Result = { micros: number }

const measureAll = async (bench: Bench, carts: number, folder: string): Promise<Map<string, Result>> => {
  const results = new Map<string, Result>()
  for (const { name, prepare } of kinds) {
    if (!name.includes(values.only)) continue
    const task = await prepare(bench, carts)
    const { ours, theirs } = await measure(bench, task, folder)
    const figures = [
      carts.toLocaleString('en'),
      ours.rate.toFixed(0),
      ours.p50.toFixed(2),
      ours.p99.toFixed(2),
      theirs.toFixed(0),
      (ours.rate / theirs).toFixed(2),
    ]
    print(name.padEnd(28) + figures.map((figure) => figure.padStart(11)).join(''))
    if (ours.errors > 0) throw new Error(`${name}: ${ours.errors} answers were errors.`)
    results.set(name, { micros: 1e6 / ours.rate })
  }
  return results
}

let codesUsed = 0
const codesAtOnce = smoke ? 8_000 : 60_000

const measure = async (bench: Bench, task: Task, folder: string) => {
  const { service, database, store } = bench
  const file = join(folder, 'requests.tsv')
  const ours: Measured[] = []
  const theirs: number[] = []
  const requests = { file, pid: service.pid, url: service.url }
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const first = codesUsed + 1
    const list = task.usesUp
      ? Array.from({ length: codesAtOnce }, (_, i) => toLine(verification(bench, first + i)))
      : task.requests
    if (task.usesUp) {
      await fillCodes(database.connection, secret, store.id, [codesUsed + 1, codesUsed + 2 * codesAtOnce])
      codesUsed += 2 * codesAtOnce
    }
    writeFileSync(file, list.join('\n'))
    // Collects table statistics, so that no run depends on when autovacuum runs.
    await analyze(database)
    const mine = await sendRequests(requests, seconds)
    const script = task.script.replaceAll('CODES_FROM', String(codesUsed - codesAtOnce + 1))
    // Each code works once; a reused one would be refused, which is faster.
    if (task.usesUp && mine.requests + connections > list.length) throw new Error('The codes of a run are used up.')
    const other = await runPgbench(database.connection, script, {
      ...{ folder, clients: connections, seconds },
      settings: serviceSettings,
    })
    if (round < warmUpRounds) continue
    ours.push(mine)
    theirs.push(other.rate)
  }
  return { ours: median(ours), theirs: theirs.sort((a, b) => a - b)[Math.floor(theirs.length / 2)] ?? 0 }
}

const analyze = async ({ connection }: EmbeddedServer) => {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query('analyze')
  await client.end()
}

/** Twenty thousand of them, spread over all carts. */
const someGuests = ({ store }: Bench, carts: number) =>
  Array.from({ length: 20_000 }, (_, i) => guestToken(secret, store.id, guestAt(i, carts)))

const guestAt = (i: number, carts: number) => 1 + ((i * 7_919) % carts)

/** What the service sends for a request, with other values each time. */
const recordScript = async (
  { recorder }: Bench,
  [request, before]: readonly OneRequest[],
  varying: Varying,
  fresh: string,
) => {
  if (request === undefined || before === undefined) throw new Error('two requests are needed')
  const [recording] = await recorder.record([request], [before])
  return writeStatements(recording ?? [], varying, fresh).map((statement) =>
    // The hash of the code is in later statements.
    statement.includes('attempts_left - 1') ? `${statement} \\gset code_` : `${statement};`,
  )
}

const toLine = ({ method = 'GET', url, headers, body }: OneRequest) =>
  line(method, url, headers, body === '' ? undefined : JSON.parse(body))

const numbered = (prefix: string, storeId: number, n: number) => `${prefix}_${storeId}_${String(n).padStart(8, '0')}`

const addTask = async (bench: Bench, carts: number): Promise<Task> => {
  const { store, key } = bench
  const productAt = (i: number) => 1 + ((i * 7919) % products)
  const requests = someGuests(bench, carts).map(
    (token, i): OneRequest => ({
      ...{ method: 'POST', url: '/v1/cart' },
      headers: { 'x-store-key': key, 'content-type': 'application/json', 'x-guest-token': token },
      body: JSON.stringify({ productId: numbered('prod', store.id, productAt(i)) }),
    }),
  )
  const varying = new Map([
    [guestId(guestAt(0, carts)), `lpad(:guest::text, 26, '0')`],
    ...['prod', 'var'].map((prefix): [string, string] => [
      numbered(prefix, store.id, productAt(0)),
      `('${prefix}_${store.id}_' || lpad(:product::text, 8, '0'))`,
    ]),
  ])
  const statements = await recordScript(bench, requests, varying, ':line')
  return {
    requests: requests.map(toLine),
    script: [
      ...[`\\set guest random(1, ${carts})`, `\\set product random(1, ${products})`],
      ...['\\set line random(1, 1000000000000)', ...statements],
    ].join('\n'),
  }
}

const readTask = async (bench: Bench, carts: number): Promise<Task> => {
  const requests = someGuests(bench, carts).map((token): OneRequest => {
    const headers = { 'x-store-key': bench.key, 'x-guest-token': token }
    return { method: 'GET', url: '/v1/cart', headers, body: '' }
  })
  const varying = new Map([[guestId(guestAt(0, carts)), `lpad(:guest::text, 26, '0')`]])
  const statements = await recordScript(bench, requests, varying, ':guest')
  return {
    requests: requests.map(toLine),
    script: [`\\set guest random(1, ${carts})`, ...statements].join('\n'),
  }
}

const verification = ({ key }: Bench, n: number): OneRequest => ({
  ...{ method: 'POST', url: '/v1/auth/otp/verify' },
  headers: { 'x-store-key': key, 'content-type': 'application/json' },
  body: JSON.stringify({ phone: phone(n), otp: code }),
})

const verifyTask = async (bench: Bench): Promise<Task> => {
  const { database, store } = bench
  const [first, second] = [codesUsed + 1, codesUsed + 2]
  codesUsed = second
  await fillCodes(database.connection, secret, store.id, [first, second])
  const varying = new Map([
    [phone(second), `('+9198' || lpad(:phone::text, 8, '0'))`],
    [hashCode(secret, store.id, second), ':code_codeHash'],
  ])
  const both = [verification(bench, second), verification(bench, first)]
  const statements = await recordScript(bench, both, varying, ':phone')
  return {
    usesUp: true,
    requests: [],
    // Every phone once: each client of pgbench has a part of them to itself.
    script: [
      '\\set turn :turn + 1',
      `\\set phone CODES_FROM + :client_id * ${Math.floor(codesAtOnce / connections)} + :turn - 1`,
      ...statements,
    ].join('\n'),
  }
}

const kinds = [
  { name: 'add to a cart', prepare: addTask },
  { name: 'read a cart', prepare: readTask },
  { name: 'verify a one-time password', prepare: verifyTask },
]

await main()
