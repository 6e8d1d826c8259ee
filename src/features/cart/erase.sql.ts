import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** For a locked cart. Its row stays: payments of one cart wait for each other at its lock. */
export const emptyCartOf = (tx: Tx, storeId: StoreId, customerId: string) => tx.run`
  with emptied as (
    update cart set coupon_code = null, version = version + 1
    where store_id = ${storeId} and customer_id = ${customerId} returning id)
  delete from cart_item where store_id = ${storeId} and cart_id in (select id from emptied)`
