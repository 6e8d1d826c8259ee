import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** `isOverdue`: it expired an hour ago, and its units are given back even if its provider does not answer. */
export type ExpiredOrder = {
  storeNumber: StoreId
  storeId: string
  orderId: string
  /** 1 for the first attempt, and one more after each failure. */
  attempt: number
  isOverdue: boolean
}

/** The expression of the indexes, so that orders waiting for a retry are not read. */
const dueAt = sql`greatest(o.expires_at, o.expiry_retry_at)`
const isDue = sql`o.expires_at is not null and ${dueAt} <= vitrine_now()`

export const findExpiredOrders = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select o.store_id as "storeId", count(*) as waiting, min(${dueAt}) as "oldestAt" from orders o
  where ${isDue}
  group by o.store_id order by "oldestAt" limit 1000`

/** Other instances skip these orders until the claim expires after a minute. */
export const claimExpiredOrders = (db: Queries, storeId: StoreId, limit: number) => db.many<ExpiredOrder>`
  with claimed as (
    update orders c set expiry_retry_at = vitrine_now() + interval '1 minute'
    where c.store_id = ${storeId} and c.id = any(array(
      select o.id from orders o where o.store_id = ${storeId} and ${isDue}
      order by ${dueAt} limit ${limit} for update skip locked))
    returning c.store_id, c.id, c.expiry_attempts, c.expires_at)
  select c.store_id as "storeNumber", s.public_id as "storeId", c.id as "orderId", c.expiry_attempts + 1 as attempt,
    c.expires_at <= vitrine_now() - interval '1 hour' as "isOverdue"
  from claimed c join store s on s.id = c.store_id
  order by c.expires_at`

/**
 * Doubles the delay after each failure, but not beyond the hour after which the order is cancelled even if its provider
 * does not answer.
 */
export const postponeExpiry = (db: Queries, { storeNumber, orderId, attempt }: ExpiredOrder) => db.run`
  update orders
  set expiry_attempts = ${attempt},
    expiry_retry_at = (select least(
      vitrine_now() + least(power(2, least(${attempt}::integer - 1, 6)), 60) * interval '1 minute',
      greatest(expires_at + interval '1 hour', vitrine_now() + interval '1 minute')))
  where store_id = ${storeNumber} and id = ${orderId} and expires_at is not null and expiry_attempts = ${attempt}::integer - 1`
