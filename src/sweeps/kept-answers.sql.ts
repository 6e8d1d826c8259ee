import type { Queries } from '../db/database.ts'
import { keptForMs, mostKeysOfStore } from '../features/access/once.ts'
import { batch, batchSize, type Sweep } from './batch.sql.ts'

/** What has expired, and then what a store has beyond its bound. */
export const sweepKeptAnswers: Sweep = async (db) => {
  const expired = await deleteExpired(db)
  return expired < batchSize ? expired + (await deleteBeyond(db, mostKeysOfStore)) : expired
}

const deleteExpired = (db: Queries) => db.run`
  delete from kept_answer where ctid = any(array(
    select ctid from kept_answer where created_at <= vitrine_now() - ${keptForMs} * interval '1 millisecond'
    order by created_at limit ${batch} for update skip locked))`

/**
 * The oldest keys beyond the newest `most`, of stores that have used one in the last minutes. `for update` would also lock
 * the rows that `offset` skips, so the offset is in a subquery without a lock.
 */
const deleteBeyond = (db: Queries, most: number) => db.run`
  delete from kept_answer where ctid = any(array(
    select old.ctid
    from (select distinct store_id from kept_answer where created_at > vitrine_now() - interval '10 minutes') busy
    cross join lateral (
      select created_at from kept_answer where store_id = busy.store_id
      order by created_at desc offset ${most} limit 1) as beyond
    join kept_answer old on old.store_id = busy.store_id and old.created_at <= beyond.created_at
    limit ${batch} for update of old skip locked))`
