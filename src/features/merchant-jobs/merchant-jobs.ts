import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx, Author, Store } from '../context.ts'
import type { MerchantJobBody } from './merchant-jobs.admin.contract.ts'
import * as sql from './merchant-jobs.sql.ts'

type JobStore = Pick<Store, 'id'>

/** Unfinished jobs of a store. */
export const maxOpenJobs = 20

export const merchantJobName = 'merchant-job'

export type JobRequest = {
  type: string
  total: number
  input: unknown
  /** What the audit log shows of the request. */
  audited: Record<string, unknown>
}

/** Queues work in the transaction of the request. A job of the service does it. */
export const queueJob = async (
  tx: Tx,
  store: JobStore,
  by: Author,
  { type, total, input, audited }: JobRequest,
): Promise<MerchantJobBody> => {
  await sql.lockJobCount(tx, store.id)
  if ((await sql.countOpenJobs(tx, store.id)) >= maxOpenJobs) throw refuse('JOB_LIMIT_REACHED', { maxOpenJobs })
  const id = newId('job')
  await sql.insertJob(tx, store.id, { id, type, total, author: by, input })
  tx.signal(merchantJobName, store.id)
  recordChange(tx, store, by, { action: 'job.created', id, changes: compareFields({}, { type, total, ...audited }) })
  return readJob(tx, store, id)
}

export const readJob = async (db: Queries, store: JobStore, jobId: string): Promise<MerchantJobBody> => {
  const job = await sql.findJob(db, store.id, jobId)
  if (job === undefined) throw refuse('JOB_NOT_FOUND', { jobId })
  return showJob(job)
}

/** What is done stays done. A job that is finished stays as it is. */
export const cancelMerchantJob = async (
  tx: Tx,
  { store, by }: Pick<AdminCtx, 'store' | 'by'>,
  jobId: string,
): Promise<MerchantJobBody> => {
  const cancelled = await sql.cancelJob(tx, store.id, jobId)
  if (cancelled > 0) recordChange(tx, store, by, { action: 'job.cancelled', id: jobId })
  return readJob(tx, store, jobId)
}

export const showJob = ({ author, createdAt, startedAt, finishedAt, ...job }: sql.MerchantJob): MerchantJobBody => ({
  ...{ id: job.id, type: job.type, status: job.status, done: job.done, total: job.total, faults: job.faults },
  result: job.result,
  author: author.actor.name,
  createdAt: createdAt.toISOString(),
  startedAt: startedAt?.toISOString() ?? null,
  finishedAt: finishedAt?.toISOString() ?? null,
})
