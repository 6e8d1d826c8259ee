import assert from 'node:assert/strict'
import { newStore, type TestService, type TestStore } from '../../../test/harness.ts'
import type { newCustomer } from '../../../test/shoppers.ts'
import { minutes } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { Instrument } from '../../core/instrument.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { insertPayment } from '../payments/payments.sql.ts'
import { holdOrder } from './lock-order.ts'
import type { NewOrderLine } from './new-order.sql.ts'
import { nextOrderNumber } from './numbers.ts'
import type { Buyer, LockedOrder } from './orders.sql.ts'
import { noteFailedPayment, settleOrder, placeOrder as writeNewOrder } from './settle.ts'
import { noteUncounted, takeStock } from './stock.ts'

type Customer = Awaited<ReturnType<typeof newCustomer>>

/** A shop with ten mugs (100 each), three lamps (250 each) and a book, which is a download. */
export const openOrderShop = async (service: TestService, ...more: Record<string, unknown>[]) => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Mug', price: 100, stock: 10, sku: 'MUG' },
    { name: 'Lamp', price: 250, stock: 3, sku: 'LAMP' },
    { name: 'Book', price: 50, digital: { file: 'book.txt', name: 'The book.txt' } },
    ...more,
  )
  return shop
}

export type Goods = Record<string, number>

/** What an order keeps of variants, in the order in which they are named. */
export const readGoods = async (db: Queries, storeId: StoreId, variantIds: readonly string[]) => {
  const goods = await db.many<
    Pick<NewOrderLine, 'productId' | 'variantId' | 'name' | 'variant' | 'image' | 'sku' | 'digital'>
  >`
    select v.product_id as "productId", v.id as "variantId", p.name, v.title as variant,
      coalesce(nullif(v.image, ''), p.images[1], '') as image, v.sku, p.digital
    from variant v join product p on p.store_id = ${storeId} and p.id = v.product_id
    where v.store_id = ${storeId} and v.id = any(${variantIds}::text[])`
  return variantIds.map((id) =>
    mustExist(
      goods.find(({ variantId }) => variantId === id),
      `variant ${id}`,
    ),
  )
}

/** A customer as an event tells of it. */
export const readBuyer = (db: Queries, storeId: StoreId, customerId: string) => db.one<Buyer['customer']>`
  select id, name, coalesce(email, '') as email, coalesce(phone, contact_phone) as phone
  from customer where store_id = ${storeId} and id = ${customerId}`

/** Writes an order as a checkout does. `goods` are quantities by slug. */
export const placeOrder = async (
  service: TestService,
  shop: TestStore,
  customer: Customer,
  { goods = { mug: 1 }, method = 'online' }: { goods?: Goods; method?: 'online' | 'cod' } = {},
): Promise<string> => {
  const store = await shop.load()
  const id = newId('ord')
  const isCash = method === 'cod'
  const products = await Promise.all(
    Object.keys(goods).map(async (slug) => (await shop.get(`/v1/products/${slug}`)).json),
  )
  const kept = await readGoods(
    service.db,
    store.id,
    products.map((product) => product.variants[0].id as string),
  )
  const buyer = await readBuyer(service.db, store.id, customer.id)
  const lines = products.map((product, position) => {
    const quantity = goods[product.slug] as number
    const unitMinor = product.price * 100
    return {
      ...{ id: newId('item'), position, ...mustExist(kept[position], 'the goods of a line') },
      ...{ quantity, unitMinor, lineTotalMinor: unitMinor * quantity, discountMinor: 0, taxMinor: 0, taxRate: 0 },
    }
  })
  const totalMinor = lines.reduce((sum, line) => sum + line.lineTotalMinor, 0)
  const number = await nextOrderNumber(service.db, store.id)
  await service.db.tx(async (tx) => {
    const goods = { orderId: id, outletId: store.defaultOutlet.id, lines }
    const uncounted = await takeStock(tx, store.id, goods, isCash ? 'sell' : 'reserve')
    await writeNewOrder(
      tx,
      { store },
      {
        ...{
          id,
          number,
          customerId: customer.id,
          outletId: store.defaultOutlet.id,
          cartId: `cart_${id}`,
          cartVersion: 1,
        },
        ...{ requestHash: id, status: 'pending', paymentStatus: 'pending', paymentMethod: method },
        ...{ stockState: isCash ? 'sold' : 'reserved', currency: store.currency, taxIncluded: false },
        ...{ subtotalMinor: totalMinor, discountMinor: 0, taxMinor: 0, shippingMinor: 0, totalMinor },
        ...{ couponId: null, couponCode: null, storefrontUrl: null, note: '' },
        ...{ shippingAddress: null, billingAddress: null, expiresInMs: isCash ? null : minutes(30), language: null },
      },
      lines,
      buyer,
      'Order placed.',
    )
    await insertPayment(tx, store.id, {
      ...{ id: newId('pay'), orderId: id, provider: isCash ? 'cod' : 'sandbox', status: 'open' },
      ...{ amountMinor: totalMinor, currency: store.currency, reference: null, expiresAt: null },
    })
    await noteUncounted(tx, store.id, id, uncounted)
  })
  return id
}

const upi: Instrument = { method: 'upi', last4: '', upiId: 'asha@upi', reference: '4471' }

/** Changes an order under its lock, as every use case does. */
export const withOrder = async (
  { db }: TestService,
  shop: TestStore,
  orderId: string,
  change: (
    ...args: [Parameters<typeof settleOrder>[0], Parameters<typeof settleOrder>[1], LockedOrder]
  ) => Promise<unknown>,
) => {
  const store = await shop.load()
  await db.tx(async (tx) => {
    const order = await holdOrder(tx, { store }, orderId)
    assert.ok(order)
    await change(tx, { store }, order)
  })
}

export const payOrder = (service: TestService, shop: TestStore, orderId: string) =>
  withOrder(service, shop, orderId, (tx, ctx, order) => settleOrder(tx, ctx, order, upi))

export const failPayment = (service: TestService, shop: TestStore, orderId: string) =>
  withOrder(service, shop, orderId, noteFailedPayment)

export const stockOf = async (shop: TestStore, slug: string): Promise<number> =>
  (await shop.get(`/v1/products/${slug}?fresh=${newId('key')}`)).json.stock

export const showOrder = async (customer: Customer, orderId: string) => {
  const { status, json, text } = await customer.call('GET', `/v1/customer/orders/${orderId}`)
  assert.equal(status, 200, text)
  return json
}

/** Sends a carrier event to the webhook, with the shop's logistics key by default. */
export const sendCarrierEvent = (
  service: TestService,
  shop: Pick<TestStore, 'logisticsKey'>,
  event: Record<string, unknown>,
  key = shop.logisticsKey,
) =>
  service.call('/webhook/logistics/carrier', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === '' ? {} : { 'x-api-key': key }) },
    body: JSON.stringify({ eventId: newId('key'), ...event }),
  })
