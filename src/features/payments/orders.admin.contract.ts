import Type, { type Static } from 'typebox'
import { adminEndpoint } from '../access/admin.contract.ts'
import { AdminOrder, AdminRefund, exampleAdminOrder } from '../orders/admin-order.contract.ts'
import { adminOrderParams, adminOrdersPath } from '../orders/orders.admin.contract.ts'

/** Lines of an order with quantities, as bodies name them. */
export const OrderItems = Type.Array(
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of an item, or its SKU' }),
    quantity: Type.Integer({ minimum: 1, maximum: 999 }),
  }),
  { minItems: 1, maxItems: 500 },
)

export const RefundBody = Type.Object({
  amount: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000_000 })),
  items: Type.Optional(OrderItems),
  restock: Type.Optional(
    Type.Boolean({ description: 'Whether the items go back to stock. By default those do that were not shipped' }),
  ),
  reason: Type.Optional(Type.String({ maxLength: 500, description: 'The customer sees it in the order' })),
})
export type RefundBody = Static<typeof RefundBody>

const RefundPreviewBody = Type.Pick(RefundBody, ['amount', 'items'])
export type RefundPreviewBody = Static<typeof RefundPreviewBody>

const tag = 'Orders'

export const orderPaymentsAdminContract = {
  adminCancelOrder: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/cancel`, tag, access: 'store', permission: 'orders:write' },
    params: adminOrderParams,
    summary: 'Cancel an unpaid order',
    description: 'Its payment is closed at the provider first. A paid order is refunded instead.',
    ok: AdminOrder,
    errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
    example: { ...exampleAdminOrder, status: 'cancelled', paymentStatus: 'pending' },
  }),
  adminRefundOrder: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/refunds`, tag, access: 'store' },
    ...{ permission: 'orders:refund', orPermission: 'orders:support' },
    params: adminOrderParams,
    summary: 'Refund an order or a part of it',
    description:
      'An `amount`, or `items` for their share of what was paid; without both, all that is left. The answer waits ten seconds for the provider; a refund that is still `pending` then is continued. With `orders:support` alone, all refunds of an order together can reach `supportRefundLimit` of the settings.',
    once: true,
    body: RefundBody,
    isBodyOptional: true,
    ok: AdminRefund,
    okStatus: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: {
      ...{ id: 'ref_01k8x0v3m7q2w9c4t6y8zj', amount: 494.1, status: 'succeeded', reason: 'One was broken.' },
      ...{ items: [{ id: 'item_01k8x0v3m7q2w9c4t6y8zb', quantity: 1 }], createdAt: '2026-11-19T10:00:00.000Z' },
      ...{ detail: '', reference: 'rfnd_Mz1' },
    },
  }),
  adminPreviewRefund: adminEndpoint({
    ...{ method: 'POST', path: `${adminOrdersPath}/{id}/refunds/preview`, tag, access: 'store' },
    ...{ permission: 'orders:refund', orPermission: 'orders:support' },
    params: adminOrderParams,
    summary: 'What a refund would return',
    description: 'Nothing is refunded. A refund that is not possible is refused as it would be.',
    body: RefundPreviewBody,
    isBodyOptional: true,
    ok: Type.Object({
      amount: Type.Number(),
      maximum: Type.Number({ description: 'The most that the caller may refund of this order now' }),
      currency: Type.String(),
    }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { amount: 494.1, maximum: 988.2, currency: 'INR' },
  }),
}
