import { erasedText } from '../../core/erased.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Orders with items that are on their way back, or wait for a decision or a refund. */
export const listOrdersBeingReturned = (db: Queries, storeId: StoreId, customerId: string) => db.many<{
  number: number
}>`
  select o.number from orders o
  where o.store_id = ${storeId} and o.customer_id = ${customerId} and exists (
    select from order_return t
    where t.store_id = ${storeId} and t.order_id = o.id and t.status in ('requested', 'approved', 'received'))
  order by o.number limit 10`

/** What the customer and the store have written to each other. */
export const eraseReturns = (tx: Tx, storeId: StoreId, orderIds: readonly string[]) => tx.run`
  update order_return set reason = case when reason = '' then '' else ${erasedText} end,
    answer = case when answer = '' then '' else ${erasedText} end
  where store_id = ${storeId} and order_id = any(${orderIds}::text[])`
