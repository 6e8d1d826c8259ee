import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type PaymentRow, paymentColumns } from './payments.sql.ts'

/** A payment, and the public id of the store that it belongs to. */
export type DuePayment = PaymentRow & { storeId: string }

/** The time as text, since a JavaScript date would lose its microseconds. */
export type DueOrder = { storeId: string; orderId: string; expiresAt: string }

/** The same as a number, for those who count. */
export const sweepBatch = 50
const batch = sql`50`

const claimed = sql`
  returning ${paymentColumns}, (select s.public_id from store s where s.id = p.store_id) as "storeId")
  select * from claimed`

/**
 * Payments that nobody has heard of for a while: each minute at first, later every tenth of their age, so that one
 * which stays open for days is asked for seldom. Claimed by the time of asking, so that instances share them and the
 * provider is called when no transaction is open.
 */
export const claimUnheard = (db: Queries) => db.many<DuePayment>`
  with claimed as (
  update payment p set asked_at = vitrine_now()
  where p.ctid = any(array(
    select q.ctid from payment q
    where q.status in ('starting', 'open') and q.provider <> 'cod'
      and coalesce(q.asked_at, q.created_at) < vitrine_now() - interval '1 minute'
      and coalesce(q.asked_at, q.created_at) < vitrine_now() - (vitrine_now() - q.created_at) / 10
    order by coalesce(q.asked_at, q.created_at) limit ${batch} for update skip locked))
  ${claimed}`

/** Those that stand in the way of an order that has expired. The provider has the last word on each. */
export const claimExpired = (db: Queries) => db.many<DuePayment>`
  with claimed as (
  update payment p set asked_at = vitrine_now()
  where p.ctid = any(array(
    select q.ctid from orders o
    join payment q on q.store_id = o.store_id and q.order_id = o.id and q.status in ('starting', 'open')
    where o.expires_at <= vitrine_now() and o.expires_at > vitrine_now() - interval '1 hour'
      and (q.asked_at is null or q.asked_at < o.expires_at or q.asked_at < vitrine_now() - interval '1 minute')
    order by o.expires_at limit ${batch} for update of q skip locked))
  ${claimed}`

/**
 * Expired orders without a payment that could still be made; and those whose provider has not answered for an hour,
 * because units that wait for ever are lost to everybody. Should such an order be paid after all, that still counts.
 * A batch of them, those that expired first, from behind `after` on.
 */
export const findExpired = (db: Queries, after: DueOrder | undefined) => db.many<DueOrder>`
  select s.public_id as "storeId", o.id as "orderId", o.expires_at::text as "expiresAt"
  from orders o join store s on s.id = o.store_id
  where o.expires_at <= vitrine_now()
    and ${after === undefined ? sql`true` : sql`(o.expires_at, o.id) > (${after.expiresAt}::timestamptz, ${after.orderId})`}
    and (o.expires_at <= vitrine_now() - interval '1 hour' or not exists (
    select from payment p
    where p.store_id = o.store_id and p.order_id = o.id and p.status in ('starting', 'open')))
  order by o.expires_at, o.id limit ${batch}`

/** A refund that does not succeed is tried again after twice the time, a day at most. */
export const claimRefunds = (db: Queries) => db.many<DuePayment>`
  with claimed as (
  update payment p set refund_attempts = p.refund_attempts + 1,
    refund_due_at = vitrine_now() + least(power(2, least(p.refund_attempts, 12)), 1440) * interval '1 minute'
  where p.ctid = any(array(
    select q.ctid from payment q where q.refund_due_at <= vitrine_now()
    order by q.refund_due_at limit ${batch} for update skip locked))
  ${claimed}`
