import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { newId } from '../../../core/ids.ts'
import { writeOnceByAuthor } from '../../access/idempotency.ts'
import { adminRoutes } from '../../context.ts'
import { deleteFile } from '../../merchant-jobs/job-files.sql.ts'
import { storeFile } from '../../merchant-jobs/job-files.ts'
import { readJob } from '../../merchant-jobs/merchant-jobs.ts'
import { queueExport } from './export-job.ts'
import { queueImport } from './import-job.ts'
import { transferAdminContract } from './transfer.admin.contract.ts'

export const transferAdminRoutes = adminRoutes(transferAdminContract, {
  adminCreateJob: async ({ ctx, body, file }) => {
    const { db, store } = ctx
    const id = newId('job')
    const hash = await hashFile(file.path)
    // In statements of their own: a large file takes seconds, and no transaction should.
    await storeFile(db, store.id, id, file.path)
    const queued = writeOnceByAuthor(ctx, {
      ...{ route: 'adminCreateJob', request: { ...body, hash } },
      write: async (tx) => ({ body: await queueImport(tx, ctx, { id, fileName: file.name, form: body }) }),
      refer: (job) => job.id,
      readAgain: async (tx, jobId) => ({ body: await readJob(tx, store, jobId) }),
    })
    // A repeated call answers with the first job, which has its own copy of the file.
    const isUsed = await queued.then(
      (answer) => answer.body.id === id,
      () => false,
    )
    if (!isUsed) await deleteFile(db, store.id, id)
    return queued
  },
  adminExportProducts: ({ ctx, body }) =>
    writeOnceByAuthor(ctx, {
      ...{ route: 'adminExportProducts', request: body },
      write: async (tx) => ({ body: await queueExport(tx, ctx, body.format ?? 'jsonl') }),
      refer: ({ id }) => id,
      readAgain: async (tx, id) => ({ body: await readJob(tx, ctx.store, id) }),
    }),
})

const hashFile = async (path: string) => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
