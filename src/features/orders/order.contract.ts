import Type, { type Static } from 'typebox'
import type { Instrument } from '../../core/instrument.ts'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { imageSizes } from '../catalog/catalog.contract.ts'

/** The transitions between these statuses are in settle.ts. */
export const orderStatuses = ['pending', 'paid', 'out_for_delivery', 'delivered', 'cancelled', 'refunded'] as const
export const paymentMethods = ['online', 'cod'] as const
export type OrderStatus = (typeof orderStatuses)[number]
export const paymentStatuses = ['pending', 'paid', 'failed', 'partially_refunded', 'refunded'] as const
/** Of the merchant's list. `none`: nothing is on its way yet. */
export const deliveryFilters = ['none', 'out_for_delivery', 'delivered'] as const
export type OrderPaymentStatus = (typeof paymentStatuses)[number]

const text = (description: string) => Type.String({ description })
const time = (description: string) => nullable(Type.String({ description }))

export const PostalAddress = named(
  'PostalAddress',
  Type.Object({
    name: Type.String(),
    phone: Type.String(),
    line1: Type.String(),
    line2: Type.String(),
    landmark: Type.String(),
    city: Type.String(),
    state: Type.String(),
    postalCode: Type.String(),
    country: Type.String(),
  }),
)
export type PostalAddress = Static<typeof PostalAddress>

export const OrderItem = named(
  'OrderItem',
  Type.Object({
    id: Type.String(),
    productId: Type.String(),
    variantId: Type.String(),
    name: Type.String(),
    variant: text('Title of the variant; empty if the product has only one'),
    image: Type.String(),
    imageSizes,
    sku: Type.String(),
    quantity: Type.Integer(),
    price: Type.Number({ description: 'Price of one unit' }),
    lineTotal: Type.Number(),
    discount: Type.Number(),
    tax: Type.Number(),
    digital: Type.Boolean(),
  }),
)

const OrderShipment = named(
  'Shipment',
  Type.Object({
    id: Type.String(),
    trackingNumber: Type.String(),
    partner: Type.String(),
    status: Type.String(),
    estimatedDelivery: time('When it should arrive'),
    deliveredAt: time('When it arrived'),
    trackingUrl: Type.String(),
    items: Type.Array(Type.Object({ id: Type.String(), quantity: Type.Integer() }), {
      description: 'Order lines with quantities; empty means the whole order',
    }),
    updatedAt: Type.String(),
  }),
)

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const

const OrderRefund = named(
  'Refund',
  Type.Object({
    id: Type.String(),
    amount: Type.Number(),
    status: oneOf(refundStatuses),
    reason: text('`provider`: it was made in the dashboard of the payment provider'),
    items: Type.Array(Type.Object({ id: Type.String(), quantity: Type.Integer() }), {
      description: 'Refunded lines of the order with their quantities; empty: an amount, or all that was left',
    }),
    createdAt: Type.String(),
  }),
)

const instrumentFields = {
  method: { type: 'string' },
  last4: { type: 'string' },
  upiId: { type: 'string' },
  reference: { type: 'string' },
}

export const Order = named(
  'Order',
  Type.Object({
    id: Type.String(),
    number: text('Number shown to people'),
    status: oneOf(orderStatuses),
    paymentStatus: oneOf(paymentStatuses),
    paymentMethod: oneOf(paymentMethods),
    deliveryStatus: nullable(Type.String({ description: '`out_for_delivery` or `delivered`' })),
    deliveryPartner: nullable(Type.String()),
    estimatedDelivery: time('When it should arrive'),
    deliveredAt: time('When it arrived'),
    trackingUrl: nullable(Type.String()),
    shipments: Type.Array(OrderShipment),
    items: Type.Array(OrderItem),
    subtotal: Type.Number(),
    discount: Type.Number(),
    shipping: Type.Number(),
    tax: Type.Number(),
    total: Type.Number(),
    currency: Type.String(),
    couponCode: nullable(Type.String()),
    payment: Type.Unsafe<Instrument | null>({
      type: ['object', 'null'],
      required: Object.keys(instrumentFields),
      properties: instrumentFields,
      description: 'How the order was paid; null until the payment is settled',
    }),
    refundedTotal: Type.Number({ description: 'Refunds that succeeded or are pending' }),
    refunds: Type.Array(OrderRefund),
    storefrontUrl: nullable(Type.String()),
    shippingAddress: Type.Unsafe<PostalAddress | null>({ ...PostalAddress, type: ['object', 'null'] }),
    billingAddress: Type.Unsafe<PostalAddress | null>({ ...PostalAddress, type: ['object', 'null'] }),
    note: Type.String(),
    outletId: Type.String(),
    timeline: Type.Array(Type.Object({ at: Type.String(), type: Type.String(), message: Type.String() })),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    expiresAt: time('When the order is cancelled automatically if it is still unpaid'),
  }),
)
export type Order = Static<typeof Order>
