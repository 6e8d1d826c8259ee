import { sql } from '../db/sql.ts'
import { batch, type Sweep } from './batch.sql.ts'

/**
 * A guest is over thirty days after the last write or after the merge, and a day more because only the day of the write
 * is known (decision 0016). The mark that a merge leaves must stay that long, or the token
 * would count again. A cart that still lives keeps its guest, and with the guest all that is theirs.
 *
 * What is missing is asked for by `is null` and not by `not exists`, which would be joined: for a batch of five hundred
 * guests all carts would be read.
 */
const isOver = sql`g.seen_on < vitrine_now()::date - 31
  and (g.merged_at is null or g.merged_at < vitrine_now() - interval '31 days')
  and (select c.id from cart c where c.store_id = g.store_id and c.guest_id = g.id) is null`

/** Before the guests themselves. Holding the guest keeps away a write that would bring the guest back. */
export const sweepGuestWishes: Sweep = (db) => db.run`
  delete from wishlist_item where ctid = any(array(
    select w.ctid from guest g
    join wishlist_item w on w.store_id = g.store_id and w.guest_id = g.id
    where ${isOver}
    order by g.seen_on limit ${batch} for update of g, w skip locked))`

export const sweepGuests: Sweep = (db) => db.run`
  delete from guest where ctid = any(array(
    select g.ctid from guest g
    where ${isOver}
      and (select w.id from wishlist_item w where w.store_id = g.store_id and w.guest_id = g.id limit 1) is null
    order by g.seen_on limit ${batch} for update skip locked))`
