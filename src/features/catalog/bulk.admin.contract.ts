import Type, { type Static } from 'typebox'
import { nullable, oneOf } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { exampleJob, MerchantJobBody } from '../merchant-jobs/merchant-jobs.admin.contract.ts'

const tag = Type.String({ minLength: 1, maxLength: 200 })
const tagList = Type.Array(tag, { maxItems: 250 })

export const BulkChange = Type.Object({
  price: Type.Optional(
    Type.Object(
      {
        percent: Type.Optional(Type.Number({ minimum: -100, maximum: 1000, description: 'Such as -10' })),
        amount: Type.Optional(Type.Number({ minimum: -1e9, maximum: 1e9, description: 'Such as -5' })),
      },
      { description: 'Either `percent` or `amount`. Rounded half up, never below zero. Applies to every outlet' },
    ),
  ),
  status: Type.Optional(oneOf(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
  category: Type.Optional(
    nullable(Type.String({ maxLength: 1000, description: 'Id, slug or path of a category. Null: none' })),
  ),
  tags: Type.Optional(
    Type.Union([tagList, Type.Object({ add: Type.Optional(tagList), remove: Type.Optional(tagList) })], {
      description: 'All tags, or those to add and remove',
    }),
  ),
})
export type BulkChange = Static<typeof BulkChange>

export const BulkFilter = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 200 })),
  status: Type.Optional(oneOf(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
  category: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  stock: Type.Optional(oneOf(['out', 'low'])),
})

export const BulkRequest = Type.Object({
  ids: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 500 })),
  filter: Type.Optional(BulkFilter),
  change: BulkChange,
})
export type BulkRequest = Static<typeof BulkRequest>

export const bulkAdminContract = {
  adminBulkProducts: adminEndpoint({
    ...{ tag: 'Products', access: 'store', permission: 'catalog:write', method: 'POST', once: true },
    ...{ path: '/admin/v1/stores/{storeId}/products/bulk', params: storeParams },
    summary: 'Change many products',
    description:
      'Up to 500 by `ids`, or any number by a `filter` like that of the list: those that match when the job comes to them; `{}` is all. ' +
      'A job changes each product once; see `jobs` for its progress. Its `result` counts products that were `updated`, ' +
      '`unchanged` (they had the values already) and `faulty`. `faults` has the first thousand or so. `total` is counted up ' +
      'to 10,000 at first.',
    body: BulkRequest,
    ok: MerchantJobBody,
    okStatus: 201,
    errors: ['CONFLICT'],
    example: { ...exampleJob, status: 'queued', done: 0, result: null, startedAt: null, finishedAt: null },
  }),
}
