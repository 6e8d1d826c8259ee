import { hashSecret } from '../src/core/secrets.ts'
import { buyerId, named, sessionOf } from './fill-buyers.ts'
import { connections } from './load.ts'
import { type Varying, writeStatements } from './pgbench.ts'
import { openRecorder } from './record-requests.ts'
import type { SellingStore } from './selling-store.ts'
import type { OneRequest } from './send-each.ts'

export const address = {
  ...{ name: 'Buyer', phone: '+919876543210', line1: '1 Bench Road', line2: '', landmark: '' },
  ...{ city: 'Pune', state: '', postalCode: '411001', country: 'IN' },
}

export type PlacedOrder = { id: string; payment: string; minor: number }

export const eventOf = (order: PlacedOrder) => ({
  ...{ eventId: `evt-${order.id}`, orderId: order.id, transactionId: order.payment, status: 'success' },
  ...{ amount: order.minor / 100, currency: 'INR', method: 'card', last4: '4242', upiId: '', reference: '' },
  occurredAt: new Date().toISOString(),
})

/** The store, with the number of buyers per run. */
type Shop = SellingStore & { buyersOfRun: number }

const jsonBody = { 'content-type': 'application/json' }

export const checkoutOf = ({ key }: Shop, buyer: number) => ({
  ...{ method: 'POST', url: '/v1/checkout', body: { shippingAddress: address } },
  headers: { ...jsonBody, 'x-store-key': key, authorization: `Bearer ${sessionOf(buyer)}` },
})

export const settlementOf = ({ store, webhookLogin }: Shop, order: PlacedOrder) => ({
  ...{ method: 'POST', url: '/webhook/payment', body: eventOf(order) },
  headers: { ...jsonBody, 'x-store-id': store.publicId, authorization: webhookLogin },
})

const toOne = ({ body, ...rest }: { url: string; headers: Record<string, string>; body: object }): OneRequest => ({
  ...rest,
  body: JSON.stringify(body),
})

/** Above all prices, so that it is found among the values. */
const firstNumber = 1_000_000_000

/** SQL for `hashSecret`. */
const hashOf = (text: string) => `rtrim(translate(encode(sha256(${text}::bytea), 'base64'), '+/', '-_'), '=')`

/** One buyer after another: each client of pgbench has a part of them to itself. */
const nextBuyer = ({ buyersOfRun }: Shop, from: number) => [
  '\\set turn :turn + 1',
  `\\set buyer ${from} + :client_id * ${Math.floor(buyersOfRun / connections)} + :turn - 1`,
]

/**
 * Scripts for pgbench that send what the service sends for a checkout and for its settlement, from a buyer on. The service
 * is recorded as it serves the second of two buyers.
 */
export const recordBuying = async (shop: Shop, [first, second]: readonly [number, number]) => {
  const { store } = shop
  await shop.query(
    `insert into order_counter (store_id, last_number) values ($1, $2)
     on conflict (store_id) do update set last_number = excluded.last_number`,
    [store.id, firstNumber],
  )
  const recorder = await openRecorder(shop.database.connection)
  const recordOne = async (before: Parameters<typeof toOne>[0], request: typeof before) => {
    const [recording] = await recorder.record([toOne(request)], [toOne(before)])
    return recording ?? []
  }
  const checkout = await recordOne(checkoutOf(shop, first), checkoutOf(shop, second))
  const orders = [await readOrder(shop, first), await readOrder(shop, second)] as const
  const settlement = await recordOne(settlementOf(shop, orders[0]), settlementOf(shop, orders[1]))
  await recorder.close()
  const varying: Varying = new Map([...ofBuyer(store, second), ...ofOrder(orders[1])])
  const whenPlaced: Varying = new Map([...varying, [String(orders[1].number), ':order_number']])
  const scriptOf = (statements: readonly string[]) => (from: number) =>
    [...nextBuyer(shop, from), ...statements.map(asLine)].join('\n')
  return {
    checkout: scriptOf(writeStatements(checkout, whenPlaced, ':buyer')),
    settlement: scriptOf(writeStatements(settlement, varying, `(:buyer::text || '_paid')`)),
  }
}

/** The number of the order is in later statements. */
const asLine = (statement: string) =>
  statement.includes('order_counter') ? `${statement} \\gset order_` : `${statement};`

/** A product and its only variant have the same number. */
const ofBuyer = ({ id, products }: Shop['store'], buyer: number): [string, string][] => [
  [hashSecret(sessionOf(buyer)), hashOf(named('ses'))],
  ...['cus', 'cart'].map((prefix): [string, string] => [buyerId(prefix, buyer), named(prefix)]),
  ...['prod', 'var'].flatMap((prefix) =>
    [0, 1].map((k): [string, string] => [
      `${prefix}_${id}_${String(1 + ((buyer * 7 + k * 131) % products)).padStart(8, '0')}`,
      `('${prefix}_${id}_' || lpad((1 + (:buyer * 7 + ${k} * 131) % ${products})::text, 8, '0'))`,
    ]),
  ),
]

const ofOrder = ({ id, payment, lines }: Recorded): [string, string][] => [
  [id, named('ord')],
  [payment, named('pay')],
  ...lines.map((line, i): [string, string] => [line, `('item_' || :buyer::text || '_${i}')`]),
]

type Recorded = PlacedOrder & { number: number; lines: string[] }

const readOrder = async ({ store, query }: Shop, buyer: number) => {
  const [order] = await query(
    `select o.id, o.number, o.total_minor::integer as minor, p.id as payment,
       array(select l.id from order_line l where l.store_id = o.store_id and l.order_id = o.id order by l.position) as lines
     from orders o join payment p on p.store_id = o.store_id and p.order_id = o.id
     where o.store_id = $1 and o.customer_id = $2`,
    [store.id, buyerId('cus', buyer)],
  )
  return order as Recorded
}
