import { sql } from '../../db/sql.ts'
import { isSaleSql, refundsSql } from '../reports/sale-entries.sql.ts'
import { maxFindings, type Rule, type Violation, within } from './invariants.sql.ts'

/** The kept sums, with the changes that are not in them yet, equal a recount of the orders. */
export const findWrongSales: Rule = (db, storeId) => db.many<Violation>`
  with kept as (
    select store_id, at, sum(orders) as orders, sum(gross) as gross, sum(discount) as discount, sum(tax) as tax,
      sum(shipping) as shipping, sum(total) as total, sum(refunds) as refunds
    from (
      select store_id, at, orders, gross_minor as gross, discount_minor as discount, tax_minor as tax,
        shipping_minor as shipping, total_minor as total, refunds_minor as refunds
      from sales_quarter_hour
      union all
      select e.store_id, date_bin('15 minutes', o.created_at, timestamptz 'epoch'), e.orders,
        e.orders * o.subtotal_minor, e.orders * o.discount_minor, e.orders * o.tax_minor,
        e.orders * o.shipping_minor, e.orders * o.total_minor, e.refunds_minor
      from sale_entry e join orders o on o.store_id = e.store_id and o.id = e.order_id) k
    where ${within(storeId, sql`store_id`)}
    group by store_id, at),
  counted as (
    select o.store_id, date_bin('15 minutes', o.created_at, timestamptz 'epoch') as at, count(*) as orders,
      sum(o.subtotal_minor) as gross, sum(o.discount_minor) as discount, sum(o.tax_minor) as tax,
      sum(o.shipping_minor) as shipping, sum(o.total_minor) as total, sum(${refundsSql(storeId ?? sql`o.store_id`)}) as refunds
    from orders o
    where ${within(storeId, sql`o.store_id`)} and ${isSaleSql}
    group by 1, 2)
  select format('Reports show %s orders with the total %s and refunds of %s from %s on, but there are %s with %s and %s.',
    coalesce(k.orders, 0), coalesce(k.total, 0), coalesce(k.refunds, 0), at, coalesce(c.orders, 0),
    coalesce(c.total, 0), coalesce(c.refunds, 0)) as sentence
  from kept k full join counted c using (store_id, at)
  where (coalesce(k.orders, 0), coalesce(k.gross, 0), coalesce(k.discount, 0), coalesce(k.tax, 0),
      coalesce(k.shipping, 0), coalesce(k.total, 0), coalesce(k.refunds, 0))
    is distinct from (coalesce(c.orders, 0), coalesce(c.gross, 0), coalesce(c.discount, 0), coalesce(c.tax, 0),
      coalesce(c.shipping, 0), coalesce(c.total, 0), coalesce(c.refunds, 0))
  limit ${maxFindings}`

/** The same for the sums by product, outlet, coupon and tax rate. */
export const findWrongSalesParts: Rule = (db, storeId) => db.many<Violation>`
  with changes as (
    select e.store_id, e.order_id, e.orders, e.refunds_minor as refunds, false as is_order, e.refunded_units
    from sale_entry e where ${within(storeId, sql`e.store_id`)}
    union all
    select o.store_id, o.id, 1, ${refundsSql(storeId ?? sql`o.store_id`)}, true, null from orders o
    where ${within(storeId, sql`o.store_id`)} and ${isSaleSql}),
  parts as (
    select p.store_id, p.is_order, w.grain, date_trunc(w.grain, p.created_at at time zone 'UTC')::date as day, p.kind,
      p.key, p.orders * p.quantity as quantity, p.refunded, p.orders * p.total as total, p.orders * p.tax as tax, p.refunds
    from (
      select o.store_id, e.is_order, e.orders, o.created_at, k.kind,
        case k.kind when 'outlet' then o.outlet_id::text else o.coupon_code end as key, o.units::bigint as quantity,
        0::bigint as refunded, o.total_minor as total, o.tax_minor as tax, e.refunds
      from changes e
      join orders o on o.store_id = e.store_id and o.id = e.order_id and ${within(storeId, sql`o.store_id`)}
      cross join (values ('outlet'), ('coupon')) k (kind)
      where k.kind = 'outlet' or o.coupon_code is not null
      union all
      select o.store_id, e.is_order, e.orders, o.created_at, k.kind,
        case k.kind when 'product' then l.product_id else l.tax_rate::text end, l.quantity,
        case when e.is_order then l.refunded else coalesce((
          select sum((u ->> 'refunded')::integer) from jsonb_array_elements(e.refunded_units) u
          where u ->> 'id' = l.id), 0) end,
        l.line_total_minor - l.discount_minor + case when o.tax_included then 0 else l.tax_minor end, l.tax_minor, 0
      from changes e
      join orders o on o.store_id = e.store_id and o.id = e.order_id and ${within(storeId, sql`o.store_id`)}
      join order_line l on l.store_id = o.store_id and l.order_id = o.id
      cross join (values ('product'), ('tax')) k (kind)) p
    cross join (values ('day'), ('month')) w (grain)),
  summed as (
    select store_id, kind, grain, day, key, sum(quantity) as quantity, sum(refunded) as refunded, sum(total) as total,
      sum(tax) as tax, sum(refunds) as refunds
    from (
      select store_id, kind, grain, day, key, quantity, refunded_quantity as refunded, total_minor as total, tax_minor as tax,
        refunds_minor as refunds
      from sales_part where ${within(storeId, sql`store_id`)} and kind <> 'tax_refund'
      union all
      select store_id, kind, grain, day, key, quantity, refunded, total, tax, refunds from parts where not is_order
      union all
      select store_id, kind, grain, day, key, -quantity, -refunded, -total, -tax, -refunds from parts where is_order) s
    group by store_id, kind, grain, day, key)
  select format('Reports show %s units and %s too much for the %s %s on the %s %s.', quantity, total, kind, key, grain, day) as sentence
  from summed
  where (quantity, refunded, total, tax, refunds) is distinct from (0, 0, 0, 0, 0)
  limit ${maxFindings}`

const countedRefunds = sql`refund r
    join payment p on p.store_id = r.store_id and p.id = r.payment_id and not p.is_duplicate
    join orders o on o.store_id = r.store_id and o.id = r.order_id
    cross join lateral jsonb_to_recordset(r.taxes) as t (rate numeric(6, 3), "baseMinor" bigint, "taxMinor" bigint)`

/** Refunded tax by rate on the day of each refund, in the kept sums and the changes, equals that of the refunds. */
export const findWrongRefundedTax: Rule = (db, storeId) => db.many<Violation>`
  with rows as (
    select r.store_id, r.created_at as at, t.rate, -t."baseMinor" as base, -t."taxMinor" as tax
    from ${countedRefunds}
    where ${within(storeId, sql`r.store_id`)} and r.status <> 'failed' and ${isSaleSql}
    union all
    select e.store_id, c.at, t.rate, c.sign * t."baseMinor", c.sign * t."taxMinor"
    from sale_entry e
    cross join lateral jsonb_to_recordset(e.refunded_taxes) as c (at timestamptz, sign integer, taxes jsonb)
    cross join lateral jsonb_to_recordset(c.taxes) as t (rate numeric(6, 3), "baseMinor" bigint, "taxMinor" bigint)
    where ${within(storeId, sql`e.store_id`)}),
  summed as (
    select store_id, grain, day, key, sum(base) as base, sum(tax) as tax
    from (
      select store_id, grain, day, key, total_minor - tax_minor as base, tax_minor as tax
      from sales_part where kind = 'tax_refund' and ${within(storeId, sql`store_id`)}
      union all
      select store_id, grain, date_trunc(grain, at at time zone 'UTC')::date, rate::text, base, tax
      from rows cross join (values ('day'), ('month')) w (grain)) s
    group by store_id, grain, day, key)
  select format('Reports show %s of refunded tax too much for the rate %s on the %s %s.', tax, key, grain, day) as sentence
  from summed
  where (base, tax) is distinct from (0, 0)
  limit ${maxFindings}`

/** By rate, refunds return at most the tax of their order, and all of it with all of the money. */
export const findWrongTaxOfRefunds: Rule = (db, storeId) => db.many<Violation>`
  with returned as (
    select r.store_id, r.order_id, t.rate, sum(t."taxMinor") as tax
    from ${countedRefunds}
    where ${within(storeId, sql`r.store_id`)} and r.status <> 'failed'
    group by 1, 2, 3),
  refunded as (
    select o.store_id, o.id as order_id, ${refundsSql(storeId ?? sql`o.store_id`)} = o.total_minor as is_whole
    from orders o
    where ${within(storeId, sql`o.store_id`)}
      and exists (select from refund r where r.store_id = o.store_id and r.order_id = o.id)),
  charged as (
    select l.store_id, l.order_id, l.tax_rate as rate, sum(l.tax_minor) as tax, f.is_whole
    from refunded f join order_line l on l.store_id = f.store_id and l.order_id = f.order_id
    group by 1, 2, 3, 5)
  select format('Refunds of order %s return %s of its tax of %s at the rate %s.', order_id, coalesce(r.tax, 0),
    coalesce(c.tax, 0), rate) as sentence
  from charged c full join returned r using (store_id, order_id, rate)
  where coalesce(r.tax, 0) not between 0 and coalesce(c.tax, 0) or (c.is_whole and coalesce(r.tax, 0) <> c.tax)
  limit ${maxFindings}`
