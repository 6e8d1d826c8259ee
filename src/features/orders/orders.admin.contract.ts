import Type from 'typebox'
import { countedPage, listFormat, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, periodQuery, storeParams } from '../access/admin.contract.ts'
import { AdminOrder, exampleAdminOrder, exampleListedOrder, exampleNote, OrderNote } from './admin-order.contract.ts'
import { deliveryFilters, orderStatuses, paymentStatuses } from './order.contract.ts'
import { OrderEventData } from './order-events.contract.ts'

export const adminOrdersPath = '/admin/v1/stores/{storeId}/orders'

/** Of every call about one order. */
export const adminOrderParams = Type.Object({
  ...storeParams.properties,
  id: Type.String({ minLength: 1, maxLength: 64, description: 'The id or the number of the order' }),
})

/** Filters of the list, also of the command line. */
export const orderListFilters = {
  status: Type.Optional(oneOf(orderStatuses)),
  payment: Type.Optional(oneOf(paymentStatuses)),
  delivery: Type.Optional(oneOf(deliveryFilters, { description: '`none`: nothing is on its way yet' })),
  attention: Type.Optional(Type.Boolean({ description: 'Whether the order needs a decision of the merchant' })),
  toShip: Type.Optional(
    Type.Unsafe<true>({
      ...{ type: 'boolean', enum: [true] },
      description: 'Only orders with something left to ship: paid, or with cash on delivery',
    }),
  ),
  outlet: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  ...periodQuery,
  q: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'The number of an order, or the beginning of a name, a phone number, an email address or a SKU of an item',
    }),
  ),
  sort: Type.Optional(oneOf(['-createdAt', 'createdAt'], { description: 'Newest first by default' })),
}

const tag = 'Orders'

export const ordersAdminContract = {
  adminListOrders: adminEndpoint({
    ...{ method: 'GET', path: adminOrdersPath, tag, access: 'store', permission: 'orders:read', params: storeParams },
    summary: 'List orders',
    description:
      'Newest first. If a search finds very many orders, there are at least `total` of them, and `totalIsExact` is false.',
    query: Type.Object({ ...orderListFilters, limit: pageLimit, cursor: pageCursor, format: listFormat }),
    ok: countedPage(OrderEventData),
    csv: true,
    errors: ['NOT_FOUND'],
    example: { data: [exampleListedOrder], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminGetOrder: adminEndpoint({
    ...{ method: 'GET', path: `${adminOrdersPath}/{id}`, tag, access: 'store', permission: 'orders:read' },
    params: adminOrderParams,
    summary: 'Read everything about an order',
    ok: AdminOrder,
    errors: ['NOT_FOUND'],
    example: exampleAdminOrder,
  }),
  adminAddOrderNote: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/notes`, tag, access: 'store', permission: 'orders:support' },
    params: adminOrderParams,
    summary: 'Add a note to an order',
    description: 'The customer does not see it.',
    once: true,
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 5000 }) }),
    ok: OrderNote,
    okStatus: 201,
    errors: ['NOT_FOUND'],
    example: exampleNote,
  }),
  adminResolveOrder: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/resolve`, tag, access: 'store', permission: 'orders:write' },
    params: adminOrderParams,
    summary: 'Say that an order no longer needs attention',
    once: true,
    ok: AdminOrder,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleAdminOrder,
  }),
}
