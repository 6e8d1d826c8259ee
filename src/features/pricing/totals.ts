import { fail } from '../../core/errors.ts'
import { mustExist } from '../../core/must-exist.ts'

/**
 * Computes the totals of a cart or order from plain numbers. Cart and checkout share it, so that shoppers are charged
 * what they were shown. All amounts are in minor units, so the currency does not matter.
 */
export type PricedLine = {
  unitMinor: number
  quantity: number
  /** Percent with up to three decimals. */
  taxRate: number
  digital: boolean
  /** Whether the discount applies to this line. */
  inScope: boolean
}

export type Discount =
  /** Thousandths of a percent. */
  | { kind: 'percent'; value: number }
  /** Minor units. */
  | { kind: 'fixed'; value: number }

export type PriceRules = {
  discount: Discount | null
  taxIncluded: boolean
  shippingFlatMinor: number
  shippingFreeAboveMinor: number | null
}

export type LineTotals = { lineTotalMinor: number; discountMinor: number; taxMinor: number }

export type Totals = {
  subtotalMinor: number
  discountMinor: number
  shippingMinor: number
  taxMinor: number
  totalMinor: number
  lines: LineTotals[]
}

/**
 * The maximum subtotal of an order. Tax is at most 100 % and shipping at most 10^12, so a total stays below
 * 8.001 * 10^15, and all amounts are exact as numbers. A single line always fits: 999 times a price of at most 10^12.
 */
export const maxSubtotalMinor = 4_000_000_000_000_000

export const computeTotals = (lines: readonly PricedLine[], rules: PriceRules): Totals => {
  const subtotalMinor = sum(lines.map(lineTotal))
  // Beyond the limit the sum may be inexact, but it still exceeds the limit.
  if (subtotalMinor > maxSubtotalMinor) throw fail('CONFLICT', 'The subtotal exceeds the maximum of a single order.')

  const shares = lines.map((line) => ({ minor: line.inScope ? lineTotal(line) : 0, taxRate: line.taxRate }))
  const discountMinor = discountOn(sumMinor(shares), rules.discount)
  const discounts = distributeDiscount(discountMinor, shares)
  const totals = lines.map((line, i): LineTotals => {
    const lineTotalMinor = lineTotal(line)
    const discount = mustExist(discounts[i], 'the discount of a line')
    const taxMinor = taxOn(lineTotalMinor - discount, line.taxRate, rules.taxIncluded)
    return { lineTotalMinor, discountMinor: discount, taxMinor }
  })
  const taxMinor = sum(totals.map((line) => line.taxMinor))
  const shippingMinor = shippingFor(lines, subtotalMinor, rules)
  return {
    subtotalMinor,
    discountMinor,
    shippingMinor,
    taxMinor,
    totalMinor: subtotalMinor - discountMinor + shippingMinor + (rules.taxIncluded ? 0 : taxMinor),
    lines: totals,
  }
}

const lineTotal = ({ unitMinor, quantity }: PricedLine) => unitMinor * quantity

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)

/** The amount of a line that the discount applies to. */
type Share = { minor: number; taxRate: number }

const sumMinor = (shares: readonly Share[]) => sum(shares.map(({ minor }) => minor))

const wholePercent = 100_000

const discountOn = (inScopeMinor: number, discount: Discount | null) => {
  if (discount === null) return 0
  if (discount.kind === 'fixed') return Math.min(discount.value, inScopeMinor)
  return share(inScopeMinor, discount.value, wholePercent)
}

/**
 * Distributes the discount over the lines by the largest remainder method: each part is rounded down, and the remaining
 * units go to the lines with the largest remainders, one each. A line without a remainder gets none, so no discount
 * exceeds its line. Ties go to the larger line, then to the higher tax rate, then to the earlier line, so the totals do
 * not depend on the order of the lines.
 */
const distributeDiscount = (discountMinor: number, shares: readonly Share[]): number[] => {
  if (discountMinor === 0) return shares.map(() => 0)
  const whole = BigInt(sumMinor(shares))
  const parts = shares.map(({ minor, taxRate }) => {
    const product = BigInt(discountMinor) * BigInt(minor)
    return { minor, taxRate, remainder: Number(product % whole), discount: Number(product / whole) }
  })
  const left = discountMinor - sum(parts.map(({ discount }) => discount))
  const byRemainder = parts.toSorted((a, b) => b.remainder - a.remainder || b.minor - a.minor || b.taxRate - a.taxRate)
  for (const part of byRemainder.slice(0, left)) part.discount++
  return parts.map(({ discount }) => discount)
}

/** If prices include tax, the tax is `price * rate / (100 % + rate)`. */
const taxOn = (minor: number, taxRate: number, taxIncluded: boolean) => {
  const rate = Math.round(taxRate * 1000)
  return share(minor, rate, taxIncluded ? wholePercent + rate : wholePercent)
}

/** `minor * part / whole`, rounded half up. BigInt, because the product can exceed the exact range of numbers. */
const share = (minor: number, part: number, whole: number) =>
  Number((2n * BigInt(minor) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)))

const shippingFor = (lines: readonly PricedLine[], subtotalMinor: number, rules: PriceRules) => {
  if (lines.every(({ digital }) => digital)) return 0
  const isFree = rules.shippingFreeAboveMinor !== null && subtotalMinor >= rules.shippingFreeAboveMinor
  return isFree ? 0 : rules.shippingFlatMinor
}
