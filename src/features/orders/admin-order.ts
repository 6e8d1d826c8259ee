import { toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries } from '../../db/database.ts'
import { readContact } from '../accounts/customer.ts'
import type { AdminCtx, Services, Store } from '../context.ts'
import type { AdminOrder, OrderNote } from './admin-order.contract.ts'
import * as sql from './admin-order.sql.ts'
import type { Order } from './order.contract.ts'
import { type FullOrderRow, readOrder } from './orders.sql.ts'
import { readRefundedUnshipped, unitsOf, unitsShipped, unitsToShip } from './shipment-units.ts'
import { showOrder } from './show-order.ts'
import { findOrder } from './store-orders.ts'

export type AdminOrderCtx = Pick<Services, 'publicUrl'> & { db: Queries; store: Store }

/** The id of an order of the store, which is named by its id or its number. */
export const findOrderIdInStore = async ({ db, store }: Pick<AdminOrderCtx, 'db' | 'store'>, name: string) =>
  (await findOrder(db, name, store.publicId)).order.id

/** Everything about an order, for the merchant. */
export const readAdminOrder = async (ctx: AdminOrderCtx, orderId: string): Promise<AdminOrder> => {
  const { db, store } = ctx
  const order = mustExist(await readOrder(db, store.id, orderId), `order ${orderId}`)
  const shown = showOrder(ctx, order)
  const shipments = await sql.listShipmentDetails(db, store.id, orderId)
  const refunds = await sql.listRefundDetails(db, store.id, orderId)
  const messages = await sql.listOrderMessages(db, store.id, orderId)
  const notes = (await sql.listNotes(db, store.id, orderId)).map(showNote)
  const changes = await sql.listOrderChanges(db, store.id, orderId)
  return {
    ...shown,
    needsAttention: order.needsAttention,
    items: await showUnits(ctx, order, shown.items),
    customer: await readContact(db, store, order.customerId),
    shipments: shown.shipments.map((shipment) => {
      const { carrier, labelUrl, pickupAt } = detailOf(shipments, shipment.id)
      return { ...shipment, carrier, labelUrl, pickupAt: pickupAt?.toISOString() ?? null }
    }),
    refunds: shown.refunds.map((refund) => ({ ...refund, ...detailOf(refunds, refund.id) })),
    payments: (await sql.listPaymentAttempts(db, store.id, orderId)).map(showPaymentAttempt),
    downloads: (await sql.listOrderDownloads(db, store.id, orderId)).map(({ expiresAt, createdAt, ...download }) => ({
      ...download,
      expiresAt: expiresAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
    })),
    messages: messages.map(({ createdAt, finishedAt, ...message }) => ({
      ...message,
      createdAt: createdAt.toISOString(),
      finishedAt: finishedAt?.toISOString() ?? null,
    })),
    notes,
    invoices: (await sql.listInvoicesOfOrder(db, store.id, orderId)).map(({ issuedAt, ...invoice }) => ({
      ...invoice,
      issuedAt: issuedAt.toISOString(),
    })),
    timeline: mergeTimeline(order, messages, notes, changes),
  }
}

/** What has become of the units of each line. */
const showUnits = async (
  ctx: Pick<AdminOrderCtx, 'db' | 'store'>,
  order: FullOrderRow,
  items: Order['items'],
): Promise<AdminOrder['items']> => {
  const { status, shipments, lines } = order
  const isOver = ['cancelled', 'refunded', 'delivered'].includes(status) || order.paymentStatus === 'refunded'
  const left = isOver ? [] : unitsToShip(order, shipments, await readRefundedUnshipped(ctx.db, ctx, order))
  return items.map((item) => {
    const line = detailOf(lines, item.id)
    const isRefunded = order.paymentStatus === 'refunded'
    return {
      ...item,
      shipped: unitsShipped(line, shipments),
      refunded: isRefunded ? line.quantity : line.refunded,
      toShip: unitsOf(left, item.id),
    }
  })
}

/** The answer of a call that changes an order. Personal data are for callers who may read orders. */
export const answerAdminOrder = async (ctx: AdminCtx, orderId: string): Promise<{ body: AdminOrder }> => {
  const order = await readAdminOrder(ctx, orderId)
  return { body: ctx.permissions.has('orders:read') ? order : hidePersonalData(order) }
}

const hidePersonalData = (order: AdminOrder): AdminOrder => ({
  ...order,
  ...{ customer: { id: '', name: '', email: '', phone: '' }, shippingAddress: null, billingAddress: null, note: '' },
  ...{ payment: null, notes: [], messages: [] },
  timeline: order.timeline.filter(({ kind }) => kind === 'event' || kind === 'change'),
})

const detailOf = <Detail extends { id: string }>(details: readonly Detail[], id: string): Detail =>
  mustExist(
    details.find((detail) => detail.id === id),
    `the details of ${id}`,
  )

const showPaymentAttempt = ({ amountMinor, createdAt, updatedAt, ...payment }: sql.PaymentAttemptRow) => ({
  ...payment,
  amount: toWire(amountMinor, payment.currency),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const showNote = ({ createdAt, ...note }: sql.NoteRow): OrderNote => ({
  ...note,
  createdAt: createdAt.toISOString(),
})

/** What happened, what the customer was told, and what staff, programs and commands have written and changed. */
const mergeTimeline = (
  { timeline }: Pick<FullOrderRow, 'timeline'>,
  messages: readonly sql.OrderMessageRow[],
  notes: readonly OrderNote[],
  changes: readonly sql.OrderChangeRow[],
): AdminOrder['timeline'] =>
  [
    ...timeline.map(({ at, type, message }) => {
      return { at: new Date(at).toISOString(), kind: 'event' as const, type, message, author: null }
    }),
    ...messages.map(({ name, recipient, state, error, createdAt, finishedAt }) => ({
      ...{ at: (finishedAt ?? createdAt).toISOString(), kind: 'message' as const, type: name, author: null },
      message: describeMessage(name, state, recipient, error),
    })),
    ...notes.map(({ text, authorName, createdAt }) => {
      return { at: createdAt, kind: 'note' as const, type: 'note', message: text, author: authorName }
    }),
    ...changes
      .filter(({ action }) => action !== 'order.noted')
      .map(({ at, action, actorName }) => {
        const message = changeTexts[action] ?? action
        return { at: at.toISOString(), kind: 'change' as const, type: action, message, author: actorName }
      }),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))

const describeMessage = (name: string, state: string, recipient: string | null, error: string) => {
  const mail = `The mail ${name}${recipient === null ? '' : ` to ${recipient}`}`
  if (state === 'waiting') return `${mail} waits to be sent.`
  return state === 'sent' ? `${mail} was sent.` : `${mail} was not sent: ${error}`
}

const changeTexts: Readonly<Record<string, string>> = {
  'order.shipped': 'Added a shipment.',
  'order.parcel_labelled': 'Had a label made.',
  'order.parcel_pickup': 'Asked for a pickup.',
  'order.parcel_cancelled': 'Cancelled a parcel.',
  'order.delivered': 'Marked the order as delivered.',
  'order.cancelled': 'Cancelled the order.',
  'order.refunded': 'Requested a refund.',
  'order.resolved': 'Resolved what needed attention.',
  'order.message_resent': 'Sent a mail again.',
  'order.invoiced': 'Issued an invoice.',
  'order.credited': 'Issued a credit note.',
}
