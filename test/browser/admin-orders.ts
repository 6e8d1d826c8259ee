import assert from 'node:assert/strict'
import { randomText } from '../../src/core/ids.ts'
import { address } from '../../src/features/checkout/fixture.ts'
import type { Carrier } from '../../src/providers/carrier/carrier.ts'
import { newCustomer } from '../shoppers.ts'
import type { BrowserFixture } from './fixture.ts'
import { tellPaid } from './steps.ts'

export type PlacedOrder = {
  id: string
  number: string
  total: number
  items: { id: string; name: string; quantity: number }[]
  call: Awaited<ReturnType<typeof newCustomer>>['call']
}

type Wanted = {
  /** Quantities by slug. */
  goods?: Record<string, number>
  method?: 'online' | 'cod'
  isPaid?: boolean
  /** Of the customer, who may have none. */
  name?: string
}

/** An order that a shopper places by the API, as the shop does. */
export const placeByApi = async (
  fixture: BrowserFixture,
  { goods = { 'masala-dabba': 2 }, method = 'online', isPaid = true, name = '' }: Wanted = {},
): Promise<PlacedOrder> => {
  const { service, store, keys } = fixture
  const shop = { key: keys.browserKey, load: async () => store }
  const { id: customerId, call } = await newCustomer(service, shop, { name })
  await service.db.run`update customer set email = ${`${randomText(8)}@asha.example`} where store_id = ${store.id}
    and id = ${customerId}`
  const items = []
  for (const [slug, quantity] of Object.entries(goods)) {
    const { json, text } = await call('GET', `/v1/products/${slug}`)
    assert.ok(json.id, text)
    items.push({ productId: json.id, variantId: json.variants[0].id, quantity })
  }
  const filled = await call('POST', '/v1/cart', { body: { items } })
  assert.ok(filled.status < 300, filled.text)
  const body = { shippingAddress: address, paymentMethod: method }
  const { status, json, text } = await call('POST', '/v1/checkout', { body })
  assert.equal(status, 201, text)
  const { order } = json
  if (isPaid && method === 'online') await tellPaid(fixture, order.id)
  return { id: order.id, number: order.number, total: order.total, items: order.items, call }
}

/** A carrier in memory. `does.answer` is false while it cannot be reached. */
export const newCarrier = () => {
  const does = { answer: true }
  const parcels: { reference: string; weightKg: number }[] = []
  const unused = async () => assert.fail('this story does not need it')
  const carrier: Carrier = {
    ...{ name: 'blue-post', label: 'Blue Post', credentials: ['key'], optionalCredentials: [] },
    refuseParcel: ({ weightKg }) => (weightKg > 30 ? 'Blue Post takes up to 30 kg.' : null),
    check: async () => 'Welcome.',
    createShipment: async (_, { reference, weightKg }) => {
      if (!does.answer) throw new Error('no connection')
      if (!parcels.some((parcel) => parcel.reference === reference)) parcels.push({ reference, weightKg })
      return { carrierOrder: reference, carrierShipment: reference }
    },
    assignCourier: async (_, { carrierOrder }) => ({
      trackingNumber: carrierOrder.slice(-12),
      partner: 'Blue Post Air',
    }),
    makeLabel: async (_, { carrierOrder }) => `https://labels.example/${carrierOrder}.pdf`,
    schedulePickup: async () => new Date('2030-01-31T09:30:00Z'),
    cancelShipment: async (_, { carrierOrder }) => {
      parcels.splice(
        parcels.findIndex(({ reference }) => reference === carrierOrder),
        1,
      )
    },
    ...{ findShipment: unused, track: unused },
  }
  return { carrier, parcels, does }
}
