import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type EmbeddedServer, openEmbedded } from '../src/db/embedded.ts'
import { findSession } from '../src/features/access/access.sql.ts'
import { readCart } from '../src/features/cart/cart.sql.ts'
import { lockCustomerCart } from '../src/features/cart/for-checkout.sql.ts'
import { takeFromCart } from '../src/features/cart/ordered.sql.ts'
import { readSurroundings } from '../src/features/checkout/checkout.sql.ts'
import { insertOrder, lockCartOf, lockOrder, readOrder, writeOrder } from '../src/features/orders/orders.sql.ts'
import { moveStock } from '../src/features/orders/stock.sql.ts'
import { claimEvent, finishEvent } from '../src/features/payments/inbox.sql.ts'
import { isPaidElsewhere, lockPayments, openPayment, writePayment } from '../src/features/payments/payments.sql.ts'
import { openSandboxPayment } from '../src/features/payments/sandbox.sql.ts'
import { fillCatalog } from './big-catalog.ts'
import { fillBuyers, fillOrders, named, sessionOf } from './fill-buyers.ts'
import { connections, requestLine as line, type Measured, median, requireWrk, sendRequests } from './load.ts'
import { recordStatement, runPgbench, varying } from './pgbench.ts'
import { newDataDir, removeDataDir, residentMegabytes, type Service, startService } from './service.ts'

const help = `npm run bench:buying -- [--million] [--seconds 4] [--rounds 3]

Measures checkout and settlement over HTTP against the same statements sent by pgbench to the same database, in turns; a
flash sale of 100 units to 5,000 buyers; and the list of orders. Read the ratios: a noisy machine moves both sides.
Needs wrk and pgbench.

  --million     the list of orders again with 1,000,000 orders in the store; filling them takes minutes
  --seconds N   of each run
  --rounds N    runs of each, of which the median counts`

const { values } = parseArgs({
  options: {
    million: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string) => void process.stdout.write(`${text}\n`)
const products = 10_000
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
/** More than one side can buy in a run. */
const buyersOfRun = 1_000 * seconds

type Bench = {
  service: Service
  database: EmbeddedServer
  folder: string
  store: { id: number; publicId: string; outletId: number; products: number }
  key: string
  login: string
}

const main = async () => {
  if (values.help) return print(help)
  requireWrk()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  const dataDir = newDataDir()
  // As many connections as pgbench has.
  const service = await startService(dataDir, { DATABASE_POOL_SIZE: String(connections) })
  const database = await openEmbedded({ dataDir, role: 'guest' })
  try {
    const bench = await fillStore(service, database, folder)
    print(
      `${''.padEnd(26)}${['a second', 'p50 ms', 'p99 ms', 'pgbench', 'ratio'].map((word) => word.padStart(11)).join('')}`,
    )
    await measureBuying(bench)
    await measureFlashSale(bench)
    await measureOrders(bench)
    print(`service: ${residentMegabytes(service.pid).toFixed(0)} MB`)
  } finally {
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
    rmSync(folder, { recursive: true })
  }
}

const fillStore = async (service: Service, database: EmbeddedServer, folder: string): Promise<Bench> => {
  const made = service.vitrine('store', 'create', '--name', 'Bench', '--domain', 'b.example', '--currency', 'INR')
  const { storeId, paymentWebhook } = made as {
    storeId: string
    paymentWebhook: { username: string; password: string }
  }
  const limit = ['--rate-limit', '1000000000']
  const { key } = service.vitrine('key', 'create', '--store', storeId, ...limit) as { key: string }
  await fillCatalog(database.connection, storeId, { products, smallStores: 10 }, () => {})
  const [store] = await query(database, 'select id, default_outlet_id as "outletId" from store where public_id = $1', [
    storeId,
  ])
  await query(database, 'update stock set on_hand = 1000000 where store_id = $1', [store?.id])
  const login = Buffer.from(`${paymentWebhook.username}:${paymentWebhook.password}`).toString('base64')
  const { id, outletId } = store as { id: number; outletId: number }
  return { service, database, folder, store: { id, outletId, publicId: storeId, products }, key, login }
}

const query = async ({ connection }: EmbeddedServer, text: string, parameters: unknown[] = []) => {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query(text, parameters)
  await client.end()
  return rows as Record<string, unknown>[]
}

let buyers = 0
/** The next so many buyers, with their carts. */
const moreBuyers = async ({ database, store }: Bench, count: number, product?: number) => {
  const range = { from: buyers + 1, to: buyers + count }
  buyers += count
  await fillBuyers(database.connection, store, { ...range, ...(product === undefined ? {} : { product }) })
  return range
}

const send = ({ service, folder }: Bench, requests: readonly string[]): Promise<Measured> => {
  const file = join(folder, 'requests.tsv')
  writeFileSync(file, requests.join('\n'))
  return sendRequests({ file, pid: service.pid, url: service.url }, seconds)
}

const address = {
  ...{ name: 'Buyer', phone: '+919876543210', line1: '1 Bench Road', line2: '', landmark: '' },
  ...{ city: 'Pune', state: '', postalCode: '411001', country: 'IN' },
}

const checkouts = ({ key }: Bench, { from, to }: { from: number; to: number }) =>
  Array.from({ length: to - from + 1 }, (_, i) =>
    line(
      'POST',
      '/v1/checkout',
      { 'x-store-key': key, authorization: `Bearer ${sessionOf(from + i)}`, 'content-type': 'application/json' },
      { shippingAddress: address },
    ),
  )

const settlements = async (bench: Bench, customers: { from: number; to: number }) => {
  const rows = await query(
    bench.database,
    `select o.id, o.total_minor as minor, p.id as payment from orders o
     join payment p on p.store_id = o.store_id and p.order_id = o.id
     where o.store_id = $1 and o.status = 'pending' and o.customer_id between $2 and $3`,
    [bench.store.id, sessionOf(customers.from).replace('ses', 'cus'), sessionOf(customers.to).replace('ses', 'cus')],
  )
  const headers = {
    authorization: `Basic ${bench.login}`,
    'x-store-id': bench.store.publicId,
    'content-type': 'application/json',
  }
  return rows.map(({ id, minor, payment }) =>
    line('POST', '/webhook/payment', headers, {
      ...{ eventId: `evt-${id}`, orderId: id, transactionId: payment, status: 'success', amount: Number(minor) / 100 },
      ...{
        currency: 'INR',
        method: 'card',
        last4: '4242',
        upiId: '',
        reference: '',
        occurredAt: new Date().toISOString(),
      },
    }),
  )
}

const measureBuying = async (bench: Bench) => {
  const results: Record<'checkout' | 'settlement', { ours: Measured[]; theirs: number[] }> = {
    checkout: { ours: [], theirs: [] },
    settlement: { ours: [], theirs: [] },
  }
  for (let round = 0; round <= rounds; round++) {
    const mine = await moreBuyers(bench, buyersOfRun)
    const bought = await send(bench, checkouts(bench, mine))
    const settled = await send(bench, await settlements(bench, mine))
    const theirs = await moreBuyers(bench, buyersOfRun)
    // So many by each client, so that every order that was placed is settled, and no other.
    const run = { folder: bench.folder, clients: connections, each: 40 * seconds }
    const boughtThere = await runPgbench(bench.database.connection, checkoutScript(bench, theirs.from), run)
    const settledThere = await runPgbench(bench.database.connection, settlementScript(bench, theirs.from), run)
    // The first round warms both sides up.
    if (round === 0) continue
    results.checkout.ours.push(bought)
    results.checkout.theirs.push(boughtThere.rate)
    results.settlement.ours.push(settled)
    results.settlement.theirs.push(settledThere.rate)
  }
  for (const [name, { ours, theirs }] of Object.entries(results)) {
    const rate = theirs.sort((a, b) => a - b)[Math.floor(theirs.length / 2)] ?? 0
    printLine(name, median(ours), rate)
  }
}

const printLine = (name: string, ours: Measured, theirs?: number) => {
  const figures = [ours.rate.toFixed(0), ours.p50.toFixed(2), ours.p99.toFixed(2)]
  if (theirs !== undefined) figures.push(theirs.toFixed(0), (ours.rate / theirs).toFixed(2))
  print(name.padEnd(26) + figures.map((figure) => figure.padStart(11)).join(''))
  if (ours.errors > 0) print(`  ${ours.errors} answers were no success`)
}

/** One buyer after another: each client of pgbench has a part of them to itself. */
const nextBuyer = (from: number) => [
  '\\set turn :turn + 1',
  `\\set buyer ${from} + :client_id * ${Math.floor(buyersOfRun / connections)} + :turn - 1`,
]

const checkoutScript = ({ store }: Bench, from: number) => {
  const [customerId, cartId, orderId, paymentId] = ['cus', 'cart', 'ord', 'pay'].map((prefix) => varying(named(prefix)))
  const variants = [0, 1].map((k) =>
    varying(`('var_${store.id}_' || lpad((1 + (:buyer * 7 + ${k} * 131) % ${products})::text, 8, '0'))`),
  )
  const customer = { kind: 'customer', customerId: customerId as string, sessionHash: null } as const
  const amounts = { subtotalMinor: 20_000, discountMinor: 0, shippingMinor: 0, taxMinor: 0, totalMinor: 20_000 }
  const orderLines = variants.map((variantId, position) => ({
    ...{ id: varying(`('item_' || :buyer::text || '_${position}')`), position, variantId, quantity: 1 },
    ...{ unitMinor: 10_000, lineTotalMinor: 10_000, discountMinor: 0, taxMinor: 0, taxRate: 0 },
  }))
  const record = recordStatement
  const place = [
    record((tx) => lockCustomerCart(tx, store.id, customerId as string)),
    record((tx) => readCart(tx, store.id, { of: customer })),
    record((tx) =>
      readSurroundings(tx, store.id, {
        ...{ customerId: customerId as string, cartId: cartId as string, addressId: null, couponCode: null },
      }),
    ),
    record((tx) => moveStock(tx, store.id, store.outletId, orderLines, { onHand: 0, reserved: 1, mustBeFree: true })),
    record((tx) =>
      insertOrder(
        tx,
        store.id,
        {
          ...{ id: orderId as string, customerId: customerId as string, outletId: store.outletId },
          ...{ cartId: cartId as string, cartVersion: 1, requestHash: '', status: 'pending', paymentStatus: 'pending' },
          ...{ paymentMethod: 'online', stockState: 'reserved', currency: 'INR', taxIncluded: true, ...amounts },
          ...{ couponId: null, couponCode: null, storefrontUrl: null, note: '' },
          ...{ shippingAddress: address, billingAddress: null, livesMs: 1_800_000 },
        },
        orderLines,
        { id: paymentId as string, provider: 'sandbox', status: 'starting', amountMinor: 20_000 },
        [{ type: 'placed', message: 'Order placed.' }],
      ),
    ),
  ]
  const session = { reference: null, redirectUrl: 'http://localhost/sandbox', expiresAt: varying('now()') as never }
  const after = [
    record((tx) => openSandboxPayment(tx, store.publicId, paymentId as string)),
    record((tx) => openPayment(tx, store.id, paymentId as string, session)),
    record((tx) => readOrder(tx, store.id, orderId as string, customerId as string)),
  ]
  const signedIn = record((tx) => findSession(tx, store.id, varying(named('ses'))))
  const statements = [signedIn, 'begin', ...place, 'commit', ...after]
  return [...nextBuyer(from), ...statements.map((statement) => `${statement};`)].join('\n')
}

const settlementScript = ({ store }: Bench, from: number) => {
  const [orderId, cartId, paymentId] = ['ord', 'cart', 'pay'].map((prefix) => varying(named(prefix)))
  const bought = [0, 1].map((k) => ({
    variantId: varying(`('var_${store.id}_' || lpad((1 + (:buyer * 7 + ${k} * 131) % ${products})::text, 8, '0'))`),
    quantity: 1,
  }))
  const event = { source: 'payment', eventId: varying(named('evt')), orderId: orderId as string, body: { any: 'body' } }
  const paid = {
    ...{ id: orderId, status: 'paid', paymentStatus: 'paid', stockState: 'sold', needsAttention: null },
    ...{ payment: { method: 'card', last4: '4242', upiId: '', reference: '' }, deliveryStatus: null },
    ...{ deliveryPartner: null, estimatedDelivery: null, deliveredAt: null, trackingUrl: null, expiresAt: null },
  }
  const record = recordStatement
  const statements = [
    'begin',
    `${record((tx) => claimEvent(tx, store.id, event))}`,
    record((tx) => lockCartOf(tx, store.id, orderId as string)),
    record((tx) => lockOrder(tx, store.id, orderId as string)),
    record((tx) => lockPayments(tx, store.id, orderId as string)),
    record((tx) => isPaidElsewhere(tx, store.id, orderId as string)),
    record((tx) =>
      writePayment(tx, store.id, paymentId as string, { status: 'paid', reference: null, refundDue: false }),
    ),
    record((tx) => moveStock(tx, store.id, store.outletId, bought, { onHand: -1, reserved: -1, mustBeFree: false })),
    record((tx) => takeFromCart(tx, store.id, cartId as string, bought)),
    record((tx) => writeOrder(tx, store.id, paid as never, [{ type: 'paid', message: 'Paid by card.' }])),
    record((tx) => finishEvent(tx, store.id, 0, 'applied', 'The order is paid.')),
    'commit',
  ]
  return [...nextBuyer(from), ...statements.map((statement) => `${statement};`)].join('\n')
}

/** One product, 100 units, 5,000 buyers who all want one at once. */
const measureFlashSale = async (bench: Bench) => {
  const { store, database } = bench
  const [units, people] = [100, 5_000]
  const variant = `var_${store.id}_00000042`
  await query(database, 'update stock set on_hand = $1, reserved = 0 where store_id = $2 and variant_id = $3', [
    units,
    store.id,
    variant,
  ])
  const range = await moreBuyers(bench, people, 42)
  const measured = await send(bench, checkouts(bench, range))
  const [sold] = await query(
    database,
    `select count(*) as orders from order_line l where l.store_id = $1 and l.variant_id = $2 and exists (
       select from orders o where o.store_id = l.store_id and o.id = l.order_id and o.stock_state = 'reserved'
         and o.customer_id between $3 and $4)`,
    [store.id, variant, sessionOf(range.from).replace('ses', 'cus'), sessionOf(range.to).replace('ses', 'cus')],
  )
  print(
    `flash sale: ${sold?.orders} orders for ${units} units; ${measured.rate.toFixed(0)} answers a second, ` +
      `p50 ${measured.p50.toFixed(1)} ms, p99 ${measured.p99.toFixed(1)} ms`,
  )
}

const measureOrders = async (bench: Bench) => {
  const { store, database, key } = bench
  const range = await moreBuyers(bench, 1_000)
  const lists = Array.from({ length: 1_000 }, (_, i) =>
    line('GET', '/v1/customer/orders', { 'x-store-key': key, authorization: `Bearer ${sessionOf(range.from + i)}` }),
  )
  const measureLists = async (orders: number) => {
    const runs: Measured[] = []
    for (let round = 0; round <= rounds; round++) runs.push(await send(bench, lists))
    printLine(`orders, of ${orders.toLocaleString('en')}`, median(runs.slice(1)))
    return median(runs.slice(1)).rate
  }
  await fillOrders(database.connection, store, { ...range, orders: 10_000 })
  const few = await measureLists(10_000)
  if (!values.million) return
  await query(database, `delete from order_line where store_id = $1 and order_id like 'ord_past%'`, [store.id])
  await query(database, `delete from orders where store_id = $1 and id like 'ord_past%'`, [store.id])
  await fillOrders(database.connection, store, { ...range, orders: 1_000_000 })
  const many = await measureLists(1_000_000)
  print(`list of orders: ${(few / many).toFixed(2)} times the cost of 10,000 orders`)
}

await main()
