import { toWire } from '../../core/money.ts'
import { readCartOf } from '../cart/for-checkout.ts'
import type { CustomerCtx } from '../context.ts'
import { tryCoupon } from '../pricing/coupon-guesses.ts'
import { priceCart, readCouponCode } from '../pricing/coupons.ts'
import { readCheckoutData } from './checkout.sql.ts'

/** Never fails because of the code: pages call this while the shopper types. Does not count as a use of the coupon. */
export const validateCoupon = async (ctx: CustomerCtx, body: { code?: unknown; cartId?: unknown } = {}) => {
  if (typeof body.code !== 'string' || body.code.trim() === '') return { valid: false, reason: 'MISSING_CODE' }
  const code = readCouponCode(body.code)
  if (code === null) return { valid: false, reason: 'NOT_FOUND' }
  return tryCoupon(
    ctx,
    code,
    () => judgeCode(ctx, code),
    ({ reason }) => reason !== 'NOT_FOUND',
  )
}

const judgeCode = async (
  ctx: CustomerCtx,
  code: string,
): Promise<{ valid: boolean; reason?: string; discount?: number }> => {
  const { store, shopper } = ctx
  const cart = await readCartOf(ctx.db, store.id, shopper)
  const { coupon, couponUses } = await readCheckoutData(ctx.db, store.id, {
    ...{ customerId: shopper.customerId, addressId: null, couponCode: code },
  })
  const lines = cart?.lines.filter(({ isAvailable }) => isAvailable) ?? []
  const { couponProblem, discountMinor } = priceCart({
    ...{ store, lines, coupon, couponCode: code, customerUses: couponUses },
    nowMs: ctx.clock.now(),
  })
  if (couponProblem !== null) return { valid: false, reason: couponProblem.reason }
  return { valid: true, discount: toWire(discountMinor, store.currency) }
}
