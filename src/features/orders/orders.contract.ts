import Type from 'typebox'
import { page, pageCursor, pageLimit } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { exampleDelivery } from './example-order.contract.ts'
import { Order } from './order.contract.ts'

export const maxWaitSeconds = 25

const read = { method: 'GET', tag: 'Orders', access: 'customer', scope: 'customer:read' } as const

export const orderId = Type.String({ maxLength: 100 })

export const ordersContract = {
  listOrders: endpoint({
    ...read,
    path: '/v1/customer/orders',
    summary: "List the customer's orders",
    description: 'Newest first.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: page(Order),
    example: { data: [exampleDelivery], nextCursor: null, hasMore: false },
  }),
  showOrder: endpoint({
    ...read,
    path: '/v1/customer/orders/{id}',
    summary: 'Show an order',
    description:
      'With `wait`, the response is sent as soon as `status` or `paymentStatus` is no longer `pending`, or after that many seconds. The page that a shopper returns to after paying therefore need not poll.',
    params: Type.Object({ id: orderId }),
    query: Type.Object({
      wait: Type.Optional(
        Type.Integer({ minimum: 0, maximum: maxWaitSeconds, default: 0, description: 'Maximum seconds to wait' }),
      ),
    }),
    ok: Order,
    errors: ['NOT_FOUND'],
    example: exampleDelivery,
  }),
}
