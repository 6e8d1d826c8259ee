import type { Queries, Tx } from '../../db/database.ts'
import type { Deletable } from '../../db/due-rows.sql.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import { allOf, sql } from '../../db/sql.ts'
import type { Author, StoreId } from '../context.ts'

export type JobStatus = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

/** `line`: the number of the item, from 1. */
export type JobFault = { line: number; field: string; message: string; id?: string }

export type MerchantJob = {
  id: string
  type: string
  status: JobStatus
  done: number
  total: number
  faults: JobFault[]
  author: Author
  input: unknown
  result: Record<string, unknown> | null
  /** What the type of job needs to go on after an interruption. */
  state: unknown
  attempts: number
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

const columns = sql`j.id, j.type, j.status, j.done, j.total, j.faults, j.author, j.input, j.result, j.state,
  j.attempts, j.created_at as "createdAt", j.started_at as "startedAt", j.finished_at as "finishedAt"`

export type QueuedJob = { id: string; type: string; total: number; author: Author; input: unknown }

export const insertJob = (tx: Tx, storeId: StoreId, { id, type, total, author, input }: QueuedJob) => tx.run`
  insert into merchant_job (store_id, id, type, total, author, input)
  values (${storeId}, ${id}, ${type}, ${total}, ${JSON.stringify(author)}::jsonb, ${JSON.stringify(input)}::jsonb)`

export const findJob = (db: Queries, storeId: StoreId, id: string) => db.maybeOne<MerchantJob>`
  select ${columns} from merchant_job j where j.store_id = ${storeId} and j.id = ${id}`

export type JobFilter = { type: string | undefined; status: JobStatus | undefined }

const wanted = (storeId: StoreId, { type, status }: JobFilter) => [
  sql`j.store_id = ${storeId}`,
  ...(type === undefined ? [] : [sql`j.type = ${type}`]),
  ...(status === undefined ? [] : [sql`j.status = ${status}`]),
]

/** Newest first. */
export const listJobs = (
  db: Queries,
  storeId: StoreId,
  filter: JobFilter,
  before: string | undefined,
  limit: number,
) => {
  const start = before === undefined ? sql`true` : sql`j.id < ${before}`
  return db.many<MerchantJob>`
    select ${columns} from merchant_job j where ${allOf([...wanted(storeId, filter), start])}
    order by j.id desc limit ${limit}`
}

export const countJobs = async (db: Queries, storeId: StoreId, filter: JobFilter, limit: number) =>
  (
    await db.one<{ count: number }>`
      select count(*)::integer as count from (
        select from merchant_job j where ${allOf(wanted(storeId, filter))} limit ${literalLimit(limit)}) counted`
  ).count

export const countOpenJobs = async (tx: Tx, storeId: StoreId) =>
  (
    await tx.one<{ count: number }>`
      select count(*)::integer as count from merchant_job
      where store_id = ${storeId} and status in ('queued', 'running')`
  ).count

/** Jobs of one type, including those that are finished: they are kept for a day. */
export const countJobsOfType = async (tx: Tx, storeId: StoreId, type: string, isOpen: boolean) =>
  (
    await tx.one<{ count: number }>`
      select count(*)::integer as count from merchant_job
      where store_id = ${storeId} and type = ${type} and (not ${isOpen} or status in ('queued', 'running'))`
  ).count

/** Makes jobs of a store wait for each other while they are counted. */
export const lockJobCount = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock(${jobCountLock}::integer, ${storeId}::integer)`

const jobCountLock = 7150424

/** Ends a job that is not finished. */
export const cancelJob = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update merchant_job set status = 'cancelled', finished_at = vitrine_now()
  where store_id = ${storeId} and id = ${id} and status in ('queued', 'running')`

export const findStoresWithJobs = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select store_id as "storeId", count(*) as waiting, min(claimed_until) as "oldestAt" from merchant_job
  where status in ('queued', 'running') and claimed_until <= vitrine_now()
  group by store_id order by min(claimed_until) limit 100`

export type ClaimedJob = {
  storeId: StoreId
  storePublicId: string
  id: string
  type: string
  attempts: number
  turn: number
}

export const claimJobs = (db: Queries, storeId: StoreId, limit: number) => db.many<ClaimedJob>`
  with claimed as (
    update merchant_job j set status = 'running', started_at = coalesce(j.started_at, (select vitrine_now())),
      attempts = j.attempts + 1, turn = j.turn + 1, claimed_until = vitrine_now() + interval '1 minute'
    where j.store_id = ${storeId} and j.id = any(array(
      select q.id from merchant_job q
      where q.store_id = ${storeId} and q.status in ('queued', 'running') and q.claimed_until <= vitrine_now()
      order by q.claimed_until, q.id limit ${limit} for update skip locked))
    returning j.*)
  select c.store_id as "storeId", s.public_id as "storePublicId", c.id, c.type, c.attempts,
    c.turn
  from claimed c join store s on s.id = c.store_id
  order by c.id`

/** Undefined if it is finished or cancelled, or if another instance has taken it. */
export const lockRunningJob = (tx: Tx, { storeId, id, turn }: ClaimedJob) => tx.maybeOne<MerchantJob>`
  select ${columns} from merchant_job j
  where j.store_id = ${storeId} and j.id = ${id} and j.status = 'running' and j.turn = ${turn} for update`

export type Progress = {
  done: number
  /** If it became known only now. */
  total?: number
  /** Those that were found since the last time. */
  faults: readonly JobFault[]
  result: Record<string, unknown> | null
  state?: unknown
}

/** A step that succeeds also renews the claim. */
export const noteProgress = (
  tx: Tx,
  storeId: StoreId,
  id: string,
  { done, total, faults, result, state }: Progress,
) => tx.run`
  update merchant_job set done = ${done}, total = coalesce(${total ?? null}, total), attempts = 1,
    faults = faults || ${JSON.stringify(faults)}::jsonb, claimed_until = vitrine_now() + interval '1 minute',
    result = ${result === null ? null : JSON.stringify(result)}::jsonb,
    state = ${state === undefined ? null : JSON.stringify(state)}::jsonb
  where store_id = ${storeId} and id = ${id}`

export const finishJob = (db: Queries, storeId: StoreId, id: string, status: 'done' | 'failed') => db.run`
  update merchant_job set status = ${status}, finished_at = vitrine_now()
  where store_id = ${storeId} and id = ${id} and status = 'running'`

/** A job that has failed again and again. */
export const giveUpJob = (db: Queries, storeId: StoreId, id: string, fault: JobFault) => db.run`
  update merchant_job set status = 'failed', finished_at = vitrine_now(),
    faults = faults || ${JSON.stringify([fault])}::jsonb
  where store_id = ${storeId} and id = ${id} and status = 'running'`

export const postponeJob = (db: Queries, storeId: StoreId, id: string, delayMs: number) => db.run`
  update merchant_job set claimed_until = vitrine_now() + ${delayMs}::bigint * interval '1 millisecond'
  where store_id = ${storeId} and id = ${id} and status = 'running'`

const retention = sql`interval '1 day'`

export const oldMerchantJobs: Deletable = {
  table: sql`merchant_job`,
  due: sql`t.finished_at <= vitrine_now() - ${retention}`,
  age: sql`t.finished_at`,
  retention,
}
