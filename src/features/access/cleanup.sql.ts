import type { Queries } from '../../db/database.ts'
import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { keptForMs } from './once.ts'

export const expiredAnswers: Deletable = {
  table: sql`kept_answer`,
  due: sql`t.created_at <= vitrine_now() - ${keptForMs} * interval '1 millisecond'`,
  age: sql`t.created_at`,
  keep: sql`${keptForMs} * interval '1 millisecond'`,
}

/** A store with more keys than it may keep, and the time of the newest key that must go. */
export type SurplusAnswers = { storeId: StoreId; waiting: number; oldestAt: Date }

/** Among the stores that have used a key in the last minutes, since the others cannot have more than before. */
export const findSurplusAnswers = (db: Queries, most: number, exceptStores: readonly number[]) =>
  db.many<SurplusAnswers>`
  select busy.store_id as "storeId", 1 as waiting, surplus.created_at as "oldestAt"
  from (select distinct store_id from kept_answer where created_at > vitrine_now() - interval '10 minutes') busy
  cross join lateral (
    select k.created_at from kept_answer k where k.store_id = busy.store_id
    order by k.created_at desc offset ${most} limit 1) surplus
  where busy.store_id <> all(${exceptStores}::integer[])`

/**
 * A batch of the keys beyond the newest `most`. `for update` would also lock the rows that `offset` skips, so the offset
 * is in a subquery without a lock.
 */
export const deleteSurplusAnswers = (db: Queries, storeId: StoreId, most: number) => db.run`
  delete from kept_answer where store_id = ${storeId} and ctid = any(array(
    select old.ctid from kept_answer old
    where old.store_id = ${storeId} and old.created_at <= (
      select k.created_at from kept_answer k where k.store_id = ${storeId}
      order by k.created_at desc offset ${most} limit 1)
    limit 500 for update skip locked))`

/**
 * A guest expires thirty days after the last write or after the merge, and a day later because only the day of the
 * write is known (decision 0016). The mark of a merge must stay that long, or the token would be valid again. A cart
 * that has not expired keeps its guest.
 *
 * `is null` and not `not exists`, which the planner turns into a join that reads all carts for one batch of guests.
 */
export const guestIsExpired = sql`g.seen_on < vitrine_now()::date - 31
  and (g.merged_at is null or g.merged_at < vitrine_now() - interval '31 days')
  and (select c.id from cart c where c.store_id = g.store_id and c.guest_id = g.id) is null`

export type DueGuests = { storeId: StoreId; guestIds: string[]; waiting: number; oldestAt: Date }

const isDue = sql`${guestIsExpired}
  and (select w.id from wishlist_item w where w.store_id = g.store_id and w.guest_id = g.id limit 1) is null`

/** Expired guests who own nothing any more. */
export const findDueGuests = (db: Queries, exceptStores: readonly number[]) => db.many<DueGuests>`
  select store_id as "storeId", array_agg(id) as "guestIds", count(*) as waiting,
    min(seen_on)::timestamptz + interval '32 days' as "oldestAt"
  from (
    select g.store_id, g.id, g.seen_on from guest g
    where ${isDue} and g.store_id <> all(${exceptStores}::integer[])
    order by g.seen_on limit 500) oldest
  group by store_id
  order by "oldestAt"`

export const deleteDueGuests = (db: Queries, storeId: StoreId, guestIds: readonly string[]) => db.run`
  delete from guest d where d.store_id = ${storeId} and d.id = any(array(
    select g.id from guest g where g.store_id = ${storeId} and g.id = any(${guestIds}) and ${isDue}
    for update skip locked))`
