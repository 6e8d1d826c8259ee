import type { Queries, Tx } from '../../db/database.ts'
import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** A file that is never finished is kept for a week. */
export const insertPart = (db: Queries, storeId: StoreId, jobId: string, part: number, data: Buffer) => db.run`
  insert into job_file (store_id, job_id, part, data, kept_until)
  values (${storeId}, ${jobId}, ${part}, ${data}, vitrine_now() + interval '7 days')`

export const findPart = (db: Queries, storeId: StoreId, jobId: string, part: number) => db.maybeOne<{ data: Buffer }>`
  select data from job_file where store_id = ${storeId} and job_id = ${jobId} and part = ${part}`

/** Starts the day for which the file of a finished job is kept. */
export const expireFile = (tx: Tx, storeId: StoreId, jobId: string) => tx.run`
  update job_file set kept_until = vitrine_now() + interval '1 day' where store_id = ${storeId} and job_id = ${jobId}`

export const deleteFile = (db: Queries, storeId: StoreId, jobId: string) => db.run`
  delete from job_file where store_id = ${storeId} and job_id = ${jobId}`

export const oldJobFiles: Deletable = {
  table: sql`job_file`,
  due: sql`t.kept_until <= vitrine_now()`,
  age: sql`t.kept_until`,
  retention: sql`interval '0'`,
}
