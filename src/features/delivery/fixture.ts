import type { ShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import type { TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { type Goods, openOrderShop, payOrder, placeOrder, showOrder } from '../orders/fixture.ts'
import { planCarrierAccount, saveCarrierAccount } from './carrier-accounts.ts'
import { type CarrierShipRequest, createCarrierShipment } from './carrier-shipments.ts'
import type { CarrierCtx } from './carriers.ts'

const address = {
  ...{ name: 'Asha', phone: '+919876543210', line1: '12 Lake Road', line2: '', landmark: '', city: 'Pune' },
  ...{ state: 'Maharashtra', postalCode: '411001', country: 'IN' },
}

export type OrderOptions = { goods?: Goods; method?: 'online' | 'cod'; isPaid?: boolean }

/** An order of a new store that has an account at the double. Online orders are paid. */
export const openCarrierOrder = async (service: TestService, double: ShiprocketDouble, options: OrderOptions = {}) => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const orderId = await placeOrder(service, shop, asha, options)
  await service.db.run`update orders set shipping_address = ${JSON.stringify(address)} where id = ${orderId}`
  await service.db.run`update customer set email = ${`${asha.id}@example.com`} where id = ${asha.id}`
  if (options.isPaid ?? options.method !== 'cod') await payOrder(service, shop, orderId)
  const store = await shop.load()
  const ctx: CarrierCtx = { ...service.app.services, db: service.db, store }
  const { account } = await planCarrierAccount(ctx, 'shiprocket', double.openAccount(service.url, shop.logisticsKey))
  await service.db.tx((tx) => saveCarrierAccount(tx, ctx, 'shiprocket', account))
  return {
    ...{ shop, asha, orderId, store, ctx },
    book: (request: Partial<CarrierShipRequest> = {}) =>
      createCarrierShipment(ctx, orderId, {
        ...{ carrier: 'shiprocket', courierId: null, items: [], weightKg: 0.5 },
        ...{ lengthCm: 10, breadthCm: 10, heightCm: 10, ...request },
      }),
    show: () => showOrder(asha, orderId),
    /** What the double has of this order. */
    parcels: async () => {
      const { number } = await showOrder(asha, orderId)
      const rows = await service.db.many<{ id: string }>`select id from shipment where order_id = ${orderId}`
      const known = new Set(rows.map(({ id }) => `${number}-${id}`))
      return double.shipments().filter(({ reference }) => known.has(reference))
    },
  }
}
