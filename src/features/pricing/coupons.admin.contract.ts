import Type, { type Static } from 'typebox'
import { momentPattern } from '../../core/period.ts'
import { countedPage, listFormat, named, nullable, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

const time = Type.String({ format: 'date-time' })
const limit = nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Null: no limit' }))
const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 500, description })
const moment = (description: string) => nullable(Type.String({ pattern: momentPattern, description }))

const discount = {
  kind: oneOf(['percent', 'fixed']),
  value: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000, description: 'In percent, or an amount' }),
}
const rules = {
  description: Type.String({ maxLength: 1000 }),
  minSubtotal: Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
  usageLimit: limit,
  customerLimit: limit,
  categories: names('Ids, slugs or paths. Products below them count too'),
  products: names('Ids or slugs. Without categories and products the coupon is for everything'),
  listed: Type.Boolean({ description: 'Customers see it in the list of coupons' }),
}
const window = {
  startsAt: moment("A time, or a day in the store's time zone. Null: at once"),
  endsAt: moment("A time, or the last day in the store's time zone. Null: never"),
}

export const StoreCoupon = named(
  'StoreCoupon',
  Type.Object({
    ...{ id: Type.String(), code: Type.String(), ...discount, ...rules },
    ...{ startsAt: nullable(time), endsAt: nullable(time) },
    used: Type.Integer(),
    stopped: Type.Boolean(),
    stoppedAt: nullable(time),
    active: Type.Boolean({ description: 'A cart could use it now' }),
    createdAt: time,
  }),
)

const changes = Type.Partial(Type.Object({ ...discount, ...rules, ...window })).properties

export const CouponPatch = Type.Object({
  ...changes,
  stopped: Type.Optional(Type.Boolean({ description: 'A stopped coupon gives no discount to new orders' })),
})
export type CouponPatch = Static<typeof CouponPatch>

const { kind: _kind, value: _value, ...optional } = changes
export const NewCouponBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 100 }),
  ...discount,
  ...optional,
})
export type NewCouponBody = Static<typeof NewCouponBody>

const Use = named(
  'CouponUse',
  Type.Object({
    orderId: Type.String(),
    number: Type.String(),
    customerId: Type.String(),
    status: Type.String(),
    discount: Type.Number(),
    total: Type.Number(),
    createdAt: time,
  }),
)

const exampleCoupon = {
  ...{ id: 'cpn_1m7mj220q32w1b1vwkvc69', code: 'TEA15', kind: 'percent', value: 15, description: '', minSubtotal: 0 },
  ...{ usageLimit: 500, customerLimit: 1, categories: ['tea'], products: [], listed: true },
  ...{ startsAt: null, endsAt: '2027-01-31T18:30:00.000Z', used: 12, stopped: false, stoppedAt: null, active: true },
  createdAt: '2026-11-17T09:30:00.000Z',
}
const exampleUse = {
  ...{ orderId: 'ord_1m7mj220q32w1b1vwkvc69', number: '1042', customerId: 'cus_01k8x0v3m7q2w9c4t6y8ze' },
  ...{ status: 'paid', discount: 150, total: 849, createdAt: '2026-11-17T09:30:00.000Z' },
}
const onePage = { nextCursor: null, hasMore: false, total: 1, totalIsExact: true }

const path = '/admin/v1/stores/{storeId}/coupons'
const tag = 'Coupons'
const reads = { tag, access: 'store', permission: 'catalog:read' } as const
const writes = { tag, access: 'store', permission: 'coupons:write' } as const
const couponParams = Type.Object({ ...storeParams.properties, code: Type.String({ minLength: 1, maxLength: 100 }) })

export const couponsAdminContract = {
  adminListCoupons: adminEndpoint({
    ...{ ...reads, method: 'GET', path, params: storeParams },
    summary: 'List coupons, newest first',
    query: Type.Object({
      q: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The beginning of the code' })),
      active: Type.Optional(Type.Boolean({ description: 'Whether a cart could use it now' })),
      limit: pageLimit,
      cursor: pageCursor,
      format: listFormat,
    }),
    ok: countedPage(StoreCoupon),
    csv: true,
    example: { data: [exampleCoupon], ...onePage },
  }),
  adminCreateCoupon: adminEndpoint({
    ...{ ...writes, method: 'POST', path, params: storeParams },
    summary: 'Create a coupon',
    body: NewCouponBody,
    ok: StoreCoupon,
    okStatus: 201,
    once: true,
    errors: ['CONFLICT'],
    example: exampleCoupon,
  }),
  adminGetCoupon: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{code}`, params: couponParams },
    summary: 'Read a coupon',
    ok: StoreCoupon,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleCoupon,
  }),
  adminUpdateCoupon: adminEndpoint({
    ...{ ...writes, method: 'PATCH', path: `${path}/{code}`, params: couponParams },
    summary: 'Change or stop a coupon',
    description:
      'Orders keep the discount that they have. `kind` and `value` of a coupon that was used do not change (409), and its limit is never lower than its uses.',
    body: CouponPatch,
    ok: StoreCoupon,
    headers: ['etag'],
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleCoupon,
  }),
  adminListCouponUses: adminEndpoint({
    ...{ method: 'GET', path: `${path}/{code}/uses`, params: couponParams },
    ...{ tag, access: 'store', permission: 'orders:read' },
    summary: 'List the orders that have used a coupon, newest first',
    description: 'Orders that were cancelled have given their use back, and are not listed.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: countedPage(Use),
    errors: ['NOT_FOUND'],
    example: { data: [exampleUse], ...onePage },
  }),
}
