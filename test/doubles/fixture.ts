import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { announceStore } from '../../src/db/announce.ts'
import { openShop } from '../../src/features/checkout/fixture.ts'
import { checkInvariants } from '../../src/features/doctor/invariants.ts'
import { changePaymentAccount } from '../../src/features/payments/accounts.ts'
import { makeBeside } from '../databases.ts'
import { databaseUrl, startTestService, type TestService, type TestStore, withinASecond } from '../harness.ts'
import type { doubles } from './doubles.ts'
import type { PaymentDouble } from './payment-double.ts'

type Chosen = (typeof doubles)[number]

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

let ownDatabase: ReturnType<typeof makeBeside> | undefined

/** The tests of a process share a database of their own, because jobs of tests in other processes call other doubles. */
const openOwnDatabase = async () => {
  ownDatabase ??= makeBeside(databaseUrl)
  return (await ownDatabase).url
}

/** A service whose provider is a double, and shops with accounts there. */
export const openDouble = async (t: TestContext, { start, createProvider }: Chosen) => {
  const clock = { nowMs: () => Date.now() }
  const double = await start({ now: () => clock.nowMs() })
  t.after(() => double.close())
  const service = await startTestService({
    databaseUrl: await openOwnDatabase(),
    paymentProviders: [createProvider(double.url)],
  })
  t.after(() => service.close())
  clock.nowMs = () => service.clock.now()
  const openShopAtDouble = async () => {
    const shop = await openShop(service)
    const store = await shop.shop.load()
    const credentials = await useDouble(service, shop.shop, double)
    /** An order of two mugs, with the page to pay it on. */
    const order = async () => {
      const buyer = await shop.newBuyer({ productId: shop.mug, quantity: 2 })
      const { status, json, text } = await buyer.checkOut()
      if (status !== 201) throw new Error(text)
      const id: string = json.order.id
      return {
        ...{ id, page: json.payment.redirectUrl as string, payment: json.payment, buyer },
        show: async () => (await buyer.call('GET', `/v1/customer/orders/${id}`)).json,
      }
    }
    const inbox = () => service.db.many<{ outcome: string; detail: string; source: string }>`
      select outcome, detail, provider as source from payment_event where store_id = ${store.id} order by id`
    const findings = () => checkInvariants(service.db, { storeId: store.id })
    return { ...shop, storeId: store.publicId, credentials, order, inbox, findings }
  }
  return { double, service, openShop: openShopAtDouble }
}
