import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import type { DigitalFile } from '../catalog/whole-product.sql.ts'
import type { StoreId } from '../context.ts'
import { insertDownloads } from './downloads.sql.ts'

/** Enough for a few devices and for retries after a broken connection. */
export const usesPerCopy = 5

type PaidOrder = {
  id: string
  customerId: string
  lines: readonly { position: number; quantity: number; digital: DigitalFile | null }[]
}

/** Creates the downloads of a paid order. Idempotent. */
export const grantDownloads = async (tx: Tx, storeId: StoreId, order: PaidOrder): Promise<void> => {
  const files = order.lines
    .filter(({ digital }) => digital !== null)
    .map(({ position, quantity }) => ({ id: newId('dl'), position, mostUses: usesPerCopy * quantity }))
  if (files.length > 0) await insertDownloads(tx, storeId, order, files)
}
