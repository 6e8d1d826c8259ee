import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export const lockCustomerCart = (tx: Tx, storeId: StoreId, customerId: string) => tx.run`
  select from cart where store_id = ${storeId} and customer_id = ${customerId} for update`
