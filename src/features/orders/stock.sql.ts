import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Records on each line of an order whether its units were taken from stock. */
export const noteCounted = (tx: Tx, storeId: StoreId, orderId: string, uncounted: readonly string[]) => tx.run`
  update order_line set stock_counted = variant_id <> all(${uncounted}::text[])
  where store_id = ${storeId} and order_id = ${orderId} and stock_counted = (variant_id = any(${uncounted}::text[]))`
