import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/**
 * A subquery for use in other statements: the jsonb of the `Coupon` with a code, or null. The code is bound in the
 * subselect `asked`, where column names of the outer statement cannot clash with the ones here. Without a code the
 * `where` is false before any table is read.
 *
 * The category tree is walked level by level: row by row, the planner expects a wide tree and reads all categories of the
 * store for each level. The first level is the stored list, even if its categories were deleted, because a coupon that
 * lost its categories must not apply to everything.
 *
 * A stopped coupon has ended in 1970, so it has ended by any instance's clock.
 */
export const couponAsJson = (storeId: StoreId, code: Fragment): Fragment => sql`(
  select jsonb_build_object('id', k.id, 'code', k.code, 'kind', k.kind, 'value', k.value,
    'minSubtotalMinor', k.min_subtotal_minor, 'startsAtMs', ${epochMs(sql`k.starts_at`)},
    'endsAtMs', case when k.stopped_at is null then ${epochMs(sql`k.ends_at`)} else 0 end, 'usageLimit', k.usage_limit, 'customerLimit', k.customer_limit,
    'used', k.used, 'productIds', to_jsonb(k.product_ids),
    'categoryIds', case when k.category_ids = '{}' then '[]'::jsonb else (
      with recursive tree as (
        select k.category_ids collate "C" as ids
        union
        select array(select c.id from category c where c.store_id = ${storeId} and c.parent_id = any(tree.ids))
        from tree where cardinality(tree.ids) > 0)
      select jsonb_agg(distinct id) from tree cross join unnest(tree.ids) id) end)
  from (select (${code})::text as code) asked
  join coupon k on k.store_id = ${storeId} and k.code = asked.code
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

const couponColumns = (
  storeId: StoreId,
) => sql`k.id, k.code, k.kind, k.value, k.description, k.min_subtotal_minor as "minSubtotalMinor",
    k.starts_at as "startsAt", k.ends_at as "endsAt", k.usage_limit as "usageLimit",
    k.customer_limit as "customerLimit", k.used, k.listed, k.stopped_at as "stoppedAt", k.created_at as "createdAt",
    array(select c.slug from category c where c.store_id = ${storeId} and c.id = any(k.category_ids)
      order by c.slug) as categories,
    array(select p.slug from product p where p.store_id = ${storeId} and p.id = any(k.product_ids)
      order by p.slug) as products`

/** All coupons, or the one with the id, with the slugs of their categories and products. */
export const listCoupons = (db: Queries, storeId: StoreId, id: string | null) => db.many<CouponRow>`
  select ${couponColumns(storeId)}
  from coupon k
  where k.store_id = ${storeId} and (${id}::text is null or k.id = ${id})
  order by k.created_at, k.code`

/** `isActive`: a cart could use it now. */
export type CouponFilter = { prefix: string | null; isActive: boolean | null }

const isUsable = sql`(k.stopped_at is null and coalesce(k.starts_at <= vitrine_now(), true)
    and coalesce(k.ends_at > vitrine_now(), true) and coalesce(k.used < k.usage_limit, true))`

const matchingCoupons = (storeId: StoreId, { prefix, isActive }: CouponFilter): Fragment => sql`coupon k
  where k.store_id = ${storeId}
    ${prefix === null ? sql`` : sql`and k.code >= ${prefix} and k.code < ${`${prefix}\u{10ffff}`}`}
    ${isActive === null ? sql`` : isActive ? sql`and ${isUsable}` : sql`and not ${isUsable}`}`

export type PagedCoupon = CouponRow & { position: string }

/** Newest first. `position` is the creation time as text: a JavaScript Date would lose the microseconds. */
export const pageCoupons = (
  db: Queries,
  storeId: StoreId,
  filter: CouponFilter,
  { before, limit }: { before: { at: string; id: string } | null; limit: number },
) => db.many<PagedCoupon>`
  select ${couponColumns(storeId)}, k.created_at::text as position from ${matchingCoupons(storeId, filter)}
    ${before === null ? sql`` : sql`and (k.created_at, k.id) < (${before.at}::timestamptz, ${before.id})`}
  order by k.created_at desc, k.id desc limit ${limit}`

export const countCoupons = async (db: Queries, storeId: StoreId, filter: CouponFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (select from ${matchingCoupons(storeId, filter)} limit ${limit}) found`
  ).found

/** Uses of the coupon wait until the transaction ends. Returns the id. */
export const lockCoupon = async (tx: Tx, storeId: StoreId, code: string) =>
  (
    await tx.maybeOne<{ id: string }>`
    select id from coupon where store_id = ${storeId} and code = ${code} for no key update`
  )?.id

/** For a locked coupon. Nulls of `categoryIds` and `productIds` leave them as they are. */
export const updateCoupon = (
  tx: Tx,
  storeId: StoreId,
  id: string,
  coupon: Omit<NewCoupon, 'id' | 'code' | 'categoryIds' | 'productIds'> & {
    isStopped: boolean
    categoryIds: readonly string[] | null
    productIds: readonly string[] | null
  },
) => tx.run`
  update coupon set kind = ${coupon.kind}, value = ${coupon.value}, description = ${coupon.description},
    min_subtotal_minor = ${coupon.minSubtotalMinor}, starts_at = ${coupon.startsAt}, ends_at = ${coupon.endsAt},
    usage_limit = ${coupon.usageLimit}, customer_limit = ${coupon.customerLimit}, listed = ${coupon.listed},
    category_ids = coalesce(${coupon.categoryIds}::text[], category_ids),
    product_ids = coalesce(${coupon.productIds}::text[], product_ids),
    stopped_at = case when ${coupon.isStopped} then coalesce(stopped_at, (select vitrine_now())) end
  where store_id = ${storeId} and id = ${id}`

export type CouponUse = {
  orderId: string
  number: number
  customerId: string
  status: string
  discountMinor: number
  totalMinor: number
  currency: string
  createdAt: Date
}

/** An order that was cancelled has given its use back. */
const usesOf = (storeId: StoreId, couponId: string) => sql`orders o
  where o.store_id = ${storeId} and o.coupon_id = ${couponId} and o.status <> 'cancelled'`

export const listUses = (
  db: Queries,
  storeId: StoreId,
  couponId: string,
  { before, limit }: { before: number | null; limit: number },
) => db.many<CouponUse>`
  select o.id as "orderId", o.number, o.customer_id as "customerId", o.status, o.discount_minor as "discountMinor",
    o.total_minor as "totalMinor", o.currency, o.created_at as "createdAt"
  from ${usesOf(storeId, couponId)} ${before === null ? sql`` : sql`and o.number < ${before}`}
  order by o.number desc limit ${limit}`

export const countUses = async (db: Queries, storeId: StoreId, couponId: string, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (select from ${usesOf(storeId, couponId)} limit ${limit}) found`
  ).found

export const findCouponId = async (db: Queries, storeId: StoreId, code: string) =>
  (
    await db.maybeOne<{ id: string }>`
    select id from coupon where store_id = ${storeId} and code = ${code}`
  )?.id
