import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { findCustomerByPhone, insertCustomer } from '../src/features/accounts/customers.sql.ts'
import { consumeCode, spendAttempt } from '../src/features/accounts/otp.sql.ts'
import { insertSession } from '../src/features/accounts/sessions.sql.ts'
import { holdOwnCart, readCart, writeLines } from '../src/features/cart/cart.sql.ts'
import { fillCatalog } from './big-catalog.ts'
import { code, fillCarts, fillCodes, guestToken, phone } from './fill-shoppers.ts'
import { connections, requestLine as line, type Measured, median, requireWrk, sendRequests } from './load.ts'
import { recordStatement, runPgbench, varying } from './pgbench.ts'
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

type Bench = { service: Service; database: EmbeddedServer; store: { id: number; outletId: number }; key: string }

/** Something to measure: requests for wrk, and the same as a script for pgbench. */
type Task = { name: string; requests: string[]; script: string; usesUp?: boolean }

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
  return { service, database, store: rows[0], key }
}

const heading = ['', 'carts', 'requests/s', 'p50 ms', 'p99 ms', 'pgbench/s', 'ratio']
  .map((word, i) => (i === 0 ? word.padEnd(28) : word.padStart(11)))
  .join('')

type Result = { micros: number }

const measureAll = async (bench: Bench, carts: number, folder: string): Promise<Map<string, Result>> => {
  const results = new Map<string, Result>()
  const tasks = [addTask(bench, carts), readTask(bench, carts), verifyTask(bench)]
  for (const task of tasks) {
    if (!task.name.includes(values.only)) continue
    const { ours, theirs } = await measure(bench, task, folder)
    const figures = [
      carts.toLocaleString('en'),
      ours.rate.toFixed(0),
      ours.p50.toFixed(2),
      ours.p99.toFixed(2),
      theirs.toFixed(0),
      (ours.rate / theirs).toFixed(2),
    ]
    print(task.name.padEnd(28) + figures.map((figure) => figure.padStart(11)).join(''))
    if (ours.errors > 0) throw new Error(`${task.name}: ${ours.errors} answers were errors.`)
    results.set(task.name, { micros: 1e6 / ours.rate })
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
    const list = task.usesUp ? verifications(bench, codesUsed) : task.requests
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
    const other = await runPgbench(database.connection, script, { folder, clients: connections, seconds })
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
  Array.from({ length: 20_000 }, (_, i) => guestToken(secret, store.id, 1 + ((i * 7_919) % carts)))

const productOf = (storeId: number, n: number) => `prod_${storeId}_${String(n).padStart(8, '0')}`

const addTask = (bench: Bench, carts: number): Task => {
  const { store, key } = bench
  const guest = varying(`lpad(:guest::text, 26, '0')`)
  const product = varying(`('prod_${store.id}_' || lpad(:product::text, 8, '0'))`)
  const variant = varying(`('var_${store.id}_' || lpad(:product::text, 8, '0'))`)
  const hold = recordStatement((tx) =>
    holdOwnCart(tx, {
      storeId: store.id,
      shopper: { kind: 'guest', guestId: guest, isNew: false },
      newCartId: varying(`('cart_' || lpad(:guest::text, 26, '0'))`),
      outletId: store.outletId,
      couponChange: undefined,
      products: [{ productId: product, variantId: null }],
    }),
  )
  const write = recordStatement((tx) =>
    writeLines(
      tx,
      store.id,
      { id: varying(':cart_id'), outletId: store.outletId },
      {
        adds: true,
        variants: [
          {
            newId: varying(`('line_' || :line::text)`),
            variantId: variant,
            productId: product,
            quantity: 1,
            unitMinor: 10_000,
          },
        ],
        lines: [],
        removals: [],
      },
    ),
  )
  const headers = { 'x-store-key': key, 'content-type': 'application/json' }
  return {
    name: 'add to a cart',
    requests: someGuests(bench, carts).map((token, i) =>
      line(
        'POST',
        '/v1/cart',
        { ...headers, 'x-guest-token': token },
        {
          productId: productOf(store.id, 1 + ((i * 7919) % products)),
        },
      ),
    ),
    script: [
      `\\set guest random(1, ${carts})`,
      `\\set product random(1, ${products})`,
      '\\set line random(1, 1000000000000)',
      'begin;',
      `${hold} \\gset cart_`,
      `${write};`,
      'commit;',
    ].join('\n'),
  }
}

const readTask = (bench: Bench, carts: number): Task => {
  const { store, key } = bench
  const of = { kind: 'guest', guestId: varying(`lpad(:guest::text, 26, '0')`), isNew: false } as const
  const read = recordStatement((tx) => readCart(tx, store.id, { of }))
  return {
    name: 'read a cart',
    requests: someGuests(bench, carts).map((token) =>
      line('GET', '/v1/cart', { 'x-store-key': key, 'x-guest-token': token }),
    ),
    script: `\\set guest random(1, ${carts})\n${read};\n`,
  }
}

const verifications = ({ key }: Bench, after: number) =>
  Array.from({ length: codesAtOnce }, (_, i) =>
    line(
      'POST',
      '/v1/auth/otp/verify',
      { 'x-store-key': key, 'content-type': 'application/json' },
      {
        phone: phone(after + i + 1),
        otp: code,
      },
    ),
  )

const verifyTask = ({ store }: Bench): Task => {
  const number = varying(`('+9198' || lpad(:phone::text, 8, '0'))`)
  const customer = varying(`('cus_bench' || :phone::text)`)
  const nothing = { name: '', email: null, contactPhone: '', passwordHash: null }
  const statements = [
    recordStatement((tx) => spendAttempt(tx as never, store.id, number)),
    'begin',
    recordStatement((tx) => consumeCode(tx, store.id, number, varying(':code_codeHash'))),
    recordStatement((tx) => findCustomerByPhone(tx, store.id, number)),
    recordStatement((tx) => insertCustomer(tx, store.id, { id: customer, phone: number, ...nothing })),
    recordStatement((tx) => insertSession(tx, store.id, varying(`('hash' || :phone::text)`), customer, 604_800_000)),
    'commit',
  ]
  const [spend, ...rest] = statements
  return {
    name: 'verify a one-time password',
    usesUp: true,
    requests: [],
    // Every phone once: each client of pgbench has a part of them to itself.
    script: [
      '\\set turn :turn + 1',
      `\\set phone CODES_FROM + :client_id * ${Math.floor(codesAtOnce / connections)} + :turn - 1`,
      `${spend} \\gset code_`,
      ...rest.map((statement) => `${statement};`),
    ].join('\n'),
  }
}

await main()
