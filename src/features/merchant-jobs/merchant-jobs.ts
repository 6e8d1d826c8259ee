import { extname } from 'node:path'
import { refuse } from '../../core/domain-errors.ts'
import { toFields } from '../../core/fields.ts'
import { newId } from '../../core/ids.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx, Author, Store } from '../context.ts'
import { deleteFile } from './job-files.sql.ts'
import { readFile } from './job-files.ts'
import type { MerchantJobBody } from './merchant-jobs.admin.contract.ts'
import * as sql from './merchant-jobs.sql.ts'

type JobStore = Pick<Store, 'id'>

/** Unfinished jobs of a store. */
export const maxOpenJobs = 20

export const merchantJobName = 'merchant-job'

export type JobRequest = {
  /** If the job has a file that was stored before. */
  id?: string
  type: string
  /** Unfinished jobs of this type that a store may have. Default: any number up to that of all types. */
  maxOpen?: number
  /** Jobs of this type that a store may have, including those that ended within a day. */
  maxKept?: number
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
  { id = newId('job'), type, maxOpen, maxKept, total, input, audited }: JobRequest,
): Promise<MerchantJobBody> => {
  await sql.lockJobCount(tx, store.id)
  if ((await sql.countOpenJobs(tx, store.id)) >= maxOpenJobs) throw refuse('JOB_LIMIT_REACHED', { maxOpenJobs })
  if (maxOpen !== undefined && (await sql.countJobsOfType(tx, store.id, type, true)) >= maxOpen)
    throw refuse('JOB_TYPE_LIMIT_REACHED', { type, maxOpen })
  if (maxKept !== undefined && (await sql.countJobsOfType(tx, store.id, type, false)) >= maxKept)
    throw refuse('JOB_DAY_LIMIT_REACHED', { type, maxKept })
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
  if (cancelled > 0) {
    await deleteFile(tx, store.id, jobId)
    recordChange(tx, store, by, { action: 'job.cancelled', id: jobId })
  }
  return readJob(tx, store, jobId)
}

export const showJob = ({ author, createdAt, startedAt, finishedAt, ...job }: sql.MerchantJob): MerchantJobBody => ({
  ...{ id: job.id, type: job.type, status: job.status, done: job.done, total: job.total, percent: percentOf(job) },
  ...{ faults: job.faults, result: job.result },
  author: author.actor.name,
  createdAt: createdAt.toISOString(),
  startedAt: startedAt?.toISOString() ?? null,
  finishedAt: finishedAt?.toISOString() ?? null,
})

/** A type of job that does not only count items keeps `percent` in its state. */
const percentOf = ({ status, done, total, state }: Pick<sql.MerchantJob, 'status' | 'done' | 'total' | 'state'>) => {
  if (status === 'done') return 100
  const { percent } = toFields(state)
  if (typeof percent === 'number') return percent
  return total === 0 ? 0 : Math.floor((100 * done) / total)
}

/** The file that a job has made. `file` in its result is its name. */
export const openJobFile = async (db: Queries, store: JobStore, jobId: string) => {
  const { status, result } = await readJob(db, store, jobId)
  const name = result?.file
  if (status !== 'done' || typeof name !== 'string') throw refuse('JOB_FILE_NOT_FOUND', { jobId })
  return {
    name,
    contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
    parts: readFile(db, store.id, jobId),
  }
}

const contentTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.jsonl': 'application/x-ndjson; charset=utf-8',
}
