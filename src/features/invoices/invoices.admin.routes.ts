import { fail } from '../../core/errors.ts'
import type { Answer } from '../../http/endpoint.ts'
import { readContact } from '../accounts/customer.ts'
import { type AdminCtx, adminRoutes } from '../context.ts'
import { findOrderIdInStore } from '../orders/admin-order.ts'
import { readRefundedUnshipped, unitsToShip } from '../orders/shipment-units.ts'
import { findOrder } from '../orders/store-orders.ts'
import { invoicePage } from './invoice-page.ts'
import { invoicesAdminContract } from './invoices.admin.contract.ts'
import type { InvoiceRow } from './invoices.sql.ts'
import { issueCreditNote, issueInvoice, readInvoice } from './invoices.ts'
import { type PackedOrder, packingSlipPage } from './packing-slip.ts'
import { printPageHeaders } from './print-page.ts'

/** Of one page. */
const maxSlips = 100

const readPacked = async (ctx: AdminCtx, name: string): Promise<PackedOrder> => {
  const { order } = await findOrder(ctx.db, name, ctx.store.publicId)
  return { order, customer: await readContact(ctx.db, ctx.store, order.customerId) }
}

export const invoiceAdminRoutes = adminRoutes(invoicesAdminContract, {
  adminIssueInvoice: async ({ ctx, params, body }) => {
    const orderId = await findOrderIdInStore(ctx, params.id)
    const wanted = { nowMs: ctx.clock.now(), taxId: body?.taxId }
    return answerIssued(await ctx.db.tx((tx) => issueInvoice(tx, ctx, ctx.by, orderId, wanted)))
  },
  adminGetInvoice: async ({ ctx, params }) => {
    const { order } = await findOrder(ctx.db, params.id, ctx.store.publicId)
    return { body: invoicePage(await readInvoice(ctx.db, ctx, order)), headers: printPageHeaders }
  },
  adminIssueCreditNote: async ({ ctx, params }) => {
    const orderId = await findOrderIdInStore(ctx, params.id)
    const wanted = { nowMs: ctx.clock.now(), refundId: params.refundId }
    return answerIssued(await ctx.db.tx((tx) => issueCreditNote(tx, ctx, ctx.by, orderId, wanted)))
  },
  adminGetCreditNote: async ({ ctx, params }) => {
    const { order } = await findOrder(ctx.db, params.id, ctx.store.publicId)
    return { body: invoicePage(await readInvoice(ctx.db, ctx, order, params.refundId)), headers: printPageHeaders }
  },
  adminGetPackingSlip: async ({ ctx, params, query }) => {
    const { shipmentId, left: isLeft = false } = query
    if (isLeft && shipmentId !== undefined) throw fail('BAD_REQUEST', 'Send either left or shipmentId.')
    const packed = await readPacked(ctx, params.id)
    const { order } = packed
    const left = isLeft
      ? unitsToShip(order, order.shipments, await readRefundedUnshipped(ctx.db, ctx, order))
      : undefined
    return { body: packingSlipPage(ctx.store, [{ ...packed, shipmentId, left }]), headers: printPageHeaders }
  },
  adminGetPackingSlips: async ({ ctx, query }) => {
    const names = [...new Set(query.orders.split(',').map((name) => name.trim()))].filter((name) => name !== '')
    if (names.length === 0 || names.length > maxSlips) {
      throw fail('BAD_REQUEST', `orders must name 1 to ${maxSlips} orders.`)
    }
    const packed: PackedOrder[] = []
    for (const name of names) packed.push(await readPacked(ctx, name))
    return { body: packingSlipPage(ctx.store, packed), headers: printPageHeaders }
  },
})

export const showInvoice = ({ label, kind, refundId, issuedAt }: InvoiceRow) => ({
  ...{ number: label, kind, refundId: refundId || null, issuedAt: issuedAt.toISOString() },
})

const answerIssued = ({
  invoice,
  isNew,
}: {
  invoice: InvoiceRow
  isNew: boolean
}): Answer<ReturnType<typeof showInvoice>> => ({ body: showInvoice(invoice), status: isNew ? 201 : 200 })
