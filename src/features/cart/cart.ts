import { fail } from '../../core/errors.ts'
import { newCapabilityId, newId } from '../../core/ids.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { Fragment } from '../../db/sql.ts'
import type { Answer } from '../../http/endpoint.ts'
import { isMergedGuest } from '../access/guests.sql.ts'
import { isNewGuest, writeOnce } from '../access/idempotency.ts'
import { invalidGuestToken } from '../access/shopper.ts'
import { maxLineQuantity } from '../catalog/catalog.contract.ts'
import type { CustomerCtx, ShopperCtx } from '../context.ts'
import { tryCoupon } from '../pricing/coupon-guesses.ts'
import { readCouponCode } from '../pricing/coupons.ts'
import { addToKnownCart, addToNewCart } from './add-line.sql.ts'
import type { Cart, CartItem, LineToAdd, LineToSet } from './cart.contract.ts'
import {
  type CartName,
  type CartRow,
  type Changes,
  type CouponChange,
  deleteCart as deleteCartRow,
  deleteExpiredCart,
  type FoundVariant,
  type HeldCart,
  hasLines,
  holdCart,
  holdOwnCart,
  moveCart,
  type ReadCart,
  type RequestedProduct,
  readCart,
  readCoupon,
  writeLines,
} from './cart.sql.ts'
import { showCart, showItems } from './show-cart.ts'

const maxLines = 200

type CartAnswer = Answer<Cart>
type Input = { items?: readonly LineToAdd[]; couponCode?: string | null }

// Reads

/** The items of the shopper's own cart, or an empty list. */
export const listItems = async (ctx: ShopperCtx): Promise<Answer<CartItem[]>> => {
  const cart = await readOwnCart(ctx)
  return cart === undefined ? { body: [] } : { body: showItems(ctx, cart.lines), headers: { 'x-cart-id': cart.id } }
}

export const readMyCart = async (ctx: CustomerCtx): Promise<CartAnswer> => {
  const cart = await readOwnCart(ctx)
  if (cart === undefined) throw fail('NOT_FOUND', 'This customer has no cart yet.')
  return answerWith(ctx, cart, showCart(ctx, cart))
}

export const readCartById = async (ctx: ShopperCtx, cartId: string): Promise<CartAnswer> => {
  const cart = await findCart(ctx, { id: cartId, seenBy: ctx.shopper })
  await refuseMerged(ctx.db, ctx, cart)
  if (cart === undefined) throw noSuchCart()
  return answerWith(ctx, cart, showCart(ctx, cart))
}

const readOwnCart = async (ctx: ShopperCtx): Promise<ReadCart | undefined> => {
  const { shopper } = ctx
  if (shopper.kind === 'guest' && shopper.isNew) return undefined
  const cart = await findCart(ctx, { of: shopper })
  await refuseMerged(ctx.db, ctx, cart)
  return cart
}

const findCart = async (ctx: ShopperCtx, name: CartName) => {
  const cart = await readCart(ctx.db, ctx.store.id, name)
  if (cart !== undefined && cart.lines.length > 0 && isElsewhere(ctx, cart)) throw otherOutlet()
  return cart
}

// Writes

export const addToCart = async (ctx: ShopperCtx, body: Partial<LineToAdd> & Input): Promise<CartAnswer> => {
  const { productId, variantId, quantity, items, couponCode } = body
  if ((productId === undefined) === (items === undefined))
    throw fail('UNPROCESSABLE_ENTITY', 'Send either productId or items.')
  const lines = productId === undefined ? (items ?? []) : [{ productId, variantId, quantity }]
  const [only, ...others] = lines
  const isOneLine = only !== undefined && others.length === 0 && couponCode === undefined
  return withCoupon(ctx, couponCode, () =>
    writeOnce(ctx, {
      route: 'addToCart',
      request: body,
      write: (tx) => changeLines(tx, ctx, { own: true }, addition(lines), couponCode),
      writeQuickly: isOneLine ? (db, condition) => addOneLine(db, ctx, only, condition) : undefined,
      refer: ({ id }) => id,
      readAgain: (tx, id) => readChanged(tx, ctx, id, couponCode),
    }),
  )
}

/** What most additions are, in one statement. Undefined: it changed nothing. */
const addOneLine = async (
  db: Queries,
  ctx: ShopperCtx,
  { productId, variantId, quantity = 1 }: Addition,
  condition: Fragment,
): Promise<CartAnswer | undefined> => {
  const { store, shopper, outlet } = ctx
  const line = {
    ...{ storeId: store.id, outletId: outlet.id, newLineId: newId('line', ctx.clock.now()) },
    ...{ productId, variantId: variantId ?? null, quantity },
  }
  const isNew = isNewGuest(shopper)
  const added = isNew
    ? await addToNewCart(db, { ...line, guestId: shopper.guestId, newCartId: newCapabilityId('cart') })
    : await addToKnownCart(db, {
        ...line,
        ...{ shopper, onlyOutletId: ctx.outletIsChosen ? outlet.id : null, maxLines, condition },
      })
  if (added === undefined) return undefined
  const cart = { ...added, coupon: null }
  return { ...answerWith(ctx, cart, showCart(ctx, cart)), status: isNew ? 201 : 200 }
}

export const addItem = (ctx: ShopperCtx, cartId: string, line: LineToAdd): Promise<CartAnswer> =>
  writeOnce(inCartQueue(ctx, cartId), {
    route: 'addCartItem',
    request: { cartId, line },
    write: (tx) => changeLines(tx, ctx, { cartId }, addition([line])),
    refer: ({ id }) => id,
    readAgain: (tx, id) => readChanged(tx, ctx, id),
  })

export const changeCart = async (
  ctx: ShopperCtx,
  cartId: string,
  { items = [], couponCode }: { items?: readonly LineToSet[]; couponCode?: string | null },
): Promise<CartAnswer> =>
  withCoupon(ctx, couponCode, () =>
    inCartQueue(ctx, cartId).db.tx((tx) => changeLines(tx, ctx, { cartId }, setting(items), couponCode)),
  )

/** An unknown code is not applied, and counts as a guess. */
const withCoupon = (ctx: ShopperCtx, couponCode: string | null | undefined, work: () => Promise<CartAnswer>) =>
  tryCoupon(ctx, couponCode, work, ({ body }) => body.couponCode !== null)

export const changeItem = (ctx: ShopperCtx, cartId: string, id: string, quantity: number): Promise<CartAnswer> =>
  inCartQueue(ctx, cartId).db.tx((tx) => changeLines(tx, ctx, { cartId }, setting([{ id, quantity }])))

export const deleteCart = async (ctx: CustomerCtx, cartId: string): Promise<void> => {
  const { store, shopper } = ctx
  const deleted = await inCartQueue(ctx, cartId).db.tx((tx) => deleteCartRow(tx, store.id, shopper.customerId, cartId))
  if (deleted === 0) throw noSuchCart()
}

/** Several shoppers can change one cart by its id. Queued here, they do not hold connections while they wait. */
export const inCartQueue = <Ctx extends Pick<ShopperCtx, 'db'>>(ctx: Ctx, cartId: string): Ctx => ({
  ...ctx,
  db: ctx.db.inQueue(`cart ${cartId}`),
})

/** `LineToAdd` whose optional fields may also be undefined. */
type Addition = Pick<LineToAdd, 'productId'> & { [Name in 'variantId' | 'quantity']?: LineToAdd[Name] | undefined }

/** The changes of a request: products to look up first, and lines identified by id. */
type Plan = {
  adds: boolean
  products: (RequestedProduct & { quantity: number })[]
  lines: { id: string; quantity: number }[]
}

const addition = (lines: readonly Addition[]): Plan => ({
  adds: true,
  products: lines.map(({ productId, variantId, quantity }) => ({
    productId,
    variantId: variantId ?? null,
    quantity: quantity ?? 1,
  })),
  lines: [],
})

const setting = (items: readonly LineToSet[]): Plan => {
  const plan: Plan = { adds: false, products: [], lines: [] }
  const seen = new Set<string>()
  for (const { id, productId, variantId, quantity } of items) {
    if ((id === undefined) === (productId === undefined))
      throw fail('UNPROCESSABLE_ENTITY', 'Identify each line by either id or productId.')
    const name = id ?? `${productId} ${variantId ?? ''}`
    if (seen.has(name)) throw fail('UNPROCESSABLE_ENTITY', 'Each line can be changed only once per request.')
    seen.add(name)
    if (id !== undefined) plan.lines.push({ id, quantity })
    else if (productId !== undefined) plan.products.push({ productId, variantId: variantId ?? null, quantity })
  }
  return plan
}

type Target = { own: true } | { cartId: string }

/**
 * Every change of a cart: lock the cart and look up the products, then write the lines and read them back. Two round
 * trips, whatever the size of the cart.
 */
const changeLines = async (
  tx: Tx,
  ctx: ShopperCtx,
  target: Target,
  plan: Plan,
  couponText?: string | null,
): Promise<CartAnswer> => {
  const couponChange = readCouponChange(couponText)
  const toFind = plan.products.filter(({ quantity }) => quantity > 0)
  const held = await hold(tx, ctx, target, toFind, couponChange)
  const found = isElsewhere(ctx, held) ? await moveHeld(tx, ctx, held, toFind) : held.found
  const changes: Changes = {
    adds: plan.adds,
    variants: chooseVariants(ctx, toFind, found, plan.adds),
    lines: plan.lines,
    removals: plan.products.filter(({ quantity }) => quantity === 0),
  }
  const outletId = isElsewhere(ctx, held) ? ctx.outlet.id : held.outletId
  const [{ lines, touched }, coupon] = await pipeline(
    writeLines(tx, ctx.store.id, { id: held.id, outletId }, changes),
    held.couponCode === null ? null : readCoupon(tx, ctx.store.id, held.couponCode),
  )
  checkLines(lines, touched, changes)
  const cart: ReadCart = { ...held, outletId, lines, coupon }
  return {
    ...answerWith(ctx, cart, showCart(ctx, cart, isUnknown(couponText, cart))),
    ...('own' in target ? { status: held.isNew ? 201 : 200 } : {}),
  }
}

/** Answers a repeated change with the current cart. */
const readChanged = async (
  tx: Tx,
  ctx: ShopperCtx,
  cartId: string,
  couponText?: string | null,
): Promise<CartAnswer> => {
  const cart = await readCart(tx, ctx.store.id, { id: cartId, seenBy: ctx.shopper })
  await refuseMerged(tx, ctx, cart)
  if (cart === undefined) throw noSuchCart()
  return answerWith(ctx, cart, showCart(ctx, cart, isUnknown(couponText, cart)))
}

const isUnknown = (couponText: string | null | undefined, { couponCode }: CartRow) =>
  typeof couponText === 'string' && couponText !== '' && couponCode === null

/** A malformed code is treated like an unknown one. */
const readCouponChange = (text: string | null | undefined): CouponChange =>
  typeof text === 'string' ? readCouponCode(text) : text

const hold = async (
  tx: Tx,
  ctx: ShopperCtx,
  target: Target,
  products: readonly RequestedProduct[],
  couponChange: CouponChange,
): Promise<HeldCart> => {
  const { store, shopper, outlet } = ctx
  const common = { storeId: store.id, shopper, couponChange, products }
  if ('cartId' in target) {
    const held = await holdCart(tx, target.cartId, common)
    await refuseMerged(tx, ctx, held)
    if (held === undefined) throw noSuchCart()
    return held
  }
  const take = () => holdOwnCart(tx, { ...common, newCartId: newCapabilityId('cart'), outletId: outlet.id })
  const held = await take()
  if (held !== undefined) return held
  const hadExpired = shopper.kind === 'guest' && (await deleteExpiredCart(tx, store.id, shopper.guestId)) > 0
  const second = hadExpired ? await take() : undefined
  if (second === undefined) throw invalidGuestToken(ctx)
  return second
}

/** An empty cart moves to the outlet of the request. A cart with lines cannot move. */
const moveHeld = async (tx: Tx, ctx: ShopperCtx, held: HeldCart, products: readonly RequestedProduct[]) => {
  if (await hasLines(tx, ctx.store.id, held.id)) throw otherOutlet()
  return (await moveCart(tx, ctx.store.id, held.id, ctx.outlet.id, products)).found
}

const chooseVariants = (
  ctx: ShopperCtx,
  products: Plan['products'],
  found: readonly (FoundVariant | null)[],
  adds: boolean,
): Changes['variants'] => {
  const chosen = new Map<string, Changes['variants'][number]>()
  for (const [i, { productId, quantity }] of products.entries()) {
    const variant = found[i]
    if (variant == null) throw fail('NOT_FOUND', 'The product does not exist or is not for sale.')
    const { variantId, unitMinor } = variant
    if (variantId === null)
      throw fail('UNPROCESSABLE_ENTITY', 'This product has several variants: specify one with variantId.')
    const before = chosen.get(variantId)
    if (before !== undefined && !adds)
      throw fail('UNPROCESSABLE_ENTITY', 'Each line can be changed only once per request.')
    chosen.set(variantId, {
      newId: newId('line', ctx.clock.now()),
      ...{ variantId, productId, unitMinor },
      quantity: (before?.quantity ?? 0) + quantity,
    })
  }
  return [...chosen.values()]
}

/** The rules that depend on the resulting lines. A violation rolls the transaction back. */
const checkLines = (lines: ReadCart['lines'], touched: readonly string[], changes: Changes) => {
  const written = new Set(touched)
  if (changes.lines.some(({ id }) => !written.has(id))) throw fail('NOT_FOUND', 'The cart has no such line.')
  if (changes.lines.some(({ id }) => isNamedByProduct(lines, id, changes)))
    throw fail('UNPROCESSABLE_ENTITY', 'Each line can be changed only once per request.')
  for (const { id, name, quantity, stock, isAvailable } of lines) {
    if (!written.has(id)) continue
    if (!isAvailable) throw fail('NOT_FOUND', `${name} is no longer for sale.`)
    if (quantity > maxLineQuantity)
      throw fail('UNPROCESSABLE_ENTITY', `A line can hold at most ${maxLineQuantity} units.`)
    if (quantity > stock)
      throw fail('INSUFFICIENT_STOCK', stock > 0 ? `Only ${stock} of ${name} left.` : `${name} is out of stock.`)
  }
  if (lines.length > maxLines && changes.variants.length > 0)
    throw fail('UNPROCESSABLE_ENTITY', `A cart can hold at most ${maxLines} lines.`)
}

/** For a line given both by id and by product, the statement would apply either quantity. */
const isNamedByProduct = (lines: ReadCart['lines'], id: string, { variants, removals }: Changes) => {
  const line = lines.find((one) => one.id === id)
  if (line === undefined) return false
  return (
    variants.some(({ variantId }) => variantId === line.variantId) ||
    removals.some((one) => one.productId === line.productId && (one.variantId ?? line.variantId) === line.variantId)
  )
}

// Shared

/** Only a request with `X-Outlet-Id` can conflict with the outlet of the cart. */
const isElsewhere = (ctx: ShopperCtx, cart: Pick<CartRow, 'outletId'>) =>
  ctx.outletIsChosen && ctx.outlet.id !== cart.outletId

const answerWith = (ctx: ShopperCtx, cart: CartRow, body: Cart): CartAnswer => {
  const { shopper } = ctx
  const isOwn = shopper.kind === 'guest' ? cart.guestId === shopper.guestId : cart.customerId === shopper.customerId
  return isOwn ? { body, headers: { 'x-cart-id': cart.id } } : { body }
}

/** A merge removes the cart, so a guest with a cart was not merged. Other guests are looked up. */
const refuseMerged = async (db: Queries, ctx: ShopperCtx, cart: CartRow | undefined) => {
  const { shopper, store } = ctx
  if (shopper.kind !== 'guest' || shopper.isNew || cart?.guestId === shopper.guestId) return
  if (await isMergedGuest(db, store.id, shopper.guestId)) throw invalidGuestToken(ctx)
}

export const noSuchCart = () => fail('NOT_FOUND', 'There is no such cart.')

const otherOutlet = () =>
  fail('CONFLICT', 'This cart belongs to another outlet. Empty it first, or send the id of its outlet as X-Outlet-Id.')
