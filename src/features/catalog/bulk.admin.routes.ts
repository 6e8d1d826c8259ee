import { writeOnceByAuthor } from '../access/idempotency.ts'
import { adminRoutes } from '../context.ts'
import { readJob } from '../merchant-jobs/merchant-jobs.ts'
import { bulkAdminContract } from './bulk.admin.contract.ts'
import { requestBulkChange } from './bulk-change.ts'

export const bulkAdminRoutes = adminRoutes(bulkAdminContract, {
  adminBulkProducts: ({ ctx, body }) =>
    writeOnceByAuthor(ctx, {
      ...{ route: 'adminBulkProducts', request: body },
      write: async (tx) => ({ body: await requestBulkChange(tx, ctx, body) }),
      refer: ({ id }) => id,
      readAgain: async (tx, id) => ({ body: await readJob(tx, ctx.store, id) }),
    }),
})
