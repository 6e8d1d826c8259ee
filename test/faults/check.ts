import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { runVitrine, type Settings } from '../../src/cli/fixture.ts'
import { callUrl } from '../harness.ts'
import type { Market } from './market.ts'
import type { Acknowledged } from './people.ts'

/** Everything that was acknowledged is there, and `doctor` finds nothing wrong. */
export const checkAcknowledged = async (
  market: Market,
  { orders, paid, refunds }: Acknowledged,
  { url, settings }: { url: string; settings: Settings },
) => {
  const wrong: string[] = []
  for (const [id, { total }] of orders) {
    const { status, json: order } = await callUrl(`${url}/admin/v1/stores/${market.storeId}/orders/${id}`, {
      headers: { authorization: `Bearer ${market.token}` },
    })
    const refunded = refunds.get(id)
    if (status !== 200) wrong.push(`${id}: ${status} ${JSON.stringify(order)}`)
    else if (order.total !== total) wrong.push(`${id}: ${order.total} instead of ${total}`)
    else if (paid.has(id) && order.paymentStatus === 'pending') wrong.push(`${id}: not paid`)
    else if (refunded !== undefined) {
      const amounts = order.refunds.map(({ amount }: { amount: number }) => amount)
      if (amounts.length !== 1 || amounts[0] !== refunded) wrong.push(`${id}: refunds ${amounts}, expected ${refunded}`)
    }
  }
  assert.deepEqual(wrong, [])
  const { stdout, stderr } = await runVitrine(['doctor', '--json'], settings)
  assert.equal(stderr, '')
  const findings: { state: string }[] = JSON.parse(stdout).findings
  assert.deepEqual(
    findings.filter(({ state }) => state === 'fault'),
    [],
  )
}

/** The store's endpoint gets an event for every acknowledged order, payment and refund, once or more. */
export const awaitEvents = async (market: Market, { orders, paid, refunds }: Acknowledged, withinMs: number) => {
  const expected = [
    ...[...orders.keys()].map((id) => `order.placed ${id}`),
    ...[...paid].map((id) => `order.paid ${id}`),
    ...[...refunds.keys()].map((id) => `order.refunded ${id}`),
  ]
  const missing = () => {
    const received = new Set(market.received())
    return expected.filter((event) => !received.has(event))
  }
  for (const deadline = performance.now() + withinMs; missing().length > 0; await sleep(200)) {
    if (performance.now() > deadline) break
  }
  assert.deepEqual(missing(), [])
}
