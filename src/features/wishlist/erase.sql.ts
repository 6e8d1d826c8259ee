import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export const deleteWishlistOf = (db: Queries, storeId: StoreId, customerId: string) => db.run`
  delete from wishlist_item where store_id = ${storeId} and customer_id = ${customerId}`
