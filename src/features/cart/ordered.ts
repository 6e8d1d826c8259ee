import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { takeFromCart } from './ordered.sql.ts'

/** What was bought leaves the cart. What was added since stays, also of the same thing. */
export const takeOrderedFromCart = (
  tx: Tx,
  storeId: StoreId,
  cartId: string,
  lines: readonly { variantId: string; quantity: number }[],
) => takeFromCart(tx, storeId, cartId, lines)
