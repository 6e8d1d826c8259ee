import { mustExist } from '../../core/must-exist.ts'
import type { OrderRefundRow } from '../orders/orders.sql.ts'
import type { TaxedOrder } from '../payments/refund-taxes.sql.ts'
import { type CreditedLine, creditLines } from '../payments/refund-taxes.ts'
import { type InvoiceContent, type InvoiceLine, type InvoiceSource, nameOfLine, showHead } from './invoice-content.ts'

/** Of a refund of lines, or of an amount, whose tax is the same share of each rate. `taxed`: its order. */
export const writeCreditNote = (
  source: InvoiceSource,
  taxed: TaxedOrder,
  refund: OrderRefundRow,
  invoice: { label: string; content: InvoiceContent },
): InvoiceContent => {
  const at = taxed.refunds.findIndex(({ id }) => id === refund.id)
  const counted = mustExist(taxed.refunds[at], `the refund ${refund.id}`)
  const lines = creditLines({ ...taxed, refunds: taxed.refunds.slice(0, at) }, counted)
  const taxes = counted.taxes.filter(({ rate }) => rate > 0)
  const taxMinor = taxes.reduce((sum, tax) => sum + tax.taxMinor, 0)
  const amount = { name: '', sku: '', quantity: 1, unitMinor: null, discountMinor: 0, taxRate: null }
  return {
    ...showHead(source),
    // As on the invoice, also if the store or its address has changed since.
    ...{ seller: invoice.content.seller, buyer: invoice.content.buyer, invoiceLabel: invoice.label },
    reason: refund.reason,
    lines:
      lines.length > 0
        ? lines.map((line) => showCredited(source, line))
        : [{ ...amount, taxMinor, totalMinor: refund.amountMinor }],
    ...{ subtotalMinor: refund.amountMinor, discountMinor: 0, shippingMinor: 0 },
    taxes,
    totalMinor: refund.amountMinor,
  }
}

/** The discount is what is missing to the price, so that the line adds up. */
const showCredited = ({ order }: InvoiceSource, { line, units, totalMinor, taxMinor }: CreditedLine): InvoiceLine => {
  const ordered = mustExist(
    order.lines.find(({ id }) => id === line.id),
    `line ${line.id}`,
  )
  const fullMinor = ordered.unitMinor * units + (order.taxIncluded ? 0 : taxMinor)
  return {
    ...{ name: nameOfLine(ordered), sku: ordered.sku, quantity: units, unitMinor: ordered.unitMinor },
    ...{ discountMinor: Math.max(0, fullMinor - totalMinor), taxRate: line.rate, taxMinor, totalMinor },
  }
}
