import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type DueMedia = { storeId: StoreId; waiting: number; oldestAt: Date }

export const findDueMedia = (db: Queries) => db.many<DueMedia>`
  select store_id as "storeId", count(*) as waiting, min(check_at) as "oldestAt"
  from (select store_id, check_at from media where check_at <= vitrine_now() order by check_at limit 1000) due
  group by store_id order by "oldestAt"`

/** `claimedUntil` tells whether the claim is still valid. */
export type ClaimedMedium = { id: string; claimedUntil: Date | null }

export const claimDueMedia = (db: Queries, storeId: StoreId, limit: number) => db.many<ClaimedMedium>`
  update media m set check_at = date_trunc('milliseconds', vitrine_now()) + interval '5 minutes'
  where m.store_id = ${storeId} and m.id = any(array(
    select q.id from media q where q.store_id = ${storeId} and q.check_at <= vitrine_now()
    order by q.check_at limit ${limit} for update skip locked))
  returning m.id, m.check_at as "claimedUntil"`

export const isSold = async (tx: Tx, storeId: StoreId, path: string) =>
  (
    await tx.one<{ sold: boolean }>`
    select exists (
      select from order_line l where l.store_id = ${storeId} and media_path(l.image) = ${path}) as sold`
  ).sold

/** It is needed, and is not looked at again unless it is deleted. */
export const keepMedium = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update media set check_at = null where store_id = ${storeId} and id = ${id}`

/** From now on nothing can use it, and it does not come back. */
export const beginRemoval = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update media set state = 'removing' where store_id = ${storeId} and id = ${id}`

/** Only after its files are gone. */
export const deleteMedium = (tx: Tx, storeId: StoreId, id: string) => tx.maybeOne<{ bytes: number }>`
  delete from media where store_id = ${storeId} and id = ${id} and state = 'removing' returning bytes`
