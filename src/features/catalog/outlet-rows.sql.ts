import type { Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'

export const hasStockAt = async (tx: Tx, storeId: StoreId, outletId: OutletId) =>
  (
    await tx.one<{ hasStock: boolean }>`
      select exists (
        select from stock where store_id = ${storeId} and outlet_id = ${outletId} and on_hand > 0) as "hasStock"`
  ).hasStock

const batchSize = 20_000

/** One batch, so that no statement takes long. Returns how many rows were deleted. */
const deleteSome = (tx: Tx, table: Fragment, storeId: StoreId, outletId: OutletId) => tx.run`
  delete from ${table} where store_id = ${storeId} and ctid = any(array(
    select ctid from ${table} where store_id = ${storeId} and outlet_id = ${outletId} limit ${batchSize}))`

export const deleteOutletRows = async (tx: Tx, storeId: StoreId, outletId: OutletId) => {
  for (const table of [sql`listing`, sql`price_override`, sql`stock`])
    while ((await deleteSome(tx, table, storeId, outletId)) === batchSize);
}
