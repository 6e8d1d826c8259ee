import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maxMinor } from '../../core/money.ts'
import { computeTotals, type Discount, maxSubtotalMinor, type PricedLine, type PriceRules } from './totals.ts'

const plain: PriceRules = { discount: null, taxIncluded: false, shippingFlatMinor: 0, shippingFreeAboveMinor: null }

const line = (unitMinor: number, change: Partial<PricedLine> = {}): PricedLine => ({
  ...{ unitMinor, quantity: 1, taxRate: 0, digital: false, inScope: true },
  ...change,
})

const percent = (value: number): Discount => ({ kind: 'percent', value: value * 1000 })
const fixed = (value: number): Discount => ({ kind: 'fixed', value })

const discountsOf = (lines: PricedLine[], discount: Discount) =>
  computeTotals(lines, { ...plain, discount }).lines.map(({ discountMinor }) => discountMinor)
const taxOf = (only: PricedLine, taxIncluded = false) => computeTotals([only], { ...plain, taxIncluded }).taxMinor
const shippingOf = (lines: PricedLine[], shippingFreeAboveMinor: number | null = null, discount?: Discount) =>
  computeTotals(lines, { ...plain, discount: discount ?? null, shippingFlatMinor: 79, shippingFreeAboveMinor })
    .shippingMinor

test('the total is subtotal minus discount plus shipping, plus tax if prices exclude it', () => {
  const lines = [line(10_000, { quantity: 2, taxRate: 18 }), line(5_000, { taxRate: 5 })]
  const rules = { discount: percent(10), shippingFlatMinor: 7_900, shippingFreeAboveMinor: null }
  assert.deepEqual(computeTotals(lines, { ...rules, taxIncluded: false }), {
    subtotalMinor: 25_000,
    discountMinor: 2_500,
    shippingMinor: 7_900,
    taxMinor: 3_240 + 225,
    totalMinor: 25_000 - 2_500 + 7_900 + 3_465,
    lines: [
      { lineTotalMinor: 20_000, discountMinor: 2_000, taxMinor: 3_240 },
      { lineTotalMinor: 5_000, discountMinor: 500, taxMinor: 225 },
    ],
  })
  const included = computeTotals(lines, { ...rules, taxIncluded: true })
  assert.equal(included.totalMinor, 25_000 - 2_500 + 7_900)
  assert.equal(included.taxMinor, 2_746 + 214)
})

test('a percentage discount is rounded half up once, on the sum of the lines in scope', () => {
  assert.deepEqual(discountsOf([line(5)], percent(10)), [1])
  assert.deepEqual(discountsOf([line(4)], percent(10)), [0])
  // Rounded per line, each would be 1.
  assert.deepEqual(discountsOf([line(5), line(5), line(5)], percent(10)), [1, 1, 0])
  assert.deepEqual(discountsOf([line(100), line(900, { inScope: false })], percent(12.5)), [13, 0])
  assert.deepEqual(discountsOf([line(100_000)], percent(33.333)), [33_333])
})

test('remaining units go to the lines with the largest remainders, and to the earlier of equal lines', () => {
  assert.deepEqual(discountsOf([line(100), line(100), line(100)], fixed(100)), [34, 33, 33])
  assert.deepEqual(discountsOf([line(12), line(28), line(60)], fixed(5)), [1, 1, 3])
  // Both remainders are one half; the larger line and the higher tax come first, in any order.
  assert.deepEqual(discountsOf([line(10), line(20), line(70)], fixed(5)), [0, 1, 4])
  assert.deepEqual(discountsOf([line(1, { taxRate: 5 }), line(1, { taxRate: 18 })], fixed(1)), [0, 1])
  assert.deepEqual(discountsOf([line(0), line(1), line(1)], fixed(1)), [0, 1, 0])
})

test('a fixed discount never exceeds the lines in scope', () => {
  assert.deepEqual(discountsOf([line(300), line(700, { inScope: false })], fixed(500)), [300, 0])
  assert.equal(computeTotals([line(300)], { ...plain, discount: fixed(500) }).totalMinor, 0)
  assert.equal(computeTotals([], { ...plain, discount: fixed(500) }).discountMinor, 0)
})

test('tax is rounded half up per line after the discount, added to the price or included in it', () => {
  assert.equal(taxOf(line(50, { taxRate: 5 })), 3)
  assert.equal(taxOf(line(49, { taxRate: 5 })), 2)
  assert.equal(taxOf(line(11_800, { taxRate: 18 }), true), 1_800)
  assert.equal(taxOf(line(3, { taxRate: 100 }), true), 2)
  assert.equal(taxOf(line(100_000, { taxRate: 7.125 })), 7_125)
  // 0.285 * 1000 is 284.99999999999994 as a number.
  assert.equal(taxOf(line(100_000, { taxRate: 0.285 })), 285)
})

test('shipping is free for an empty cart, for downloads only, and from the free-shipping threshold', () => {
  const download = line(100, { digital: true })
  assert.equal(shippingOf([]), 0)
  assert.equal(shippingOf([download, download]), 0)
  assert.equal(shippingOf([download, line(100)]), 79)
  assert.equal(shippingOf([line(998)], 999), 79)
  assert.equal(shippingOf([line(999)], 999), 0)
  assert.equal(shippingOf([line(0)], 0), 0)
  assert.equal(
    shippingOf([line(999)], 999, fixed(500)),
    0,
    'the threshold is compared with the subtotal before the discount',
  )
})

test('a subtotal above the maximum is refused, and all amounts up to it are exact', () => {
  const dearest = line(maxMinor, { quantity: 999, taxRate: 100 })
  const most = computeTotals([dearest, dearest, dearest, dearest], { ...plain, shippingFlatMinor: maxMinor })
  assert.equal(most.totalMinor, 8 * 999 * maxMinor + maxMinor)
  assert.ok(2 * maxSubtotalMinor + maxMinor < Number.MAX_SAFE_INTEGER)
  assert.throws(() => computeTotals(Array(5).fill(dearest), plain), { code: 'CONFLICT' })
  assert.throws(() => computeTotals(Array(10_000).fill(dearest), plain), { code: 'CONFLICT' })
})

const lineOf = (unitMinor: fc.Arbitrary<number>): fc.Arbitrary<PricedLine> =>
  fc.record({
    unitMinor,
    quantity: fc.integer({ min: 1, max: 999 }),
    taxRate: fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000),
    digital: fc.boolean(),
    inScope: fc.boolean(),
  })

/** Tiny amounts with very different tax rates: where rounding matters most and ties are frequent. */
const tinyLine: fc.Arbitrary<PricedLine> = fc
  .tuple(lineOf(fc.integer({ min: 0, max: 5 })), fc.constantFrom(0, 50, 100))
  .map(([tiny, taxRate]) => ({ ...tiny, quantity: 1, taxRate }))

/** Carts of everyday, tiny and maximal amounts. */
const anyLines = fc.oneof(
  fc.array(lineOf(fc.integer({ min: 0, max: 1_000_000 })), { maxLength: 30 }),
  fc.array(tinyLine, { maxLength: 12 }),
  fc.array(lineOf(fc.integer({ min: maxMinor - 1_000, max: maxMinor })), { maxLength: 4 }),
)

const anyRules: fc.Arbitrary<PriceRules> = fc.record({
  discount: fc.option(
    fc.oneof(
      fc.record({ kind: fc.constant('percent' as const), value: fc.integer({ min: 1, max: 100_000 }) }),
      fc.record({ kind: fc.constant('fixed' as const), value: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ kind: fc.constant('fixed' as const), value: fc.integer({ min: 1, max: maxMinor }) }),
    ),
  ),
  taxIncluded: fc.boolean(),
  shippingFlatMinor: fc.integer({ min: 0, max: maxMinor }),
  shippingFreeAboveMinor: fc.option(fc.integer({ min: 0, max: maxMinor })),
})

const holdsForAll = (holds: (lines: PricedLine[], rules: PriceRules) => void) =>
  fc.assert(fc.property(anyLines, anyRules, holds), { numRuns: 500 })

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + BigInt(n), 0n)

test('for any cart, the lines sum exactly to the totals', () =>
  holdsForAll((lines, rules) => {
    const { lines: parts, ...totals } = computeTotals(lines, rules)
    assert.equal(sum(parts.map(({ lineTotalMinor }) => lineTotalMinor)), BigInt(totals.subtotalMinor))
    assert.equal(sum(parts.map(({ discountMinor }) => discountMinor)), BigInt(totals.discountMinor))
    assert.equal(sum(parts.map(({ taxMinor }) => taxMinor)), BigInt(totals.taxMinor))
    const added = rules.taxIncluded ? 0 : totals.taxMinor
    const whole = sum([totals.subtotalMinor, -totals.discountMinor, totals.shippingMinor, added])
    assert.equal(whole, BigInt(totals.totalMinor))
  }))

test('for any cart, every amount is a non-negative safe integer', () =>
  holdsForAll((lines, rules) => {
    const { lines: parts, ...totals } = computeTotals(lines, rules)
    for (const value of [...Object.values(totals), ...parts.flatMap((part) => Object.values(part))]) {
      assert.ok(Number.isSafeInteger(value) && value >= 0, String(value))
    }
  }))

test("for any cart, each line's discount is within one unit of its exact part and never exceeds the line", () =>
  holdsForAll((lines, rules) => {
    const { lines: parts, discountMinor } = computeTotals(lines, rules)
    const scope = sum(parts.map(({ lineTotalMinor }, i) => (lines[i]?.inScope ? lineTotalMinor : 0)))
    for (const [i, part] of parts.entries()) {
      assert.ok(part.discountMinor <= part.lineTotalMinor)
      if (!lines[i]?.inScope) assert.equal(part.discountMinor, 0)
      else if (scope > 0n) {
        const beside = BigInt(part.discountMinor) * scope - BigInt(discountMinor) * BigInt(part.lineTotalMinor)
        assert.ok(beside < scope && beside > -scope)
      }
    }
  }))

/** Whether a number is `exact = dividend / divisor`, rounded half up. */
const assertRounded = (value: number, dividend: bigint, divisor: bigint) => {
  const beside = 2n * (BigInt(value) * divisor - dividend)
  assert.ok(beside > -divisor && beside <= divisor, `${value} is not ${dividend} / ${divisor}`)
}

test('for any cart, percentages and taxes are the exact value rounded half up', () =>
  holdsForAll((lines, rules) => {
    const { lines: parts, discountMinor } = computeTotals(lines, rules)
    const scope = sum(parts.map(({ lineTotalMinor }, i) => (lines[i]?.inScope ? lineTotalMinor : 0)))
    if (rules.discount?.kind === 'percent') assertRounded(discountMinor, scope * BigInt(rules.discount.value), 100_000n)
    if (rules.discount?.kind === 'fixed') {
      assert.equal(BigInt(discountMinor), scope < rules.discount.value ? scope : BigInt(rules.discount.value))
    }
    for (const [i, part] of parts.entries()) {
      const rate = BigInt(((lines[i]?.taxRate ?? 0) * 1000).toFixed(0))
      const net = BigInt(part.lineTotalMinor - part.discountMinor)
      assertRounded(part.taxMinor, net * rate, rules.taxIncluded ? 100_000n + rate : 100_000n)
    }
  }))

test('for any cart, the order of its lines does not change what it costs', () => {
  const shuffled = anyLines.chain((lines) =>
    fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length })),
  )
  fc.assert(
    fc.property(shuffled, anyRules, ([lines, others], rules) => {
      const { lines: _, ...totals } = computeTotals(lines, rules)
      const { lines: __, ...same } = computeTotals(others, rules)
      assert.deepEqual(same, totals)
    }),
    { numRuns: 1000 },
  )
})
