import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startReceiver } from '../../src/features/outgoing-webhooks/fixture.ts'
import type { Run } from '../every-command.ts'

/** A store as programs outside of the service know it, with what they need to buy, to pay and to refund. */
export type Market = {
  storeId: string
  key: string
  /** May refund orders. */
  token: string
  webhookUser: { username: string; password: string }
  product: { slug: string; units: number }
  /** The events that the store's endpoint has received, such as `order.paid ord_…`. */
  received(): readonly string[]
}

const units = 1_000_000

/** Creates a store by commands, whether a service runs or not. */
export const openMarket = async (t: TestContext, vitrine: Run): Promise<Market> => {
  const receiver = await startReceiver(t)
  const made = await vitrine([
    ...['store', 'create', '--name', 'Market', '--domain', 'market.example', '--currency', 'INR'],
    ...['--payment-provider', 'sandbox'],
  ])
  const inStore = ['--store', made.storeId]
  const product = await vitrine([
    ...['product', 'create', ...inStore, '--name', 'Mug', '--slug', 'mug', '--price', '100', '--stock', `${units}`],
  ])
  assert.equal(product.slug, 'mug')
  await vitrine(['store', 'set', ...inStore, '--max-held-units', 'none'])
  const { key } = await vitrine(['key', 'create', ...inStore, '--rate-limit', '1000000'])
  const { token } = await vitrine(['token', 'create', ...inStore, '--role', 'owner', '--name', 'Refunds'])
  await vitrine(['webhook', 'create', ...inStore, '--url', receiver.url, '--types', 'order.*'])
  return {
    storeId: made.storeId,
    key,
    token,
    webhookUser: made.paymentWebhook,
    product: { slug: 'mug', units },
    received: () =>
      receiver.received.map(({ text }) => {
        const { type, data } = JSON.parse(text)
        return `${type} ${data.id}`
      }),
  }
}
