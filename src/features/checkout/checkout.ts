import { hash } from 'node:crypto'
import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { toMinor } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { Answer } from '../../http/endpoint.ts'
import { cash } from '../../providers/payment/cash.ts'
import { holdShopper } from '../access/guests.ts'
import { checkStorefrontUrl } from '../access/storefront-url.ts'
import { readPostalAddress } from '../accounts/addresses.ts'
import { type CartToOrder, holdCartOf } from '../cart/for-checkout.ts'
import { removeOrderedFromCart } from '../cart/remove-ordered.ts'
import { listPaymentMethods, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { CustomerCtx } from '../context.ts'
import { lockOrder } from '../orders/lock-order.ts'
import type { NewOrderLine } from '../orders/new-order.sql.ts'
import { nextNumberUnlessAnswered, nextOrderNumber } from '../orders/numbers.ts'
import type { PostalAddress } from '../orders/order.contract.ts'
import { noteReplacement } from '../orders/orders.sql.ts'
import { cancelOrder, placeOrder, settleOrder } from '../orders/settle.ts'
import { noteUncounted, takeStock } from '../orders/stock.ts'
import { insertPayment, isUndecided, lockPayments } from '../payments/payments.sql.ts'
import { providerOf } from '../payments/providers.ts'
import {
  assertPayable,
  closePayment,
  type Placed,
  readPaymentById,
  startPayment,
  startPlaced,
} from '../payments/sessions.ts'
import { checkCouponGuess } from '../pricing/coupon-guesses.ts'
import { type CartPrice, type CouponReason, priceCart, readCouponCode } from '../pricing/coupons.ts'
import { redeemCoupon } from '../pricing/redeem.ts'
import { checkBuyingLimits } from './buying-limits.ts'
import type { CheckoutBody, CheckoutResult } from './checkout.contract.ts'
import { type CheckoutData, readCheckoutData } from './checkout.sql.ts'
import { type Claim, checkoutKeyOf, claimCheckout, storeCheckout } from './checkout-idempotency.ts'
import { showCheckout } from './show-checkout.ts'

const maxAttempts = 3

type CheckoutAnswer = Answer<CheckoutResult>

/** The validated request, before anything is read from the database. */
type CheckoutRequest = {
  body: CheckoutBody
  method: PaymentMethod
  storefrontUrl: string | null
  address: PostalAddress | null
  billingAddress: PostalAddress | null
  requestHash: string
}

/** The cart has an open order that differs from this request. Its payment must be closed at the provider first. */
class OpenOrderConflict extends Error {
  readonly orderId: string
  constructor(orderId: string) {
    super(`order ${orderId} is open`)
    this.orderId = orderId
  }
}

/** The answer to the key has expired. A number is taken, and the checkout begins again. */
class NumberNeeded extends Error {}

/**
 * One transaction writes everything. The provider is called before it, to close an open payment, and after it, to start
 * the new one. If the process dies in between, the order exists: a repeated call or `POST /v1/payment` continues with
 * it, and otherwise it expires.
 */
export const checkOut = async (ctx: CustomerCtx, body: CheckoutBody): Promise<CheckoutAnswer> => {
  const request = readRequest(ctx, body)
  await checkCouponGuess(ctx, body.couponCode)
  const claim = await placeUnlessOpen(ctx, request)
  if (claim.kind === 'answered') {
    return { status: claim.status, body: await showCheckout(ctx, claim, await readPaymentById(ctx, claim.paymentId)) }
  }
  // Cash on delivery has no session to start: the payment is returned unchanged.
  const payment = await (claim.toStart ? startPlaced(ctx, claim.toStart) : startPayment(ctx, claim.orderId))
  const result = await showCheckout(ctx, claim, payment)
  const isOpen = claim.kind === 'open'
  await storeCheckout(ctx, { orderId: claim.orderId, paymentId: payment.id, isOpen }, ctx.db.forStore(ctx.store.id))
  return { status: isOpen ? 200 : 201, body: result }
}

const readRequest = (ctx: CustomerCtx, body: CheckoutBody): CheckoutRequest => {
  const method = chooseMethod(ctx, body.paymentMethod)
  if (body.addressId !== undefined && body.shippingAddress !== undefined)
    throw fail('BAD_REQUEST', 'Send either addressId or shippingAddress.')
  return {
    body,
    method,
    storefrontUrl: body.storefrontUrl === undefined ? null : checkStorefrontUrl(ctx.store, body.storefrontUrl),
    address: body.shippingAddress === undefined ? null : readPostalAddress(body.shippingAddress),
    billingAddress: body.billingAddress === undefined ? null : readPostalAddress(body.billingAddress),
    requestHash: hash('sha256', JSON.stringify(sortFields(body)), 'base64url'),
  }
}

/** Defaults to the first method that the store offers (decision 0029). */
const chooseMethod = (ctx: CustomerCtx, requested: string | undefined): PaymentMethod => {
  const offered = listPaymentMethods(ctx.payments, ctx.store)
  const takesOnlyCash = ctx.store.paymentProvider === cash.name
  const defaultMethod = offered[0] ?? (takesOnlyCash ? 'cod' : 'online')
  const method = requested === undefined ? defaultMethod : requested === 'cod' ? 'cod' : 'online'
  if (offered.includes(method)) return method
  if (method === 'cod') throw fail('BAD_REQUEST', 'This store does not take cash on delivery.')
  if (takesOnlyCash && offered.length > 0)
    throw fail('BAD_REQUEST', 'This store takes no online payments. Send paymentMethod cod to pay on delivery.')
  assertPayable(ctx)
  return method
}

/** Requests whose fields differ only in their order get the same hash. */
const sortFields = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sortFields(inner)]),
  )
}

const placeUnlessOpen = async (ctx: CustomerCtx, request: CheckoutRequest): Promise<Claim> => {
  let superseded: string | undefined
  const numbering = numberOrders(ctx)
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.txAfter(numbering.prepare, (tx, number) => place(tx, ctx, request, { superseded, number }))
    } catch (error) {
      if (error instanceof NumberNeeded) {
        await numbering.take()
        continue
      }
      if (!(error instanceof OpenOrderConflict) || attempt === maxAttempts) {
        throw error instanceof OpenOrderConflict ? beingPaid() : error
      }
      if ((await closePayment(ctx, error.orderId)) === 'in_progress') throw beingPaid()
      superseded = error.orderId
    }
  }
}

/**
 * The number of the order is taken in one packet with the beginning of its transaction, before it is known whether the
 * checkout succeeds: numbers have gaps. A call that was answered before takes none. All attempts share one number.
 */
const numberOrders = (ctx: CustomerCtx) => {
  const key = checkoutKeyOf(ctx)
  let taken: number | null = null
  return {
    prepare: async (db: Queries) => {
      taken ??= await nextNumberUnlessAnswered(db, ctx.store.id, key)
      return taken
    },
    take: async () => {
      taken = await nextOrderNumber(ctx.db, ctx.store.id)
    },
  }
}

const beingPaid = () =>
  fail('CONFLICT', 'A payment for an order of this cart is in progress. Try again when it has completed.')

const place = async (
  tx: Tx,
  ctx: CustomerCtx,
  request: CheckoutRequest,
  { superseded, number }: { superseded: string | undefined; number: Promise<number | null> },
): Promise<Claim> => {
  const { store, shopper } = ctx
  const earlier = await claimCheckout(tx, ctx, request.requestHash)
  if (earlier !== null) return earlier
  const { couponCode } = request.body
  const code = typeof couponCode === 'string' ? readCouponCode(couponCode) : couponCode
  const { customerId } = shopper
  const look = () => {
    const addressId = request.body.addressId ?? null
    return readCheckoutData(tx, store.id, { customerId, addressId, couponCode: code, unpaid: true })
  }
  const [cart, , seen] = await pipeline(
    holdCartOf(tx, store.id, shopper),
    // Locked before the unpaid orders are counted, so concurrent checkouts of one customer are counted one by one.
    holdShopper(tx, ctx),
    look(),
  )
  if (cart === undefined || (request.body.cartId !== undefined && request.body.cartId !== cart.id)) {
    if (request.body.cartId !== undefined) throw fail('NOT_FOUND', 'There is no such cart.')
    throw emptyCart()
  }
  let data = seen
  let isReplaced = false
  const { open } = data
  if (open !== null) {
    if (open.cartVersion === cart.version && open.requestHash === request.requestHash) {
      // Stored now: if this order changes state, a repeated call with the same key must still return it.
      await storeCheckout(ctx, { orderId: open.id, isOpen: true }, tx)
      return { kind: 'open', orderId: open.id }
    }
    if (open.id !== superseded) throw new OpenOrderConflict(open.id)
    isReplaced = await supersede(tx, ctx, open.id)
    // Cancelling may have returned a use of the coupon that this request needs.
    data = await look()
  }
  // A text that is not a valid code counts as a code that does not exist.
  const price = checkCart(ctx, request, cart, data, couponCode === undefined ? cart.couponCode : (code ?? couponCode))
  checkBuyingLimits(ctx, request.method, { cart, price, unpaid: data.unpaid })
  if (data.coupon !== null && !(await redeemCoupon(tx, store.id, data.coupon.id, shopper.customerId)))
    throw fail('COUPON_INVALID', 'This coupon can no longer be used.')
  const { orderId, toStart } = await writeOrder(tx, ctx, { request, cart, data, price, number })
  if (open !== null && isReplaced) await noteReplacement(tx, store.id, open.id, orderId)
  await storeCheckout(ctx, { orderId }, tx)
  return { kind: 'placed', orderId, ...(toStart === null ? {} : { toStart }) }
}

/** Its payment was closed before this transaction. If a new payment was started since, that one must be closed too. */
const supersede = async (tx: Tx, ctx: CustomerCtx, orderId: string): Promise<boolean> => {
  const order = await lockOrder(tx, ctx.store.id, orderId)
  const payments = await lockPayments(tx, ctx.store.id, orderId)
  if (payments.some(isUndecided)) throw new OpenOrderConflict(orderId)
  if (order === undefined) throw new Error(`order ${orderId} has disappeared`)
  // An order that is already shipped stays, and the new order is a separate purchase.
  return (await cancelOrder(tx, ctx, order, 'Replaced by a new order.')).status === 'cancelled'
}

const emptyCart = () => fail('BAD_REQUEST', 'The cart is empty.')

/** Checks are in the order in which the shopper can fix the problems. */
const checkCart = (
  ctx: CustomerCtx,
  { body, method, address }: CheckoutRequest,
  cart: CartToOrder,
  data: CheckoutData,
  couponCode: string | null,
): CartPrice => {
  const { store, clock } = ctx
  if (cart.lines.length === 0) throw emptyCart()
  if (body.version !== undefined && body.version !== cart.version)
    throw fail('STALE_CHECKOUT', 'The cart has changed since it was shown.')
  const unavailable = cart.lines.find(({ isAvailable }) => !isAvailable)
  if (unavailable !== undefined)
    throw fail('STALE_CHECKOUT', `${unavailable.name} is no longer for sale. Remove it from the cart.`)
  if (method === 'cod' && cart.lines.every(({ digital }) => digital))
    throw fail('BAD_REQUEST', 'Cash on delivery needs a physical item. Pay online instead.')
  if (body.addressId !== undefined && data.address === null) throw fail('NOT_FOUND', 'There is no such address.')
  if (address === null && data.address === null && cart.lines.some(({ digital }) => !digital))
    throw fail('BAD_REQUEST', 'An address is required: send addressId or shippingAddress.')
  const price = priceCart({
    ...{ store, lines: cart.lines, coupon: data.coupon, couponCode, customerUses: data.couponUses },
    nowMs: clock.now(),
  })
  const { couponProblem } = price
  if (couponProblem !== null) throw fail(codeOf(couponProblem.reason), couponProblem.message)
  const asShown = body.expectedTotal === undefined ? null : toMinor(body.expectedTotal, store.currency)
  if (body.expectedTotal !== undefined && asShown !== price.totalMinor)
    throw fail('STALE_CHECKOUT', 'The total has changed since it was shown.')
  if (asShown === null && cart.lines.some(({ seenMinor, unitMinor }) => seenMinor !== unitMinor))
    throw fail('STALE_CHECKOUT', 'A price has changed since it was shown.')
  const refusal =
    method === 'online' && price.totalMinor > 0
      ? providerOf(ctx, store.paymentProvider).refuseAmount(price.totalMinor, store.currency)
      : null
  if (refusal !== null) throw fail('BAD_REQUEST', refusal)
  return price
}

const codeOf = (reason: CouponReason) => (reason === 'EXPIRED' ? 'COUPON_EXPIRED' : 'COUPON_INVALID')

type Placing = {
  request: CheckoutRequest
  cart: CartToOrder
  data: CheckoutData
  price: CartPrice
  number: Promise<number | null>
}

/** `toStart`: the payment to start at the provider after the commit. */
type Written = { orderId: string; toStart: Placed | null }

const writeOrder = async (tx: Tx, ctx: CustomerCtx, placing: Placing): Promise<Written> => {
  const { request, cart, data, price } = placing
  const { store, shopper, clock } = ctx
  const number = await placing.number
  if (number === null) throw new NumberNeeded()
  const isCash = request.method === 'cod'
  const id = newId('ord', clock.now())
  const lines: NewOrderLine[] = cart.lines.map((line, position) => ({
    ...{ id: newId('item', clock.now()), position, productId: line.productId, variantId: line.variantId },
    ...{ name: line.name, variant: line.variant, image: line.image, sku: line.sku, digital: line.file },
    ...{ quantity: line.quantity, unitMinor: line.unitMinor, taxRate: line.taxRate },
    ...mustExist(price.lines[position], 'the price of a line'),
  }))
  const taking = takeStock(tx, store.id, { ...cart, orderId: id }, isCash ? 'sell' : 'reserve')
  // With enough stock in the last reading, the inserts are pipelined behind this statement. Otherwise it will probably
  // fail, and waiting for it saves the writes.
  if (cart.lines.some(({ quantity, stock }) => quantity > stock)) await taking
  const provider = providerOf(ctx, isCash ? cash.name : store.paymentProvider)
  const paymentId = newId('pay', clock.now())
  const payment = {
    id: paymentId,
    provider: provider.name,
    status: isCash ? 'open' : 'starting',
    amountMinor: price.totalMinor,
    orderId: id,
    currency: store.currency,
    reference: provider.referenceOf(paymentId),
    expiresAt: isCash ? null : new Date(clock.now() + provider.sessionMs),
  } as const
  const { hasVerifiedPhone, ...buyer } = mustExist(data.unpaid, "the customer's unpaid orders").customer
  const writing = placeOrder(
    tx,
    ctx,
    {
      ...{
        id,
        number,
        customerId: shopper.customerId,
        outletId: cart.outletId,
        cartId: cart.id,
        cartVersion: cart.version,
      },
      ...{ requestHash: request.requestHash, paymentMethod: request.method },
      ...{ status: 'pending', paymentStatus: 'pending' },
      ...{ stockState: isCash ? 'sold' : 'reserved', currency: store.currency, taxIncluded: store.taxIncluded },
      ...{ subtotalMinor: price.subtotalMinor, discountMinor: price.discountMinor, taxMinor: price.taxMinor },
      ...{ shippingMinor: price.shippingMinor, totalMinor: price.totalMinor },
      ...{ couponId: data.coupon?.id ?? null, couponCode: data.coupon?.code ?? null },
      ...{ storefrontUrl: request.storefrontUrl, note: request.body.note ?? '' },
      ...{ shippingAddress: request.address ?? data.address, billingAddress: request.billingAddress },
      expiresInMs: isCash ? null : provider.holdMs,
      language: ctx.language,
    },
    lines,
    buyer,
    isCash ? 'Order placed, to be paid on delivery.' : 'Order placed.',
  )
  const [order, toPay, uncounted] = await pipeline(writing, insertPayment(tx, store.id, payment), taking)
  await noteUncounted(tx, store.id, id, uncounted)
  if (isCash) await removeOrderedFromCart(tx, store.id, cart.id, cart.lines)
  else if (price.totalMinor === 0) await settleAtOnce(tx, ctx, id)
  if (isCash || price.totalMinor === 0) return { orderId: id, toStart: null }
  return { orderId: id, toStart: { order, payment: toPay, contact: data.unpaid?.customer } }
}

/** With a total of 0 no provider is called. */
const settleAtOnce = async (tx: Tx, ctx: CustomerCtx, orderId: string) => {
  const order = mustExist(await lockOrder(tx, ctx.store.id, orderId), `order ${orderId}`)
  await settleOrder(tx, ctx, order, { method: 'free', last4: '', upiId: '', reference: '' })
}
