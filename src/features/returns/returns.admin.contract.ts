import Type from 'typebox'
import { countedPage, listFormat, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, periodQuery, storeParams } from '../access/admin.contract.ts'
import { AdminReturn, exampleReturn, ReturnItems, reasonText, returnStatuses } from './return.contract.ts'

const path = '/admin/v1/stores/{storeId}/returns'
const tag = 'Returns'
const params = Type.Object({ ...storeParams.properties, id: Type.String({ minLength: 1, maxLength: 64 }) })
const writes = { tag, access: 'store', permission: 'orders:support' } as const

const example = { ...exampleReturn, byCustomer: true, restocked: null, refund: null }

const answer = Type.Optional(Type.String({ maxLength: 1000, description: 'The customer sees it' }))

export const returnsAdminContract = {
  adminListReturns: adminEndpoint({
    ...{ method: 'GET', path, tag, access: 'store', permission: 'orders:read', params: storeParams },
    summary: 'List returns',
    description: 'Newest first.',
    query: Type.Object({
      status: Type.Optional(oneOf(returnStatuses)),
      order: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'The id or the number of an order' }),
      ),
      ...periodQuery,
      limit: pageLimit,
      cursor: pageCursor,
      format: listFormat,
    }),
    csv: true,
    ok: countedPage(AdminReturn),
    errors: ['NOT_FOUND'],
    example: { data: [example], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminCreateReturn: adminEndpoint({
    ...{ ...writes, method: 'POST', path, params: storeParams, once: true },
    summary: 'Note that a customer returns items',
    description: 'For a customer who has called or written. It is approved at once, whenever the order was delivered.',
    body: Type.Object({
      orderId: Type.String({ minLength: 1, maxLength: 64, description: 'The id or the number of the order' }),
      items: ReturnItems,
      reason: reasonText,
    }),
    ok: AdminReturn,
    okStatus: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { ...example, status: 'approved', byCustomer: false },
  }),
  adminGetReturn: adminEndpoint({
    ...{ method: 'GET', path: `${path}/{id}`, tag, access: 'store', permission: 'orders:read', params },
    summary: 'Read a return',
    ok: AdminReturn,
    errors: ['NOT_FOUND'],
    example,
  }),
  adminApproveReturn: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/{id}/approve`, params, once: true },
    summary: 'Approve a return',
    description: 'The customer may send the items.',
    body: Type.Object({ answer }),
    isBodyOptional: true,
    ok: AdminReturn,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { ...example, status: 'approved' },
  }),
  adminRejectReturn: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/{id}/reject`, params, once: true },
    summary: 'Reject a return',
    description: 'Possible until the items have arrived. They can be asked for again.',
    body: Type.Object({ answer }),
    isBodyOptional: true,
    ok: AdminReturn,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { ...example, status: 'rejected', answer: 'Cups that were used cannot be returned.' },
  }),
  adminReceiveReturn: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/{id}/receive`, params, once: true },
    summary: 'Note that the items have arrived',
    description: 'Also after the refund, if that came first. The status then stays `refunded`.',
    body: Type.Object({
      restock: Type.Optional(Type.Boolean({ default: true, description: '`false`: the items cannot be sold again' })),
    }),
    isBodyOptional: true,
    ok: AdminReturn,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { ...example, status: 'received', restocked: true },
  }),
  adminRefundReturn: adminEndpoint({
    ...{ method: 'POST', path: `${path}/{id}/refund`, tag, access: 'store', params, once: true },
    ...{ permission: 'orders:refund', orPermission: 'orders:support' },
    summary: 'Refund a return',
    description:
      'For items that are approved or have arrived: their share of what was paid, or an `amount`. With `orders:support` alone, all refunds of an order together can reach `supportRefundLimit` of the settings.',
    body: Type.Object({ amount: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000_000 })) }),
    isBodyOptional: true,
    ok: AdminReturn,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: {
      ...{ ...example, status: 'refunded', restocked: true, refundId: 'ref_01k8x0v3m7q2w9c4t6y8zj' },
      refund: { id: 'ref_01k8x0v3m7q2w9c4t6y8zj', amount: 494.1, status: 'succeeded' },
    },
  }),
}
