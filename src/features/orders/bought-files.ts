import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { insertDownloads } from './bought-files.sql.ts'
import type { LockedOrder } from './orders.sql.ts'

/** How often one copy may be fetched: on a few devices, and again after a connection that broke. */
export const usesOfACopy = 5

/** The right to fetch what was paid for. Granting it again changes nothing. */
export const grantDownloads = async (tx: Tx, storeId: StoreId, order: LockedOrder): Promise<void> => {
  const files = order.lines
    .filter(({ digital }) => digital !== null)
    .map(({ position, quantity }) => ({ id: newId('dl'), position, mostUses: usesOfACopy * quantity }))
  if (files.length > 0) await insertDownloads(tx, storeId, order, files)
}
