import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { takeFromCart } from './remove-ordered.sql.ts'

/** Removes the bought quantities from the cart. Units that were added after the order was placed stay. */
export const removeOrderedFromCart = (
  tx: Tx,
  storeId: StoreId,
  cartId: string,
  lines: readonly { variantId: string; quantity: number }[],
) => takeFromCart(tx, storeId, cartId, lines)
