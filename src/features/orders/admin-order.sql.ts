import type { Queries, Tx } from '../../db/database.ts'
import type { Author, StoreId } from '../context.ts'

export type PaymentAttemptRow = {
  id: string
  provider: string
  status: string
  amountMinor: number
  currency: string
  reference: string | null
  transaction: string | null
  duplicate: boolean
  createdAt: Date
  updatedAt: Date
}

/** Oldest first, as all lists here. */
export const listPaymentAttempts = (db: Queries, storeId: StoreId, orderId: string) => db.many<PaymentAttemptRow>`
  select id, provider, status, amount_minor as "amountMinor", currency, reference, transaction_ref as transaction,
    is_duplicate as duplicate, created_at as "createdAt", updated_at as "updatedAt"
  from payment where store_id = ${storeId} and order_id = ${orderId}
  order by created_at, id`

export type RefundDetail = { id: string; detail: string; reference: string | null }

export const listRefundDetails = (db: Queries, storeId: StoreId, orderId: string) => db.many<RefundDetail>`
  select id, detail, reference from refund where store_id = ${storeId} and order_id = ${orderId}`

export type ShipmentDetail = { id: string; carrier: string | null; labelUrl: string; pickupAt: Date | null }

export const listShipmentDetails = (db: Queries, storeId: StoreId, orderId: string) => db.many<ShipmentDetail>`
  select id, carrier, label_url as "labelUrl", pickup_at as "pickupAt"
  from shipment where store_id = ${storeId} and order_id = ${orderId}`

export type OrderDownloadRow = {
  id: string
  itemId: string
  name: string
  used: number
  maxUses: number
  expiresAt: Date | null
  createdAt: Date
}

export const listOrderDownloads = (db: Queries, storeId: StoreId, orderId: string) => db.many<OrderDownloadRow>`
  select d.id, l.id as "itemId", l.name, d.used, d.most_uses as "maxUses", d.expires_at as "expiresAt",
    d.created_at as "createdAt"
  from download d
  join order_line l on l.store_id = d.store_id and l.order_id = d.order_id and l.position = d.position
  where d.store_id = ${storeId} and d.order_id = ${orderId}
  order by d.position`

export type OrderMessageRow = {
  id: string
  name: string
  recipient: string | null
  state: 'waiting' | 'sent' | 'failed' | 'skipped'
  error: string
  createdAt: Date
  finishedAt: Date | null
}

/** Mail about events of the order. */
export const listOrderMessages = (db: Queries, storeId: StoreId, orderId: string) => db.many<OrderMessageRow>`
  select m.id, m.message as name, m.recipient, m.state, m.error, m.created_at as "createdAt",
    m.finished_at as "finishedAt"
  from event e join mail m on m.store_id = e.store_id and m.event_id = e.id
  where e.store_id = ${storeId} and e.subject = ${orderId}
  order by m.created_at, m.id`

export type OrderChangeRow = { at: Date; action: string; actorName: string }

export const listOrderChanges = (db: Queries, storeId: StoreId, orderId: string) => db.many<OrderChangeRow>`
  select at, action, actor_name as "actorName" from audit
  where store_id = ${storeId} and resource = 'order' and resource_id = ${orderId}
  order by at, id`

export type IssuedInvoiceRow = {
  number: string
  kind: 'invoice' | 'credit_note'
  refundId: string | null
  issuedAt: Date
}

export const listInvoicesOfOrder = (db: Queries, storeId: StoreId, orderId: string) => db.many<IssuedInvoiceRow>`
  select label as number, kind, nullif(refund_id, '') as "refundId", issued_at as "issuedAt"
  from invoice where store_id = ${storeId} and order_id = ${orderId}
  order by issued_at, kind desc, refund_id`

export type NoteRow = {
  id: string
  text: string
  authorKind: Author['actor']['kind']
  authorId: string
  authorName: string
  createdAt: Date
}

export const listNotes = (db: Queries, storeId: StoreId, orderId: string) => db.many<NoteRow>`
  select id, text, author_kind as "authorKind", author_id as "authorId", author_name as "authorName",
    created_at as "createdAt"
  from order_note where store_id = ${storeId} and order_id = ${orderId}
  order by created_at, id`

export type NewNote = { id: string; text: string }

export const insertNote = (
  tx: Tx,
  storeId: StoreId,
  orderId: string,
  { actor }: Author,
  { id, text }: NewNote,
) => tx.run`
  insert into order_note (store_id, order_id, id, text, author_kind, author_id, author_name, created_at)
  values (${storeId}, ${orderId}, ${id}, ${text}, ${actor.kind}, ${actor.id}, ${actor.name}, vitrine_now())`
