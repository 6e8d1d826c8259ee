import assert from 'node:assert/strict'
import { announceStore } from '../../src/db/announce.ts'
import { changePaymentAccount } from '../../src/features/payments/accounts.ts'
import { type TestService, type TestStore, withinASecond } from '../harness.ts'
import type { PaymentDouble } from './payment-double.ts'

/** Makes a double the provider of a store. Returns the credentials. */
export const useDouble = async (service: TestService, shop: TestStore, double: PaymentDouble) => {
  const store = await shop.load()
  const { name } = double
  const credentials = double.openAccount(service.url, store.publicId)
  await service.db.tx((tx) =>
    changePaymentAccount(tx, service.app.services.payments, store, { provider: name, credentials }),
  )
  const shopName = `Shop at ${name}`
  await service.db.run`update store set payment_provider = ${name}, name = ${shopName} where id = ${store.id}`
  await service.db.tx((tx) => announceStore(tx, store.id))
  // The service caches the store. Its name shows that the change has arrived.
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).json.name === shopName))
  return credentials
}
