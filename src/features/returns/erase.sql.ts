import { erasedText } from '../../core/erased.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** What the customer and the store have written to each other. */
export const eraseReturns = (tx: Tx, storeId: StoreId, orderIds: readonly string[]) => tx.run`
  update order_return set reason = case when reason = '' then '' else ${erasedText} end,
    answer = case when answer = '' then '' else ${erasedText} end
  where store_id = ${storeId} and order_id = any(${orderIds}::text[])`
