import Type, { type Static } from 'typebox'
import { named, nullable, oneOf, page, pageCursor, pageLimit } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { NewAddress } from '../accounts/profile.contract.ts'
import { exampleOrder } from '../orders/example-order.contract.ts'
import { Order } from '../orders/order.contract.ts'
import { Payment } from '../payments/payments.contract.ts'

export const CheckoutBody = Type.Object({
  cartId: Type.Optional(
    Type.String({ maxLength: 100, description: "Must be the customer's own cart, which is the default" }),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Version of the cart that the shopper saw' }),
  ),
  expectedTotal: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12, description: 'Total that the shopper saw' })),
  addressId: Type.Optional(Type.String({ maxLength: 100 })),
  shippingAddress: Type.Optional(NewAddress),
  billingAddress: Type.Optional(NewAddress),
  couponCode: Type.Optional(
    nullable(Type.String({ maxLength: 100, description: "Replaces the cart's coupon; null removes it" })),
  ),
  paymentMethod: Type.Optional(
    Type.String({
      maxLength: 10,
      pattern: '^(online|cod)$',
      description: "`online` or `cod`. Default: the first of the store's `paymentMethods`",
    }),
  ),
  storefrontUrl: Type.Optional(
    Type.String({ maxLength: 300, description: 'Origin of the page to which the shopper returns after paying' }),
  ),
  note: Type.Optional(Type.String({ maxLength: 1000 })),
})
export type CheckoutBody = Static<typeof CheckoutBody>

export const CheckoutResult = named('CheckoutResult', Type.Object({ order: Order, payment: Payment }))
export type CheckoutResult = Static<typeof CheckoutResult>

export const UsableCoupon = named(
  'Coupon',
  Type.Object({
    code: Type.String(),
    description: Type.String(),
    type: oneOf(['percent', 'fixed']),
    value: Type.Number({ description: "A percentage, or an amount in the store's currency" }),
    minSubtotal: Type.Number(),
    endsAt: nullable(Type.String()),
  }),
)

export const CouponCheck = named(
  'CouponCheck',
  Type.Object({
    valid: Type.Boolean(),
    reason: Type.Optional(
      Type.String({
        description:
          '`NOT_FOUND`, `EXPIRED`, `NOT_STARTED`, `MIN_SUBTOTAL`, `USAGE_LIMIT`, `NOT_APPLICABLE` or `MISSING_CODE`',
      }),
    ),
    discount: Type.Optional(Type.Number({ description: 'Amount that it would take off the cart' })),
  }),
)

const ofCustomer = { tag: 'Checkout', access: 'customer', scope: 'checkout:write' } as const

export const checkoutContract = {
  checkOut: endpoint({
    ...ofCustomer,
    lateSession: true,
    method: 'POST',
    path: '/v1/checkout',
    summary: "Place an order from the customer's cart",
    description:
      'Reserves the stock and creates the order atomically, then starts the payment: send the shopper to `payment.redirectUrl`. Repeating the request with the same cart, version and body returns the open order with 200. Also 409 for a cash order above the limits of the store, and when the unpaid orders of the customer would hold too many units; the text states the limit.',
    body: CheckoutBody,
    ok: CheckoutResult,
    okStatus: 201,
    otherStatus: 200,
    once: true,
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'INSUFFICIENT_STOCK',
      'STALE_CHECKOUT',
      'COUPON_EXPIRED',
      'COUPON_INVALID',
      'BAD_GATEWAY',
    ],
    example: {
      order: exampleOrder,
      payment: {
        id: 'pay_01k8x0v3m7q2w9c4t6y8zg',
        provider: 'sandbox',
        status: 'open',
        redirectUrl: 'http://localhost:3000/sandbox/pay/…',
        expiresAt: '2026-11-15T09:55:00.000Z',
      },
    },
  }),
  listCoupons: endpoint({
    ...ofCustomer,
    method: 'GET',
    path: '/v1/coupons',
    summary: 'List the coupons that the customer can use',
    description: 'Only coupons that are marked as listed. Other codes work for customers who know them.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: page(UsableCoupon),
    example: {
      data: [
        {
          code: 'WELCOME10',
          description: '10 % off, once per customer',
          type: 'percent',
          value: 10,
          minSubtotal: 0,
          endsAt: '2035-12-31T18:29:59.000Z',
        },
      ],
      nextCursor: null,
      hasMore: false,
    },
  }),
  validateCoupon: endpoint({
    ...ofCustomer,
    method: 'POST',
    path: '/v1/coupons/validate',
    summary: 'Check a coupon code against the cart',
    description:
      'Returns 200 for valid and invalid codes, and 429 after too many attempts with codes that do not exist. Does not count as a use of the coupon.',
    body: Type.Unsafe<{ code?: unknown; cartId?: unknown } | undefined>({
      type: 'object',
      properties: { code: { description: 'The code' }, cartId: { description: "The customer's cart" } },
    }),
    ok: CouponCheck,
    example: { valid: true, discount: 109.8 },
  }),
}
