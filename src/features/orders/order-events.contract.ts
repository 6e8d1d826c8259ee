import Type, { type Static } from 'typebox'
import { named, nullable } from '../../http/schema.ts'
import type { EventDeclaration, EventTypeOf } from '../events/events.contract.ts'
import { exampleDelivery, exampleOrder } from './example-order.contract.ts'
import { Order } from './order.contract.ts'

/** An order as its customer sees it, with the customer. */
export const OrderEventData = named(
  'OrderEventData',
  Type.Object({
    ...Order.properties,
    needsAttention: nullable(
      Type.String({
        description: 'Why the merchant must decide, such as `OUT_OF_STOCK`, `DISPUTE` or `REFUND_FAILED`',
      }),
    ),
    customer: Type.Object({
      id: Type.String(),
      name: Type.String(),
      email: Type.String({ description: 'Empty if none' }),
      phone: Type.String({ description: 'Empty if none' }),
    }),
  }),
)
export type OrderEventData = Static<typeof OrderEventData>

const customer = {
  id: 'cus_01k8x0v3m7q2w9c4t6y8ze',
  name: 'Asha Rao',
  email: 'asha@example.com',
  phone: '+919876543210',
}
const placed: OrderEventData = { ...exampleOrder, needsAttention: null, customer }
const shipped: OrderEventData = { ...exampleDelivery, needsAttention: null, customer }
const payment = { method: 'upi', last4: '', upiId: 'asha@upi', reference: '4471' }
const paid: OrderEventData = { ...placed, status: 'paid', paymentStatus: 'paid', payment, expiresAt: null }
const refund = { id: 'ref_01k8x0v3m7q2w9c4t6y8zj', status: 'succeeded', reason: '' } as const

const declare = (summary: string, example: OrderEventData): EventDeclaration => ({
  summary,
  data: OrderEventData,
  example,
})

export const orderEvents: Record<EventTypeOf<'order'>, EventDeclaration> = {
  'order.placed': declare('A checkout has created an order', placed),
  'order.paid': declare('The payment of an order has succeeded', paid),
  'order.payment_failed': declare('A payment has failed; the shopper can try again', {
    ...placed,
    paymentStatus: 'failed',
  }),
  'order.cancelled': declare('An order was cancelled, or was not paid in time', {
    ...placed,
    status: 'cancelled',
    expiresAt: null,
  }),
  'order.shipped': declare('A parcel of the order was handed to a carrier', {
    ...shipped,
    status: 'paid',
    deliveryStatus: null,
  }),
  'order.out_for_delivery': declare('A parcel of the order is on its way', shipped),
  'order.delivered': declare('All of the order was delivered', {
    ...shipped,
    status: 'delivered',
    deliveryStatus: 'delivered',
    deliveredAt: '2026-11-18T11:05:00.000Z',
  }),
  'order.refunded': declare('All or part of the payment was refunded', {
    ...paid,
    status: 'refunded',
    paymentStatus: 'refunded',
    refundedTotal: paid.total,
    refunds: [{ ...refund, items: [], amount: paid.total, createdAt: '2026-11-16T10:00:00.000Z' }],
  }),
  'order.attention': declare('The order needs a decision of the merchant: `needsAttention` says why', {
    ...paid,
    needsAttention: 'DISPUTE',
  }),
  'order.returned': declare('The goods came back to the store', { ...shipped, needsAttention: 'PARCEL_RETURNED' }),
}
