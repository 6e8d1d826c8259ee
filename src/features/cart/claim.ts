import type { Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { writeOnce } from '../access/once.ts'
import type { CustomerCtx, StoreCtx } from '../context.ts'
import type { Cart } from './cart.contract.ts'
import { readCart } from './cart.sql.ts'
import { inLineOf, noSuchCart } from './cart.ts'
import { holdCustomerCart, lockGuestCart, moveLines, takeGuestCart } from './claim.sql.ts'
import { showCart } from './show-cart.ts'

/** The customer's cart afterwards. A cart that is the customer's already stays as it is. */
export const claimCartById = (ctx: CustomerCtx, cartId: string): Promise<Answer<Cart>> =>
  writeOnce(inLineOf(ctx, cartId), { route: 'claimCart', request: { cartId } }, async (tx) => {
    const { store, shopper } = ctx
    const claimed = await claimCart(tx, ctx, shopper.customerId, cartId)
    const own = await readCart(tx, store.id, { of: shopper })
    if (own === undefined || !(claimed || own.id === cartId)) throw noSuchCart()
    return { body: showCart(ctx, own), headers: { 'x-cart-id': own.id } }
  })

/** False when there is no such cart of a guest: it is unknown, over, of another store, or has an owner. */
export const claimCart = async (tx: Tx, ctx: StoreCtx, customerId: string, cartId: string): Promise<boolean> =>
  (await absorb(tx, ctx, customerId, { cartId })) !== undefined

/** How many lines a guest's cart had, all of which are the customer's now. */
export const mergeCart = async (tx: Tx, ctx: StoreCtx, customerId: string, guestId: string): Promise<number> =>
  (await absorb(tx, ctx, customerId, { guestId })) ?? 0

/**
 * Moves a guest's cart into the customer's. The lock comes first and in a statement of its own, because lines that were
 * added while it was waited for must be moved too. A customer without a cart gets one with the id of the guest's, so
 * that a storefront that knows the id can go on with it.
 */
const absorb = async (
  tx: Tx,
  { store }: StoreCtx,
  customerId: string,
  which: { cartId: string } | { guestId: string },
): Promise<number | undefined> => {
  const locked = await lockGuestCart(tx, store.id, which)
  if (locked === undefined) return undefined
  const taken = await takeGuestCart(tx, store.id, locked.id)
  const own = await holdCustomerCart(tx, store.id, customerId, taken)
  await moveLines(tx, store.id, own, taken.lines)
  return taken.lines.length
}
