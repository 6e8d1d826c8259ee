import { days } from '../../core/clock.ts'
import { toWire } from '../../core/money.ts'
import { showImage, showSizes } from '../catalog/show-image.ts'
import type { StoreCtx } from '../context.ts'
import { type CartPrice, priceCart } from '../pricing/coupons.ts'
import type { Cart, CartItem, CartWarning } from './cart.contract.ts'
import type { LineRow, ReadCart } from './cart.sql.ts'

/** Must match `unexpired` in cart.sql.ts. */
const guestCartTtlMs = days(30)

export const showItems = (ctx: StoreCtx, lines: readonly LineRow[]): CartItem[] =>
  lines.map((line) => ({
    id: line.id,
    productId: line.productId,
    variantId: line.variantId,
    quantity: line.quantity,
    price: toWire(line.unitMinor, ctx.store.currency),
    lineTotal: toWire(line.unitMinor * line.quantity, ctx.store.currency),
    inStock: line.isAvailable && line.stock >= line.quantity,
    product: {
      name: line.name,
      image: showImage(ctx, line.image),
      ...showSizes(ctx, line.image),
      description: line.description,
      slug: line.slug,
      variant: line.variant,
    },
  }))

/** Uses the same pricing as checkout. Lines that are not for sale cost nothing. */
export const showCart = (ctx: StoreCtx, cart: ReadCart, unknownCoupon = false): Cart => {
  const { store } = ctx
  const price = priceCart({
    store,
    lines: cart.lines.filter((line) => line.isAvailable),
    coupon: cart.coupon,
    couponCode: cart.couponCode,
    nowMs: ctx.clock.now(),
  })
  const wire = (minor: number) => toWire(minor, store.currency)
  return {
    id: cart.id,
    customerId: cart.customerId,
    outletId: store.outlets.find(({ id }) => id === cart.outletId)?.publicId ?? '',
    currency: store.currency,
    items: showItems(ctx, cart.lines),
    itemCount: cart.lines.reduce((count, { quantity }) => count + quantity, 0),
    couponCode: cart.couponCode,
    subtotal: wire(price.subtotalMinor),
    discount: wire(price.discountMinor),
    shipping: wire(price.shippingMinor),
    tax: wire(price.taxMinor),
    total: wire(price.totalMinor),
    version: cart.version,
    createdAt: cart.createdAt.toISOString(),
    updatedAt: cart.updatedAt.toISOString(),
    expiresAt: cart.customerId === null ? new Date(cart.updatedAt.getTime() + guestCartTtlMs).toISOString() : null,
    warnings: [...cart.lines.flatMap(warnOfLine), ...warnOfCoupon(price, unknownCoupon)],
  }
}

const warnOfLine = ({ id, name, quantity, stock, isAvailable, seenMinor, unitMinor }: LineRow): CartWarning[] => {
  const warn = (code: CartWarning['code'], message: string) => ({ code, message, itemId: id })
  if (!isAvailable) return [warn('UNAVAILABLE', `${name} is no longer for sale.`)]
  const warnings: CartWarning[] = []
  if (seenMinor !== unitMinor) warnings.push(warn('PRICE_CHANGED', `The price of ${name} has changed.`))
  if (stock <= 0) warnings.push(warn('OUT_OF_STOCK', `${name} is out of stock.`))
  else if (stock < quantity) warnings.push(warn('LOW_STOCK', `Only ${stock} of ${name} left.`))
  return warnings
}

const warnOfCoupon = ({ couponProblem }: CartPrice, unknownCoupon: boolean): CartWarning[] => {
  const message = couponProblem?.message ?? (unknownCoupon ? 'There is no coupon with this code.' : undefined)
  return message === undefined ? [] : [{ code: 'COUPON_REMOVED', message, itemId: null }]
}
