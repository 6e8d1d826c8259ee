import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/**
 * Creates the guest's row, or locks it until the transaction ends. Returns nothing for a merged guest. A merge locks the
 * same row, so a concurrent write either comes first and is merged, or comes later and is refused.
 */
export const lockGuest = (tx: Tx, storeId: StoreId, guestId: string) => tx.maybeOne<{ id: string }>`
  ${guestLock(storeId, guestId)}`

/** `lockGuest` as part of a larger statement. With `from`, only for a row from there. */
export const guestLock = (storeId: StoreId, guestId: string, from = sql``) => sql`
  insert into guest (store_id, id, seen_on) select ${storeId}, ${guestId}, vitrine_now()::date ${from}
  on conflict (store_id, id) do update set seen_on = excluded.seen_on where guest.merged_at is null
  returning id`

/** A condition: the guest wrote something today before, so a write need not note it. */
export const guestWasSeenToday = (storeId: StoreId, guestId: string) => sql`exists (
  select from guest g where g.store_id = ${storeId} and g.id = ${guestId} and g.seen_on = vitrine_now()::date)`

/** Blocks other writes of the customer's data and password sign-ins, but no reads. Nothing if the customer was erased. */
export const lockCustomer = (tx: Tx, storeId: StoreId, customerId: string) => tx.maybeOne<{ id: string }>`
  select id from customer
  where store_id = ${storeId} and id = ${customerId} and erased_at is null
  for no key update`

export const isMergedGuest = async (db: Queries, storeId: StoreId, guestId: string) =>
  (
    await db.one<{ merged: boolean }>`
    select exists (select from guest where store_id = ${storeId} and id = ${guestId} and merged_at is not null) as merged`
  ).merged

/** Marks a guest as merged, and creates the row if there is none. Returns nothing when the guest was merged before. */
export const markMerged = (tx: Tx, storeId: StoreId, guestId: string) => tx.maybeOne<{ id: string }>`
  insert into guest (store_id, id, seen_on, merged_at) values (${storeId}, ${guestId}, vitrine_now()::date, vitrine_now())
  on conflict (store_id, id) do update set merged_at = excluded.merged_at, seen_on = excluded.seen_on
  where guest.merged_at is null
  returning id`

export const deleteAnswers = (tx: Tx, storeId: StoreId, shopper: string) => tx.run`
  delete from kept_answer where store_id = ${storeId} and shopper = ${shopper}`
