import { routes } from '../context.ts'
import { listUsableCoupons } from '../pricing/usable-coupons.ts'
import { checkoutContract } from './checkout.contract.ts'
import { checkOut } from './checkout.ts'
import { validateCoupon } from './coupons.ts'

export const checkoutRoutes = routes(checkoutContract, {
  checkOut: ({ ctx, body }) => checkOut(ctx, body),
  listCoupons: async ({ ctx, query }) => ({ body: await listUsableCoupons(ctx, query) }),
  validateCoupon: async ({ ctx, body }) => ({ body: await validateCoupon(ctx, body) }),
})
