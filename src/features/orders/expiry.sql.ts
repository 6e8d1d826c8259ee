import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** `isOverdue`: it expired an hour ago, and its units are given back even if its provider does not answer. */
export type ExpiredOrder = {
  storeNumber: StoreId
  storeId: string
  orderId: string
  attempt: number
  isOverdue: boolean
}

export const findExpiredOrders = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select store_id as "storeId", count(*) as waiting, min(expires_at) as "oldestAt" from orders
  where expires_at <= vitrine_now() and (expiry_retry_at is null or expiry_retry_at <= vitrine_now())
  group by store_id order by "oldestAt" limit 1000`

/** Until the claim ends, in a minute, no other instance takes these orders. */
export const claimExpiredOrders = (db: Queries, storeId: StoreId, most: number) => db.many<ExpiredOrder>`
  with claimed as (
    update orders o set expiry_attempts = o.expiry_attempts + 1, expiry_retry_at = vitrine_now() + interval '1 minute'
    where o.store_id = ${storeId} and o.id = any(array(
      select due.id from orders due
      where due.store_id = ${storeId} and due.expires_at <= vitrine_now()
        and (due.expiry_retry_at is null or due.expiry_retry_at <= vitrine_now())
      order by due.expires_at limit ${most} for update skip locked))
    returning o.store_id, o.id, o.expiry_attempts, o.expires_at)
  select c.store_id as "storeNumber", s.public_id as "storeId", c.id as "orderId", c.expiry_attempts as attempt,
    c.expires_at <= vitrine_now() - interval '1 hour' as "isOverdue"
  from claimed c join store s on s.id = c.store_id
  order by c.expires_at`

/** After a failure, twice as long as after the one before, an hour at most. */
export const postponeExpiry = (db: Queries, { storeNumber, orderId, attempt }: ExpiredOrder) => db.run`
  update orders
  set expiry_retry_at = vitrine_now() + least(power(2, least(${attempt}::integer - 1, 6)), 60) * interval '1 minute'
  where store_id = ${storeNumber} and id = ${orderId} and expires_at is not null and expiry_attempts = ${attempt}`
