import { mustExist } from '../../core/must-exist.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { type PaidLine, readTaxedOrder, type TaxedOrder } from './refund-taxes.sql.ts'
import type { RefundedItem, TaxOfRate } from './refunds.sql.ts'

type Credited = { amountMinor: number; items: readonly RefundedItem[] }

/** The tax by rate that a refund of a locked order returns, after the refunds that count already. */
export const taxesOfRefund = async (tx: Tx, storeId: StoreId, orderId: string, refund: Credited) =>
  creditTaxes(mustExist(await readTaxedOrder(tx, storeId, orderId), `order ${orderId}`), refund)

type LeftOfRate = { rate: number; paidMinor: number; taxMinor: number }

/** What refunds have left of an order: money in all, and money and tax of each rate. The rest of the money is shipping. */
type Left = { paidMinor: number; rates: readonly LeftOfRate[] }

/**
 * Each refund returns a part of what those before it have left, so that the tax of all refunds together is never more
 * than that of the order, and the same when everything is refunded.
 */
export const creditTaxes = (order: TaxedOrder, refund: Credited): TaxOfRate[] => {
  const left = order.refunds.reduce((rest, { amountMinor, taxes }) => take(rest, amountMinor, taxes), newLeft(order))
  const lines = creditLines(order, refund)
  const ofLines = lines.length === 0 ? [] : takeLines(left, lines)
  const ofLinesMinor = sumPaid(ofLines)
  const rest = take(left, ofLinesMinor, ofLines)
  // An amount, or what lines cost beyond what earlier amounts have left of their rate.
  const ofAmount = creditAmount(rest, Math.min(refund.amountMinor - ofLinesMinor, rest.paidMinor))
  return left.rates
    .map(({ rate }) => {
      const both = [...ofLines, ...ofAmount].filter((tax) => tax.rate === rate)
      return {
        rate,
        baseMinor: both.reduce((sum, { baseMinor }) => sum + baseMinor, 0),
        taxMinor: both.reduce((sum, { taxMinor }) => sum + taxMinor, 0),
      }
    })
    .filter(({ baseMinor, taxMinor }) => baseMinor !== 0 || taxMinor !== 0)
}

const newLeft = ({ totalMinor, lines }: TaxedOrder): Left => {
  const byRate = new Map<number, LeftOfRate>()
  for (const { rate, paidMinor, taxMinor } of lines) {
    const sum = byRate.get(rate) ?? { rate, paidMinor: 0, taxMinor: 0 }
    byRate.set(rate, { rate, paidMinor: sum.paidMinor + paidMinor, taxMinor: sum.taxMinor + taxMinor })
  }
  return { paidMinor: totalMinor, rates: [...byRate.values()].toSorted((a, b) => b.rate - a.rate) }
}

const sumPaid = (taxes: readonly TaxOfRate[]) =>
  taxes.reduce((sum, { baseMinor, taxMinor }) => sum + baseMinor + taxMinor, 0)

const take = (left: Left, amountMinor: number, taxes: readonly TaxOfRate[]): Left => ({
  paidMinor: Math.max(0, left.paidMinor - amountMinor),
  rates: left.rates.map((one) => {
    const { baseMinor, taxMinor } = taxes.find(({ rate }) => rate === one.rate) ?? { baseMinor: 0, taxMinor: 0 }
    return {
      rate: one.rate,
      paidMinor: Math.max(0, one.paidMinor - baseMinor - taxMinor),
      taxMinor: Math.max(0, one.taxMinor - taxMinor),
    }
  }),
})

export type CreditedLine = { line: PaidLine; units: number; totalMinor: number; taxMinor: number }

/** Takes its shares at the same places as the refund, so that those of all units add up exactly. */
export const creditLines = (order: TaxedOrder, { items, amountMinor }: Credited): CreditedLine[] => {
  const unitsBefore = new Map<string, number>()
  for (const { id, quantity } of order.refunds.flatMap((refund) => refund.items)) {
    unitsBefore.set(id, (unitsBefore.get(id) ?? 0) + quantity)
  }
  const lines = items.flatMap(({ id, quantity }) =>
    order.lines
      .filter((line) => line.id === id)
      .map((line) => creditUnits(line, unitsBefore.get(line.id) ?? 0, quantity)),
  )
  const last = lines.at(-1)
  // Some providers refund only rounded amounts.
  if (last !== undefined) last.totalMinor += amountMinor - lines.reduce((sum, { totalMinor }) => sum + totalMinor, 0)
  return lines
}

const creditUnits = (line: PaidLine, before: number, units: number): CreditedLine => {
  const shareOf = (minor: number) => {
    const upTo = (count: number) => Math.floor((minor * count) / line.quantity)
    return upTo(before + units) - upTo(before)
  }
  return { line, units, totalMinor: shareOf(line.paidMinor), taxMinor: shareOf(line.taxMinor) }
}

/** At most what is left of each rate. */
const takeLines = (left: Left, lines: readonly CreditedLine[]): TaxOfRate[] =>
  left.rates.map(({ rate, paidMinor, taxMinor: taxLeft }) => {
    const ofRate = lines.filter(({ line }) => line.rate === rate)
    const wanted = ofRate.reduce((sum, { totalMinor }) => sum + totalMinor, 0)
    const taken = Math.min(paidMinor, wanted)
    const tax = ofRate.reduce((sum, { taxMinor }) => sum + taxMinor, 0)
    const taxMinor = taken === paidMinor ? taxLeft : Math.max(0, Math.min(taxLeft, tax, taken))
    return { rate, baseMinor: taken - taxMinor, taxMinor }
  })

/** The same share of each rate. */
const creditAmount = (left: Left, amountMinor: number): TaxOfRate[] => {
  const upTo = (minor: number) => (left.paidMinor === 0 ? 0 : Math.round((minor * amountMinor) / left.paidMinor))
  let before = 0
  return left.rates.map(({ rate, paidMinor, taxMinor: taxLeft }) => {
    const taken = upTo(before + paidMinor) - upTo(before)
    before += paidMinor
    const taxMinor = paidMinor === 0 ? 0 : Math.round((taxLeft * taken) / paidMinor)
    return { rate, baseMinor: taken - taxMinor, taxMinor }
  })
}
