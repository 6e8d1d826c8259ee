import { fail } from '../../core/errors.ts'
import { mustExist } from '../../core/must-exist.ts'

/**
 * What a cart or an order costs, from plain numbers. Cart and checkout both ask here, so that a shopper is charged what
 * was shown. Everything is in minor units, which makes the currency irrelevant.
 */
export type PricedLine = {
  unitMinor: number
  quantity: number
  /** Percent, with up to three decimals. */
  taxRate: number
  digital: boolean
  /** Whether the discount applies to it. */
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
 * The most that the lines of one order may come to. A tax is at most what it is levied on, and delivery costs at most
 * 10^12, so that a total stays below 8.001 * 10^15 and is, like all that it is made of, exact as a number. A single line
 * always fits: a price of 10^12 at most, 999 times.
 */
export const maxSubtotalMinor = 4_000_000_000_000_000

export const computeTotals = (lines: readonly PricedLine[], rules: PriceRules): Totals => {
  const subtotalMinor = sum(lines.map(lineTotal))
  // Not exact once it is beyond the bound, but beyond it all the same.
  if (subtotalMinor > maxSubtotalMinor) throw fail('CONFLICT', 'This is worth more than a single order can be.')

  const shares = lines.map((line) => ({ minor: line.inScope ? lineTotal(line) : 0, taxRate: line.taxRate }))
  const discountMinor = discountOn(sumMinor(shares), rules.discount)
  const discounts = spread(discountMinor, shares)
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

/** The part of a line that a discount applies to. */
type Share = { minor: number; taxRate: number }

const sumMinor = (shares: readonly Share[]) => sum(shares.map(({ minor }) => minor))

const wholePercent = 100_000

const discountOn = (inScopeMinor: number, discount: Discount | null) => {
  if (discount === null) return 0
  if (discount.kind === 'fixed') return Math.min(discount.value, inScopeMinor)
  return share(inScopeMinor, discount.value, wholePercent)
}

/**
 * Gives every line its part of the discount, rounded down, and what is left over to the lines that lost most by that,
 * one unit each. Only a line that lost something can get one, so none gets more than its total. Where two lost the same,
 * the larger one goes first, then the one with the higher tax, then the earlier: the sums do not depend on the order.
 */
const spread = (discountMinor: number, shares: readonly Share[]): number[] => {
  if (discountMinor === 0) return shares.map(() => 0)
  const whole = BigInt(sumMinor(shares))
  const parts = shares.map(({ minor, taxRate }) => {
    const product = BigInt(discountMinor) * BigInt(minor)
    return { minor, taxRate, lost: Number(product % whole), discount: Number(product / whole) }
  })
  const left = discountMinor - sum(parts.map(({ discount }) => discount))
  const byLoss = parts.toSorted((a, b) => b.lost - a.lost || b.minor - a.minor || b.taxRate - a.taxRate)
  for (const part of byLoss.slice(0, left)) part.discount++
  return parts.map(({ discount }) => discount)
}

/** A tax that is included is the part of the price that leaves the net price when it is taken away. */
const taxOn = (minor: number, taxRate: number, taxIncluded: boolean) => {
  const rate = Math.round(taxRate * 1000)
  return share(minor, rate, taxIncluded ? wholePercent + rate : wholePercent)
}

/** `minor * part / whole`, rounded half up. The product of two amounts is beyond what a number holds exactly. */
const share = (minor: number, part: number, whole: number) =>
  Number((2n * BigInt(minor) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)))

const shippingFor = (lines: readonly PricedLine[], subtotalMinor: number, rules: PriceRules) => {
  if (lines.every(({ digital }) => digital)) return 0
  const isFree = rules.shippingFreeAboveMinor !== null && subtotalMinor >= rules.shippingFreeAboveMinor
  return isFree ? 0 : rules.shippingFlatMinor
}
