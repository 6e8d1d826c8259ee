import Type from 'typebox'
import { countedPage, listFormat, named, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, periodQuery, storeParams } from '../access/admin.contract.ts'

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: Type.String(),
    at: Type.String({ format: 'date-time' }),
    actorKind: oneOf(['staff', 'token', 'command'], { description: '`command`: an operator at the command line' }),
    actorId: Type.String(),
    actorName: Type.String(),
    clientAddress: Type.String(),
    requestId: Type.String({ description: 'The `x-request-id` of the call' }),
    action: Type.String({ description: 'What happened, such as `product.updated`' }),
    resource: Type.String(),
    resourceId: Type.String(),
    changes: Type.Unsafe<Record<string, { before: unknown; after: unknown }>>({
      type: 'object',
      additionalProperties: true,
      description: 'Changed fields, each with `before` and `after`',
    }),
  }),
)

const filterText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }))

export const auditContract = {
  adminListAudit: adminEndpoint({
    method: 'GET',
    path: '/admin/v1/stores/{storeId}/audit',
    tag: 'Audit',
    summary: 'List what staff, programs and commands have changed',
    access: 'store',
    permission: 'audit:read',
    params: storeParams,
    query: Type.Object({
      actor: filterText('The id of a person or a token, or `command`'),
      resource: filterText('A kind of thing, such as `product`'),
      resourceId: filterText('The id of a thing'),
      action: filterText('Such as `product.updated`'),
      ...periodQuery,
      limit: pageLimit,
      cursor: pageCursor,
      format: listFormat,
    }),
    ok: countedPage(AuditEntry),
    csv: true,
    example: {
      data: [
        {
          id: 'aud_1m7mj220q32w1b1vwkvc69',
          at: '2026-11-17T09:30:00.000Z',
          actorKind: 'staff',
          actorId: 'stf_1m7mj220q32w1b1vwkvc69',
          actorName: 'Meera Iyer',
          clientAddress: '203.0.113.7',
          requestId: 'b3Jk-4f',
          action: 'staff.updated',
          resource: 'staff',
          resourceId: 'stf_1m7mj4dtyegcx58f9rpev9',
          changes: { role: { before: 'viewer', after: 'manager' } },
        },
      ],
      nextCursor: null,
      hasMore: false,
      total: 1,
      totalIsExact: true,
    },
  }),
}
