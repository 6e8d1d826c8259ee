import type { Queries } from '../../db/database.ts'
import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { type PaymentRow, paymentColumns } from './payments.sql.ts'

/** `storeNumber` is the internal key of the store, `storeId` its public id. */
export type DuePayment = PaymentRow & { storeNumber: StoreId; storeId: string }

export type DueStoreRow = { storeId: StoreId; waiting: number; oldestAt: Date }

const claimed = sql`
    returning p.store_id as "storeNumber", ${paymentColumns})
  select c.*, s.public_id as "storeId" from claimed c join store s on s.id = c."storeNumber"`

/**
 * Undecided payments are checked every minute at first, later after every tenth of their age, so that a payment that
 * stays open for days is checked rarely.
 */
const isDueForCheck = sql`q.status in ('starting', 'open') and q.provider <> 'cod'
  and coalesce(q.asked_at, q.created_at) < vitrine_now() - interval '1 minute'
  and coalesce(q.asked_at, q.created_at) < vitrine_now() - (vitrine_now() - q.created_at) / 10`

export const findPaymentsToCheck = (db: Queries) => db.many<DueStoreRow>`
  select q.store_id as "storeId", count(*) as waiting, min(coalesce(q.asked_at, q.created_at)) as "oldestAt"
  from payment q where ${isDueForCheck}
  group by q.store_id order by "oldestAt" limit 1000`

/** Setting `asked_at` is the claim. */
export const claimPaymentsToCheck = (db: Queries, storeId: StoreId, limit: number) => db.many<DuePayment>`
  with claimed as (
    update payment p set asked_at = vitrine_now()
    where p.store_id = ${storeId} and p.id = any(array(
      select q.id from payment q where q.store_id = ${storeId} and ${isDueForCheck}
      order by coalesce(q.asked_at, q.created_at) limit ${limit} for update skip locked))
  ${claimed}`

export const findLatePayments = (db: Queries) => db.many<DueStoreRow>`
  select q.store_id as "storeId", count(*) as waiting, min(q.late_check_at) as "oldestAt"
  from payment q where q.late_check_at <= vitrine_now()
  group by q.store_id order by "oldestAt" limit 1000`

/** The next check is when the payment is twice as old, and the last one after a day. */
export const claimLatePayments = (db: Queries, storeId: StoreId, limit: number) => db.many<DuePayment>`
  with claimed as (
    update payment p set asked_at = vitrine_now(), late_check_at =
      (select case when p.created_at > vitrine_now() - interval '1 day' then vitrine_now() + (vitrine_now() - p.created_at) end)
    where p.store_id = ${storeId} and p.id = any(array(
      select q.id from payment q where q.store_id = ${storeId} and q.late_check_at <= vitrine_now()
      order by q.late_check_at limit ${limit} for update skip locked))
  ${claimed}`

/** Longer than providers repeat events and customers dispute payments. The effects stay in the order's timeline. */
const retention = sql`interval '180 days'`

/** Only applied events. Events that could not be applied stay for an operator to look at. */
export const oldPaymentEvents: Deletable = {
  table: sql`payment_event`,
  due: sql`t.received_at <= vitrine_now() - ${retention} and t.outcome in ('applied', 'ignored', 'no_effect', 'duplicate_payment')`,
  age: sql`t.received_at`,
  retention,
}
