import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { maxFindings, type Rule, type Violation, within } from './invariants.sql.ts'

/**
 * Foreign keys keep related rows in one store. These rules check references without a foreign key, whose target may not
 * exist or may be deleted first.
 */

export const findStrayLines: Rule = (db, storeId) => db.many<Violation>`
  select format('Line %s of order %s has variant %s, which is not a variant of its product in this store.', l.position,
    l.order_id, l.variant_id) as sentence
  from order_line l
  left join variant v on v.store_id = l.store_id and v.id = l.variant_id and v.product_id = l.product_id
  where v.id is null and ${within(storeId, sql`l.store_id`)}
  limit ${maxFindings}`

/**
 * The cart of an order may have been deleted. Rows of other stores are read on their own (`offset 0`): a distributed
 * database joins rows of different stores only if one side is read before.
 */
export const findStrayOrders: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s has %s.', o.id, case
    when c.id is not null then 'the cart of another store'
    when o.coupon_id is not null and k.id is null then 'a coupon that the store does not have'
    else 'been replaced by an order that the store does not have' end) as sentence
  from orders o
  left join (select id, store_id from cart offset 0) c on c.id = o.cart_id and c.store_id <> o.store_id
  left join coupon k on k.store_id = o.store_id and k.id = o.coupon_id
  left join orders r on r.store_id = o.store_id and r.id = o.replaced_by
  where ${within(storeId, sql`o.store_id`)} and (c.id is not null or (o.coupon_id is not null and k.id is null)
    or (o.replaced_by is not null and r.id is null))
  limit ${maxFindings}`

/** The next number must be new. */
export const findWrongCounters: Rule = (db, storeId) => db.many<Violation>`
  select format('The last order of store %s has the number %s, but its counter is at %s.', s.public_id, n.last,
    coalesce(c.last_number, 0)) as sentence
  from (
    select o.store_id, max(o.number) as last from orders o where ${within(storeId, sql`o.store_id`)}
    group by o.store_id) n
  join store s on s.id = n.store_id
  left join order_counter c on c.store_id = n.store_id and ${within(storeId, sql`c.store_id`)}
  where n.last > coalesce(c.last_number, 0)
  limit ${maxFindings}`

/** An event without a meaning for Vitrine may name no order. */
export const findStrayPaymentEvents: Rule = (db, storeId) => db.many<Violation>`
  select format('Payment event %s has the outcome %s, but its order %s is not in this store.', e.id, e.outcome,
    e.order_id) as sentence
  from payment_event e left join orders o on o.store_id = e.store_id and o.id = e.order_id
  where ${within(storeId, sql`e.store_id`)} and o.id is null and e.outcome not in ('unknown_order', 'malformed')
    and not (e.outcome = 'ignored' and e.order_id is null)
  limit ${maxFindings}`

export const findStrayDeliveryEvents: Rule = (db, storeId) => db.many<Violation>`
  select format('Delivery event %s has the outcome %s, but its order or shipment is not in this store.', e.event_id,
    e.outcome) as sentence
  from delivery_event e
  left join orders o on o.store_id = e.store_id and o.id = e.order_id
  left join shipment s on s.store_id = e.store_id and s.id = e.shipment_id and s.order_id = e.order_id
  where ${within(storeId, sql`e.store_id`)} and e.outcome <> 'unmatched'
    and (o.id is null or (e.shipment_id is not null and s.id is null))
  limit ${maxFindings}`

export const findStraySandboxPayments: Rule = (db, storeId) => db.many<Violation>`
  select format('The sandbox has a payment %s that is not in this store.', b.payment_id) as sentence
  from sandbox_payment b left join payment p on p.store_id = b.store_id and p.id = b.payment_id
  where p.id is null and ${within(storeId, sql`b.store_id`)}
  limit ${maxFindings}`

/** Checks the stored answers of customers. `shopper` holds another kind of id for guests. */
export const findStrayAnswers: Rule = (db, storeId) => db.many<Violation>`
  select format('A stored answer of %s belongs to customer %s of another store.', a.route, a.shopper) as sentence
  from kept_answer a
  join (select id, store_id from customer offset 0) c on c.id = a.shopper and c.store_id <> a.store_id
  where ${within(storeId, sql`a.store_id`)}
  limit ${maxFindings}`

/** An order that was returned to a customer must exist. */
export const findLostOrders: Rule = (db, storeId) => db.many<Violation>`
  with acknowledged as (
    select a.store_id, a.shopper, coalesce(a.answer ->> 'orderId', a.answer #>> '{body,order,id}') as order_id
    from kept_answer a
    where a.route in ('checkOut', 'startPayment') and a.answer is not null and ${within(storeId, sql`a.store_id`)})
  select format('Order %s was returned to customer %s, but does not exist.', t.order_id, t.shopper) as sentence
  from acknowledged t
  left join orders o on o.store_id = t.store_id and o.id = t.order_id and o.customer_id = t.shopper
  where o.id is null
  limit ${maxFindings}`

/** The same, for callers that have recorded the ids themselves. */
export const findLostAmong = (db: Queries, storeId: StoreId | null, orderIds: readonly string[]) => db.many<Violation>`
  select format('Order %s was acknowledged, but does not exist.', t.id) as sentence
  from unnest(${orderIds}::text[]) as t (id)
  left join orders o on o.id = t.id and ${within(storeId, sql`o.store_id`)}
  where o.id is null
  limit ${maxFindings}`

export const findStrayCartItems: Rule = (db, storeId) => db.many<Violation>`
  select format('Item %s in cart %s has product %s, but its variant %s belongs to another product.', i.id, i.cart_id, i.product_id,
    i.variant_id) as sentence
  from cart_item i join variant v on v.store_id = i.store_id and v.id = i.variant_id
  where v.product_id <> i.product_id and ${within(storeId, sql`i.store_id`)}
  limit ${maxFindings}`

export const findStrayStock: Rule = (db, storeId) => db.many<Violation>`
  select format('Stock of variant %s has product %s, but the variant belongs to another product.', s.variant_id, s.product_id) as sentence
  from stock s join variant v on v.store_id = s.store_id and v.id = s.variant_id
  where v.product_id <> s.product_id and ${within(storeId, sql`s.store_id`)}
  limit ${maxFindings}`
