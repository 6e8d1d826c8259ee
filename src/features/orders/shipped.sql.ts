import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Whether a locked order has a shipment. */
export const hasShipment = async (tx: Tx, storeId: StoreId, orderId: string) =>
  (
    await tx.one<{ exists: boolean }>`
    select exists (select from shipment where store_id = ${storeId} and order_id = ${orderId})`
  ).exists
