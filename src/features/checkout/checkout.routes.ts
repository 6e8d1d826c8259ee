import { routes } from '../context.ts'
import { checkoutContract } from './checkout.contract.ts'
import { checkOut } from './checkout.ts'
import { listCoupons, validateCoupon } from './coupons.ts'

export const checkoutRoutes = routes(checkoutContract, {
  checkOut: ({ ctx, body }) => checkOut(ctx, body),
  listCoupons: async ({ ctx, query }) => ({ body: await listCoupons(ctx, query) }),
  validateCoupon: async ({ ctx, body }) => ({ body: await validateCoupon(ctx, body) }),
})
