import { type NoData, refusals } from './define.ts'

const { conflict, invalid, notFound } = refusals

/** Of the merchant's calls about orders. */
export const orderErrors = {
  INVOICE_NOT_ISSUED: notFound(({ order, refundId }: { order: string; refundId: string }) =>
    refundId === ''
      ? `The invoice of order ${order} is not issued yet.`
      : `The credit note of refund ${refundId} is not issued yet.`,
  ),
  INVOICE_TOO_EARLY: conflict(
    ({ order }: { order: string }) => `Order ${order} gets an invoice once it is paid. A cancelled order gets none.`,
  ),
  INVOICE_MISSING: conflict(
    ({ order }: { order: string }) => `Order ${order} has no invoice, so its refunds need no credit note.`,
  ),
  INVOICE_NUMBER_TAKEN: conflict(
    ({ label }: { label: string }) => `There is another ${label} already. Choose another prefix for invoices.`,
  ),
  REFUND_NOT_FOUND: notFound(
    ({ order, refundId }: { order: string; refundId: string }) => `Order ${order} has no refund ${refundId}.`,
  ),
  REFUND_NOT_MADE: conflict(
    ({ refundId, status }: { refundId: string; status: string }) => `The refund ${refundId} is ${status}.`,
  ),
  MAIL_SENDER_MISSING: conflict((_: NoData) => 'This service has no mail server, and sends no mail.'),
  NOTE_EMPTY: invalid((_: NoData) => 'A note must not be empty.'),
  ORDER_NOT_FLAGGED: conflict(({ order }: { order: string }) => `Order ${order} does not need attention.`),
}
