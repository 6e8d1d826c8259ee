import { sql } from '../../db/sql.ts'
import { maxFindings, type Rule, type Violation, within } from './invariants.sql.ts'

export const findWrongTotals: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s has the total %s, but its parts add up to %s.', o.id, o.total_minor, p.total) as sentence
  from orders o, lateral (
    select o.subtotal_minor - o.discount_minor + o.shipping_minor
      + case when o.tax_included then 0 else o.tax_minor end as total) p
  where ${within(storeId, sql`o.store_id`)} and (o.total_minor <> p.total
    or least(o.subtotal_minor, o.discount_minor, o.shipping_minor, o.tax_minor) < 0)
  limit ${maxFindings}`

export const findWrongLines: Rule = (db, storeId) => db.many<Violation>`
  with summed as (
    select l.store_id, l.order_id, sum(l.line_total_minor) as subtotal, sum(l.discount_minor) as discount,
      sum(l.tax_minor) as tax, bool_and(l.line_total_minor = l.unit_minor * l.quantity
        and l.discount_minor between 0 and l.line_total_minor) as is_right
    from order_line l
    where ${within(storeId, sql`l.store_id`)}
    group by l.store_id, l.order_id)
  select format('The lines of order %s do not add up to its amounts.', o.id) as sentence
  from orders o left join summed s on s.store_id = o.store_id and s.order_id = o.id
  where ${within(storeId, sql`o.store_id`)} and (s.is_right is not true
    or (s.subtotal, s.discount, s.tax) is distinct from (o.subtotal_minor, o.discount_minor, o.tax_minor))
  limit ${maxFindings}`

export const findWrongAmounts: Rule = (db, storeId) => db.many<Violation>`
  select format('Payment %s has the amount %s %s, but the total of its order %s is %s %s.', p.id, p.amount_minor, p.currency, o.id,
    o.total_minor, o.currency) as sentence
  from payment p join orders o on o.store_id = p.store_id and o.id = p.order_id
  where (p.amount_minor <> o.total_minor or p.currency <> o.currency) and ${within(storeId, sql`p.store_id`)}
  limit ${maxFindings}`

/**
 * A settled payment belongs to a paid order, and a paid order has exactly one payment that is not being refunded. An
 * order with a total of 0 needs no settled payment.
 */
export const findWrongPayments: Rule = (db, storeId) => db.many<Violation>`
  with counted as (
    select p.store_id, p.order_id, count(*) filter (where p.status = 'paid') as paid,
      count(*) filter (where p.status = 'paid' and not p.is_duplicate) as staying,
      count(*) filter (where p.status = 'refunded') as refunded,
      count(*) filter (where p.status in ('starting', 'open')) as open
    from payment p
    where ${within(storeId, sql`p.store_id`)}
    group by p.store_id, p.order_id),
  judged as (
    select o.id, case
      when c.order_id is null then 'has no payment'
      when c.open > 1 then 'has several open payments'
      when c.staying > 1 then 'was paid several times, but no refund is due'
      when o.payment_status in ('paid', 'partially_refunded') and c.paid = 0 and o.total_minor > 0
        then 'is paid, but none of its payments is'
      when o.payment_status = 'refunded' and c.refunded = 0 and o.total_minor > 0
        then 'is refunded, but none of its payments is'
      when o.payment_status not in ('paid', 'partially_refunded') and c.staying > 0 then 'is not paid, but one of its payments is'
      when o.payment_status in ('pending', 'failed') and c.paid + c.refunded > 0
        then 'was never paid, but one of its payments was' end as problem
    from orders o left join counted c on c.store_id = o.store_id and c.order_id = o.id
    where ${within(storeId, sql`o.store_id`)})
  select format('Order %s %s.', id, problem) as sentence from judged where problem is not null
  limit ${maxFindings}`

/** Closing a session may take a day while the provider is down. Cash needs no provider, so it is closed immediately. */
export const findForgottenPayments: Rule = (db, storeId) => db.many<Violation>`
  select format('Payment %s is %s, but its order %s has ended.', p.id, p.status, o.id) as sentence
  from payment p join orders o on o.store_id = p.store_id and o.id = p.order_id
  where p.status in ('starting', 'open') and ${within(storeId, sql`p.store_id`)}
    and (o.status in ('cancelled', 'refunded') or o.payment_status in ('paid', 'partially_refunded', 'refunded'))
    and (p.provider = 'cod' or greatest(o.updated_at, p.updated_at) < vitrine_now() - interval '1 day')
  limit ${maxFindings}`

/**
 * Of an order and its replacement, at most one stays paid. A cash order that was cancelled and delivered anyway counts
 * as a separate purchase.
 */
export const findPaidTwins: Rule = (db, storeId) => db.many<Violation>`
  select format('Order %s and its replacement %s are both paid, but no refund is due.', o.id,
    other.id) as sentence
  from orders o
  join orders other on other.store_id = o.store_id and other.id = o.replaced_by and other.payment_status = 'paid'
  where o.replaced_by is not null and o.payment_status = 'paid' and ${within(storeId, sql`o.store_id`)}
    and not exists (
      select from refund r
      where r.store_id = o.store_id and r.order_id in (o.id, other.id) and r.status in ('pending', 'failed'))
    and not (other.payment_method = 'cod' and exists (
      select from order_event e
      where e.store_id = other.store_id and e.order_id = other.id and e.type = 'cancelled'))
  limit ${maxFindings}`

/** All refunds of a payment together never exceed it, and the status of the order follows from those that succeeded. */
export const findWrongRefunds: Rule = (db, storeId) => db.many<Violation>`
  with summed as (
    select r.store_id, r.payment_id, sum(r.amount_minor) filter (where r.status <> 'failed') as taken,
      coalesce(sum(r.amount_minor) filter (where r.status = 'succeeded'), 0) as succeeded,
      bool_and((r.status = 'pending') = (r.due_at is not null)) as is_queued
    from refund r
    where ${within(storeId, sql`r.store_id`)}
    group by r.store_id, r.payment_id),
  judged as (
    select p.id, case
      when s.taken > p.amount_minor then 'has refunds of more than its amount'
      when not s.is_queued then 'has a pending refund that is not queued, or a decided one that is'
      when (p.status = 'refunded') <> (s.succeeded = p.amount_minor) then format('is %s, but %s of %s were refunded',
        p.status, s.succeeded, p.amount_minor)
      when not p.is_duplicate and s.succeeded > 0 and s.succeeded < p.amount_minor
        and o.payment_status <> 'partially_refunded' then 'is refunded in part, but its order does not say so' end as problem
    from summed s
    join payment p on p.store_id = s.store_id and p.id = s.payment_id
    join orders o on o.store_id = p.store_id and o.id = p.order_id)
  select format('Payment %s %s.', id, problem) as sentence from judged where problem is not null
  limit ${maxFindings}`

/** Refunded units of a line are those of its refunds that have not failed. */
export const findWrongRefundedLines: Rule = (db, storeId) => db.many<Violation>`
  with named as (
    select r.store_id, r.order_id, i.id, sum(i.quantity) as units
    from refund r, jsonb_to_recordset(r.items) as i (id text, quantity integer)
    where r.status <> 'failed' and ${within(storeId, sql`r.store_id`)}
    group by r.store_id, r.order_id, i.id),
  counted as (
    select store_id, order_id, id, refunded from order_line where refunded > 0 and ${within(storeId, sql`store_id`)})
  select format('Line %s of order %s counts %s refunded units, but its refunds have %s.', coalesce(c.id, n.id),
    coalesce(c.order_id, n.order_id), coalesce(c.refunded, 0), coalesce(n.units, 0)) as sentence
  from counted c
  full join named n on n.store_id = c.store_id and n.order_id = c.order_id and n.id = c.id
  where coalesce(c.refunded, 0) <> coalesce(n.units, 0)
  limit ${maxFindings}`

export const findInvoiceGaps: Rule = (db, storeId) => db.many<Violation>`
  select format('The series %s of %s numbers of store %s counts up to %s, but has %s numbers up to %s.', s.series, s.kind,
    t.public_id, s.last_number, coalesce(i.found, 0), coalesce(i.last, 0)) as sentence
  from invoice_series s
  join store t on t.id = s.store_id
  left join lateral (
    select count(*) as found, max(i.number) as last from invoice i
    where i.store_id = s.store_id and i.kind = s.kind and i.series = s.series) i on true
  where ${within(storeId, sql`s.store_id`)} and (i.found <> s.last_number or i.last is distinct from s.last_number)
  limit ${maxFindings}`
