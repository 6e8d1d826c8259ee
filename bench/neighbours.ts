import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { fillCatalog } from './big-catalog.ts'
import { type Latency, middle, readFor } from './latency.ts'
import { connections, type Measured, requestLine, requireWrk, sendRequests } from './load.ts'
import { createStore, newDataDir, removeDataDir, type Service, startService } from './service.ts'

const help = `npm run bench:neighbours -- [--seconds 8] [--rounds 3] [--carts 1] [--smoke]

Measures what one store notices of another. A guest of the attacked store changes one cart of 200 lines on ${connections}
connections at once; the neighbour reads its catalog from the database, one read after another, quiet and under the attack
in turns. Read the ratio of the two p99. Needs wrk.

  --seconds N   of each run
  --rounds N    runs of each, of which the median counts
  --carts N     so many guests attack together, each with a cart of their own
  --smoke       one short round on a small catalog, to see that it works`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    carts: { type: 'string', default: '1' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const seconds = values.smoke ? 1 : Number(values.seconds)
const rounds = values.smoke ? 1 : Number(values.rounds)
const products = values.smoke ? 500 : 10_000
const linesOfCart = 200
const linesOfCall = 100

type Shop = { service: Service; database: EmbeddedServer; storeId: string; headers: Record<string, string> }

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const dataDir = newDataDir()
  const service = await startService(dataDir)
  const database = await openEmbedded({ dataDir, role: 'command' })
  try {
    const shop = await fillShop(service, database)
    const neighbour = await keyOfNeighbour(shop)
    const file = join(folder, 'attack.txt')
    writeFileSync(file, (await makeAttack(shop, Number(values.carts))).join('\n'))
    await readFor(shop.service, neighbour, 1)
    const quiet: Latency[] = []
    const attacked: Latency[] = []
    const attacks: Measured[] = []
    for (let round = 0; round < rounds; round++) {
      quiet.push(await readFor(shop.service, neighbour, seconds))
      const attack = sendRequests({ url: shop.service.url, pid: shop.service.pid, file }, seconds + 1)
      await sleep(500)
      attacked.push(await readFor(shop.service, neighbour, seconds))
      attacks.push(await attack)
    }
    report(middle(quiet), middle(attacked), attacks)
  } finally {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
    rmSync(folder, { recursive: true })
  }
}

/** The attacked store, and small ones beside it. */
const fillShop = async (service: Service, database: EmbeddedServer): Promise<Shop> => {
  const { storeId, key } = createStore(service, 'Bench', 'cod')
  await fillCatalog(database.connection, storeId, { products, smallStores: 10 }, () => {})
  return { service, database, storeId, headers: { 'x-store-key': key } }
}

const newKey = (service: Service, storeId: string) => {
  const limit = ['--rate-limit', '1000000000']
  return (service.vitrine('key', 'create', '--store', storeId, ...limit) as { key: string }).key
}

const report = (quiet: Latency, attacked: Latency, attacks: readonly Measured[]) => {
  print(['neighbour'.padEnd(14), ...['p50 ms', 'p99 ms', 'faults', 'unhealthy'].map((h) => h.padStart(10))].join(''))
  for (const [name, { p50, p99, faults, unhealthy }] of Object.entries({ quiet, attacked })) {
    print(
      name.padEnd(14) + [p50.toFixed(2), p99.toFixed(2), faults, unhealthy].map((f) => `${f}`.padStart(10)).join(''),
    )
  }
  print(`p99 under the attack: ${(attacked.p99 / quiet.p99).toFixed(2)} times the quiet one`)
  const rates = attacks.map(({ rate }) => rate.toFixed(0)).join(', ')
  print(`changes a second in the attack: ${rates}, of which errors: ${attacks.map(({ errors }) => errors).join(', ')}`)
}

/** The key of one of the small stores beside the attacked one. */
const keyOfNeighbour = async ({ database, service }: Shop): Promise<string> => {
  const client = new pg.Client(database.connection)
  await client.connect()
  const { rows } = await client.query(`select public_id from store where public_id like 'store_small%' limit 1`)
  // High limits: this measures waiting, not refusals.
  await client.query('update stock set on_hand = 1000000')
  await client.end()
  return newKey(service, rows[0].public_id)
}

/** Guests with a full cart each, and the change that they repeat. */
const makeAttack = async ({ service, headers, database, storeId }: Shop, carts: number): Promise<string[]> => {
  const client = new pg.Client(database.connection)
  await client.connect()
  const { rows } = await client.query(
    `select p.id from product p join store s on s.id = p.store_id
     where s.public_id = $1 and p.status = 'ACTIVE' limit $2`,
    [storeId, linesOfCart],
  )
  await client.end()
  const items = rows.map(({ id }: { id: string }) => ({ productId: id, quantity: 1 }))
  const attack: string[] = []
  for (let n = 0; n < carts; n++) {
    let cartId = ''
    const guest: Record<string, string> = { ...headers, 'content-type': 'application/json' }
    for (let from = 0; from < items.length; from += linesOfCall) {
      const body = JSON.stringify({ items: items.slice(from, from + linesOfCall) })
      const answer = await fetch(`${service.url}/v1/cart`, { method: 'POST', headers: guest, body })
      if (!answer.ok) throw new Error(`a cart could not be filled: ${await answer.text()}`)
      guest['x-guest-token'] ??= answer.headers.get('x-guest-token') ?? ''
      cartId = answer.headers.get('x-cart-id') ?? ''
    }
    attack.push(requestLine('PATCH', `/v1/cart/${cartId}`, guest, { items: items.slice(0, 1) }))
  }
  return attack
}

await main()
