import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { DigitalFile } from '../catalog/whole-product.sql.ts'
import type { StoreId } from '../context.ts'

export type DownloadRow = {
  id: string
  orderId: string
  orderNumber: number
  productId: string
  variantId: string
  name: string
  variant: string
  image: string
  digital: DigitalFile
  used: number
  mostUses: number
  expiresAt: Date | null
  createdAt: Date
}

const columns = sql`d.id, d.order_id as "orderId", o.number as "orderNumber", l.product_id as "productId",
  l.variant_id as "variantId", l.name, l.variant, l.image, l.digital, d.used, d.most_uses as "mostUses",
  d.expires_at as "expiresAt", d.created_at as "createdAt"`

/** Paid for, and not refunded. */
export const isPaidFor = sql`o.payment_status in ('paid', 'partially_refunded') and l.refunded < l.quantity`

const line = sql`join order_line l on l.store_id = d.store_id and l.order_id = d.order_id and l.position = d.position
  and l.digital is not null`

/** Newest first, since ids begin with the time. `before` is the last id on the previous page. */
export const listDownloads = (
  db: Queries,
  storeId: StoreId,
  { customerId, before, limit }: { customerId: string; before: string | null; limit: number },
) => db.many<DownloadRow>`
  select ${columns}
  from download d
  join orders o on o.store_id = d.store_id and o.id = d.order_id
  ${line}
  where d.store_id = ${storeId} and d.customer_id = ${customerId} and ${isPaidFor}
    and ${before === null ? sql`true` : sql`d.id < ${before}`}
  order by d.id desc
  limit ${limit}`

export type DownloadState = { isPaid: boolean; isExpired: boolean; digital: DigitalFile }

/** Only if it belongs to this customer, where one is given. */
export const findDownload = (db: Queries, storeId: StoreId, id: string, customerId?: string) =>
  db.maybeOne<DownloadState>`
  select ${isPaidFor} as "isPaid", coalesce(d.expires_at <= vitrine_now(), false) as "isExpired", l.digital
  from download d
  join orders o on o.store_id = d.store_id and o.id = d.order_id
  ${line}
  where d.store_id = ${storeId} and d.id = ${id}
    and ${customerId === undefined ? sql`true` : sql`d.customer_id = ${customerId}`}`

/** True if a use was left. The statement decides, so concurrent calls cannot exceed the limit. */
export const countUse = async (db: Queries, storeId: StoreId, id: string, customerId: string) =>
  (await db.run`
    update download d set used = d.used + 1
    where d.store_id = ${storeId} and d.id = ${id} and d.customer_id = ${customerId} and d.used < d.most_uses
      and (d.expires_at is null or d.expires_at > vitrine_now())
      and exists (
        select from orders o
        join order_line l on l.store_id = o.store_id and l.order_id = o.id and l.position = d.position
        where o.store_id = ${storeId} and o.id = d.order_id and ${isPaidFor})`) > 0

export const insertDownloads = (
  tx: Tx,
  storeId: StoreId,
  order: { id: string; customerId: string },
  files: readonly { id: string; position: number; mostUses: number }[],
) => tx.run`
  insert into download (store_id, id, customer_id, order_id, position, most_uses, created_at)
  select ${storeId}, f.id, ${order.customerId}, ${order.id}, f.position, f."mostUses", vitrine_now()
  from jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as f (id text, position integer, "mostUses" integer)
  on conflict (store_id, order_id, position) do nothing
  returning 1`
