import type { Queries, Tx } from '../../db/database.ts'
import type { Customer, StoreId } from '../context.ts'
import { type ReadCart, readCart } from './cart.sql.ts'
import { lockCustomerCart } from './for-checkout.sql.ts'

/** A customer's cart as it is now, whatever is about to change it. */
export const readCartOf = (db: Queries, storeId: StoreId, customer: Customer): Promise<ReadCart | undefined> =>
  readCart(db, storeId, { of: customer })

/** The same, held until the transaction ends. The lock comes first, so that what others wrote meanwhile is seen. */
export const holdCartOf = (tx: Tx, storeId: StoreId, customer: Customer): Promise<ReadCart | undefined> => {
  tx.later(lockCustomerCart(tx, storeId, customer.customerId))
  return readCartOf(tx, storeId, customer)
}

export type { ReadCart }
