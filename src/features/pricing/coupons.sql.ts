import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/**
 * A subquery for use in other statements: the jsonb of the `Coupon` with a code, or null. The arguments are bound in the
 * subselect `asked`, where column names of the outer statement cannot clash with the ones here. Without a code the
 * `where` is false before any table is read.
 *
 * The category tree is walked level by level: row by row, the planner expects a wide tree and reads all categories of the
 * store for each level. The first level is the stored list, even if its categories were deleted, because a coupon that
 * lost its categories must not apply to everything.
 *
 * A stopped coupon has ended in 1970, so it has ended by any instance's clock.
 */
export const couponAsJson = (storeId: Fragment | StoreId, code: Fragment): Fragment => sql`(
  select jsonb_build_object('id', k.id, 'code', k.code, 'kind', k.kind, 'value', k.value,
    'minSubtotalMinor', k.min_subtotal_minor, 'startsAtMs', ${epochMs(sql`k.starts_at`)},
    'endsAtMs', case when k.stopped_at is null then ${epochMs(sql`k.ends_at`)} else 0 end, 'usageLimit', k.usage_limit, 'customerLimit', k.customer_limit,
    'used', k.used, 'productIds', to_jsonb(k.product_ids),
    'categoryIds', case when k.category_ids = '{}' then '[]'::jsonb else (
      with recursive tree as (
        select k.category_ids collate "C" as ids
        union
        select array(select c.id from category c where c.store_id = k.store_id and c.parent_id = any(tree.ids))
        from tree where cardinality(tree.ids) > 0)
      select jsonb_agg(distinct id) from tree cross join unnest(tree.ids) id) end)
  from (select (${storeId})::integer as store_id, (${code})::text as code) asked
  join coupon k on k.store_id = asked.store_id and k.code = asked.code
  where asked.code is not null)`

const epochMs = (column: Fragment) => sql`(extract(epoch from ${column}) * 1000)::bigint`

export const isCoupon = async (db: Queries, storeId: StoreId, code: string) =>
  (
    await db.one<{ exists: boolean }>`
    select exists (select from coupon where store_id = ${storeId} and code = ${code})`
  ).exists

export type NewCoupon = {
  id: string
  code: string
  kind: 'percent' | 'fixed'
  value: number
  description: string
  minSubtotalMinor: number
  startsAt: Date | null
  endsAt: Date | null
  usageLimit: number | null
  customerLimit: number | null
  categoryIds: readonly string[]
  productIds: readonly string[]
  listed: boolean
}

/** Inserts nothing if the code is taken. */
export const insertCoupon = (tx: Tx, storeId: StoreId, coupon: NewCoupon) => tx.run`
  insert into coupon (store_id, id, code, kind, value, description, min_subtotal_minor, starts_at, ends_at,
    usage_limit, customer_limit, category_ids, product_ids, listed, created_at)
  values (${storeId}, ${coupon.id}, ${coupon.code}, ${coupon.kind}, ${coupon.value}, ${coupon.description},
    ${coupon.minSubtotalMinor}, ${coupon.startsAt}, ${coupon.endsAt}, ${coupon.usageLimit}, ${coupon.customerLimit},
    ${coupon.categoryIds}, ${coupon.productIds}, ${coupon.listed},
    vitrine_now())
  on conflict (store_id, code) do nothing`

export type CouponRow = {
  id: string
  code: string
  kind: 'percent' | 'fixed'
  value: number
  description: string
  minSubtotalMinor: number
  startsAt: Date | null
  endsAt: Date | null
  usageLimit: number | null
  customerLimit: number | null
  used: number
  stoppedAt: Date | null
  categories: string[]
  products: string[]
  listed: boolean
  createdAt: Date
}

/** All coupons, or the one with the id, with the slugs of their categories and products. */
export const listCoupons = (db: Queries, storeId: StoreId, id: string | null) => db.many<CouponRow>`
  select k.id, k.code, k.kind, k.value, k.description, k.min_subtotal_minor as "minSubtotalMinor",
    k.starts_at as "startsAt", k.ends_at as "endsAt", k.usage_limit as "usageLimit",
    k.customer_limit as "customerLimit", k.used, k.listed, k.stopped_at as "stoppedAt", k.created_at as "createdAt",
    array(select c.slug from category c where c.store_id = k.store_id and c.id = any(k.category_ids)
      order by c.slug) as categories,
    array(select p.slug from product p where p.store_id = k.store_id and p.id = any(k.product_ids)
      order by p.slug) as products
  from coupon k
  where k.store_id = ${storeId} and (${id}::text is null or k.id = ${id})
  order by k.created_at, k.code`

/** Returns the id, also if the coupon was stopped before. */
export const stopCoupon = async (tx: Tx, storeId: StoreId, code: string) =>
  (
    await tx.maybeOne<{ id: string }>`
      update coupon set stopped_at = coalesce(stopped_at, vitrine_now())
      where store_id = ${storeId} and code = ${code}
      returning id`
  )?.id

/** Returns the id. */
export const setListed = async (tx: Tx, storeId: StoreId, code: string, listed: boolean) =>
  (
    await tx.maybeOne<{ id: string }>`
      update coupon set listed = ${listed} where store_id = ${storeId} and code = ${code} returning id`
  )?.id
