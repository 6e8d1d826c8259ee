import { currencyExponent, toWire } from '../../core/money.ts'
import type { Store } from '../context.ts'
import { computeTotals, type Discount, type Totals } from './totals.ts'

export { couponAsJson } from './coupons.sql.ts'

/** The result of `couponAsJson`. */
export type Coupon = {
  id: string
  code: string
  kind: 'percent' | 'fixed'
  /** Thousandths of a percent, or minor units. */
  value: number
  minSubtotalMinor: number
  startsAtMs: number | null
  endsAtMs: number | null
  usageLimit: number | null
  customerLimit: number | null
  used: number
  /** If this and `categoryIds` are empty, the coupon applies to everything. */
  productIds: readonly string[]
  /** Including all subcategories. */
  categoryIds: readonly string[]
}

/**
 * Normalises a code for storage and comparison; null if it is malformed. Shoppers type lower case, surrounding spaces or
 * full-width letters, and a code can be in any script. Lower case comes first, because some letters have the same upper
 * case only after it.
 */
export const readCouponCode = (text: string): string | null => {
  const code = text.trim().normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC')
  return /^[\p{L}\p{M}\p{N}_-]{1,64}$/u.test(code) ? code : null
}

export type CouponReason = 'NOT_FOUND' | 'EXPIRED' | 'NOT_STARTED' | 'MIN_SUBTOTAL' | 'USAGE_LIMIT' | 'NOT_APPLICABLE'

/** Why a code gives no discount, with a message for the shopper. */
export type CouponProblem = { reason: CouponReason; message: string }

export type Judgement = { applies: true; inScope: boolean[]; discount: Discount } | ({ applies: false } & CouponProblem)

export type JudgedCart = {
  store: Pick<Store, 'locale' | 'currency'>
  nowMs: number
  lines: readonly { productId: string; categoryId: string | null; lineTotalMinor: number }[]
  /** How often this customer has used the coupon. Omitted for guests. */
  customerUses?: number
}

/** Whether a coupon applies to these lines. Period and limits come first, because no change of the cart can fix them. */
export const judgeCoupon = (
  coupon: Coupon | null,
  { store, nowMs, lines, customerUses = 0 }: JudgedCart,
): Judgement => {
  if (coupon === null) return refuse('NOT_FOUND', 'There is no coupon with this code.')
  const { code, kind, value, startsAtMs, endsAtMs, usageLimit, customerLimit, minSubtotalMinor } = coupon
  if (endsAtMs !== null && nowMs >= endsAtMs) return refuse('EXPIRED', `The coupon ${code} has expired.`)
  if (startsAtMs !== null && nowMs < startsAtMs) return refuse('NOT_STARTED', `The coupon ${code} is not valid yet.`)
  if (usageLimit !== null && coupon.used >= usageLimit) {
    return refuse('USAGE_LIMIT', `The coupon ${code} has been used up.`)
  }
  if (customerLimit !== null && customerUses >= customerLimit) {
    return refuse('USAGE_LIMIT', `You have already used the coupon ${code} the maximum number of times.`)
  }
  const inScope = lines.map((line) => isInScope(coupon, line))
  if (isLimited(coupon) && !inScope.includes(true)) {
    return refuse('NOT_APPLICABLE', `The coupon ${code} does not apply to any item in the cart.`)
  }
  const missingMinor = minSubtotalMinor - lines.reduce((total, { lineTotalMinor }) => total + lineTotalMinor, 0)
  if (missingMinor > 0) {
    const [least, missing] = [minSubtotalMinor, missingMinor].map((minor) => formatMoney(store, minor))
    return refuse(
      'MIN_SUBTOTAL',
      `The coupon ${code} needs a subtotal of ${least} or more. Add items for ${missing} to use it.`,
    )
  }
  return { applies: true, inScope, discount: { kind, value } }
}

const refuse = (reason: CouponReason, message: string) => ({ applies: false as const, reason, message })

const isLimited = ({ productIds, categoryIds }: Coupon) => productIds.length + categoryIds.length > 0

const isInScope = (coupon: Coupon, { productId, categoryId }: { productId: string; categoryId: string | null }) =>
  !isLimited(coupon) ||
  coupon.productIds.includes(productId) ||
  (categoryId !== null && coupon.categoryIds.includes(categoryId))

/** With the decimals of the currency (core/money.ts), or none if they are all zeros. */
export const formatMoney = ({ locale, currency }: Pick<Store, 'locale' | 'currency'>, minor: number) => {
  const digits = currencyExponent(currency)
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    trailingZeroDisplay: 'stripIfInteger',
  }).format(toWire(minor, currency))
}

export type CartLineForPricing = {
  productId: string
  categoryId: string | null
  unitMinor: number
  quantity: number
  /** Percent, with up to three decimals. */
  taxRate: number
  digital: boolean
}

export type CartToPrice = {
  store: Pick<Store, 'locale' | 'currency' | 'taxIncluded' | 'shippingFlatMinor' | 'shippingFreeAboveMinor'>
  lines: readonly CartLineForPricing[]
  /** The result of `couponAsJson` for the code. */
  coupon: Coupon | null
  /** Null: no coupon on the cart. */
  couponCode: string | null
  nowMs: number
  customerUses?: number
}

export type CartPrice = Totals & { couponApplied: boolean; couponProblem: CouponProblem | null }

/** The totals of a cart with its coupon, or without it and the reason. */
export const priceCart = ({ store, lines, coupon, couponCode, ...moment }: CartToPrice): CartPrice => {
  const judged =
    couponCode === null
      ? null
      : judgeCoupon(coupon, {
          ...moment,
          store,
          lines: lines.map((line) => ({ ...line, lineTotalMinor: line.unitMinor * line.quantity })),
        })
  const applied = judged?.applies ? judged : null
  const totals = computeTotals(
    lines.map((line, i) => ({ ...line, inScope: applied?.inScope[i] ?? false })),
    {
      discount: applied?.discount ?? null,
      taxIncluded: store.taxIncluded,
      shippingFlatMinor: store.shippingFlatMinor,
      shippingFreeAboveMinor: store.shippingFreeAboveMinor,
    },
  )
  return {
    ...totals,
    couponApplied: applied !== null,
    couponProblem: judged?.applies === false ? { reason: judged.reason, message: judged.message } : null,
  }
}
