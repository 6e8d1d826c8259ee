import { hash } from 'node:crypto'
import { minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { toMinor } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { cash } from '../../providers/payment/cash.ts'
import { holdShopper } from '../access/guests.ts'
import { readPostalAddress } from '../accounts/addresses.ts'
import { holdCartOf, type ReadCart } from '../cart/for-checkout.ts'
import { takeOrderedFromCart } from '../cart/ordered.ts'
import { listPaymentMethods, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { CustomerCtx } from '../context.ts'
import type { PostalAddress } from '../orders/order.contract.ts'
import { insertOrder, lockOrder, type NewOrderLine, noteReplacement } from '../orders/orders.sql.ts'
import { cancelOrder, settleOrder } from '../orders/settle.ts'
import { noteUncounted, takeStock } from '../orders/stock.ts'
import { insertPayment, isUndecided, lockPayments } from '../payments/payments.sql.ts'
import {
  assertPayable,
  closePayment,
  type Placed,
  readPaymentById,
  startPayment,
  startPlaced,
} from '../payments/sessions.ts'
import { checkStorefrontUrl } from '../payments/storefront-url.ts'
import { checkCouponGuess } from '../pricing/coupon-guesses.ts'
import { type CartPrice, type CouponReason, priceCart, readCouponCode } from '../pricing/coupons.ts'
import { redeemCoupon } from '../pricing/redeem.ts'
import { checkBuyingLimits } from './buying-limits.ts'
import type { CheckoutBody, CheckoutResult } from './checkout.contract.ts'
import { readSurroundings, type Surroundings } from './checkout.sql.ts'
import { type Claim, claimCheckout, keepCheckout } from './checkout-once.ts'
import { showCheckout } from './show-checkout.ts'

/** How long an unpaid order holds its units. A payment session ends before. */
export const reservationMs = minutes(30)

const mostTries = 3

type CheckoutAnswer = Answer<CheckoutResult>

/** What a request comes down to, before anything is looked up. */
type Wish = {
  body: CheckoutBody
  method: PaymentMethod
  storefrontUrl: string | null
  address: PostalAddress | null
  billingAddress: PostalAddress | null
  requestHash: string
}

/** An order of this cart is open and asks for something else. It has to be closed at the provider before it can go. */
class OpenOrderInTheWay extends Error {
  readonly orderId: string
  constructor(orderId: string) {
    super(`order ${orderId} is open`)
    this.orderId = orderId
  }
}

/**
 * One transaction writes everything; the provider is called before it, to close what is open, and after it, to start
 * the payment. When the process dies in between, the order is there: the same call again, or `POST /v1/payment`, goes
 * on with it, and nobody is left to it that it expires.
 */
export const checkOut = async (ctx: CustomerCtx, body: CheckoutBody): Promise<CheckoutAnswer> => {
  const wish = readWish(ctx, body)
  await checkCouponGuess(ctx, body.couponCode)
  const claim = await placeUnlessOpen(ctx, wish)
  if (claim.kind === 'kept') return claim.answer
  if (claim.kind === 'answered') {
    return { status: claim.status, body: await showCheckout(ctx, claim, await readPaymentById(ctx, claim.paymentId)) }
  }
  // What is not `online` has nothing to start, and answers with the payment as it is.
  const payment = await (claim.toStart ? startPlaced(ctx, claim.toStart) : startPayment(ctx, claim.orderId))
  const result = await showCheckout(ctx, claim, payment)
  const isOpen = claim.kind === 'open'
  await keepCheckout(ctx, { orderId: claim.orderId, paymentId: payment.id, isOpen }, ctx.db.forStore(ctx.store.id))
  return { status: isOpen ? 200 : 201, body: result }
}

const readWish = (ctx: CustomerCtx, body: CheckoutBody): Wish => {
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

/** Unless the body names one, the first that the store offers (decision 0029). */
const chooseMethod = (ctx: CustomerCtx, asked: string | undefined): PaymentMethod => {
  const offered = listPaymentMethods(ctx.payments, ctx.store)
  const takesOnlyCash = ctx.store.paymentProvider === cash.name
  const usual = offered[0] ?? (takesOnlyCash ? 'cod' : 'online')
  const method = asked === undefined ? usual : asked === 'cod' ? 'cod' : 'online'
  if (offered.includes(method)) return method
  if (method === 'cod') throw fail('BAD_REQUEST', 'This store does not take cash on delivery.')
  if (takesOnlyCash && offered.length > 0)
    throw fail('BAD_REQUEST', 'This store takes no payments online. Send paymentMethod cod to pay on delivery.')
  assertPayable(ctx)
  return method
}

/** The same fields in another order are the same request. */
const sortFields = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sortFields(inner)]),
  )
}

const placeUnlessOpen = async (ctx: CustomerCtx, wish: Wish): Promise<Claim> => {
  let superseded: string | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.tx((tx) => place(tx, ctx, wish, superseded))
    } catch (error) {
      if (!(error instanceof OpenOrderInTheWay) || attempt === mostTries) {
        throw error instanceof OpenOrderInTheWay ? beingPaid() : error
      }
      if ((await closePayment(ctx, error.orderId)) === 'in_progress') throw beingPaid()
      superseded = error.orderId
    }
  }
}

const beingPaid = () => fail('CONFLICT', 'An order of this cart is just being paid. Wait until that is over.')

const place = async (tx: Tx, ctx: CustomerCtx, wish: Wish, superseded: string | undefined): Promise<Claim> => {
  const { store, shopper } = ctx
  const earlier = await claimCheckout(tx, ctx, wish.requestHash)
  if (earlier !== null) return earlier
  const { couponCode } = wish.body
  const code = typeof couponCode === 'string' ? readCouponCode(couponCode) : couponCode
  const { customerId } = shopper
  const look = () => {
    const addressId = wish.body.addressId ?? null
    return readSurroundings(tx, store.id, { customerId, addressId, couponCode: code, unpaid: true })
  }
  const holding = holdCartOf(tx, store.id, shopper)
  // What the customer holds unpaid is counted next, so checkouts of one customer are counted one after another.
  tx.later(holdShopper(tx, ctx))
  const [cart, seen] = await Promise.all([holding, look()])
  if (cart === undefined || (wish.body.cartId !== undefined && wish.body.cartId !== cart.id)) {
    if (wish.body.cartId !== undefined) throw fail('NOT_FOUND', 'There is no such cart.')
    throw emptyCart()
  }
  let around = seen
  let isReplaced = false
  const { open } = around
  if (open !== null) {
    if (open.cartVersion === cart.version && open.requestHash === wish.requestHash) {
      // Noted at once: of two calls with one key, the second must not find that this order has moved on meanwhile.
      await keepCheckout(ctx, { orderId: open.id, isOpen: true }, tx)
      return { kind: 'open', orderId: open.id }
    }
    if (open.id !== superseded) throw new OpenOrderInTheWay(open.id)
    isReplaced = await supersede(tx, ctx, open.id)
    // It may have given back the use of the very coupon that is asked for now.
    around = await look()
  }
  // A text that cannot be a code is one that does not exist.
  const price = checkCart(ctx, wish, cart, around, couponCode === undefined ? cart.couponCode : (code ?? couponCode))
  checkBuyingLimits(ctx, wish.method, { cart, price, unpaid: around.unpaid })
  if (around.coupon !== null && !(await redeemCoupon(tx, store.id, around.coupon.id, shopper.customerId)))
    throw fail('COUPON_INVALID', 'This coupon can no longer be used.')
  const { orderId, toStart } = await writeOrder(tx, ctx, { wish, cart, around, price })
  if (open !== null && isReplaced) tx.later(noteReplacement(tx, store.id, open.id, orderId))
  await keepCheckout(ctx, { orderId }, tx)
  return { kind: 'placed', orderId, ...(toStart === null ? {} : { toStart }) }
}

/** It was closed at the provider just now. Somebody may have begun to pay it again: then it has to be closed again. */
const supersede = async (tx: Tx, ctx: CustomerCtx, orderId: string): Promise<boolean> => {
  const order = await lockOrder(tx, ctx.store.id, orderId)
  const payments = await lockPayments(tx, ctx.store.id, orderId)
  if (payments.some(isUndecided)) throw new OpenOrderInTheWay(orderId)
  if (order === undefined) throw new Error(`order ${orderId} has disappeared`)
  // One that a carrier has already stays, and the new order is another purchase.
  return (await cancelOrder(tx, ctx, order, 'Replaced by a new order.')).status === 'cancelled'
}

const emptyCart = () => fail('BAD_REQUEST', 'The cart is empty.')

/** Everything that can be wrong with a cart, in the order in which a shopper can do something about it. */
const checkCart = (
  ctx: CustomerCtx,
  { body, method, address }: Wish,
  cart: ReadCart,
  around: Surroundings,
  couponCode: string | null,
): CartPrice => {
  const { store, clock } = ctx
  if (cart.lines.length === 0) throw emptyCart()
  if (body.version !== undefined && body.version !== cart.version)
    throw fail('STALE_CHECKOUT', 'The cart has changed since it was shown.')
  const gone = cart.lines.find(({ isAvailable }) => !isAvailable)
  if (gone !== undefined) throw fail('STALE_CHECKOUT', `${gone.name} is not for sale any more. Remove it first.`)
  if (method === 'cod' && cart.lines.every(({ digital }) => digital))
    throw fail('BAD_REQUEST', 'There is nothing to deliver, and so no door to pay at. Pay online instead.')
  if (body.addressId !== undefined && around.address === null) throw fail('NOT_FOUND', 'There is no such address.')
  if (address === null && around.address === null && cart.lines.some(({ digital }) => !digital))
    throw fail('BAD_REQUEST', 'Say where to deliver: send addressId or shippingAddress.')
  const price = priceCart({
    ...{ store, lines: cart.lines, coupon: around.coupon, couponCode, customerUses: around.couponUses },
    nowMs: clock.now(),
  })
  const { couponProblem } = price
  if (couponProblem !== null) throw fail(codeOf(couponProblem.reason), couponProblem.message)
  const asShown = body.expectedTotal === undefined ? null : toMinor(body.expectedTotal, store.currency)
  if (body.expectedTotal !== undefined && asShown !== price.totalMinor)
    throw fail('STALE_CHECKOUT', 'The total has changed since it was shown.')
  if (asShown === null && cart.lines.some(({ seenMinor, unitMinor }) => seenMinor !== unitMinor))
    throw fail('STALE_CHECKOUT', 'A price has changed since it was shown.')
  return price
}

const codeOf = (reason: CouponReason) => (reason === 'EXPIRED' ? 'COUPON_EXPIRED' : 'COUPON_INVALID')

type Placing = { wish: Wish; cart: ReadCart; around: Surroundings; price: CartPrice }

/** `toStart`: what the provider is to be called for after the commit. */
type Written = { orderId: string; toStart: Placed | null }

const writeOrder = async (tx: Tx, ctx: CustomerCtx, { wish, cart, around, price }: Placing): Promise<Written> => {
  const { store, shopper, clock } = ctx
  const isCash = wish.method === 'cod'
  const id = newId('ord', clock.now())
  const lines: NewOrderLine[] = cart.lines.map((line, position) => ({
    ...{ id: newId('item', clock.now()), position, variantId: line.variantId },
    ...{ quantity: line.quantity, unitMinor: line.unitMinor, taxRate: line.taxRate },
    ...mustExist(price.lines[position], 'the price of a line'),
  }))
  const taking = takeStock(tx, store.id, cart, isCash ? 'sell' : 'reserve')
  // When there seems to be enough, the order is on its way before the answer is. In a sale that is over it is not, and
  // nothing is written in vain.
  if (cart.lines.some(({ quantity, stock }) => quantity > stock)) await taking
  const payment = {
    id: newId('pay', clock.now()),
    provider: isCash ? 'cod' : store.paymentProvider,
    status: isCash ? 'open' : 'starting',
    amountMinor: price.totalMinor,
    orderId: id,
    currency: store.currency,
    reference: null,
  } as const
  const writing = insertOrder(
    tx,
    store.id,
    {
      ...{ id, customerId: shopper.customerId, outletId: cart.outletId, cartId: cart.id, cartVersion: cart.version },
      ...{ requestHash: wish.requestHash, status: 'pending', paymentStatus: 'pending', paymentMethod: wish.method },
      ...{ stockState: isCash ? 'sold' : 'reserved', currency: store.currency, taxIncluded: store.taxIncluded },
      ...{ subtotalMinor: price.subtotalMinor, discountMinor: price.discountMinor, taxMinor: price.taxMinor },
      ...{ shippingMinor: price.shippingMinor, totalMinor: price.totalMinor },
      ...{ couponId: around.coupon?.id ?? null, couponCode: around.coupon?.code ?? null },
      ...{ storefrontUrl: wish.storefrontUrl, note: wish.body.note ?? '' },
      ...{ shippingAddress: wish.address ?? around.address, billingAddress: wish.billingAddress },
      livesMs: isCash ? null : reservationMs,
    },
    lines,
    [{ type: 'placed', message: isCash ? 'Order placed, to be paid on delivery.' : 'Order placed.' }],
  )
  const [order, toPay, uncounted] = await Promise.all([writing, insertPayment(tx, store.id, payment), taking])
  noteUncounted(tx, store.id, id, uncounted)
  if (isCash) tx.later(takeOrderedFromCart(tx, store.id, cart.id, cart.lines))
  else if (price.totalMinor === 0) await settleAtOnce(tx, ctx, id)
  if (isCash || price.totalMinor === 0) return { orderId: id, toStart: null }
  return { orderId: id, toStart: { order, payment: toPay } }
}

/** There is nothing to pay, and nobody to ask. */
const settleAtOnce = async (tx: Tx, ctx: CustomerCtx, orderId: string) => {
  const order = mustExist(await lockOrder(tx, ctx.store.id, orderId), `order ${orderId}`)
  await settleOrder(tx, ctx, order, { method: 'free', last4: '', upiId: '', reference: '' })
}
