import Type from 'typebox'
import { page, pageCursor, pageLimit } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { Order } from './order.contract.ts'

export const longestWaitSeconds = 25

export const exampleDelivery: Order = {
  id: 'ord_01k8x0v3m7q2w9c4t6y8za',
  number: '1001',
  status: 'out_for_delivery',
  paymentStatus: 'paid',
  paymentMethod: 'online',
  deliveryStatus: 'out_for_delivery',
  deliveryPartner: 'Bluebird',
  estimatedDelivery: '2026-11-18T12:00:00.000Z',
  deliveredAt: null,
  trackingUrl: 'https://bluebird.example/BB123',
  shipments: [
    {
      id: 'ship_01k8x0v3m7q2w9c4t6y8zh',
      trackingNumber: 'BB123',
      partner: 'Bluebird',
      status: 'out_for_delivery',
      estimatedDelivery: '2026-11-18T12:00:00.000Z',
      deliveredAt: null,
      trackingUrl: 'https://bluebird.example/BB123',
      items: [],
      updatedAt: '2026-11-16T08:00:00.000Z',
    },
  ],
  items: [
    {
      id: 'item_01k8x0v3m7q2w9c4t6y8zb',
      productId: 'prod_01k8x0v3m7q2w9c4t6y8zc',
      variantId: 'var_01k8x0v3m7q2w9c4t6y8zd',
      name: 'Café au lait mug',
      variant: 'Oat',
      image: 'http://localhost:3000/demo/images/cafe-au-lait-mug.svg',
      sku: 'KC-MUG-OAT',
      quantity: 1,
      price: 549,
      lineTotal: 549,
      discount: 0,
      tax: 26.14,
      digital: false,
    },
  ],
  subtotal: 549,
  discount: 0,
  shipping: 0,
  tax: 26.14,
  total: 549,
  currency: 'INR',
  couponCode: null,
  payment: { method: 'upi', last4: '', upiId: 'asha@upi', reference: '4471' },
  storefrontUrl: null,
  shippingAddress: null,
  billingAddress: null,
  note: '',
  outletId: 'outlet_01k8x0v3m7q2w9c4t6y8zf',
  timeline: [
    { at: '2026-11-15T09:30:00.000Z', type: 'placed', message: 'Order placed.' },
    { at: '2026-11-15T09:32:10.000Z', type: 'paid', message: 'Paid by upi.' },
    { at: '2026-11-16T08:00:00.000Z', type: 'out_for_delivery', message: 'On its way with Bluebird.' },
  ],
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-16T08:00:00.000Z',
  expiresAt: null,
}

const read = { method: 'GET', tag: 'Orders', access: 'customer', scope: 'customer:read' } as const

export const orderId = Type.String({ maxLength: 100 })

export const ordersContract = {
  listOrders: endpoint({
    ...read,
    path: '/v1/customer/orders',
    summary: 'List the orders of the customer',
    description: 'The newest first.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: page(Order),
    example: { data: [exampleDelivery], nextCursor: null, hasMore: false },
  }),
  showOrder: endpoint({
    ...read,
    path: '/v1/customer/orders/{id}',
    summary: 'Show an order',
    description:
      'With `wait`, the answer comes when `status` or `paymentStatus` is no longer `pending`, or after that many seconds with the order as it is: a page that a shopper returns to after paying asks once and need not poll.',
    params: Type.Object({ id: orderId }),
    query: Type.Object({
      wait: Type.Optional(
        Type.Integer({ minimum: 0, maximum: longestWaitSeconds, default: 0, description: 'Seconds to wait at most' }),
      ),
    }),
    ok: Order,
    errors: ['NOT_FOUND'],
    example: exampleDelivery,
  }),
}
