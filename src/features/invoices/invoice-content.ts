import type { Language } from '../../core/languages.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Store } from '../context.ts'
import type { PostalAddress } from '../orders/order.contract.ts'
import type { FullOrderRow, OrderLineRow, OrderRefundRow } from '../orders/orders.sql.ts'

export type Party = { name: string; lines: readonly string[]; taxId: string; email: string; phone: string }

export type InvoiceLine = {
  name: string
  sku: string
  quantity: number
  /** Price of one unit; null on a credit note of an amount. */
  unitMinor: number | null
  discountMinor: number
  taxRate: number | null
  taxMinor: number
  /** What the line costs, with its tax. */
  totalMinor: number
}

export type TaxOfRate = { rate: number; baseMinor: number; taxMinor: number }

/** What an invoice or a credit note says. It is stored when it is issued, and never changes. */
export type InvoiceContent = {
  language: Language
  locale: string
  timezone: string
  currency: string
  taxIncluded: boolean
  orderNumber: string
  orderedAt: string
  /** The invoice that a credit note is about; empty on an invoice. */
  invoiceLabel: string
  reason: string
  seller: Party
  buyer: Party
  lines: readonly InvoiceLine[]
  subtotalMinor: number
  discountMinor: number
  shippingMinor: number
  taxes: readonly TaxOfRate[]
  totalMinor: number
}

export type InvoiceSource = {
  store: Store
  language: Language
  order: FullOrderRow
  customer: { name: string; email: string; phone: string }
  rates: readonly { id: string; rate: number }[]
  /** The buyer's number at the tax authority; empty if none. */
  buyerTaxId: string
}

export const writeInvoice = (source: InvoiceSource): InvoiceContent => {
  const { order } = source
  return {
    ...headOf(source),
    ...{ invoiceLabel: '', reason: '' },
    lines: order.lines.map((line) => showLine(source, line, line.quantity)),
    subtotalMinor: order.subtotalMinor,
    discountMinor: order.discountMinor,
    shippingMinor: order.shippingMinor,
    taxes: sumTaxes(source, (line) => line.quantity),
    totalMinor: order.totalMinor,
  }
}

/** Of a refund of lines, or of an amount, whose tax is the same share of each rate. */
export const writeCreditNote = (
  source: InvoiceSource,
  refund: OrderRefundRow,
  invoice: { label: string; content: InvoiceContent },
): InvoiceContent => {
  const { order } = source
  const unitsOf = ({ id }: OrderLineRow) => refund.items.find((item) => item.id === id)?.quantity ?? 0
  const isOfLines = refund.items.length > 0
  const part = (minor: number) => Math.round((minor * refund.amountMinor) / order.totalMinor)
  const amount = { name: '', sku: '', quantity: 1, unitMinor: null, discountMinor: 0, taxRate: null }
  const taxes = isOfLines
    ? sumTaxes(source, unitsOf)
    : invoice.content.taxes.map((tax) => {
        return { rate: tax.rate, baseMinor: part(tax.baseMinor), taxMinor: part(tax.taxMinor) }
      })
  const taxMinor = taxes.reduce((sum, tax) => sum + tax.taxMinor, 0)
  return {
    ...headOf(source),
    // As on the invoice, also if the store or its address has changed since.
    ...{ seller: invoice.content.seller, buyer: invoice.content.buyer, invoiceLabel: invoice.label },
    reason: refund.reason,
    lines: isOfLines
      ? order.lines.filter((line) => unitsOf(line) > 0).map((line) => showLine(source, line, unitsOf(line)))
      : [{ ...amount, taxMinor, totalMinor: refund.amountMinor }],
    ...{ subtotalMinor: refund.amountMinor, discountMinor: 0, shippingMinor: 0 },
    taxes,
    totalMinor: refund.amountMinor,
  }
}

const headOf = ({ store, language, order, customer, buyerTaxId }: InvoiceSource) => {
  const address = order.billingAddress ?? order.shippingAddress
  return {
    ...{ language, locale: store.locale, timezone: store.timezone, currency: order.currency },
    ...{ taxIncluded: order.taxIncluded, orderNumber: String(order.number), orderedAt: order.createdAt.toISOString() },
    seller: {
      ...{ name: store.name, lines: store.address === null ? [] : addressLines(store.address), taxId: store.taxId },
      ...{ email: store.contact.email, phone: store.contact.phone },
    },
    buyer: {
      ...{ name: address?.name || customer.name, lines: address === null ? [] : addressLines(address) },
      ...{ taxId: buyerTaxId, email: customer.email, phone: address?.phone || customer.phone },
    },
  }
}

/** Without the name and the phone number. */
export const addressLines = ({
  line1,
  line2 = '',
  landmark = '',
  city,
  state,
  postalCode,
  country,
}: Pick<PostalAddress, 'line1' | 'city' | 'state' | 'postalCode' | 'country'> & Partial<PostalAddress>) =>
  [line1, line2, landmark, [postalCode, city].filter(Boolean).join(' '), state, country].filter(Boolean)

/** A part of an amount of a line, for some of its units. */
const share = (minor: number, units: number, { quantity }: OrderLineRow) => Math.floor((minor * units) / quantity)

const rateOf = ({ rates }: InvoiceSource, line: OrderLineRow) =>
  mustExist(
    rates.find(({ id }) => id === line.id),
    `the tax rate of line ${line.id}`,
  ).rate

const showLine = (source: InvoiceSource, line: OrderLineRow, units: number): InvoiceLine => {
  const { lineTotalMinor, discountMinor, taxMinor } = line
  const paid = lineTotalMinor - discountMinor + (source.order.taxIncluded ? 0 : taxMinor)
  return {
    ...{ name: [line.name, line.variant].filter(Boolean).join(', '), sku: line.sku, quantity: units },
    ...{ unitMinor: line.unitMinor, discountMinor: share(discountMinor, units, line) },
    ...{ taxRate: rateOf(source, line), taxMinor: share(taxMinor, units, line), totalMinor: share(paid, units, line) },
  }
}

/** By rate, highest first. The base is without the tax. */
const sumTaxes = (source: InvoiceSource, unitsOf: (line: OrderLineRow) => number): TaxOfRate[] => {
  const { order } = source
  const byRate = new Map<number, TaxOfRate>()
  for (const line of order.lines) {
    const units = unitsOf(line)
    const rate = rateOf(source, line)
    if (units === 0) continue
    const sum = byRate.get(rate) ?? { rate, baseMinor: 0, taxMinor: 0 }
    const net = line.lineTotalMinor - line.discountMinor - (order.taxIncluded ? line.taxMinor : 0)
    sum.baseMinor += share(net, units, line)
    sum.taxMinor += share(line.taxMinor, units, line)
    byRate.set(rate, sum)
  }
  return [...byRate.values()].filter(({ rate }) => rate > 0).toSorted((a, b) => b.rate - a.rate)
}
