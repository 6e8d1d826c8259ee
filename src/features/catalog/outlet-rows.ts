import type { Tx } from '../../db/database.ts'
import type { OutletId, StoreId } from '../context.ts'
import { deleteOutletRows, hasStockAt } from './outlet-rows.sql.ts'
import { lockCatalog } from './products.sql.ts'

/** Deletes the listings, prices and empty stock of an outlet. Returns false if units are in stock there. */
export const removeOutletFromCatalog = async (tx: Tx, storeId: StoreId, outletId: OutletId): Promise<boolean> => {
  // A concurrent import would write new rows for the outlet.
  await lockCatalog(tx, storeId)
  if (await hasStockAt(tx, storeId, outletId)) return false
  await deleteOutletRows(tx, storeId, outletId)
  return true
}
