import type { Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { writeOnce } from '../access/idempotency.ts'
import type { CustomerCtx, StoreCtx } from '../context.ts'
import type { Cart } from './cart.contract.ts'
import { type ReadCart, readCart } from './cart.sql.ts'
import { inCartQueue, noSuchCart } from './cart.ts'
import { holdCustomerCart, lockGuestCart, moveLines, takeGuestCart } from './claim.sql.ts'
import { showCart } from './show-cart.ts'

/** Returns the customer's cart. A cart that already belongs to the customer does not change. */
export const claimCartById = (ctx: CustomerCtx, cartId: string): Promise<Answer<Cart>> =>
  writeOnce(inCartQueue(ctx, cartId), {
    route: 'claimCart',
    request: { cartId },
    write: async (tx) => {
      const claimed = await claimCart(tx, ctx, ctx.shopper.customerId, cartId)
      return readOwn(tx, ctx, (own) => claimed || own.id === cartId)
    },
    refer: ({ id }) => id,
    readAgain: (tx, id) => readOwn(tx, ctx, (own) => own.id === id),
  })

const readOwn = async (tx: Tx, ctx: CustomerCtx, isIt: (own: ReadCart) => boolean): Promise<Answer<Cart>> => {
  const own = await readCart(tx, ctx.store.id, { of: ctx.shopper })
  if (own === undefined || !isIt(own)) throw noSuchCart()
  return { body: showCart(ctx, own), headers: { 'x-cart-id': own.id } }
}

/** False when there is no such guest cart: it is unknown, expired, of another store, or belongs to a customer. */
export const claimCart = async (tx: Tx, ctx: StoreCtx, customerId: string, cartId: string): Promise<boolean> =>
  (await absorb(tx, ctx, customerId, { cartId })) !== undefined

/** Returns the number of lines moved to the customer's cart. */
export const mergeCart = async (tx: Tx, ctx: StoreCtx, customerId: string, guestId: string): Promise<number> =>
  (await absorb(tx, ctx, customerId, { guestId })) ?? 0

/**
 * Moves a guest's cart into the customer's. The lock is a separate first statement, so that lines added while waiting
 * for it are moved too. A customer without a cart gets one with the id of the guest's cart, so that the storefront can
 * continue with the id it knows.
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
