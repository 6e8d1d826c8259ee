import type { Tx } from '../../db/database.ts'
import { byKey, literalLimit } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** The available units at which a variant is low in stock: its own threshold, or that of the store. */
export const thresholdOf = (storeId: StoreId, variantId: Fragment) => sql`(
  select coalesce(v.low_stock_threshold, t.low_stock_threshold)
  from store t left join variant v on v.store_id = t.id and v.id = ${variantId} where t.id = ${storeId})`

const thresholdLock = 7150424

/** Taken before stock rows are created or get the threshold of a variant, until the commit. */
export const shareThreshold = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock_shared(${thresholdLock}::integer, ${storeId}::integer)`

/** Waits for stock rows that are being created with the threshold that the store had before, and keeps others waiting. */
export const holdThreshold = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock(${thresholdLock}::integer, ${storeId}::integer)`

/** The same without waiting. False if such rows are being created. */
export const tryToHoldThreshold = async (tx: Tx, storeId: StoreId) =>
  (
    await tx.one<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${thresholdLock}::integer, ${storeId}::integer) as "isLocked"`
  ).isLocked

/** Undefined if the threshold does not change. */
export const setVariantThreshold = (tx: Tx, storeId: StoreId, variantId: string, threshold: number | null) =>
  tx.maybeOne<{ before: number | null }>`
  with before as (select low_stock_threshold from variant where store_id = ${storeId} and id = ${variantId})
  update variant v set low_stock_threshold = ${threshold} from before
  where v.store_id = ${storeId} and v.id = ${variantId} and v.low_stock_threshold is distinct from ${threshold}::integer
  returning before.low_stock_threshold as before`

/** Gives the stock rows of a variant its threshold. */
export const refreshVariantThreshold = (tx: Tx, storeId: StoreId, variantId: string) => tx.run`
  with locked as (
    select s.outlet_id from stock s
    where s.store_id = ${storeId} and s.variant_id = ${variantId} order by s.outlet_id for no key update)
  update stock s set low_at = ${thresholdOf(storeId, sql`s.variant_id`)}
  from locked where s.store_id = ${storeId} and s.variant_id = ${variantId} and s.outlet_id = locked.outlet_id`

export const thresholdBatchSize = 2_000

/**
 * Gives a batch of stock rows the threshold of the store, by variant, except those of variants that have their own.
 * Returns the last variant of the batch; null if it was the last batch.
 */
export const refreshStoreThreshold = async (tx: Tx, storeId: StoreId, after: string) => {
  const { last, rows } = await refreshBatch(tx, storeId, after)
  return rows < thresholdBatchSize ? null : last
}

const refreshBatch = (tx: Tx, storeId: StoreId, after: string) => {
  const variant = sql`select from variant where store_id = ${storeId} and id = n.variant_id and low_stock_threshold is null`
  return tx.one<{ last: string | null; rows: number }>`
  with batch as materialized (
    select s.variant_id from stock s
    where s.store_id = ${storeId} and s.variant_id > ${after}
    order by s.variant_id, s.outlet_id limit ${literalLimit(thresholdBatchSize)}),
  named as (
    select n.variant_id from (select variant_id from batch group by variant_id) n cross join ${byKey(variant)} v
    order by n.variant_id),
  locked as materialized (
    select n.variant_id from named n
    cross join lateral (
      select from stock s where s.store_id = ${storeId} and s.variant_id = n.variant_id
      order by s.outlet_id for no key update) s),
  written as (
    update stock s set low_at = t.low_stock_threshold from store t
    where t.id = ${storeId} and s.store_id = ${storeId} and s.variant_id = any(array(select variant_id from locked))
      and s.low_at <> t.low_stock_threshold)
  select max(variant_id) as last, count(*) as rows from batch`
}
