import assert from 'node:assert/strict'
import { newId } from '../src/core/ids.ts'
import { placeOrder } from '../src/features/orders/fixture.ts'
import { basic } from '../src/features/payments/fixture.ts'
import type { TestService, TestStore } from './harness.ts'
import type { Person } from './world.ts'

/** What the people of a world can buy, and what providers tell about it. Guests buy nothing, so theirs names nothing. */
type Place = { service: TestService; shop: TestStore }

/** An order that waits for its payment on the page of the sandbox. */
export type Ordered = { orderId: string; paymentId: string; total: number; pageToken: string }
/** A mug and a book, paid. */
export type Bought = { orderId: string; paymentId: string; downloadId: string }

const nothingOrdered: Ordered = { orderId: 'ord_none', paymentId: 'pay_none', total: 0, pageToken: 'none' }
const nothingBought: Bought = { orderId: 'ord_none', paymentId: 'pay_none', downloadId: 'dl_none' }

export const buyIn = ({ service, shop }: Place) => {
  const ask = async (person: Person, path: string, body?: unknown) => {
    const headers = { 'x-store-key': shop.key, authorization: `Bearer ${person.token}` }
    const { status, json, text } = await service.call(path, {
      ...(body === undefined ? { headers } : { method: 'POST', headers: { ...headers, ...jsonType } }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    assert.ok(status < 300, text)
    return json
  }

  const tell = async (path: string, credentials: Record<string, string>, body: unknown) => {
    const headers = { ...credentials, ...jsonType }
    const { status, text } = await service.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(status, 200, text)
  }

  return {
    cartOf: async (person: Person): Promise<{ version: number; total: number }> =>
      person.kind === 'guest' ? { version: 1, total: 0 } : ask(person, '/v1/cart/me'),

    /** Checks out the cart. The same cart gives the same order while that order is open. */
    order: async (person: Person): Promise<Ordered> => {
      if (person.kind === 'guest') return nothingOrdered
      const { order, payment } = await ask(person, '/v1/checkout', { addressId: person.addressId })
      const pageToken = new URL(payment.redirectUrl).pathname.split('/').at(-1) as string
      return { orderId: order.id, paymentId: payment.id, total: order.total, pageToken }
    },

    /** Leaves the cart alone, so that it is still there for what comes next. */
    buy: async (person: Person): Promise<Bought> => {
      if (person.kind === 'guest') return nothingBought
      const goods = { 'moonstone-mug': 1, 'moonstone-book': 1 }
      // Of the person, it wants no more than the id.
      const orderId = await placeOrder(service, shop, person as never, { goods })
      const { id: paymentId, amount } = await ask(person, `/v1/payment/${orderId}`)
      await tell('/webhook/payment', paymentCredentials({ shop }), paymentNotice({ orderId, paymentId, total: amount }))
      const { data } = await ask(person, '/v1/downloads')
      const download = data.find((one: Bought) => one.orderId === orderId)
      assert.ok(download)
      return { orderId, paymentId, downloadId: download.id }
    },

    /** The carrier takes an order away, and the id of its shipment is known from then on. */
    ship: async (orderId: string): Promise<string> => {
      await tell('/webhook/logistics/carrier', carrierCredentials({ shop }), carrierNews({ orderId }))
      const { id } = await service.db.one<{ id: string }>`select id from shipment where order_id = ${orderId}`
      return id
    },
  }
}

const jsonType = { 'content-type': 'application/json' }

export const paymentCredentials = ({ shop }: Pick<Place, 'shop'>) => ({
  'x-store-id': shop.storeId,
  authorization: basic(shop.paymentWebhook.username, shop.paymentWebhook.password),
})

export const carrierCredentials = ({ shop }: Pick<Place, 'shop'>) => ({ 'x-api-key': shop.logisticsKey })

export const paymentNotice = ({ orderId, paymentId, total }: Pick<Ordered, 'orderId' | 'paymentId' | 'total'>) => ({
  ...{ eventId: newId('key'), orderId, transactionId: paymentId, status: 'success', amount: total, currency: 'INR' },
  ...{ method: 'upi', last4: '4242', upiId: 'moonstone-upi', reference: 'utr-1' },
  occurredAt: new Date().toISOString(),
})

export const carrierNews = (more: Record<string, unknown>): Record<string, unknown> => ({
  ...{ eventId: newId('key'), status: 'in_transit', trackingNumber: 'BB1', partner: 'Bluebird' },
  ...{ trackingUrl: 'https://bluebird.example/BB1', estimatedDelivery: '2035-01-05', deliveredAt: null },
  occurredAt: new Date().toISOString(),
  ...more,
})

/** An event in the format of Shiprocket. */
export const parcelNews = (shipmentId: string): Record<string, unknown> => ({
  ...{ awb: shipmentId, courier_name: 'Delhivery', shipment_status: 'IN TRANSIT', shipment_status_id: 18 },
  ...{ current_timestamp: '23 05 2023 11:43:52', order_id: `1001-${shipmentId}`, etd: '2035-01-05 15:40:19' },
})
