import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { OrderLineRow } from '../orders/orders.sql.ts'

export type DownloadRow = Pick<OrderLineRow, 'productId' | 'variantId' | 'name' | 'variant' | 'image'> & {
  id: string
  orderId: string
  orderNumber: number
  digital: NonNullable<OrderLineRow['digital']>
  used: number
  mostUses: number
  expiresAt: Date | null
  createdAt: Date
}

const columns = sql`d.id, d.order_id as "orderId", o.number as "orderNumber", l.product_id as "productId",
  l.variant_id as "variantId", l.name, l.variant, l.image, l.digital, d.used, d.most_uses as "mostUses",
  d.expires_at as "expiresAt", d.created_at as "createdAt"`

const line = sql`join order_line l on l.store_id = d.store_id and l.order_id = d.order_id and l.position = d.position
  and l.digital is not null`

/** Ids begin with the time, so the newest come first; `before` is the last one on the page before. */
export const listDownloads = (
  db: Queries,
  storeId: StoreId,
  { customerId, before, limit }: { customerId: string; before: string | null; limit: number },
) => db.many<DownloadRow>`
  select ${columns}
  from download d
  join orders o on o.store_id = d.store_id and o.id = d.order_id and o.payment_status = 'paid'
  ${line}
  where d.store_id = ${storeId} and d.customer_id = ${customerId}
    and ${before === null ? sql`true` : sql`d.id < ${before}`}
  order by d.id desc
  limit ${limit}`

export type DownloadState = { isPaid: boolean; isExpired: boolean; digital: DownloadRow['digital'] }

/** Of this customer, or of anybody when none is named. */
export const findDownload = (db: Queries, storeId: StoreId, id: string, customerId?: string) =>
  db.maybeOne<DownloadState>`
  select o.payment_status = 'paid' as "isPaid", coalesce(d.expires_at <= vitrine_now(), false) as "isExpired", l.digital
  from download d
  join orders o on o.store_id = d.store_id and o.id = d.order_id
  ${line}
  where d.store_id = ${storeId} and d.id = ${id}
    and ${customerId === undefined ? sql`true` : sql`d.customer_id = ${customerId}`}`

export const isDemoStore = async (db: Queries, storeId: string) =>
  (await db.maybeOne<{ isDemo: boolean }>`select is_demo as "isDemo" from store where public_id = ${storeId}`)
    ?.isDemo ?? false

/** True when there was a use left. Of many at once no more succeed than there are left. */
export const countUse = async (db: Queries, storeId: StoreId, id: string, customerId: string) =>
  (await db.run`
    update download d set used = d.used + 1
    where d.store_id = ${storeId} and d.id = ${id} and d.customer_id = ${customerId} and d.used < d.most_uses
      and (d.expires_at is null or d.expires_at > vitrine_now())
      and exists (
        select from orders o where o.store_id = d.store_id and o.id = d.order_id and o.payment_status = 'paid')`) > 0
