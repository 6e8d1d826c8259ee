import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '../every-command.ts'
import { callUrl } from '../harness.ts'
import type { Market } from './market.ts'
import { type Ledger, merchantOf, trackingNumberOf } from './shopping.ts'

type ReadOrder = {
  id: string
  total: number
  paymentStatus: string
  refunds: { amount: number }[]
  shipments: { trackingNumber: string }[]
}

/** Everything that was acknowledged is there, once and nothing besides, and `doctor` finds nothing wrong. */
export const checkLedger = async (market: Market, ledger: Ledger, { url, vitrine }: { url: string; vitrine: Run }) => {
  const { orders, paid, shipped, refunds } = ledger
  const found = await readOrders(market, url)
  assert.deepEqual(new Set(found.keys()), new Set(orders.keys()))
  const wrong: string[] = []
  for (const [id, { total }] of orders) {
    const { total: foundTotal, paymentStatus, ...order } = found.get(id) as ReadOrder
    const amounts = order.refunds.map(({ amount }) => amount)
    const parcels = order.shipments.map(({ trackingNumber }) => trackingNumber)
    if (foundTotal !== total) wrong.push(`${id}: ${foundTotal} instead of ${total}`)
    if (/paid|refunded/.test(paymentStatus) !== paid.has(id)) wrong.push(`${id}: payment ${paymentStatus}`)
    if (amounts.join() !== [refunds.get(id)].join()) wrong.push(`${id}: refunds ${amounts}`)
    if (parcels.join() !== (shipped.has(id) ? trackingNumberOf(id) : '')) wrong.push(`${id}: parcels ${parcels}`)
  }
  for (const { headers, inCart } of ledger.shoppers) {
    const { json } = await read(`${url}/v1/cart`, headers)
    const units = json.map(({ quantity }: { quantity: number }) => quantity)
    if (units.join() !== (inCart === 0 ? '' : `${inCart}`)) wrong.push(`a cart has ${units} instead of ${inCart}`)
  }
  assert.deepEqual(wrong, [])
  await vitrine(['doctor'])
}

/** A service that has too much to do refuses calls for a moment, as on a machine with other work. */
const maxRefusedMs = 30_000

const read = async (url: string, headers: Record<string, string>) => {
  const beganAt = performance.now()
  for (;;) {
    const answer = await callUrl(url, { headers })
    if (answer.status !== 503 || performance.now() - beganAt > maxRefusedMs) {
      assert.equal(answer.status, 200, answer.text)
      return answer
    }
    await sleep(1000 * Number(answer.headers.get('retry-after')))
  }
}

const readOrders = async (market: Market, url: string) => {
  const orders = new Map<string, ReadOrder>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const path = `/admin/v1/stores/${market.storeId}/orders?limit=100${query}`
    const { json } = await read(`${url}${path}`, merchantOf(market))
    for (const order of json.data) orders.set(order.id, order)
    cursor = json.nextCursor
  }
  return orders
}

/**
 * The store's endpoint gets an event for every acknowledged order, payment, parcel and refund, once or more. Deliveries may
 * be behind, but one arrives at least every `withinMs`.
 */
export const awaitEvents = async (market: Market, ledger: Ledger, withinMs: number) => {
  const expected = [
    ...[...ledger.orders.keys()].map((id) => `order.placed ${id}`),
    ...[...ledger.paid].map((id) => `order.paid ${id}`),
    ...[...ledger.shipped].map((id) => `order.out_for_delivery ${id}`),
    ...[...ledger.refunds.keys()].map((id) => `order.refunded ${id}`),
  ]
  let missing = expected
  for (let progressAt = performance.now(); performance.now() < progressAt + withinMs; await sleep(200)) {
    const received = new Set(market.received())
    const left = missing.filter((event) => !received.has(event))
    if (left.length === 0) return
    if (left.length < missing.length) progressAt = performance.now()
    missing = left
  }
  assert.fail(
    `${missing.length} of ${expected.length} events have not arrived, such as ${missing.slice(0, 5).join(', ')}`,
  )
}
