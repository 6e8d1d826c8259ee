import type { Queries } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { isToShip } from '../orders/to-ship.sql.ts'

/**
 * Invariants of orders, stock, coupons and downloads. Each rule is one statement over whole tables, so that it sees a
 * consistent snapshot of a running service, and returns a sentence for each row that breaks it. The rules about money
 * and tenants are in invariants-money.sql.ts and invariants-stores.sql.ts.
 */
export type Violation = { sentence: string }

/** `storeId` null: all stores. */
export type Rule = (db: Queries, storeId: StoreId | null) => Promise<Violation[]>

/** Enough to recognise a problem without flooding the output. */
export const maxFindings = sql`20`

export const within = (storeId: StoreId | null, column: Fragment) =>
  storeId === null ? sql`true` : sql`${column} = ${storeId}`

export const countOrders = async (db: Queries) => (await db.one<{ count: number }>`select count(*) from orders`).count

export const findWrongReservations: Rule = (db, storeId) => db.many<Violation>`
  with held as (
    select o.store_id, o.outlet_id, l.variant_id, sum(l.quantity) as units
    from orders o join order_line l on l.store_id = o.store_id and l.order_id = o.id
    where o.stock_state = 'reserved' and l.stock_counted and ${within(storeId, sql`o.store_id`)}
    group by o.store_id, o.outlet_id, l.variant_id),
  counted as (
    select store_id, outlet_id, variant_id, reserved from stock
    where reserved <> 0 and ${within(storeId, sql`store_id`)})
  select format('Variant %s has %s units reserved at outlet %s, but open orders hold %s.',
    coalesce(k.variant_id, h.variant_id), coalesce(k.reserved, 0), coalesce(k.outlet_id, h.outlet_id),
    coalesce(h.units, 0)) as sentence
  from counted k
  full join held h on h.store_id = k.store_id and h.outlet_id = k.outlet_id and h.variant_id = k.variant_id
  where coalesce(k.reserved, 0) <> coalesce(h.units, 0)
  limit ${maxFindings}`

/** A check constraint forbids this too, but constraints can be dropped. */
export const findNegativeStock: Rule = (db, storeId) => db.many<Violation>`
  select format('Variant %s has %s units at outlet %s, of which %s are reserved.', variant_id, on_hand, outlet_id,
    reserved) as sentence
  from stock
  where (on_hand < 0 or reserved < 0 or reserved > on_hand) and ${within(storeId, sql`store_id`)}
  limit ${maxFindings}`

/** All units that were ever put into stock, as counted by the caller; the database does not record them. */
export type InitialStock = { variantId: string; outletId: number; units: number }

/** Every initial unit is either in stock (reserved ones included) or sold. */
export const findLostUnits = (
  db: Queries,
  storeId: StoreId | null,
  initialStock: readonly InitialStock[],
) => db.many<Violation>`
  with known as (
    select k."variantId" as variant_id, k."outletId" as outlet_id, k.units
    from jsonb_to_recordset(${JSON.stringify(initialStock)}::jsonb)
      as k ("variantId" text, "outletId" integer, units integer)),
  sold as (
    select o.outlet_id, l.variant_id, sum(l.quantity - l.restocked) as units
    from orders o join order_line l on l.store_id = o.store_id and l.order_id = o.id
    where o.stock_state = 'sold' and l.stock_counted and ${within(storeId, sql`o.store_id`)}
    group by o.outlet_id, l.variant_id)
  select format('Variant %s at outlet %s had %s units, but %s are in stock and %s are sold.', k.variant_id, k.outlet_id,
    k.units, coalesce(s.on_hand, 0), coalesce(d.units, 0)) as sentence
  from known k
  left join stock s on s.variant_id = k.variant_id and s.outlet_id = k.outlet_id and ${within(storeId, sql`s.store_id`)}
  left join sold d on d.variant_id = k.variant_id and d.outlet_id = k.outlet_id
  where k.units <> coalesce(s.on_hand, 0) + coalesce(d.units, 0)
  limit ${maxFindings}`

const isShipped = sql`exists (select from shipment s where s.store_id = o.store_id and s.order_id = o.id)`

/** An order that was paid too late or twice may have no units; then it was flagged for the merchant. */
const isFlagged = sql`exists (
  select from order_event e where e.store_id = o.store_id and e.order_id = o.id and e.type = 'attention')`

export const findWrongStockStates: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s is %s and its payment is %s, but its units are %s.', o.id, o.status, o.payment_status,
    o.stock_state) as sentence
  from orders o
  where ${within(storeId, sql`o.store_id`)} and not case
    when o.stock_state = 'reserved' then o.status = 'pending' and o.payment_method = 'online'
      and o.payment_status in ('pending', 'failed')
    when o.stock_state = 'sold' then case
      when o.status = 'pending' and o.payment_method = 'online' then ${isShipped}
      else o.status <> 'cancelled' end
    when o.status in ('cancelled', 'refunded') then true
    when o.status = 'pending' then false
    else ${isFlagged} end
  limit ${maxFindings}`

/** Units that are reserved without an expiry could never be sold again. */
export const findWrongExpiries: Rule = (db, storeId) => db.many<Violation>`
  select format('The units of order %s are %s, but it %s.', id, stock_state,
    case when expires_at is null then 'never expires' else 'has an expiry' end) as sentence
  from orders
  where (stock_state = 'reserved') <> (expires_at is not null) and ${within(storeId, sql`store_id`)}
  limit ${maxFindings}`

/**
 * Encodes the timeline as a string, one letter for each event that changes a state, and matches it against a regular
 * expression. An order is placed; its payment may fail and be retried; it may be cancelled once; it may be shipped at any
 * time; it is paid at most once, even after a cancellation; only a paid order is refunded. Both statuses must follow from
 * that string.
 */
export const findWrongPaths: Rule = (db, storeId) => db.many<Violation>`
  with timeline as (
    select e.store_id, e.order_id, string_agg(case e.type
      when 'placed' then 'P' when 'payment_failed' then 'f' when 'payment_retried' then 'r' when 'cancelled' then 'c'
      when 'paid' then 'p' when 'refunded' then 'R' when 'partially_refunded' then 'q' when 'refund_failed' then 'F' when 'out_for_delivery' then 'o' when 'shipment_delivered' then 'o'
      when 'delivered' then 'd' else '' end, '' order by e.seq) as path
    from order_event e
    where ${within(storeId, sql`e.store_id`)}
    group by e.store_id, e.order_id),
  judged as (
    select o.id, o.status, o.payment_status, t.path,
      t.path ~ '^P(fr)*f?c?[od]*(p[odqRF]*)?$' as is_legal,
      case when t.path ~ 'd' then 'delivered' when t.path ~ 'o' then 'out_for_delivery'
        when o.payment_status = 'refunded' then 'refunded' when t.path ~ 'p' then 'paid'
        when t.path ~ 'c' then 'cancelled' else 'pending' end as should_be,
      case when t.path ~ '[qF]' then '{paid,partially_refunded,refunded}' when t.path ~ 'p' and t.path ~ 'R' then '{paid,refunded}' when t.path ~ 'p' then '{paid}'
        when t.path ~ 'f[^r]*$' then '{failed}' else '{pending}' end::text[] as payment_may_be
    from orders o left join timeline t on t.store_id = o.store_id and t.order_id = o.id
    where ${within(storeId, sql`o.store_id`)})
  select format('Order %s is %s and its payment is %s, which does not follow from its timeline (%s).', id, status,
    payment_status, coalesce(path, 'none')) as sentence
  from judged
  where is_legal is not true or status <> should_be or payment_status <> all (payment_may_be)
  limit ${maxFindings}`

/** Cancelling an order returns its coupon use. The use is not taken again if the order is paid anyway. */
const holdsCoupon = sql`o.coupon_id is not null and not exists (
  select from order_event e where e.store_id = o.store_id and e.order_id = o.id and e.type = 'cancelled')`

export const findWrongCouponCounts: Rule = (db, storeId) => db.many<Violation>`
  with held as (
    select o.store_id, o.coupon_id, count(*) as uses from orders o
    where ${holdsCoupon} and ${within(storeId, sql`o.store_id`)}
    group by o.store_id, o.coupon_id)
  select format('Coupon %s counts %s uses, but %s orders hold it.', k.code, k.used, coalesce(h.uses, 0)) as sentence
  from coupon k left join held h on h.store_id = k.store_id and h.coupon_id = k.id
  where k.used <> coalesce(h.uses, 0) and ${within(storeId, sql`k.store_id`)}
  limit ${maxFindings}`

export const findWrongCouponUses: Rule = (db, storeId) => db.many<Violation>`
  with held as (
    select o.store_id, o.coupon_id, o.customer_id, count(*) as uses from orders o
    where ${holdsCoupon} and ${within(storeId, sql`o.store_id`)}
    group by o.store_id, o.coupon_id, o.customer_id),
  counted as (
    select store_id, coupon_id, customer_id, uses from coupon_use where ${within(storeId, sql`store_id`)})
  select format('Customer %s has used coupon %s %s times, but has %s orders with it.',
    coalesce(c.customer_id, h.customer_id), coalesce(c.coupon_id, h.coupon_id), coalesce(c.uses, 0),
    coalesce(h.uses, 0)) as sentence
  from counted c
  full join held h on h.store_id = c.store_id and h.coupon_id = c.coupon_id and h.customer_id = c.customer_id
  where coalesce(c.uses, 0) <> coalesce(h.uses, 0)
  limit ${maxFindings}`

export const findWrongBuyers: Rule = (db, storeId) => db.many<Violation>`
  select format('Customer %s has %s, but the list of customers says otherwise.', c.id,
    case when c.has_orders then 'no orders' else 'orders' end) as sentence
  from customer c
  where ${within(storeId, sql`c.store_id`)} and c.has_orders <> exists (
    select from orders o where o.store_id = c.store_id and o.customer_id = c.id)
  limit ${maxFindings}`

export const findWrongToShip: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s is listed as %s, but its lines, shipments and refunds say otherwise.', o.id,
    case when o.to_ship then 'to ship' else 'not to ship' end) as sentence
  from orders o
  where ${within(storeId, sql`o.store_id`)} and o.to_ship <> ${isToShip(storeId ?? sql`o.store_id`)}
  limit ${maxFindings}`

/** Only paid files can be downloaded, by their customer, within the number of uses. */
export const findWrongDownloads: Rule = (db, storeId) => db.many<Violation>`
  select format('Download %s belongs to order %s, %s.', d.id, d.order_id, case
    when o.payment_status in ('pending', 'failed') then 'which was never paid'
    when l.digital is null then 'whose line ' || d.position || ' has no file'
    when d.customer_id <> o.customer_id then 'which belongs to another customer'
    else 'and was used too often' end) as sentence
  from download d
  join orders o on o.store_id = d.store_id and o.id = d.order_id
  join order_line l on l.store_id = d.store_id and l.order_id = d.order_id and l.position = d.position
  where ${within(storeId, sql`d.store_id`)} and (o.payment_status in ('pending', 'failed') or l.digital is null
    or d.customer_id <> o.customer_id or d.used > d.most_uses)
  limit ${maxFindings}`

export const findMissingDownloads: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s is paid, but the file of its line %s cannot be downloaded.', o.id, l.position) as sentence
  from orders o
  join order_line l on l.store_id = o.store_id and l.order_id = o.id and l.digital is not null
  left join download d on d.store_id = l.store_id and d.order_id = l.order_id and d.position = l.position
  where o.payment_status in ('paid', 'partially_refunded') and d.id is null and not ${isFlagged} and ${within(storeId, sql`o.store_id`)}
  limit ${maxFindings}`
