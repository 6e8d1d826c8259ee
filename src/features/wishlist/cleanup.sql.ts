import type { Queries } from '../../db/database.ts'
import { guestIsExpired } from '../access/cleanup.sql.ts'
import type { StoreId } from '../context.ts'

export type DueWishes = { storeId: StoreId; wishIds: string[]; waiting: number; oldestAt: Date }

/** Wishes of expired guests. */
export const findDueWishes = (db: Queries, exceptStores: readonly number[]) => db.many<DueWishes>`
  select store_id as "storeId", array_agg(id) as "wishIds", count(*) as waiting,
    min(seen_on)::timestamptz + interval '32 days' as "oldestAt"
  from (
    select w.store_id, w.id, g.seen_on from guest g
    join wishlist_item w on w.store_id = g.store_id and w.guest_id = g.id
    where ${guestIsExpired} and g.store_id <> all(${exceptStores}::integer[])
    order by g.seen_on limit 500) oldest
  group by store_id
  order by "oldestAt"`

/** The lock on the guest blocks a concurrent write that would renew the guest. */
export const deleteDueWishes = (db: Queries, storeId: StoreId, wishIds: readonly string[]) => db.run`
  delete from wishlist_item d where d.store_id = ${storeId} and d.id = any(array(
    select w.id from wishlist_item w
    join guest g on g.store_id = ${storeId} and g.id = w.guest_id
    where w.store_id = ${storeId} and w.id = any(${wishIds}) and ${guestIsExpired}
    for update of g, w skip locked))`
