import type { Language } from '../../core/languages.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Store } from '../context.ts'
import type { PostalAddress } from '../orders/order.contract.ts'
import type { FullOrderRow, OrderLineRow } from '../orders/orders.sql.ts'
import type { TaxOfRate } from '../payments/refunds.sql.ts'

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
    ...showHead(source),
    ...{ invoiceLabel: '', reason: '' },
    lines: order.lines.map((line) => showLine(source, line)),
    subtotalMinor: order.subtotalMinor,
    discountMinor: order.discountMinor,
    shippingMinor: order.shippingMinor,
    taxes: sumTaxes(source),
    totalMinor: order.totalMinor,
  }
}

export const showHead = ({ store, language, order, customer, buyerTaxId }: InvoiceSource) => {
  const address = order.billingAddress ?? order.shippingAddress
  return {
    ...{ language, locale: store.locale, timezone: store.timezone, currency: order.currency },
    ...{ taxIncluded: order.taxIncluded, orderNumber: String(order.number), orderedAt: order.createdAt.toISOString() },
    seller: {
      ...{
        name: store.name,
        lines: store.address === null ? [] : addressLines(store.address, store.locale),
        taxId: store.taxId,
      },
      ...{ email: store.contact.email, phone: store.contact.phone },
    },
    buyer: {
      ...{ name: address?.name || customer.name, lines: address === null ? [] : addressLines(address, store.locale) },
      ...{ taxId: buyerTaxId, email: customer.email, phone: address?.phone || customer.phone },
    },
  }
}

/** Without the name and the phone number. The country is written in the language of the store. */
export const addressLines = (
  {
    line1,
    line2 = '',
    landmark = '',
    city,
    state,
    postalCode,
    country,
  }: Pick<PostalAddress, 'line1' | 'city' | 'state' | 'postalCode' | 'country'> & Partial<PostalAddress>,
  locale: string,
) => {
  // Of an erased address it is no code.
  const countryName = /^[A-Z]{2}$/.test(country) ? new Intl.DisplayNames(locale, { type: 'region' }).of(country) : ''
  const place = [postalCode, city].filter(Boolean).join(' ')
  return [line1, line2, landmark, place, state, countryName || country].filter(Boolean)
}

export const rateOf = ({ rates }: InvoiceSource, line: OrderLineRow) =>
  mustExist(
    rates.find(({ id }) => id === line.id),
    `the tax rate of line ${line.id}`,
  ).rate

export const nameOfLine = ({ name, variant }: OrderLineRow) => [name, variant].filter(Boolean).join(', ')

/** With its tax. */
export const paidForLine = (
  { taxIncluded }: Pick<FullOrderRow, 'taxIncluded'>,
  { lineTotalMinor, discountMinor, taxMinor }: OrderLineRow,
) => lineTotalMinor - discountMinor + (taxIncluded ? 0 : taxMinor)

const showLine = (source: InvoiceSource, line: OrderLineRow): InvoiceLine => {
  const { sku, quantity, unitMinor, discountMinor, taxMinor } = line
  return {
    ...{ name: nameOfLine(line), sku, quantity, unitMinor, discountMinor },
    ...{ taxRate: rateOf(source, line), taxMinor, totalMinor: paidForLine(source.order, line) },
  }
}

/** By rate, highest first. The base is without the tax. */
const sumTaxes = (source: InvoiceSource): TaxOfRate[] => {
  const { order } = source
  const byRate = new Map<number, TaxOfRate>()
  for (const line of order.lines) {
    const rate = rateOf(source, line)
    const sum = byRate.get(rate) ?? { rate, baseMinor: 0, taxMinor: 0 }
    sum.baseMinor += paidForLine(order, line) - line.taxMinor
    sum.taxMinor += line.taxMinor
    byRate.set(rate, sum)
  }
  return [...byRate.values()].filter(({ rate }) => rate > 0).toSorted((a, b) => b.rate - a.rate)
}
