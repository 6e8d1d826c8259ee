import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Everything about one person besides the orders, in one row. */
export type ExportedRow = {
  language: string | null
  emailVerifiedAt: Date | null
  sessions: unknown[]
  cart: unknown[]
  wishlist: unknown[]
  downloads: unknown[]
  couponUses: unknown[]
}

export const readForExport = (db: Queries, storeId: StoreId, customerId: string) => db.one<ExportedRow>`
  select c.language, c.email_verified_at as "emailVerifiedAt",
    (select coalesce(json_agg(json_build_object('createdAt', s.created_at, 'expiresAt', s.expires_at) order by s.created_at), '[]')
     from session s where s.store_id = ${storeId} and s.customer_id = ${customerId}) as sessions,
    (select coalesce(json_agg(json_build_object('product', p.name, 'productId', i.product_id, 'variantId', i.variant_id,
       'quantity', i.quantity, 'addedAt', i.added_at) order by i.added_at), '[]')
     from cart k join cart_item i on i.store_id = k.store_id and i.cart_id = k.id
     join product p on p.store_id = i.store_id and p.id = i.product_id
     where k.store_id = ${storeId} and k.customer_id = ${customerId}) as cart,
    (select coalesce(json_agg(json_build_object('product', p.name, 'productId', w.product_id, 'createdAt', w.created_at)
       order by w.created_at), '[]')
     from wishlist_item w join product p on p.store_id = w.store_id and p.id = w.product_id
     where w.store_id = ${storeId} and w.customer_id = ${customerId}) as wishlist,
    (select coalesce(json_agg(json_build_object('orderId', d.order_id, 'used', d.used, 'createdAt', d.created_at,
       'expiresAt', d.expires_at) order by d.id), '[]')
     from download d where d.store_id = ${storeId} and d.customer_id = ${customerId}) as downloads,
    (select coalesce(json_agg(json_build_object('code', k.code, 'uses', u.uses) order by k.code), '[]')
     from coupon_use u join coupon k on k.store_id = u.store_id and k.id = u.coupon_id
     where u.store_id = ${storeId} and u.customer_id = ${customerId} and u.uses > 0) as "couponUses"
  from customer c where c.store_id = ${storeId} and c.id = ${customerId}`

export type ExportedMessage = {
  message: string
  recipient: string | null
  state: string
  createdAt: Date
  finishedAt: Date | null
}

/** Mail about the orders, and to the address. */
export const listMessagesOf = (db: Queries, storeId: StoreId, customerId: string) => db.many<ExportedMessage>`
  select m.message, m.recipient, m.state, m.created_at as "createdAt", m.finished_at as "finishedAt"
  from mail m
  where m.store_id = ${storeId} and m.id = any(array(
    select t.id from customer c join mail t on t.store_id = c.store_id and t.recipient = c.email
    where c.store_id = ${storeId} and c.id = ${customerId}
    union
    select t.id from orders o
    join event e on e.store_id = o.store_id and e.subject = o.id
    join mail t on t.store_id = e.store_id and t.event_id = e.id
    where o.store_id = ${storeId} and o.customer_id = ${customerId}))
  order by m.created_at`

export type ExportedPayment = {
  orderId: string
  id: string
  provider: string
  status: string
  amountMinor: number
  currency: string
  createdAt: Date
}

export const listExportedPayments = (db: Queries, storeId: StoreId, orderIds: readonly string[]) =>
  db.many<ExportedPayment>`
  select p.order_id as "orderId", p.id, p.provider, p.status, p.amount_minor as "amountMinor", p.currency,
    p.created_at as "createdAt"
  from payment p where p.store_id = ${storeId} and p.order_id = any(${orderIds}::text[])
  order by p.created_at, p.id`

export type ExportedText = { orderId: string; text: string; createdAt: Date }

/** What staff have written about orders. */
export const listExportedNotes = (db: Queries, storeId: StoreId, orderIds: readonly string[]) => db.many<ExportedText>`
  select n.order_id as "orderId", n.text, n.created_at as "createdAt"
  from order_note n where n.store_id = ${storeId} and n.order_id = any(${orderIds}::text[])
  order by n.created_at, n.id`

export type ExportedReturn = {
  orderId: string
  id: string
  status: string
  items: { id: string; quantity: number }[]
  reason: string
  answer: string
  createdAt: Date
}

export const listExportedReturns = (db: Queries, storeId: StoreId, orderIds: readonly string[]) =>
  db.many<ExportedReturn>`
  select t.order_id as "orderId", t.id, t.status, t.items, t.reason, t.answer, t.created_at as "createdAt"
  from order_return t where t.store_id = ${storeId} and t.order_id = any(${orderIds}::text[])
  order by t.created_at, t.id`
