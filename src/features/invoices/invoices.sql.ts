import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import type { InvoiceContent } from './invoice-content.ts'

export type InvoiceKind = 'invoice' | 'credit_note'

export type InvoiceRow = { kind: InvoiceKind; label: string; refundId: string; content: InvoiceContent; issuedAt: Date }

/** `refundId` is empty for an invoice. */
export const findInvoice = (db: Queries, storeId: StoreId, orderId: string, kind: InvoiceKind, refundId: string) =>
  db.maybeOne<InvoiceRow>`
  select kind, label, refund_id as "refundId", content, issued_at as "issuedAt"
  from invoice
  where store_id = ${storeId} and order_id = ${orderId} and kind = ${kind} and refund_id = ${refundId}`

/** The next number of a series. Others wait for it until the commit, and a rollback gives it back. */
export const takeNumber = async (tx: Tx, storeId: StoreId, kind: InvoiceKind, series: string) =>
  (
    await tx.one<{ number: number }>`
    insert into invoice_series as s (store_id, kind, series, last_number)
    values (${storeId}, ${kind}, ${series}, 1)
    on conflict (store_id, kind, series) do update set last_number = s.last_number + 1
    returning last_number as number`
  ).number

export type NewInvoice = {
  kind: InvoiceKind
  series: string
  number: number
  label: string
  orderId: string
  refundId: string
  content: InvoiceContent
}

/** False if another invoice of the store has the same printed number. */
export const insertInvoice = async (tx: Tx, storeId: StoreId, invoice: NewInvoice) =>
  (await tx.run`
    insert into invoice (store_id, kind, series, number, label, order_id, refund_id, content, issued_at)
    values (${storeId}, ${invoice.kind}, ${invoice.series}, ${invoice.number}, ${invoice.label}, ${invoice.orderId},
      ${invoice.refundId}, ${JSON.stringify(invoice.content)}::json, vitrine_now())
    on conflict (store_id, kind, label) do nothing`) > 0

/** In percent. */
export const listTaxRates = (db: Queries, storeId: StoreId, orderId: string) => db.many<{ id: string; rate: number }>`
  select id, tax_rate::float8 as rate from order_line where store_id = ${storeId} and order_id = ${orderId}`
