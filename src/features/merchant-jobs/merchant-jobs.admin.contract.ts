import Type, { type Static } from 'typebox'
import { countedPage, named, nullable, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

const time = Type.String({ format: 'date-time' })
const statuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

export const MerchantJobBody = named(
  'MerchantJob',
  Type.Object({
    id: Type.String(),
    type: Type.String({ description: '`import`, `export` or `products.bulk`' }),
    status: oneOf(statuses),
    done: Type.Integer({ description: 'Items that were worked on, including those with faults' }),
    total: Type.Integer({ description: '0 until it is known' }),
    percent: Type.Integer({ description: 'Progress from 0 to 100, also while a file is being checked' }),
    faults: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'Line of the file, or number of the item, from 1' }),
        field: Type.String(),
        message: Type.String(),
        id: Type.Optional(Type.String({ description: 'Id of the product' })),
      }),
    ),
    result: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    author: Type.String(),
    createdAt: time,
    startedAt: nullable(time),
    finishedAt: nullable(time),
  }),
)
export type MerchantJobBody = Static<typeof MerchantJobBody>

export const exampleJob = {
  ...{ id: 'job_01k8x0v3m7q2w9c4t6y8zj', type: 'products.bulk', status: 'done', done: 120, total: 120 },
  ...{
    percent: 100,
    faults: [],
    result: { updated: 118, unchanged: 2 },
    author: 'Meera',
    createdAt: '2026-11-17T09:30:00.000Z',
  },
  ...{ startedAt: '2026-11-17T09:30:00.100Z', finishedAt: '2026-11-17T09:30:03.000Z' },
}

const path = '/admin/v1/stores/{storeId}/jobs'
const reads = { tag: 'Jobs', access: 'store', permission: 'catalog:read' } as const
const jobParams = Type.Object({ ...storeParams.properties, jobId: Type.String({ minLength: 1, maxLength: 64 }) })

export const merchantJobsContract = {
  adminListJobs: adminEndpoint({
    ...{ ...reads, method: 'GET', path, params: storeParams },
    summary: 'List jobs, newest first',
    description: 'A job is kept for a day after its end.',
    query: Type.Object({
      type: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      status: Type.Optional(oneOf(statuses)),
      limit: pageLimit,
      cursor: pageCursor,
    }),
    ok: countedPage(MerchantJobBody),
    example: { data: [exampleJob], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminGetJob: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{jobId}`, params: jobParams },
    summary: 'Read a job and its progress',
    ok: MerchantJobBody,
    errors: ['NOT_FOUND'],
    example: exampleJob,
  }),
  adminCancelJob: adminEndpoint({
    ...{ tag: 'Jobs', access: 'store', permission: 'jobs:write', method: 'POST' },
    ...{ path: `${path}/{jobId}/cancel`, params: jobParams },
    summary: 'Cancel a job',
    description: 'What is done stays done.',
    ok: MerchantJobBody,
    errors: ['NOT_FOUND'],
    example: { ...exampleJob, status: 'cancelled' },
  }),
  adminDownloadJobFile: adminEndpoint({
    ...{ tag: 'Jobs', access: 'store', permission: 'jobs:write', method: 'GET' },
    ...{ path: `${path}/{jobId}/file`, params: jobParams, head: false },
    summary: 'Download the file that a job has made',
    description: 'An export is kept for a day.',
    ok: Type.String(),
    contentType: 'application/octet-stream',
    errors: ['NOT_FOUND'],
    example: '{"slug":"masala-tea","name":"Masala tea","price":120}',
  }),
}
