import assert from 'node:assert/strict'
import { newStore, type TestService } from '../../../test/harness.ts'
import { putOnHand } from '../../../test/put-on-hand.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { newId } from '../../core/ids.ts'
import { address } from '../checkout/fixture.ts'
import { shipOrder } from '../delivery/ship.ts'
import { checkInvariants } from '../doctor/invariants.ts'
import { couponDefaults, createCoupon } from '../pricing/manage-coupons.ts'
import { basic } from './fixture.ts'
import { type RefundRequest, refundOrderById } from './refunds.ts'

export type RefundSceneOptions = {
  currency?: string
  provider?: string
  /** By product name; each has a stock of 20. */
  prices?: Record<string, number>
  taxRate?: number
  shippingMinor?: number
  percentOff?: number
}

type Placed = { id: string; total: number; items: { id: string }[] }

/** A shop whose orders go through the checkout and are paid by a webhook, and shortcuts to refund and inspect them. */
export const openRefundScene = async (service: TestService, options: RefundSceneOptions = {}) => {
  const { currency = 'INR', provider = 'sandbox', prices = { Mug: 100 } } = options
  const { taxRate = 0, shippingMinor = 0, percentOff } = options
  const shop = await newStore(service, { currency })
  await shop.add(...Object.entries(prices).map(([name, price]) => ({ name, price, taxRate, stock: 20 })))
  const { db } = service
  const { id: storeId } = await shop.load()
  await db.run`update store set payment_provider = ${provider}, tax_included = false,
    shipping_flat_minor = ${shippingMinor}, cash_on_delivery = true where id = ${storeId}`
  const store = await shop.load()
  if (percentOff !== undefined) {
    const coupon = { ...couponDefaults, code: 'OFF', kind: 'percent', value: percentOff } as const
    await db.tx((tx) => createCoupon(tx, store, coupon))
  }
  const initialStock = await db.many<{ variantId: string; outletId: number; units: number }>`
    select variant_id as "variantId", outlet_id as "outletId", on_hand as units from stock where store_id = ${storeId}`

  const report = async (event: Record<string, unknown>) => {
    const answer = await service.call('/webhook/payment', {
      method: 'POST',
      headers: {
        'x-store-id': shop.storeId,
        authorization: basic(shop.paymentWebhook.username, shop.paymentWebhook.password),
        'content-type': 'application/json',
      },
      body: JSON.stringify({ eventId: newId('key'), ...event }),
    })
    assert.equal(answer.status, 200, answer.text)
  }

  /** Quantities by slug. */
  const order = async (goods: Record<string, number> = { mug: 2 }, { method = 'online', isPaid = true } = {}) => {
    const asha = await newCustomer(service, shop)
    const items = []
    for (const [slug, quantity] of Object.entries(goods)) {
      items.push({ productId: (await shop.get(`/v1/products/${slug}`)).json.id, quantity })
    }
    await asha.call('POST', '/v1/cart', { body: { items } })
    const couponCode = percentOff === undefined ? null : 'OFF'
    const body = { shippingAddress: address, paymentMethod: method, couponCode }
    const { status, json, text } = await asha.call('POST', '/v1/checkout', { body })
    assert.equal(status, 201, text)
    const { id, total, items: lines }: Placed = json.order
    const paymentId: string = json.payment.id
    const success = { orderId: id, status: 'success', amount: total, currency }
    if (isPaid && total > 0) await report({ ...success, transactionId: paymentId })
    return {
      ...{ id, total, paymentId },
      lines: lines.map((line) => line.id),
      refund: (request?: RefundRequest) => refundOrderById(service.app.services, id, request),
      show: async () => (await asha.call('GET', `/v1/customer/orders/${id}`)).json,
      call: asha.call,
      cancel: () => asha.call('POST', `/v1/customer/orders/${id}/cancel`),
      ship: (...units: { line: string; quantity: number }[]) =>
        db.tx((tx) =>
          shipOrder(tx, { store }, id, {
            partner: 'Bluedart',
            trackingUrl: '',
            estimatedDelivery: null,
            trackingNumber: newId('key'),
            items: units,
          }),
        ),
      /** Status, payment status, stock state and attention code. */
      state: async () => {
        const row = await db.one<Record<string, string | null>>`
          select status, payment_status as paid, stock_state as stock, needs_attention as flag from orders
          where store_id = ${storeId} and id = ${id}`
        return [row.status, row.paid, row.stock, row.flag]
      },
    }
  }

  return {
    ...{ shop, store, order, report },
    /** Units on hand of a product. */
    stock: async (slug = 'mug') => {
      const { id } = (await shop.get(`/v1/products/${slug}`)).json
      const { onHand } = await db.one<{ onHand: number }>`
        select on_hand as "onHand" from stock where store_id = ${storeId} and product_id = ${id}`
      return onHand
    },
    setStock: (onHand: number) => putOnHand(db, storeId, onHand),
    /** `isMoved`: the test has changed the stock itself. */
    findings: ({ isMoved = false } = {}) => checkInvariants(db, { storeId, ...(isMoved ? {} : { initialStock }) }),
  }
}
