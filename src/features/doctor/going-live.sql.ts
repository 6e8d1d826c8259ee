import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/**
 * When the provider last sent a webhook, and when the credentials last changed. Statuses that the service asked for have
 * another source.
 */
export const readWebhookTimes = (db: Queries, storeId: StoreId, provider: string) => db.one<{
  receivedAt: Date | null
  changedAt: Date | null
}>`
  select
    (select max(received_at) from payment_event where store_id = ${storeId} and provider = ${provider}) as "receivedAt",
    (select updated_at from payment_account where store_id = ${storeId} and provider = ${provider}) as "changedAt"`

export const countProductsInStock = async (db: Queries, storeId: StoreId) =>
  (
    await db.one<{ count: number }>`
    select count(distinct product_id) from listing where store_id = ${storeId} and in_stock`
  ).count

/** Keys that work now. */
export const countActiveKeys = async (db: Queries, storeId: StoreId) =>
  (
    await db.one<{ count: number }>`
    select count(*) from store_key
    where store_id = ${storeId} and revoked_at is null and (expires_at is null or expires_at > vitrine_now())`
  ).count
