import type { TestContext } from 'node:test'
import { openShop } from '../../src/features/checkout/fixture.ts'
import { checkInvariants } from '../../src/features/doctor/invariants.ts'
import { startTestService } from '../harness.ts'
import type { doubles } from './doubles.ts'
import { openOwnDatabase } from './placed.ts'
import { useDouble } from './use-double.ts'

type Chosen = (typeof doubles)[number]

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
