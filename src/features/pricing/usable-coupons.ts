import { toWire } from '../../core/money.ts'
import type { CustomerCtx } from '../context.ts'
import { cursorScope, readPage } from '../paging.ts'
import * as sql from './usable-coupons.sql.ts'

/** The listed coupons that the customer can use now. */
export const listUsableCoupons = (ctx: CustomerCtx, query: { limit?: number; cursor?: string }) =>
  readPage(ctx, query, cursorScope(ctx, 'coupons', { customer: ctx.shopper.customerId }), {
    read: (position, limit) =>
      sql.listUsableCoupons(ctx.db, ctx.store.id, {
        customerId: ctx.shopper.customerId,
        after: String(position?.[0] ?? ''),
        limit,
      }),
    positionOf: ({ code }: sql.UsableCouponRow) => [code],
    show: (coupon) => showCoupon(ctx, coupon),
  })

const showCoupon = (
  { store }: CustomerCtx,
  { kind, value, minSubtotalMinor, endsAt, code, description }: sql.UsableCouponRow,
) => ({
  code,
  description,
  type: kind,
  value: kind === 'percent' ? value / 1000 : toWire(value, store.currency),
  minSubtotal: toWire(minSubtotalMinor, store.currency),
  endsAt: endsAt?.toISOString() ?? null,
})
