import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import type { PaymentDouble } from '../test/doubles/payment-double.ts'
import { balanceLedgers } from '../test/put-on-hand.ts'
import { fillCatalog } from './big-catalog.ts'
import { address, eventOf } from './buying-scripts.ts'
import { catchWebhooks } from './catch-webhooks.ts'
import { fillBuyers, sessionOf } from './fill-buyers.ts'
import type { AccountRequest, DoubleMessage } from './run-double.ts'
import { type OneAnswer, type OneRequest, sendEach } from './send-each.ts'
import { createStore, endChild, type Service } from './service.ts'

type DoubleName = PaymentDouble['name']
const doubleNames: readonly DoubleName[] = ['stripe', 'razorpay', 'juspay']

export type DoubleProcess = { name: DoubleName; url: string; pid: number; child: ChildProcess }

/** Doubles in processes of their own, so that their processor time is not that of the service. */
export const startDoubles = (): Promise<DoubleProcess[]> =>
  Promise.all(
    doubleNames.map(async (name) => {
      const child = fork(new URL('./run-double.ts', import.meta.url).pathname, [name])
      const message = await nextMessage(child)
      if (!('url' in message) || child.pid === undefined) throw new Error(`The double of ${name} did not start.`)
      return { name, url: message.url, pid: child.pid, child }
    }),
  )

export const stopDoubles = (doubles: readonly DoubleProcess[]) =>
  Promise.all(doubles.map(({ child }) => endChild(child)))

const nextMessage = async (child: ChildProcess): Promise<DoubleMessage> => (await once(child, 'message'))[0]

/** The order of a checkout, as far as its payment is concerned. */
type Ordered = { id: string; payment: string; minor: number; redirectUrl: string }

/** A store that takes payments with one provider. */
export type PaymentSide = {
  name: DoubleName | 'sandbox'
  storeId: number
  /** Undefined for the sandbox, which is part of the service. */
  doublePid: number | undefined
  /** Customers with a cart each. No two stores share one. */
  addBuyers(count: number): Promise<void>
  /** The checkouts of the next buyers. */
  nextCheckouts(count: number): OneRequest[]
  /** Pays at the provider. Returns the webhooks that it sends about each order, in their order. */
  payAll(checkouts: readonly OneAnswer[]): Promise<OneRequest[][]>
}

type Place = { service: Service; connection: pg.ClientConfig; products: number }

export const openSandboxSide = async (place: Place): Promise<PaymentSide> => {
  const { side, publicId, webhook } = await openSide(place, 'sandbox')
  const login = Buffer.from(`${webhook.username}:${webhook.password}`).toString('base64')
  const headers = { authorization: `Basic ${login}`, 'x-store-id': publicId, 'content-type': 'application/json' }
  const url = `${place.service.url}/webhook/payment`
  return {
    ...side,
    payAll: async (checkouts) =>
      checkouts.map((answer) => [{ url, headers, body: JSON.stringify(eventOf(readOrdered(answer))) }]),
  }
}

export const openDoubleSide = async (place: Place, double: DoubleProcess): Promise<PaymentSide> => {
  const { side, publicId } = await openSide(place, double.name)
  const inbox = await catchWebhooks(place.service.url)
  const request: AccountRequest = { storeId: publicId, webhookOrigin: inbox.origin }
  double.child.send(request)
  const message = await nextMessage(double.child)
  if (!('credentials' in message)) throw new Error(`The double of ${double.name} opened no account.`)
  const credentials = Object.entries(message.credentials).flatMap(([name, value]) => [
    '--payment-credential',
    `${name}=${value}`,
  ])
  place.service.vitrine(
    'store',
    'set',
    '--store',
    publicId,
    '--payment-provider',
    double.name,
    '--no-check',
    ...credentials,
  )
  return {
    ...side,
    doublePid: double.pid,
    payAll: async (checkouts) => {
      const ordered = checkouts.map(readOrdered)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      await sendEach(
        ordered.map(({ redirectUrl }) => ({ url: redirectUrl, headers, body: 'choice=pay' })),
        payers,
      )
      const webhooks = inbox.take()
      return ordered.map(({ id }) => webhooks.filter(({ body }) => body.includes(id)))
    },
  }
}

const payers = 8

const readOrdered = ({ status, body }: OneAnswer): Ordered => {
  if (status !== 201) throw new Error(`A checkout was answered with ${status}: ${body}`)
  const { order, payment } = JSON.parse(body)
  return {
    ...{ id: order.id, payment: payment.id, redirectUrl: payment.redirectUrl },
    minor: Math.round(order.total * 100),
  }
}

let buyers = 0

const openSide = async ({ service, connection, products }: Place, name: PaymentSide['name']) => {
  const { storeId: publicId, key, paymentWebhook: webhook } = createStore(service, `Bench ${name}`, 'sandbox')
  await fillCatalog(connection, publicId, { products, smallStores: 0, wordsInDescription: 3 }, () => {})
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query('select id, default_outlet_id from store where public_id = $1', [publicId])
  const store = { id: Number(rows[0].id), outletId: Number(rows[0].default_outlet_id), products }
  await client.query('update stock set on_hand = 1000000 where store_id = $1', [store.id])
  await client.query(balanceLedgers)
  await client.query('update listing set in_stock = true where store_id = $1', [store.id])
  await client.end()
  const waiting: number[] = []
  const side = {
    name,
    storeId: store.id,
    doublePid: undefined,
    addBuyers: async (count: number) => {
      const range = { from: buyers + 1, to: buyers + count }
      buyers += count
      await fillBuyers(connection, store, range)
      for (let n = range.from; n <= range.to; n++) waiting.push(n)
    },
    nextCheckouts: (count: number) =>
      waiting.splice(0, count).map((n) => ({
        url: `${service.url}/v1/checkout`,
        headers: {
          'x-store-key': key,
          authorization: `Bearer ${sessionOf(n)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ shippingAddress: address }),
      })),
  }
  return { side, publicId, webhook }
}
