import type { TestContext } from 'node:test'
import { startReceiver } from '../../src/features/outgoing-webhooks/fixture.ts'
import type { Run } from '../every-command.ts'

/** A store as programs outside of the service know it, with what they need to buy, to pay, to ship and to refund. */
export type Market = {
  storeId: string
  key: string
  /** Of an owner, who may refund orders. */
  token: string
  /** Of the payment provider. */
  paymentWebhook: { username: string; password: string }
  /** Of the carrier. */
  logisticsKey: string
  /** The events that the store's endpoint has received, such as `order.paid ord_…`. */
  received(): readonly string[]
}

/** Creates a store by commands, whether a service runs or not. It sells one product and has no limits to meet. */
export const openMarket = async (t: TestContext, vitrine: Run): Promise<Market> => {
  const receiver = await startReceiver(t)
  const { storeId, paymentWebhook, logisticsKey } = await vitrine([
    ...['store', 'create', '--name', 'Market', '--domain', 'market.example', '--currency', 'INR'],
    ...['--payment-provider', 'sandbox'],
  ])
  const inStore = ['--store', storeId]
  await vitrine([
    ...['product', 'create', ...inStore, '--name', 'Mug', '--slug', 'mug', '--price', '100', '--stock', '1000000'],
  ])
  await vitrine(['store', 'set', ...inStore, '--max-held-units', 'none'])
  const { key } = await vitrine(['key', 'create', ...inStore, '--rate-limit', '1000000'])
  const { token } = await vitrine(['token', 'create', ...inStore, '--role', 'owner', '--name', 'Refunds'])
  await vitrine(['webhook', 'create', ...inStore, '--url', receiver.url, '--types', 'order.*'])
  return {
    ...{ storeId, key, token, paymentWebhook, logisticsKey },
    received: () => receiver.received.map(({ json }) => `${json.type} ${(json.data as { id: string }).id}`),
  }
}
