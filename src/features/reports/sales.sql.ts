import type { Queries } from '../../db/database.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { isSaleSql, refundsSql } from './sale-entries.sql.ts'

/**
 * A period as reports read it: the buckets from `wholeFrom` to `wholeTo` from the kept sums, and the rest at both ends
 * from the orders.
 */
export type SplitPeriod = { from: Date; to: Date; wholeFrom: Date; wholeTo: Date }

/** For sums of days and months: the whole months inside the whole days. */
export type SplitMonths = SplitPeriod & { monthFrom: Date; monthTo: Date }

export const partKinds = ['product', 'outlet', 'coupon', 'tax', 'tax_refund'] as const
export type PartKind = (typeof partKinds)[number]

/**
 * Rows that change the sales figures: `entry` and `order_id` identify one, `orders` is 1, 0 or -1. `is_order`: the row
 * stands for an order as it is now.
 */
const entriesIn = (storeId: StoreId, entries: Fragment, from: Date, to: Date) => sql`
  select e.id as entry, false as is_order, e.order_id, e.orders, e.refunds_minor, e.refunded_units
  from ${entries} e join orders o on o.store_id = ${storeId} and o.id = e.order_id
  where e.store_id = ${storeId} and o.created_at >= ${from} and o.created_at < ${to}`

const ordersIn = (storeId: StoreId, from: Date, to: Date) => sql`
  select 0::bigint as entry, true as is_order, o.id as order_id, 1::smallint as orders,
    ${refundsSql(storeId)} as refunds_minor, null::jsonb as refunded_units
  from orders o
  where o.store_id = ${storeId} and o.created_at >= ${from} and o.created_at < ${to} and ${isSaleSql}`

/** What the kept sums do not cover. */
const changesIn = (storeId: StoreId, { from, to, wholeFrom, wholeTo }: SplitPeriod) => sql`(
  ${entriesIn(storeId, sql`sale_entry`, wholeFrom, wholeTo)}
  union all ${ordersIn(storeId, from, wholeFrom)}
  union all ${ordersIn(storeId, wholeTo, to)})`

/** The amounts of orders, at the time that each was placed. */
const amounts = (storeId: StoreId, changes: Fragment) => sql`
  select o.created_at as at, e.orders::bigint as orders, e.orders * o.subtotal_minor as gross_minor,
    e.orders * o.discount_minor as discount_minor, e.orders * o.tax_minor as tax_minor,
    e.orders * o.shipping_minor as shipping_minor, e.orders * o.total_minor as total_minor, e.refunds_minor
  from ${changes} e join orders o on o.store_id = ${storeId} and o.id = e.order_id`

const salesColumns = sql`orders, gross_minor, discount_minor, tax_minor, shipping_minor, total_minor, refunds_minor`

const salesSums = sql`sum(orders)::bigint as orders, sum(gross_minor)::bigint as gross_minor,
  sum(discount_minor)::bigint as discount_minor, sum(tax_minor)::bigint as tax_minor,
  sum(shipping_minor)::bigint as shipping_minor, sum(total_minor)::bigint as total_minor,
  sum(refunds_minor)::bigint as refunds_minor`

/** One kind of part of the sales, as rows of `sales_part`. A product or rate is counted once for each order. */
const parts = (storeId: StoreId, kind: Exclude<PartKind, 'tax_refund'>, changes: Fragment) =>
  kind === 'outlet' || kind === 'coupon'
    ? sql`
  select (o.created_at at time zone 'UTC')::date as day,
    ${kind === 'outlet' ? sql`o.outlet_id::text` : sql`o.coupon_code`} as key, e.orders::bigint as orders,
    e.orders * o.units::bigint as quantity, 0::bigint as refunded_quantity, e.orders * o.subtotal_minor as gross_minor,
    e.orders * o.discount_minor as discount_minor, e.orders * o.tax_minor as tax_minor,
    e.orders * o.shipping_minor as shipping_minor, e.orders * o.total_minor as total_minor, e.refunds_minor
  from ${changes} e join orders o on o.store_id = ${storeId} and o.id = e.order_id
  ${kind === 'outlet' ? sql`` : sql`where o.coupon_code is not null`}`
    : sql`
  select (o.created_at at time zone 'UTC')::date as day,
    ${kind === 'product' ? sql`l.product_id` : sql`l.tax_rate::text`} as key, max(e.orders)::bigint as orders,
    sum(e.orders * l.quantity)::bigint as quantity,
    sum(case when e.is_order then l.refunded else coalesce(u.refunded, 0) end)::bigint as refunded_quantity,
    sum(e.orders * l.line_total_minor)::bigint as gross_minor,
    sum(e.orders * l.discount_minor)::bigint as discount_minor, sum(e.orders * l.tax_minor)::bigint as tax_minor,
    0::bigint as shipping_minor, sum(e.orders * (l.line_total_minor - l.discount_minor
      + case when o.tax_included then 0 else l.tax_minor end))::bigint as total_minor, 0::bigint as refunds_minor
  from ${changes} e
  join orders o on o.store_id = ${storeId} and o.id = e.order_id
  join order_line l on l.store_id = o.store_id and l.order_id = o.id
  left join lateral (
    select sum(u.refunded) as refunded
    from jsonb_to_recordset(e.refunded_units) as u (id text, refunded integer) where u.id = l.id) u on true
  where e.orders <> 0 or u.refunded is not null
  group by e.entry, e.order_id, 1, 2`

/**
 * Refunded tax by rate as rows of `sales_part`, on the day of each refund. `changes` have `refunded_taxes`. Of orders that
 * are cancelled nothing counts, as of their tax.
 */
const refundedTaxParts = (changes: Fragment, from: Date | null, to: Date | null) => sql`
  select (c.at at time zone 'UTC')::date as day, t.rate::numeric(6, 3)::text as key, 0::bigint as orders,
    0::bigint as quantity, 0::bigint as refunded_quantity, 0::bigint as gross_minor, 0::bigint as discount_minor,
    c.sign * t."taxMinor" as tax_minor, 0::bigint as shipping_minor,
    c.sign * (t."baseMinor" + t."taxMinor") as total_minor, 0::bigint as refunds_minor
  from ${changes} e
  cross join lateral jsonb_to_recordset(e.refunded_taxes) as c (at timestamptz, sign integer, taxes jsonb)
  cross join lateral jsonb_to_recordset(c.taxes) as t (rate numeric, "baseMinor" bigint, "taxMinor" bigint)
  where ${from === null || to === null ? sql`true` : sql`c.at >= ${from} and c.at < ${to}`}`

const refundsIn = (storeId: StoreId, from: Date, to: Date) => sql`(
  select jsonb_build_array(jsonb_build_object('at', r.created_at, 'sign', 1, 'taxes', r.taxes)) as refunded_taxes
  from refund r
  join payment p on p.store_id = r.store_id and p.id = r.payment_id
  join orders o on o.store_id = r.store_id and o.id = r.order_id
  where r.store_id = ${storeId} and r.created_at >= ${from} and r.created_at < ${to}
    and r.status <> 'failed' and not p.is_duplicate and ${isSaleSql})`

const refundedTaxesIn = (storeId: StoreId, { from, to, wholeFrom, wholeTo }: SplitPeriod) => sql`
  ${refundedTaxParts(sql`(select refunded_taxes from sale_entry where store_id = ${storeId})`, wholeFrom, wholeTo)}
  union all ${refundedTaxParts(refundsIn(storeId, from, wholeFrom), null, null)}
  union all ${refundedTaxParts(refundsIn(storeId, wholeTo, to), null, null)}`

const partSums = sql`sum(orders)::bigint as orders, sum(quantity)::bigint as quantity,
  sum(refunded_quantity)::bigint as refunded_quantity, sum(gross_minor)::bigint as gross_minor,
  sum(discount_minor)::bigint as discount_minor, sum(tax_minor)::bigint as tax_minor,
  sum(shipping_minor)::bigint as shipping_minor, sum(total_minor)::bigint as total_minor,
  sum(refunds_minor)::bigint as refunds_minor`

export const entriesPerBatch = 500

/**
 * Adds the oldest changes of a store to the kept sums and deletes them, up to `most`. Returns how many. Rows are written in the order
 * of their keys, so that two instances do not wait for each other.
 */
export const addToSums = (db: Queries, storeId: StoreId, most = entriesPerBatch) => db.one<{ added: number }>`
  with taken as (
    delete from sale_entry where store_id = ${storeId} and id = any(array(
      select e.id from sale_entry e where e.store_id = ${storeId}
      order by e.id limit ${literalLimit(most)} for update skip locked))
    returning *),
  changes as (
    select id as entry, false as is_order, order_id, orders, refunds_minor, refunded_units, refunded_taxes from taken),
  sales as (
    insert into sales_quarter_hour as s (store_id, at, ${salesColumns})
    select ${storeId}, date_bin('15 minutes', at, timestamptz 'epoch') as quarter, ${salesSums}
    from (${amounts(storeId, sql`changes`)}) a
    group by quarter order by quarter
    on conflict (store_id, at) do update set orders = s.orders + excluded.orders,
      gross_minor = s.gross_minor + excluded.gross_minor, discount_minor = s.discount_minor + excluded.discount_minor,
      tax_minor = s.tax_minor + excluded.tax_minor, shipping_minor = s.shipping_minor + excluded.shipping_minor,
      total_minor = s.total_minor + excluded.total_minor, refunds_minor = s.refunds_minor + excluded.refunds_minor),
  parts as (
    insert into sales_part as s (store_id, kind, grain, day, key, orders, quantity, refunded_quantity, gross_minor,
      discount_minor, tax_minor, shipping_minor, total_minor, refunds_minor)
    select ${storeId}, kind, g.grain, g.first_day, key, ${partSums}
    from (
      select 'product' as kind, p.* from (${parts(storeId, 'product', sql`changes`)}) p
      union all select 'outlet', p.* from (${parts(storeId, 'outlet', sql`changes`)}) p
      union all select 'coupon', p.* from (${parts(storeId, 'coupon', sql`changes`)}) p
      union all select 'tax', p.* from (${parts(storeId, 'tax', sql`changes`)}) p
      union all select 'tax_refund', p.* from (${refundedTaxParts(sql`changes`, null, null)}) p) a
    cross join lateral (
      values ('day', a.day), ('month', date_trunc('month', a.day)::date)) g (grain, first_day)
    group by kind, g.grain, g.first_day, key order by kind, g.grain, g.first_day, key
    on conflict (store_id, kind, grain, day, key) do update set orders = s.orders + excluded.orders,
      quantity = s.quantity + excluded.quantity, refunded_quantity = s.refunded_quantity + excluded.refunded_quantity,
      gross_minor = s.gross_minor + excluded.gross_minor, discount_minor = s.discount_minor + excluded.discount_minor,
      tax_minor = s.tax_minor + excluded.tax_minor, shipping_minor = s.shipping_minor + excluded.shipping_minor,
      total_minor = s.total_minor + excluded.total_minor, refunds_minor = s.refunds_minor + excluded.refunds_minor)
  select count(*) as added from taken`

/**
 * Stores whose oldest change is half a minute old, so that the changes of a busy store are added together. `waiting`
 * counts up to a thousand.
 */
export const findStoresWithEntries = (db: Queries, exceptStores: readonly number[]) => db.many<StoreWithEntries>`
  with recursive found as (
    (select e.store_id, e.at from sale_entry e order by e.store_id, e.id limit 1)
    union all
    select n.store_id, n.at from found f cross join lateral (
      select e.store_id, e.at from sale_entry e where e.store_id > f.store_id order by e.store_id, e.id limit 1) n)
  select f.store_id as "storeId", f.at as "oldestAt", (
    select count(*) from (select from sale_entry e where e.store_id = f.store_id limit 1000) w) as waiting
  from found f
  where f.at <= vitrine_now() - interval '30 seconds' and f.store_id <> all(${exceptStores}::integer[])
  order by f.at limit 1000`

/** The same on a distributed database, which cannot jump from store to store: each server reads what waits there. */
export const countStoresWithEntries = (db: Queries, exceptStores: readonly number[]) => db.many<StoreWithEntries>`
  select e.store_id as "storeId", min(e.at) as "oldestAt", least(count(*), 1000) as waiting from sale_entry e
  where e.store_id <> all(${exceptStores}::integer[])
  group by e.store_id having min(e.at) <= vitrine_now() - interval '30 seconds'
  order by min(e.at) limit 1000`

export type StoreWithEntries = { storeId: StoreId; oldestAt: Date; waiting: number }

export type SalesRow = {
  period: string
  orders: number
  grossMinor: number
  discountMinor: number
  taxMinor: number
  shippingMinor: number
  totalMinor: number
  refundsMinor: number
}

export type Grouping = 'day' | 'week' | 'month'

/** All days, weeks or months of a period, also those without a sale. */
export const readSales = (
  db: Queries,
  storeId: StoreId,
  period: SplitPeriod,
  { by, timezone }: { by: Grouping; timezone: string },
) => db.many<SalesRow>`
  with summed as (
    select date_trunc(${by}, at at time zone ${timezone}) as period, ${salesSums}
    from (
      select at, ${salesColumns} from sales_quarter_hour
      where store_id = ${storeId} and at >= ${period.wholeFrom} and at < ${period.wholeTo}
      union all (${amounts(storeId, changesIn(storeId, period))})) a
    group by 1)
  select to_char(p.period, 'YYYY-MM-DD') as period, coalesce(s.orders, 0) as orders,
    coalesce(s.gross_minor, 0) as "grossMinor", coalesce(s.discount_minor, 0) as "discountMinor",
    coalesce(s.tax_minor, 0) as "taxMinor", coalesce(s.shipping_minor, 0) as "shippingMinor",
    coalesce(s.total_minor, 0) as "totalMinor", coalesce(s.refunds_minor, 0) as "refundsMinor"
  from generate_series(date_trunc(${by}, ${period.from}::timestamptz at time zone ${timezone}),
    (${period.to}::timestamptz - interval '1 microsecond') at time zone ${timezone},
    ('1 ' || ${by})::interval) p (period)
  left join summed s on s.period = p.period
  order by p.period`

export type PartRow = Omit<SalesRow, 'period'> & {
  key: string
  name: string | null
  quantity: number
  refundedQuantity: number
}

const keptParts = (storeId: StoreId, kind: PartKind, grain: 'day' | 'month', from: Date, to: Date) => sql`
    select day, key, orders, quantity, refunded_quantity, gross_minor, discount_minor, tax_minor, shipping_minor,
      total_minor, refunds_minor
    from sales_part
    where store_id = ${storeId} and kind = ${kind} and grain = ${grain}
      and day >= (${from}::timestamptz at time zone 'UTC')::date and day < (${to}::timestamptz at time zone 'UTC')::date`

const summedParts = (storeId: StoreId, kind: PartKind, period: SplitMonths) => sql`(
  select key, ${partSums} from (
    ${keptParts(storeId, kind, 'month', period.monthFrom, period.monthTo)}
    union all ${keptParts(storeId, kind, 'day', period.wholeFrom, period.monthFrom)}
    union all ${keptParts(storeId, kind, 'day', period.monthTo, period.wholeTo)}
    union all (${kind === 'tax_refund' ? refundedTaxesIn(storeId, period) : parts(storeId, kind, changesIn(storeId, period))})) a
  group by key)`

const partColumns = sql`s.orders, s.quantity, s.refunded_quantity as "refundedQuantity", s.gross_minor as "grossMinor",
  s.discount_minor as "discountMinor", s.tax_minor as "taxMinor", s.shipping_minor as "shippingMinor",
  s.total_minor as "totalMinor", s.refunds_minor as "refundsMinor"`

/** With the most sold first. Cancelled orders leave rows of zeros. */
const bestFirst = (limit: number) => sql`
  where s.orders <> 0 or s.refunded_quantity <> 0 or s.refunds_minor <> 0
  order by s.total_minor desc, s.key limit ${limit}`

export const readSoldProducts = (db: Queries, storeId: StoreId, period: SplitMonths, limit: number) => db.many<PartRow>`
  select s.key, p.name, ${partColumns}
  from ${summedParts(storeId, 'product', period)} s
  left join product p on p.store_id = ${storeId} and p.id = s.key
  ${bestFirst(limit)}`

/** By the categories that products have now. Products without one have the key ''. */
export const readSoldCategories = (
  db: Queries,
  storeId: StoreId,
  period: SplitMonths,
  limit: number,
) => db.many<PartRow>`
  select s.key, s.name, ${partColumns}
  from (
    select coalesce(c.id, '') as key, c.name, ${partSums}
    from ${summedParts(storeId, 'product', period)} s
    left join product p on p.store_id = ${storeId} and p.id = s.key
    left join category c on c.store_id = p.store_id and c.id = p.category_id
    group by 1, 2) s
  ${bestFirst(limit)}`

export const readSellingOutlets = (
  db: Queries,
  storeId: StoreId,
  period: SplitMonths,
  limit: number,
) => db.many<PartRow>`
  select o.public_id as key, o.name, ${partColumns}
  from ${summedParts(storeId, 'outlet', period)} s
  join outlet o on o.store_id = ${storeId} and o.id = s.key::integer
  ${bestFirst(limit)}`

export const readUsedCoupons = (db: Queries, storeId: StoreId, period: SplitMonths, limit: number) => db.many<PartRow>`
  select s.key, null::text as name, ${partColumns}
  from ${summedParts(storeId, 'coupon', period)} s
  ${bestFirst(limit)}`

export type TaxRow = {
  rate: number
  taxableMinor: number
  taxMinor: number
  refundedTaxableMinor: number
  refundedTaxMinor: number
}

/** Tax of the orders of a period, and of the refunds of a period, whenever their orders were placed. */
export const readTaxes = (db: Queries, storeId: StoreId, period: SplitMonths) => db.many<TaxRow>`
  select key::float8 as rate, coalesce(s.total_minor - s.tax_minor, 0) as "taxableMinor",
    coalesce(s.tax_minor, 0) as "taxMinor", coalesce(r.total_minor - r.tax_minor, 0) as "refundedTaxableMinor",
    coalesce(r.tax_minor, 0) as "refundedTaxMinor"
  from ${summedParts(storeId, 'tax', period)} s
  full join ${summedParts(storeId, 'tax_refund', period)} r using (key)
  where s.orders <> 0 or r.total_minor <> 0 or r.tax_minor <> 0
  order by rate`

export type OpenCarts = { period: string; carts: number }

/** Carts with items by their last change. */
export const countOpenCarts = (
  db: Queries,
  storeId: StoreId,
  { from, to }: Pick<SplitPeriod, 'from' | 'to'>,
  { by, timezone }: { by: Grouping; timezone: string },
) => db.many<OpenCarts>`
  select to_char(date_trunc(${by}, c.updated_at at time zone ${timezone}), 'YYYY-MM-DD') as period, count(*) as carts
  from cart c
  where c.store_id = ${storeId} and c.updated_at >= ${from} and c.updated_at < ${to}
    and exists (select from cart_item i where i.store_id = ${storeId} and i.cart_id = c.id)
  group by 1`
