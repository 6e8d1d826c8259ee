import { isUniqueViolation, RunAgain, type Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { Answer } from '../../http/endpoint.ts'
import { writeOnce } from '../access/idempotency.ts'
import { maxLineQuantity } from '../catalog/catalog.contract.ts'
import type { CustomerCtx, StoreCtx, StoreId } from '../context.ts'
import type { Cart } from './cart.contract.ts'
import { type ReadCart, readCart, readCartLines, readCoupon } from './cart.sql.ts'
import { inCartQueue, noSuchCart } from './cart.ts'
import {
  type GuestCartName,
  giveCart,
  giveCartAtOnce,
  holdCustomerCart,
  limitLines,
  lockGuestCart,
  moveLines,
  takeGuestCart,
} from './claim.sql.ts'
import { showCart } from './show-cart.ts'

/** Returns the customer's cart. A cart that already belongs to the customer does not change. */
export const claimCartById = (ctx: CustomerCtx, cartId: string): Promise<Answer<Cart>> =>
  writeOnce(inCartQueue(ctx, cartId), {
    route: 'claimCart',
    request: { cartId },
    write: async (tx) => {
      const absorbed = await absorb(tx, ctx, ctx.shopper.customerId, { cartId })
      if (absorbed?.cart !== undefined) return answerWith(ctx, absorbed.cart)
      return readOwn(tx, ctx, (own) => absorbed !== undefined || own.id === cartId)
    },
    writeQuickly: async (db, condition) => {
      const { customerId } = ctx.shopper
      const given = giveCartAtOnce(db, ctx.store.id, { which: { cartId }, customerId, condition })
      const cart = await given.catch(runAgainIfOther)
      return cart && answerWith(ctx, { ...cart, coupon: null })
    },
    refer: ({ id }) => id,
    readAgain: (tx, id) => readOwn(tx, ctx, (own) => own.id === id),
  })

const readOwn = async (tx: Tx, ctx: CustomerCtx, isIt: (own: ReadCart) => boolean): Promise<Answer<Cart>> => {
  const own = await readCart(tx, ctx.store.id, { of: ctx.shopper })
  if (own === undefined || !isIt(own)) throw noSuchCart()
  return answerWith(ctx, own)
}

const answerWith = (ctx: CustomerCtx, own: ReadCart): Answer<Cart> => ({
  body: showCart(ctx, own),
  headers: { 'x-cart-id': own.id },
})

/** False when there is no such guest cart: it is unknown, expired, of another store, or belongs to a customer. */
export const claimCart = async (tx: Tx, ctx: StoreCtx, customerId: string, cartId: string): Promise<boolean> =>
  (await absorb(tx, ctx, customerId, { cartId })) !== undefined

/** Returns the number of lines moved to the customer's cart. */
export const mergeCart = async (tx: Tx, ctx: StoreCtx, customerId: string, guestId: string): Promise<number> =>
  (await absorb(tx, ctx, customerId, { guestId }))?.lines ?? 0

/** `lines`: the number that were moved. `cart`: the customer's cart, if it was read. */
type Absorbed = { lines: number; cart?: ReadCart }

/** Moves a guest's cart into the customer's. Undefined if there is no such cart. */
const absorb = async (
  tx: Tx,
  { store }: StoreCtx,
  customerId: string,
  which: GuestCartName,
): Promise<Absorbed | undefined> =>
  (await become(tx, store.id, customerId, which)) ?? (await merge(tx, store.id, customerId, which))

/**
 * A customer without a cart gets the guest's, with its id, so that the storefront can continue with the id it knows. The
 * lines stay where they are. They are read by a statement of their own, which sees those that were added while the first
 * one waited.
 */
const become = async (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  which: GuestCartName,
): Promise<Absorbed | undefined> => {
  try {
    const customer = { kind: 'customer', customerId } as const
    const [given, cart] = await pipeline(
      giveCart(tx, storeId, which, customerId),
      readCartLines(tx, storeId, { of: customer }),
    )
    if (given === undefined || cart === undefined) return undefined
    const lines = cart.lines.map((line) => ({ ...line, quantity: limitQuantity(line) }))
    const limited = lines.filter(({ quantity }, i) => quantity !== cart.lines[i]?.quantity)
    if (limited.length > 0) await limitLines(tx, storeId, cart.id, limited)
    const coupon = cart.couponCode === null ? null : await readCoupon(tx, storeId, cart.couponCode)
    return { lines: lines.length, cart: { ...cart, lines, coupon } }
  } catch (error) {
    return runAgainIfOther(error)
  }
}

/** The customer got a first cart while this waited. Run again, it is found. */
const runAgainIfOther = (error: unknown): never => {
  throw isUniqueViolation(error) ? new RunAgain(error) : error
}

/** As in `moveLines`: up to the available stock, but at least one unit, for which the cart shows a warning. */
const limitQuantity = ({ quantity, stock }: ReadCart['lines'][number]) =>
  Math.max(1, Math.min(quantity, stock, maxLineQuantity))

/** The lock is a separate first statement, so that lines added while waiting for it are moved too. */
const merge = async (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  which: GuestCartName,
): Promise<Absorbed | undefined> => {
  const locked = await lockGuestCart(tx, storeId, which)
  if (locked === undefined) return undefined
  const taken = await takeGuestCart(tx, storeId, locked.id)
  const own = await holdCustomerCart(tx, storeId, customerId, taken)
  await moveLines(tx, storeId, own, taken.lines)
  return { lines: taken.lines.length }
}
