import type { FullOrderRow, OrderLineRow, OrderRefundRow } from '../orders/orders.sql.ts'
import {
  type InvoiceContent,
  type InvoiceLine,
  type InvoiceSource,
  nameOfLine,
  paidForLine,
  rateOf,
  showHead,
  type TaxOfRate,
} from './invoice-content.ts'

/** Of a refund of lines, or of an amount, whose tax is the same share of each rate. */
export const writeCreditNote = (
  source: InvoiceSource,
  refund: OrderRefundRow,
  invoice: { label: string; content: InvoiceContent },
): InvoiceContent => {
  const { lines, taxes } = creditOf(source, refund)
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

type CreditedLine = { line: OrderLineRow; units: number; totalMinor: number; taxMinor: number }
type Credit = { lines: CreditedLine[]; taxes: TaxOfRate[] }
type LeftOfRate = { rate: number; paidMinor: number; taxMinor: number }

/** What the refunds before have left of an order: units of each line, money, and money and tax of each rate. */
type Left = { unitsBefore: Map<string, number>; paidMinor: number; rates: LeftOfRate[] }

/**
 * Each refund credits a part of what those before it have left, so that the tax of all credit notes together is never
 * more than that of the invoice, and the same when everything is refunded.
 */
const creditOf = (source: InvoiceSource, refund: OrderRefundRow): Credit => {
  const { order } = source
  const left = newLeft(source)
  for (const one of order.refunds) {
    if (one.isOfDuplicate || (one.status === 'failed' && one.id !== refund.id)) continue
    const credit = one.items.length > 0 ? creditLines(source, left, one) : creditAmount(left, one.amountMinor)
    if (one.id === refund.id) return credit
    take(left, one, credit)
  }
  throw new Error(`order ${order.id} has no refund ${refund.id}`)
}

const newLeft = (source: InvoiceSource): Left => {
  const byRate = new Map<number, LeftOfRate>()
  for (const line of source.order.lines) {
    const rate = rateOf(source, line)
    if (rate === 0) continue
    const { paidMinor, taxMinor } = byRate.get(rate) ?? { paidMinor: 0, taxMinor: 0 }
    byRate.set(rate, {
      rate,
      paidMinor: paidMinor + paidForLine(source.order, line),
      taxMinor: taxMinor + line.taxMinor,
    })
  }
  const rates = [...byRate.values()].toSorted((a, b) => b.rate - a.rate)
  return { unitsBefore: new Map(), paidMinor: source.order.totalMinor, rates }
}

/** Takes its shares at the same places as the refund, so that those of all units add up exactly. */
const creditLines = (source: InvoiceSource, left: Left, { items, amountMinor }: OrderRefundRow): Credit => {
  const lines = items.flatMap(({ id, quantity: units }) =>
    source.order.lines.filter((line) => line.id === id).map((line) => creditUnits(source.order, left, line, units)),
  )
  const last = lines.at(-1)
  // Some providers refund only rounded amounts.
  if (last !== undefined) last.totalMinor += amountMinor - lines.reduce((sum, { totalMinor }) => sum + totalMinor, 0)
  const taxes = left.rates.flatMap(({ rate, taxMinor: taxLeft }): TaxOfRate[] => {
    const ofRate = lines.filter(({ line }) => rateOf(source, line) === rate)
    if (ofRate.length === 0) return []
    const taxMinor = Math.min(taxLeft, sumOf(ofRate, 'taxMinor'))
    return [{ rate, baseMinor: sumOf(ofRate, 'totalMinor') - taxMinor, taxMinor }]
  })
  return { lines, taxes }
}

const sumOf = (lines: readonly CreditedLine[], amount: 'taxMinor' | 'totalMinor') =>
  lines.reduce((sum, line) => sum + line[amount], 0)

const creditUnits = (order: FullOrderRow, left: Left, line: OrderLineRow, units: number): CreditedLine => {
  const before = left.unitsBefore.get(line.id) ?? 0
  const shareOf = (minor: number) => {
    const upTo = (count: number) => Math.floor((minor * count) / line.quantity)
    return upTo(before + units) - upTo(before)
  }
  return { line, units, totalMinor: shareOf(paidForLine(order, line)), taxMinor: shareOf(line.taxMinor) }
}

const creditAmount = (left: Left, amountMinor: number): Credit => {
  const upTo = (minor: number) => (left.paidMinor === 0 ? 0 : Math.round((minor * amountMinor) / left.paidMinor))
  let before = 0
  const taxes = left.rates.map(({ rate, paidMinor, taxMinor: taxLeft }): TaxOfRate => {
    const creditedMinor = upTo(before + paidMinor) - upTo(before)
    before += paidMinor
    const taxMinor = paidMinor === 0 ? 0 : Math.round((taxLeft * creditedMinor) / paidMinor)
    return { rate, baseMinor: creditedMinor - taxMinor, taxMinor }
  })
  return { lines: [], taxes: taxes.filter(({ baseMinor, taxMinor }) => baseMinor + taxMinor > 0) }
}

const take = (left: Left, { amountMinor, items }: OrderRefundRow, { taxes }: Credit) => {
  left.paidMinor = Math.max(0, left.paidMinor - amountMinor)
  for (const { id, quantity } of items) left.unitsBefore.set(id, (left.unitsBefore.get(id) ?? 0) + quantity)
  left.rates = left.rates.map((one) => {
    const { baseMinor = 0, taxMinor = 0 } = taxes.find(({ rate }) => rate === one.rate) ?? {}
    return {
      rate: one.rate,
      paidMinor: Math.max(0, one.paidMinor - baseMinor - taxMinor),
      taxMinor: one.taxMinor - taxMinor,
    }
  })
}

/** The discount is what is missing to the price, so that the line adds up. */
const showCredited = (source: InvoiceSource, { line, units, totalMinor, taxMinor }: CreditedLine): InvoiceLine => {
  const fullMinor = line.unitMinor * units + (source.order.taxIncluded ? 0 : taxMinor)
  return {
    ...{ name: nameOfLine(line), sku: line.sku, quantity: units, unitMinor: line.unitMinor },
    ...{ discountMinor: Math.max(0, fullMinor - totalMinor), taxRate: rateOf(source, line), taxMinor, totalMinor },
  }
}
