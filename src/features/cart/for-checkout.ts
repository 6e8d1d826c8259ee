import type { Queries, Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { Customer, StoreId } from '../context.ts'
import { type CartRow, type LineToOrder, type ReadCart, readCart, readCartToOrder } from './cart.sql.ts'
import { lockCustomerCart } from './for-checkout.sql.ts'

export type CartToOrder = CartRow & { lines: LineToOrder[] }

/** Reads a customer's cart without a lock. */
export const readCartOf = (db: Queries, storeId: StoreId, customer: Customer): Promise<ReadCart | undefined> =>
  readCart(db, storeId, { of: customer })

/**
 * Reads a customer's cart without its coupon, and locks it until the transaction ends. The lock comes first, so the read
 * is current.
 */
export const holdCartOf = async (tx: Tx, storeId: StoreId, customer: Customer): Promise<CartToOrder | undefined> => {
  const [, cart] = await pipeline(
    lockCustomerCart(tx, storeId, customer.customerId),
    readCartToOrder(tx, storeId, customer),
  )
  return cart
}
