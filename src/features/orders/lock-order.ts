import type { Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { StoreId } from '../context.ts'
import { type LockedOrder, lockCartOf, lockOrderRow, readLockedOrder } from './orders.sql.ts'

/** The order and its lines are read after the lock, because refunds that it waited for have changed them. */
export const lockOrder = async (tx: Tx, storeId: StoreId, orderId: string): Promise<LockedOrder | undefined> => {
  const [, order] = await pipeline(lockOrderRow(tx, storeId, orderId), readLockedOrder(tx, storeId, orderId))
  return order
}

/** Locks the cart, then the order (see `lockCartOf`). Undefined if the store has no such order. */
export const holdOrder = async (
  tx: Tx,
  { store }: { store: { id: StoreId } },
  orderId: string,
): Promise<LockedOrder | undefined> => {
  const [, order] = await pipeline(lockCartOf(tx, store.id, orderId), lockOrder(tx, store.id, orderId))
  return order
}
