import { fail } from '../../core/errors.ts'
import { newCapabilityId, newId } from '../../core/ids.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { isMergedGuest } from '../access/guests.sql.ts'
import { writeOnce } from '../access/once.ts'
import { deadGuestToken } from '../access/shopper.ts'
import type { CustomerCtx, ShopperCtx } from '../context.ts'
import { tryCoupon } from '../pricing/coupon-guesses.ts'
import { readCouponCode } from '../pricing/coupons.ts'
import { type Cart, type CartItem, type LineToAdd, type LineToSet, maxQuantity } from './cart.contract.ts'
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
  readCart,
  type Wanted,
  writeLines,
} from './cart.sql.ts'
import { showCart, showItems } from './show-cart.ts'

const mostLines = 200

type CartAnswer = Answer<Cart>
type Input = { items?: readonly LineToAdd[]; couponCode?: string | null }

// Reads

/** The items of the shopper's own cart; none when there is no cart. */
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
  return withCoupon(ctx, couponCode, () =>
    writeOnce(ctx, {
      route: 'addToCart',
      request: body,
      write: (tx) => changeLines(tx, ctx, { own: true }, addition(lines), couponCode),
      refer: ({ id }) => id,
      readAgain: (tx, id) => readChanged(tx, ctx, id, couponCode),
    }),
  )
}

export const addItem = (ctx: ShopperCtx, cartId: string, line: LineToAdd): Promise<CartAnswer> =>
  writeOnce(inLineOf(ctx, cartId), {
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
    inLineOf(ctx, cartId).db.tx((tx) => changeLines(tx, ctx, { cartId }, setting(items), couponCode)),
  )

/** A code that does not exist is not put on a cart, and counts as a guess. */
const withCoupon = (ctx: ShopperCtx, couponCode: string | null | undefined, work: () => Promise<CartAnswer>) =>
  tryCoupon(ctx, couponCode, work, ({ body }) => body.couponCode !== null)

export const changeItem = (ctx: ShopperCtx, cartId: string, id: string, quantity: number): Promise<CartAnswer> =>
  inLineOf(ctx, cartId).db.tx((tx) => changeLines(tx, ctx, { cartId }, setting([{ id, quantity }])))

export const deleteCart = async (ctx: CustomerCtx, cartId: string): Promise<void> => {
  const { store, shopper } = ctx
  const deleted = await inLineOf(ctx, cartId).db.tx((tx) => deleteCartRow(tx, store.id, shopper.customerId, cartId))
  if (deleted === 0) throw noSuchCart()
}

/** Several shoppers may change one cart by its id. They wait for each other here, and not in the database. */
export const inLineOf = <Ctx extends Pick<ShopperCtx, 'db'>>(ctx: Ctx, cartId: string): Ctx => ({
  ...ctx,
  db: ctx.db.inQueue(`cart ${cartId}`),
})

/** A line to add, where what was left out may also be undefined. */
type Addition = Pick<LineToAdd, 'productId'> & { [Name in 'variantId' | 'quantity']?: LineToAdd[Name] | undefined }

/** What a request asks of the lines: products to find first, and lines that are named by their id. */
type Plan = { adds: boolean; wanted: (Wanted & { quantity: number })[]; lines: { id: string; quantity: number }[] }

const addition = (lines: readonly Addition[]): Plan => ({
  adds: true,
  wanted: lines.map(({ productId, variantId, quantity }) => ({
    productId,
    variantId: variantId ?? null,
    quantity: quantity ?? 1,
  })),
  lines: [],
})

const setting = (items: readonly LineToSet[]): Plan => {
  const plan: Plan = { adds: false, wanted: [], lines: [] }
  const seen = new Set<string>()
  for (const { id, productId, variantId, quantity } of items) {
    if ((id === undefined) === (productId === undefined))
      throw fail('UNPROCESSABLE_ENTITY', 'Name each line by either its id or its productId.')
    const name = id ?? `${productId} ${variantId ?? ''}`
    if (seen.has(name)) throw fail('UNPROCESSABLE_ENTITY', 'Name each line only once.')
    seen.add(name)
    if (id !== undefined) plan.lines.push({ id, quantity })
    else if (productId !== undefined) plan.wanted.push({ productId, variantId: variantId ?? null, quantity })
  }
  return plan
}

type Target = { own: true } | { cartId: string }

/**
 * Every change of a cart: lock it and find the products, then write the lines and read them back. Two round trips,
 * whatever the size of the cart.
 */
const changeLines = async (
  tx: Tx,
  ctx: ShopperCtx,
  target: Target,
  plan: Plan,
  couponText?: string | null,
): Promise<CartAnswer> => {
  const couponChange = readCouponChange(couponText)
  const toFind = plan.wanted.filter(({ quantity }) => quantity > 0)
  const held = await hold(tx, ctx, target, toFind, couponChange)
  const found = isElsewhere(ctx, held) ? await moveHeld(tx, ctx, held, toFind) : held.found
  const changes: Changes = {
    adds: plan.adds,
    variants: chooseVariants(ctx, toFind, found, plan.adds),
    lines: plan.lines,
    removals: plan.wanted.filter(({ quantity }) => quantity === 0),
  }
  const outletId = isElsewhere(ctx, held) ? ctx.outlet.id : held.outletId
  const { lines, touched } = await writeLines(tx, ctx.store.id, { id: held.id, outletId }, changes)
  checkLines(lines, touched, changes)
  const cart: ReadCart = { ...held, outletId, lines }
  return {
    ...answerWith(ctx, cart, showCart(ctx, cart, isUnknown(couponText, cart))),
    ...('own' in target ? { status: held.isNew ? 201 : 200 } : {}),
  }
}

/** The cart after a change that was made before, as it is now. */
const readChanged = async (
  tx: Tx,
  ctx: ShopperCtx,
  cartId: string,
  couponText?: string | null,
): Promise<CartAnswer> => {
  const cart = await readCart(tx, ctx.store.id, { id: cartId, seenBy: ctx.shopper })
  if (cart === undefined) throw noSuchCart()
  return answerWith(ctx, cart, showCart(ctx, cart, isUnknown(couponText, cart)))
}

const isUnknown = (couponText: string | null | undefined, { couponCode }: CartRow) =>
  typeof couponText === 'string' && couponText !== '' && couponCode === null

/** A text that cannot be a code is a code that does not exist. */
const readCouponChange = (text: string | null | undefined): CouponChange =>
  typeof text === 'string' ? readCouponCode(text) : text

const hold = async (
  tx: Tx,
  ctx: ShopperCtx,
  target: Target,
  wanted: readonly Wanted[],
  couponChange: CouponChange,
): Promise<HeldCart> => {
  const { store, shopper, outlet } = ctx
  const common = { storeId: store.id, shopper, couponChange, wanted }
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
  if (second === undefined) throw deadGuestToken(ctx)
  return second
}

/** An empty cart follows the shopper to the outlet that the request names; a cart with lines stays where it is. */
const moveHeld = async (tx: Tx, ctx: ShopperCtx, held: HeldCart, wanted: readonly Wanted[]) => {
  if (await hasLines(tx, ctx.store.id, held.id)) throw otherOutlet()
  return (await moveCart(tx, ctx.store.id, held.id, ctx.outlet.id, wanted)).found
}

const chooseVariants = (
  ctx: ShopperCtx,
  wanted: Plan['wanted'],
  found: readonly (FoundVariant | null)[],
  adds: boolean,
): Changes['variants'] => {
  const chosen = new Map<string, Changes['variants'][number]>()
  for (const [i, { productId, quantity }] of wanted.entries()) {
    const thing = found[i]
    if (thing == null) throw fail('NOT_FOUND', 'There is no such product, or it is not for sale.')
    const { variantId, unitMinor } = thing
    if (variantId === null)
      throw fail('UNPROCESSABLE_ENTITY', 'This product has several variants: say which one with variantId.')
    const before = chosen.get(variantId)
    if (before !== undefined && !adds) throw fail('UNPROCESSABLE_ENTITY', 'Name each line only once.')
    chosen.set(variantId, {
      newId: newId('line', ctx.clock.now()),
      ...{ variantId, productId, unitMinor },
      quantity: (before?.quantity ?? 0) + quantity,
    })
  }
  return [...chosen.values()]
}

/** The rules that need the sums. Whoever breaks one has changed nothing, since the transaction is undone. */
const checkLines = (lines: ReadCart['lines'], touched: readonly string[], changes: Changes) => {
  const written = new Set(touched)
  if (changes.lines.some(({ id }) => !written.has(id))) throw fail('NOT_FOUND', 'There is no such line in this cart.')
  if (changes.lines.some(({ id }) => isNamedByProduct(lines, id, changes)))
    throw fail('UNPROCESSABLE_ENTITY', 'Name each line only once.')
  for (const { id, name, quantity, stock, isAvailable } of lines) {
    if (!written.has(id)) continue
    if (!isAvailable) throw fail('NOT_FOUND', `${name} is not for sale any more.`)
    if (quantity > maxQuantity) throw fail('UNPROCESSABLE_ENTITY', `A line holds ${maxQuantity} units at most.`)
    if (quantity > stock)
      throw fail('INSUFFICIENT_STOCK', stock > 0 ? `Only ${stock} of ${name} left.` : `${name} is out of stock.`)
  }
  if (lines.length > mostLines && changes.variants.length > 0)
    throw fail('UNPROCESSABLE_ENTITY', `A cart holds ${mostLines} lines at most.`)
}

/** Of a line that is named by its id and by its product, one statement would take either quantity. */
const isNamedByProduct = (lines: ReadCart['lines'], id: string, { variants, removals }: Changes) => {
  const line = lines.find((one) => one.id === id)
  if (line === undefined) return false
  return (
    variants.some(({ variantId }) => variantId === line.variantId) ||
    removals.some((one) => one.productId === line.productId && (one.variantId ?? line.variantId) === line.variantId)
  )
}

// Shared

/** Only a caller who names an outlet can be at the wrong one. */
const isElsewhere = (ctx: ShopperCtx, cart: Pick<CartRow, 'outletId'>) =>
  ctx.outletIsChosen && ctx.outlet.id !== cart.outletId

const answerWith = (ctx: ShopperCtx, cart: CartRow, body: Cart): CartAnswer => {
  const { shopper } = ctx
  const isOwn = shopper.kind === 'guest' ? cart.guestId === shopper.guestId : cart.customerId === shopper.customerId
  return isOwn ? { body, headers: { 'x-cart-id': cart.id } } : { body }
}

/** A merge takes the cart away, so a guest with a cart was not merged; anybody else is asked about. */
const refuseMerged = async (db: Queries, ctx: ShopperCtx, cart: CartRow | undefined) => {
  const { shopper, store } = ctx
  if (shopper.kind !== 'guest' || shopper.isNew || cart?.guestId === shopper.guestId) return
  if (await isMergedGuest(db, store.id, shopper.guestId)) throw deadGuestToken(ctx)
}

export const noSuchCart = () => fail('NOT_FOUND', 'There is no such cart.')

const otherOutlet = () => fail('CONFLICT', 'This cart belongs to another outlet. Empty it first, or name its outlet.')
