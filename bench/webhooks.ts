import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventDeclarations } from '../src/contract.ts'
import { systemClock } from '../src/core/clock.ts'
import { sendRequest } from '../src/core/http-request.ts'
import { newId } from '../src/core/ids.ts'
import { connectDb, type Db } from '../src/db/database.ts'
import { openEmbedded } from '../src/db/embedded.ts'
import { insertEvents } from '../src/features/events/events.sql.ts'
import { orderSnapshot } from '../src/features/orders/orders.sql.ts'
import { fillCatalog } from './big-catalog.ts'
import { address } from './buying-scripts.ts'
import { fillBuyers, sessionOf } from './fill-buyers.ts'
import type { Received } from './receiver.ts'
import { quantile, sendEach } from './send-each.ts'
import { createStore, newDataDir, removeDataDir, type Service, startService } from './service.ts'

const help = `npm run bench:webhooks -- [--events 1000] [--endpoints 10] [--seconds 20] [--smoke]

Measures outgoing webhooks to a local receiver: deliveries a second of a store with many events waiting, against the same
requests sent by a loop with as many at once; and the delay from the commit to the delivery while 100 orders a second are
placed. Read the ratio: a noisy machine moves both sides.

  --events N     that wait when the service starts to send
  --endpoints N  of the store, each with two requests at once
  --seconds N    of orders
  --smoke        everything once, with little data: shows in seconds that this still runs; its figures mean nothing`

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000' },
    endpoints: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const { smoke } = values
const events = smoke ? 50 : Number(values.events)
const endpoints = smoke ? 2 : Number(values.endpoints)
const seconds = smoke ? 1 : Number(values.seconds)
const ordersPerSecond = smoke ? 10 : 100
const warmUpOrders = smoke ? 1 : 1_000
const products = smoke ? 50 : 1_000

const print = (text: string) => void process.stdout.write(`${text}\n`)

type Bench = {
  service: Service
  db: Db
  receiver: Receiver
  store: { id: number; publicId: string; outletId: number; products: number }
  key: string
}

const main = async () => {
  if (values.help) return print(help)
  const dataDir = newDataDir()
  const service = await startService(dataDir)
  const database = await openEmbedded({ dataDir, role: 'command' })
  const db = connectDb({ connection: database.connection, poolSize: 4, clock: systemClock })
  const receiver = await startReceiver()
  try {
    const { storeId, key } = createStore(service, 'Bench', 'sandbox')
    await fillCatalog(database.connection, storeId, { products, smallStores: 1 }, () => {})
    const { id, outletId } = await db.one<{ id: number; outletId: number }>`
      select id, default_outlet_id as "outletId" from store where public_id = ${storeId}`
    await db.run`update stock set on_hand = 1000000 where store_id = ${id}`
    const bench = { service, db, receiver, key, store: { id, outletId, publicId: storeId, products } }
    await fillBuyers(database.connection, bench.store, { from: 1, to: warmUpOrders + seconds * ordersPerSecond })
    addEndpoint(bench, 'order.placed', 0)
    await measureDelays(bench)
    for (let i = 1; i <= endpoints; i++) addEndpoint(bench, 'order.attention', i)
    await measureRate(bench)
  } finally {
    receiver.child.disconnect()
    await db.close()
    await database.stop()
    await service.stop()
    removeDataDir(dataDir)
  }
}

const addEndpoint = ({ service, store, receiver }: Bench, types: string, number: number) =>
  service.vitrine(
    'webhook',
    'create',
    '--store',
    store.publicId,
    '--url',
    `${receiver.url}/${number}`,
    '--types',
    types,
  )

type Receiver = { child: ChildProcess; url: string; take(): Promise<Received> }

const startReceiver = async (): Promise<Receiver> => {
  const child = fork(new URL('./receiver.ts', import.meta.url))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const url = `http://127.0.0.1:${port}`
  return { child, url, take: async () => (await fetch(url)).json() as Promise<Received> }
}

/** Waits until the receiver has got so many requests. */
const receive = async (receiver: Receiver, count: number): Promise<Received> => {
  const all: Received = { delays: [], firstAt: 0, lastAt: 0 }
  while (all.delays.length < count) {
    const { delays, firstAt, lastAt } = await receiver.take()
    all.delays.push(...delays)
    all.firstAt ||= firstAt
    all.lastAt = lastAt || all.lastAt
    if (all.delays.length < count) await sleep(50)
  }
  return all
}

/** Places orders at a steady rate, whether or not earlier ones were answered. Returns the delays of their events. */
const placeOrders = async (bench: Bench, firstBuyer: number, count: number): Promise<number[]> => {
  const began = performance.now()
  const placed: Promise<void>[] = []
  for (let n = 0; n < count; n++) {
    const dueMs = began + (n * 1000) / ordersPerSecond
    if (dueMs > performance.now()) await sleep(dueMs - performance.now())
    placed.push(checkOut(bench, firstBuyer + n))
    // A failure is thrown below. Without this it would end the process, and leave the service running.
    placed.at(-1)?.catch(() => {})
  }
  await Promise.all(placed)
  return (await receive(bench.receiver, count)).delays
}

/** The code of a new process is slow until the engine has optimized it: each order waits for the one before. */
const warmUp = async (bench: Bench) => {
  for (let n = 1; n <= warmUpOrders; n++) await checkOut(bench, n)
  await receive(bench.receiver, warmUpOrders)
}

const measureDelays = async (bench: Bench) => {
  const count = seconds * ordersPerSecond
  await warmUp(bench)
  const delays = await placeOrders(bench, 1 + warmUpOrders, count)
  print(
    `${ordersPerSecond} orders a second: from the commit to the delivery p50 ${quantile(delays, 0.5)} ms, ` +
      `p99 ${quantile(delays, 0.99)} ms, longest ${Math.max(...delays)} ms (${count} events)`,
  )
}

const checkOut = async ({ service, key }: Bench, buyer: number) => {
  const { status, text } = await sendRequest({
    method: 'POST',
    url: `${service.url}/v1/checkout`,
    headers: {
      'x-store-key': key,
      authorization: `Bearer ${sessionOf(buyer)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ shippingAddress: address }),
    signal: AbortSignal.timeout(60_000),
    maxAnswerBytes: 100_000,
  })
  if (status !== 201) throw new Error(`A checkout was answered with ${status}: ${text}`)
}

/** The events are written by this process, so the service finds them with its next poll and has all of them waiting. */
const measureRate = async ({ db, store, receiver }: Bench) => {
  const { id: orderId } = await db.one<{ id: string }>`select id from orders where store_id = ${store.id} limit 1`
  const { last } = await db.one<{ last: number }>`
    select max(sequence) as last from event where store_id = ${store.id} and subject = ${orderId}`
  await db.tx(async (tx) => {
    for (let from = 0; from < events; from += 500) {
      const some = Array.from({ length: Math.min(500, events - from) }, (_, i) => ({
        ...{ id: newId('evt'), type: 'order.attention' as const, subject: orderId, sequence: last + 1 + from + i },
      }))
      await insertEvents(tx, store.id, some, orderSnapshot(store.id, orderId))
    }
  })
  const deliveries = events * endpoints
  const { firstAt, lastAt } = await receive(receiver, deliveries)
  const rate = (deliveries * 1000) / (lastAt - firstAt)
  const limit = await measureLimit(receiver, deliveries)
  print(
    `${deliveries} deliveries to ${endpoints} endpoints: ${rate.toFixed(0)} a second; ` +
      `a loop that only sends: ${limit.toFixed(0)}; ratio ${(rate / limit).toFixed(2)}`,
  )
}

/** The same number of requests of the same size, without database and signature. */
const measureLimit = async (receiver: Receiver, count: number) => {
  const data = eventDeclarations['order.attention'].example
  const body = JSON.stringify({ type: 'order.attention', timestamp: new Date().toISOString(), sequence: 1, data })
  const request = { url: receiver.url, headers: { 'content-type': 'application/json' }, body }
  const began = performance.now()
  await sendEach(
    Array.from({ length: count }, () => request),
    2 * endpoints,
  )
  const took = performance.now() - began
  await receiver.take()
  return (count * 1000) / took
}

await main()
