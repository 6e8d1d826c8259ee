import type { Queries } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/**
 * What must be true of orders and of what belongs to them, whatever has happened. Each rule is one statement over whole
 * tables, so that it sees one moment of a service that is running, and answers with a sentence for each row that breaks
 * it. What money and tenants must hold is in the files beside.
 */
export type Violation = { sentence: string }

/** `storeId` null: all stores. */
export type Rule = (db: Queries, storeId: StoreId | null) => Promise<Violation[]>

/** Who mends something needs to see what is wrong, not all of it. */
export const most = sql`20`

export const within = (storeId: StoreId | null, column: Fragment) =>
  storeId === null ? sql`true` : sql`${column} = ${storeId}`

export const countOrders = async (db: Queries) => (await db.one<{ count: number }>`select count(*) from orders`).count

export const findWrongReservations: Rule = (db, storeId) => db.many<Violation>`
  with held as (
    select o.store_id, o.outlet_id, l.variant_id, sum(l.quantity) as units
    from orders o join order_line l on l.store_id = o.store_id and l.order_id = o.id
    where o.stock_state = 'reserved' and l.stock_counted and ${within(storeId, sql`o.store_id`)}
    group by o.store_id, o.outlet_id, l.variant_id),
  kept as (
    select store_id, outlet_id, variant_id, reserved from stock
    where reserved <> 0 and ${within(storeId, sql`store_id`)})
  select format('Of variant %s, %s units are reserved at outlet %s, and open orders hold %s.',
    coalesce(k.variant_id, h.variant_id), coalesce(k.reserved, 0), coalesce(k.outlet_id, h.outlet_id),
    coalesce(h.units, 0)) as sentence
  from kept k
  full join held h on h.store_id = k.store_id and h.outlet_id = k.outlet_id and h.variant_id = k.variant_id
  where coalesce(k.reserved, 0) <> coalesce(h.units, 0)
  limit ${most}`

/** The schema forbids it. A schema can be changed. */
export const findNegativeStock: Rule = (db, storeId) => db.many<Violation>`
  select format('Of variant %s, %s units are at outlet %s, %s of them reserved.', variant_id, on_hand, outlet_id,
    reserved) as sentence
  from stock
  where (on_hand < 0 or reserved < 0 or reserved > on_hand) and ${within(storeId, sql`store_id`)}
  limit ${most}`

/** Units that were ever put on the shelf, which only somebody who has counted them knows. */
export type Shelf = { variantId: string; outletId: number; units: number }

/** All that was there is still there, or was sold. What is reserved is still there. */
export const findLostUnits = (db: Queries, storeId: StoreId | null, shelves: readonly Shelf[]) => db.many<Violation>`
  with known as (
    select k."variantId" as variant_id, k."outletId" as outlet_id, k.units
    from jsonb_to_recordset(${JSON.stringify(shelves)}::jsonb)
      as k ("variantId" text, "outletId" integer, units integer)),
  sold as (
    select o.outlet_id, l.variant_id, sum(l.quantity) as units
    from orders o join order_line l on l.store_id = o.store_id and l.order_id = o.id
    where o.stock_state = 'sold' and l.stock_counted and ${within(storeId, sql`o.store_id`)}
    group by o.outlet_id, l.variant_id)
  select format('Of variant %s, outlet %s had %s units: %s are there and %s are sold.', k.variant_id, k.outlet_id,
    k.units, coalesce(s.on_hand, 0), coalesce(d.units, 0)) as sentence
  from known k
  left join stock s on s.variant_id = k.variant_id and s.outlet_id = k.outlet_id and ${within(storeId, sql`s.store_id`)}
  left join sold d on d.variant_id = k.variant_id and d.outlet_id = k.outlet_id
  where k.units <> coalesce(s.on_hand, 0) + coalesce(d.units, 0)
  limit ${most}`

const isShipped = sql`exists (select from shipment s where s.store_id = o.store_id and s.order_id = o.id)`

/** What was paid too late, or twice, has no units; then somebody was told so. */
const isFlagged = sql`exists (
  select from order_event e where e.store_id = o.store_id and e.order_id = o.id and e.type = 'attention')`

export const findWrongStockStates: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s is %s, its payment %s, and its units are %s.', o.id, o.status, o.payment_status,
    o.stock_state) as sentence
  from orders o
  where ${within(storeId, sql`o.store_id`)} and not case
    when o.stock_state = 'reserved' then o.status = 'pending' and o.payment_method = 'online'
      and o.payment_status in ('pending', 'failed')
    when o.stock_state = 'sold' then case
      when o.status = 'pending' and o.payment_method = 'online' then ${isShipped}
      when o.status = 'refunded' then ${isShipped}
      else o.status <> 'cancelled' end
    when o.status in ('cancelled', 'refunded') then true
    when o.status = 'pending' then false
    else ${isFlagged} end
  limit ${most}`

/** Units that are held without an end are lost to everybody. */
export const findWrongExpiries: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s has its units %s and %s.', id, stock_state,
    case when expires_at is null then 'never expires' else 'is to expire' end) as sentence
  from orders
  where (stock_state = 'reserved') <> (expires_at is not null) and ${within(storeId, sql`store_id`)}
  limit ${most}`

/**
 * The timeline as a word, one letter for each event that tells of a state. An order is placed, its payment may fail and
 * be tried again, it may be cancelled once; a carrier may have it at any time; it is paid once at most, also after it was
 * cancelled, and only what was paid is paid back. Where it stands follows from that word.
 */
export const findWrongPaths: Rule = (db, storeId) => db.many<Violation>`
  with told as (
    select e.store_id, e.order_id, string_agg(case e.type
      when 'placed' then 'P' when 'payment_failed' then 'f' when 'payment_retried' then 'r' when 'cancelled' then 'c'
      when 'paid' then 'p' when 'refunded' then 'R' when 'out_for_delivery' then 'o' when 'shipment_delivered' then 'o'
      when 'delivered' then 'd' else '' end, '' order by e.seq) as path
    from order_event e
    where ${within(storeId, sql`e.store_id`)}
    group by e.store_id, e.order_id),
  judged as (
    select o.id, o.status, o.payment_status, t.path,
      t.path ~ '^P(fr)*f?c?[od]*(p[odR]*)?$' as is_legal,
      case when t.path ~ 'd' then 'delivered' when t.path ~ 'o' then 'out_for_delivery'
        when o.payment_status = 'refunded' then 'refunded' when t.path ~ 'p' then 'paid'
        when t.path ~ 'c' then 'cancelled' else 'pending' end as should_be,
      case when t.path ~ 'p' and t.path ~ 'R' then '{paid,refunded}' when t.path ~ 'p' then '{paid}'
        when t.path ~ 'f[^r]*$' then '{failed}' else '{pending}' end::text[] as payment_may_be
    from orders o left join told t on t.store_id = o.store_id and t.order_id = o.id
    where ${within(storeId, sql`o.store_id`)})
  select format('Order %s is %s with its payment %s, which does not follow from its timeline (%s).', id, status,
    payment_status, coalesce(path, 'none')) as sentence
  from judged
  where is_legal is not true or status <> should_be or payment_status <> all (payment_may_be)
  limit ${most}`

/** A use is given back when an order is cancelled, and not taken again should that order be paid all the same. */
const holdsCoupon = sql`o.coupon_id is not null and not exists (
  select from order_event e where e.store_id = o.store_id and e.order_id = o.id and e.type = 'cancelled')`

export const findWrongCouponCounts: Rule = (db, storeId) => db.many<Violation>`
  with held as (
    select o.store_id, o.coupon_id, count(*) as uses from orders o
    where ${holdsCoupon} and ${within(storeId, sql`o.store_id`)}
    group by o.store_id, o.coupon_id)
  select format('Coupon %s counts %s uses, and %s orders hold it.', k.code, k.used, coalesce(h.uses, 0)) as sentence
  from coupon k left join held h on h.store_id = k.store_id and h.coupon_id = k.id
  where k.used <> coalesce(h.uses, 0) and ${within(storeId, sql`k.store_id`)}
  limit ${most}`

export const findWrongCouponUses: Rule = (db, storeId) => db.many<Violation>`
  with held as (
    select o.store_id, o.coupon_id, o.customer_id, count(*) as uses from orders o
    where ${holdsCoupon} and ${within(storeId, sql`o.store_id`)}
    group by o.store_id, o.coupon_id, o.customer_id),
  counted as (
    select store_id, coupon_id, customer_id, uses from coupon_use where ${within(storeId, sql`store_id`)})
  select format('Customer %s has used coupon %s %s times, and has %s orders with it.',
    coalesce(c.customer_id, h.customer_id), coalesce(c.coupon_id, h.coupon_id), coalesce(c.uses, 0),
    coalesce(h.uses, 0)) as sentence
  from counted c
  full join held h on h.store_id = c.store_id and h.coupon_id = c.coupon_id and h.customer_id = c.customer_id
  where coalesce(c.uses, 0) <> coalesce(h.uses, 0)
  limit ${most}`

/** What was bought can be fetched, and nothing else can. */
export const findWrongDownloads: Rule = (db, storeId) => db.many<Violation>`
  select format('Download %s is of order %s, %s.', d.id, d.order_id, case
    when o.payment_status not in ('paid', 'refunded') then 'which was never paid'
    when l.digital is null then 'whose line ' || d.position || ' is no file'
    when d.customer_id <> o.customer_id then 'which is somebody else''s'
    else 'and was fetched too often' end) as sentence
  from download d
  join orders o on o.store_id = d.store_id and o.id = d.order_id
  join order_line l on l.store_id = d.store_id and l.order_id = d.order_id and l.position = d.position
  where ${within(storeId, sql`d.store_id`)} and (o.payment_status not in ('paid', 'refunded') or l.digital is null
    or d.customer_id <> o.customer_id or d.used > d.most_uses)
  limit ${most}`

export const findMissingDownloads: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s is paid, and the file on its line %s cannot be fetched.', o.id, l.position) as sentence
  from orders o
  join order_line l on l.store_id = o.store_id and l.order_id = o.id and l.digital is not null
  left join download d on d.store_id = l.store_id and d.order_id = l.order_id and d.position = l.position
  where o.payment_status = 'paid' and d.id is null and not ${isFlagged} and ${within(storeId, sql`o.store_id`)}
  limit ${most}`
