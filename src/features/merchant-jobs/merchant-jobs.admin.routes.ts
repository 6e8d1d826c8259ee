import { answerList } from '../admin-list.ts'
import { adminRoutes } from '../context.ts'
import { merchantJobsContract } from './merchant-jobs.admin.contract.ts'
import { countJobs, listJobs } from './merchant-jobs.sql.ts'
import { cancelMerchantJob, openJobFile, readJob, showJob } from './merchant-jobs.ts'

export const merchantJobRoutes = adminRoutes(merchantJobsContract, {
  adminListJobs: ({ ctx, query }) => {
    const { db, store } = ctx
    const filter = { type: query.type, status: query.status }
    return answerList(ctx, 'jobs', query, {
      read: (position, limit) =>
        listJobs(db, store.id, filter, position === undefined ? undefined : String(position[0]), limit),
      count: (limit) => countJobs(db, store.id, filter, limit),
      positionOf: ({ id }) => [id],
      show: showJob,
    })
  },
  adminGetJob: async ({ ctx, params }) => ({ body: await readJob(ctx.db, ctx.store, params.jobId) }),
  adminCancelJob: async ({ ctx, params }) => ({
    body: await ctx.db.tx((tx) => cancelMerchantJob(tx, ctx, params.jobId)),
  }),
  adminDownloadJobFile: async ({ ctx, params }) => {
    const { name, contentType, parts } = await openJobFile(ctx.db, ctx.store, params.jobId)
    return {
      body: '',
      headers: { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'private, no-store' },
      stream: { contentType, chunks: parts },
    }
  },
})
