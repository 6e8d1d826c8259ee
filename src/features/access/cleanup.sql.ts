import type { Queries } from '../../db/database.ts'
import type { Deletable } from '../../db/due-rows.sql.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { keyTtlMs } from './idempotency.ts'

export const expiredAnswers: Deletable = {
  table: sql`kept_answer`,
  due: sql`t.created_at <= vitrine_now() - ${keyTtlMs} * interval '1 millisecond'`,
  age: sql`t.created_at`,
  retention: sql`${keyTtlMs} * interval '1 millisecond'`,
}

/** A store with more idempotency keys than allowed, and the time of the newest surplus key. */
export type SurplusAnswers = { storeId: StoreId; waiting: number; oldestAt: Date }

/** Checks only stores with a key from the last ten minutes. The others cannot have grown since the last run. */
export const findSurplusAnswers = (db: Queries, max: number, exceptStores: readonly number[]) =>
  db.many<SurplusAnswers>`
  select busy.store_id as "storeId", 1 as waiting, surplus.created_at as "oldestAt"
  from (select distinct store_id from kept_answer where created_at > vitrine_now() - interval '10 minutes') busy
  cross join lateral (
    select k.created_at from kept_answer k where k.store_id = busy.store_id
    order by k.created_at desc offset ${max} limit 1) surplus
  where busy.store_id <> all(${exceptStores}::integer[])`

/**
 * Deletes a batch of the keys beyond the newest `max`. `offset` is in a subquery without a lock, because `for update`
 * also locks the rows that `offset` skips.
 */
export const deleteSurplusAnswers = (db: Queries, storeId: StoreId, max: number) => db.run`
  delete from kept_answer where store_id = ${storeId} and ctid = any(array(
    select old.ctid from kept_answer old
    where old.store_id = ${storeId} and old.created_at <= (
      select k.created_at from kept_answer k where k.store_id = ${storeId}
      order by k.created_at desc offset ${max} limit 1)
    limit 500 for update skip locked))`

/**
 * A guest expires 31 days after the last write or the merge: thirty days, plus one because only the date of the write
 * is stored (decision 0016). `merged_at` must outlive the token, otherwise the token of a merged guest becomes valid
 * again. A guest with a cart that has not expired stays.
 *
 * `is null` instead of `not exists`, which the planner turns into a join that reads all carts for one batch of guests.
 */
export const guestIsExpired = (storeId: StoreId | Fragment) => sql`g.seen_on < vitrine_now()::date - 31
  and (g.merged_at is null or g.merged_at < vitrine_now() - interval '31 days')
  and (select c.id from cart c where c.store_id = ${storeId} and c.guest_id = g.id) is null`

export type DueGuests = { storeId: StoreId; guestIds: string[]; waiting: number; oldestAt: Date }

const isDue = (storeId: StoreId | Fragment) => sql`${guestIsExpired(storeId)}
  and (select w.id from wishlist_item w where w.store_id = ${storeId} and w.guest_id = g.id limit 1) is null`

/** Expired guests without a cart or wishlist. */
export const findDueGuests = (db: Queries, exceptStores: readonly number[]) => db.many<DueGuests>`
  select store_id as "storeId", array_agg(id) as "guestIds", count(*) as waiting,
    min(seen_on)::timestamptz + interval '32 days' as "oldestAt"
  from (
    select g.store_id, g.id, g.seen_on from guest g
    where ${isDue(sql`g.store_id`)} and g.store_id <> all(${exceptStores}::integer[])
    order by g.seen_on limit 500) oldest
  group by store_id
  order by "oldestAt"`

export const deleteDueGuests = (db: Queries, storeId: StoreId, guestIds: readonly string[]) => db.run`
  delete from guest d where d.store_id = ${storeId} and d.id = any(array(
    select g.id from guest g where g.store_id = ${storeId} and g.id = any(${guestIds}) and ${isDue(storeId)}
    for update skip locked))`
