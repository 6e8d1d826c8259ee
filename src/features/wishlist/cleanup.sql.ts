import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { guestIsExpired } from '../access/cleanup.sql.ts'
import type { StoreId } from '../context.ts'

export type DueWishlistItems = { storeId: StoreId; itemIds: string[]; waiting: number; oldestAt: Date }

/** Wishlist items of expired guests. */
export const findDueWishlistItems = (db: Queries, exceptStores: readonly number[]) => db.many<DueWishlistItems>`
  select store_id as "storeId", array_agg(id) as "itemIds", count(*) as waiting,
    min(seen_on)::timestamptz + interval '32 days' as "oldestAt"
  from (
    select w.store_id, w.id, g.seen_on from guest g
    join wishlist_item w on w.store_id = g.store_id and w.guest_id = g.id
    where ${guestIsExpired(sql`g.store_id`)} and g.store_id <> all(${exceptStores}::integer[])
    order by g.seen_on limit 500) oldest
  group by store_id
  order by "oldestAt"`

/** The lock on the guest blocks a concurrent write that would renew the guest. */
export const deleteDueWishlistItems = (db: Queries, storeId: StoreId, itemIds: readonly string[]) => db.run`
  delete from wishlist_item d where d.store_id = ${storeId} and d.id = any(array(
    select w.id from wishlist_item w
    join guest g on g.store_id = ${storeId} and g.id = w.guest_id
    where w.store_id = ${storeId} and w.id = any(${itemIds}) and ${guestIsExpired(storeId)}
    for update of g, w skip locked))`
