import { toWire } from '../../core/money.ts'
import { readPeriod } from '../../core/period.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import { requireMatch, withEtag } from '../admin-etag.ts'
import { answerList } from '../admin-list.ts'
import { type AdminCtx, adminRoutes } from '../context.ts'
import { type CouponPatch, couponsAdminContract } from './coupons.admin.contract.ts'
import { type CouponUse, countCoupons, countUses, listUses, type PagedCoupon, pageCoupons } from './coupons.sql.ts'
import {
  type CouponEdit,
  changeCouponBy,
  couponDefaults,
  createCouponBy,
  findCoupon,
  type ListedCoupon,
  toListed,
} from './manage-coupons.ts'

export const couponAdminRoutes = adminRoutes(couponsAdminContract, {
  adminListCoupons: ({ ctx, query }) => {
    const { db, store } = ctx
    const filter = { prefix: query.q?.trim().toUpperCase() || null, isActive: query.active ?? null }
    return answerList(ctx, 'coupons', query, {
      read: (position, limit) => {
        const before = position === undefined ? null : { at: String(position[0]), id: String(position[1]) }
        return pageCoupons(db, store.id, filter, { before, limit })
      },
      count: (limit) => countCoupons(db, store.id, filter, limit),
      positionOf: ({ position, id }) => [position, id],
      show: ({ position: _, ...row }: PagedCoupon) => showCoupon(ctx, toListed(row, store.currency)),
      columns: [
        ...(['id', 'code', 'kind', 'value', 'description', 'minSubtotal', 'startsAt', 'endsAt', 'usageLimit'] as const),
        ...(['customerLimit', 'used', 'listed', 'active', 'stopped', 'categories', 'products', 'createdAt'] as const),
      ],
    })
  },
  adminCreateCoupon: ({ ctx, body }) =>
    writeOnceByAuthor(ctx, {
      route: 'adminCreateCoupon',
      request: body,
      write: async (tx) => {
        const request = { ...couponDefaults, ...body, startsAt: null, endsAt: null, ...readWindowOf(ctx, body) }
        return { status: 201, body: showCoupon(ctx, await createCouponBy(tx, ctx.store, ctx.by, request)) }
      },
      refer: ({ code }) => code,
      readAgain: async (tx, code) => ({ body: showCoupon(ctx, await findCoupon(tx, ctx.store, code)) }),
    }),
  adminGetCoupon: async ({ ctx, params }) =>
    withEtag(showCoupon(ctx, await findCoupon(ctx.db, ctx.store, params.code))),
  adminUpdateCoupon: async ({ ctx, params, body }) => {
    const { startsAt: _startsAt, endsAt: _endsAt, ...rest } = body
    const change: CouponEdit = { ...rest, ...readWindowOf(ctx, body) }
    const check = (before: ListedCoupon) => requireMatch(ctx, showCoupon(ctx, before))
    const changed = await ctx.db.tx((tx) => changeCouponBy(tx, ctx.store, ctx.by, params.code, change, check))
    return withEtag(showCoupon(ctx, changed))
  },
  adminListCouponUses: async ({ ctx, params, query }) => {
    const { db, store } = ctx
    const { id, code } = await findCoupon(db, store, params.code)
    return answerList(ctx, `uses of ${code}`, query, {
      read: (position, limit) =>
        listUses(db, store.id, id, { before: position === undefined ? null : Number(position[0]), limit }),
      count: (limit) => countUses(db, store.id, id, limit),
      positionOf: ({ number }) => [number],
      show: showUse,
    })
  },
})

/** The fields that are given. A day of `endsAt` is included as a whole. */
const readWindowOf = ({ store }: AdminCtx, { startsAt, endsAt }: Pick<CouponPatch, 'startsAt' | 'endsAt'>) => ({
  ...(startsAt === undefined
    ? {}
    : { startsAt: startsAt === null ? null : readPeriod({ from: startsAt }, store.timezone).from }),
  ...(endsAt === undefined ? {} : { endsAt: endsAt === null ? null : readPeriod({ to: endsAt }, store.timezone).to }),
})

const showCoupon = ({ clock }: Pick<AdminCtx, 'clock'>, { startsAt, endsAt, stoppedAt, ...coupon }: ListedCoupon) => ({
  ...coupon,
  startsAt: startsAt?.toISOString() ?? null,
  endsAt: endsAt?.toISOString() ?? null,
  stoppedAt: stoppedAt?.toISOString() ?? null,
  stopped: stoppedAt !== null,
  active:
    stoppedAt === null &&
    (startsAt?.getTime() ?? 0) <= clock.now() &&
    (endsAt?.getTime() ?? Number.POSITIVE_INFINITY) > clock.now() &&
    (coupon.usageLimit === null || coupon.used < coupon.usageLimit),
  createdAt: coupon.createdAt.toISOString(),
})

const showUse = ({ number, discountMinor, totalMinor, currency, createdAt, ...use }: CouponUse) => ({
  ...use,
  number: String(number),
  discount: toWire(discountMinor, currency),
  total: toWire(totalMinor, currency),
  createdAt: createdAt.toISOString(),
})
