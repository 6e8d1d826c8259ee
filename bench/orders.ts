import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { readProcessorTimes } from './buying-cpu.ts'
import { address, eventOf } from './buying-scripts.ts'
import { openSellingStore, type SellingStore } from './selling-store.ts'

const help = `npm run bench:orders -- [--shoppers 8] [--seconds 20] [--smoke]

Measures what a whole order costs: a guest fills a cart, signs in by a one-time password, claims the cart, checks out and
opens the payment, and the provider reports it as paid. Seven calls. Prints the processor time of the service and of the
database, the commits, and the bytes that each order adds to the log and to the tables of the database.

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
const secret = 'a secret that only this run has, of 32 characters'

const main = async () => {
  if (values.help) return print(help)
  const phones = await openPhones()
  const store = await openSellingStore(products, {
    VITRINE_SMS_SENDER: 'http',
    VITRINE_SMS_URL: phones.url,
    VITRINE_SMS_SECRET: secret,
  })
  const agent = new Agent({ keepAlive: true, maxSockets: shoppers })
  try {
    store.service.vitrine('store', 'set', '--store', store.store.publicId, '--otp-client-limit', '1000000')
    const buy = await makeBuyer(store, phones, agent)
    await buyFor(buy, smoke ? 0 : 5)
    // Statistics as a database has them after a minute of use.
    await store.query('vacuum analyze')
    await measure(store, buy)
  } finally {
    agent.destroy()
    await store.close()
    phones.close()
  }
}

/** Receives the messages with one-time passwords. */
const openPhones = async () => {
  const waiting = new Map<string, (code: string) => void>()
  const server = createServer(async (message, response) => {
    const { phone, code } = (await json(message)) as { phone: string; code: string }
    response.end()
    waiting.get(phone)?.(code)
    waiting.delete(phone)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    codeFor: (phone: string) => new Promise<string>((resolve) => waiting.set(phone, resolve)),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Phones = Awaited<ReturnType<typeof openPhones>>

const makeBuyer = async ({ service, key, store, webhookLogin, query }: SellingStore, phones: Phones, agent: Agent) => {
  const call = async (path: string, headers: Record<string, string>, body: object) => {
    const text = JSON.stringify(body)
    const length = String(Buffer.byteLength(text))
    const sent = request(`${service.url}${path}`, {
      ...{ agent, method: 'POST' },
      headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
    })
    sent.end(text)
    const [answer] = await once(sent, 'response')
    const content = (await json(answer)) as Answer
    if (answer.statusCode >= 300) throw new Error(`POST ${path}: ${answer.statusCode} ${JSON.stringify(content)}`)
    return { content, headers: answer.headers as Record<string, string> }
  }
  const variants = (await query(
    'select id as "variantId", product_id as "productId" from variant where store_id = $1 limit 5000',
    [store.id],
  )) as { variantId: string; productId: string }[]
  let bought = 0

  /** One journey from an empty cart to a paid order. */
  return async () => {
    bought++
    const phone = `+9198${String(10_000_000 + bought)}`
    const caller = { 'x-store-key': key }
    const line = { ...variants[bought % variants.length], quantity: 1 }
    const { headers: guest } = await call('/v1/cart', caller, line)
    const arrived = phones.codeFor(phone)
    const { requestToken } = (await call('/v1/auth/otp/request', caller, { phone })).content
    const otp = await arrived
    const { token } = (await call('/v1/auth/otp/verify', caller, { phone, otp, requestToken })).content
    const customer = { ...caller, authorization: `Bearer ${token}` }
    const held = { ...customer, 'x-guest-token': guest['x-guest-token'] ?? '' }
    await call(`/v1/cart/${guest['x-cart-id']}/claim`, held, {})
    const { order } = (await call('/v1/checkout', customer, { shippingAddress: address })).content
    const { paymentId } = (await call('/v1/payment', customer, { orderId: order.id })).content
    const paid = eventOf({ id: order.id, payment: paymentId, minor: Math.round(order.total * 100) })
    await call('/webhook/payment', { authorization: webhookLogin, 'x-store-id': store.publicId }, paid)
  }
}

type Answer = { requestToken: string; token: string; order: { id: string; total: number }; paymentId: string }

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

const timesOf = ({ service, serverPid }: SellingStore) => readProcessorTimes(service.pid, serverPid)

await main()
