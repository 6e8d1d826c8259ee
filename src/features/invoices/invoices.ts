import { refuse } from '../../core/domain-errors.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { readStore } from '../access/directory.ts'
import { readContact } from '../accounts/customer.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { pickMailLanguage } from '../mail/texts/texts.ts'
import { holdOrder } from '../orders/lock-order.ts'
import { type FullOrderRow, readOrder } from '../orders/orders.sql.ts'
import { readTaxedOrder } from '../payments/refund-taxes.sql.ts'
import { writeCreditNote } from './credit-note.ts'
import { type InvoiceContent, type InvoiceSource, writeInvoice } from './invoice-content.ts'
import {
  findInvoice,
  type InvoiceKind,
  type InvoiceRow,
  insertInvoice,
  listTaxRates,
  takeNumber,
} from './invoices.sql.ts'

type Ctx = { store: Pick<Store, 'id'> }

/** Issues the invoice of an order, or returns the one that was issued. `isNew`: this call has issued it. */
export const issueInvoice = async (
  tx: Tx,
  ctx: Ctx,
  by: Author,
  orderId: string,
  { nowMs, taxId = '' }: { nowMs: number; taxId?: string | undefined },
) => {
  const { order, store } = await holdForInvoice(tx, ctx, orderId)
  const known = await findInvoice(tx, store.id, orderId, 'invoice', '')
  if (known !== undefined) return { invoice: known, isNew: false }
  refuseTooEarly(order)
  const content = writeInvoice(await readSource(tx, store, order, taxId.trim()))
  const invoice = await issue(tx, store, by, { kind: 'invoice', orderId, refundId: '', content, nowMs })
  return { invoice, isNew: true }
}

/** The same for the credit note of a refund of an order that has an invoice. */
export const issueCreditNote = async (
  tx: Tx,
  ctx: Ctx,
  by: Author,
  orderId: string,
  { nowMs, refundId }: { nowMs: number; refundId: string },
) => {
  const { order, store } = await holdForInvoice(tx, ctx, orderId)
  const known = await findInvoice(tx, store.id, orderId, 'credit_note', refundId)
  if (known !== undefined) return { invoice: known, isNew: false }
  const refund = order.refunds.find(({ id, isOfDuplicate }) => id === refundId && !isOfDuplicate)
  if (refund === undefined) throw refuse('REFUND_NOT_FOUND', { order: String(order.number), refundId })
  if (refund.status !== 'succeeded') throw refuse('REFUND_NOT_MADE', { refundId, status: refund.status })
  const invoice = await findInvoice(tx, store.id, orderId, 'invoice', '')
  if (invoice === undefined) throw refuse('INVOICE_MISSING', { order: String(order.number) })
  const source = await readSource(tx, store, order, invoice.content.buyer.taxId)
  const taxed = mustExist(await readTaxedOrder(tx, store.id, orderId), `order ${orderId}`)
  const content = writeCreditNote(source, taxed, refund, invoice)
  return {
    invoice: await issue(tx, store, by, { kind: 'credit_note', orderId, refundId, content, nowMs }),
    isNew: true,
  }
}

/** As it was issued. */
export const readInvoice = async (
  db: Queries,
  { store }: Ctx,
  { id: orderId, number }: Pick<FullOrderRow, 'id' | 'number'>,
  refundId = '',
): Promise<InvoiceRow> => {
  const invoice = await findInvoice(db, store.id, orderId, refundId === '' ? 'invoice' : 'credit_note', refundId)
  if (invoice === undefined) throw refuse('INVOICE_NOT_ISSUED', { order: String(number), refundId })
  return invoice
}

/** The store is read again, because an invoice must have its settings of now. */
const holdForInvoice = async (tx: Tx, ctx: Ctx, orderId: string) => {
  await holdOrder(tx, ctx, orderId)
  const order = mustExist(await readOrder(tx, ctx.store.id, orderId), `order ${orderId}`)
  return { order, store: await readStore(tx, ctx.store.id) }
}

const refuseTooEarly = ({ number, status, paymentStatus, paymentMethod }: FullOrderRow) => {
  const isPaid = paymentStatus === 'paid' || paymentStatus === 'partially_refunded' || paymentStatus === 'refunded'
  const isSold = isPaid || (paymentMethod === 'cod' && status !== 'cancelled')
  if (!isSold) throw refuse('INVOICE_TOO_EARLY', { order: String(number) })
}

const readSource = async (tx: Tx, store: Store, order: FullOrderRow, buyerTaxId: string): Promise<InvoiceSource> => ({
  ...{ store, order, buyerTaxId, language: pickMailLanguage([store.locale]) },
  customer: await readContact(tx, store, order.customerId),
  rates: await listTaxRates(tx, store.id, order.id),
})

type Issued = { kind: InvoiceKind; orderId: string; refundId: string; content: InvoiceContent; nowMs: number }

/** Takes the next number last of all, because other invoices of the store wait for it until the commit. */
const issue = async (
  tx: Tx,
  store: Store,
  by: Author,
  { kind, orderId, refundId, content, nowMs }: Issued,
): Promise<InvoiceRow> => {
  const series = seriesOf(store, nowMs)
  const number = await takeNumber(tx, store.id, kind, series)
  const prefix = kind === 'invoice' ? store.invoicePrefix : 'CN-'
  const label = `${prefix}${series === '' ? '' : `${series}/`}${number}`
  if (!(await insertInvoice(tx, store.id, { kind, series, number, label, orderId, refundId, content }))) {
    throw refuse('INVOICE_NUMBER_TAKEN', { label })
  }
  const action = kind === 'invoice' ? 'order.invoiced' : 'order.credited'
  recordChange(tx, store, by, { action, id: orderId, changes: { [kind]: { before: null, after: label } } })
  return mustExist(await findInvoice(tx, store.id, orderId, kind, refundId), `invoice ${label}`)
}

/** The financial year of the store, such as 26-27, or empty. */
export const seriesOf = (
  { invoiceYearStart: start, timezone }: Pick<Store, 'invoiceYearStart' | 'timezone'>,
  nowMs: number,
): string => {
  if (start === null) return ''
  const { year, month } = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone)
  if (start === 1) return String(year)
  const first = month >= start ? year : year - 1
  const short = (one: number) => String(one % 100).padStart(2, '0')
  return `${short(first)}-${short(first + 1)}`
}
