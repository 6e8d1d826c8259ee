import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import type { DigitalFile } from '../catalog/whole-product.sql.ts'
import type { StoreId } from '../context.ts'
import { insertDownloads } from './downloads.sql.ts'

/** How often one copy may be fetched: on a few devices, and again after a connection that broke. */
export const usesOfACopy = 5

type PaidOrder = {
  id: string
  customerId: string
  lines: readonly { position: number; quantity: number; digital: DigitalFile | null }[]
}

/** Lets the customer download the files of a paid order. Granting them again changes nothing. */
export const grantDownloads = async (tx: Tx, storeId: StoreId, order: PaidOrder): Promise<void> => {
  const files = order.lines
    .filter(({ digital }) => digital !== null)
    .map(({ position, quantity }) => ({ id: newId('dl'), position, mostUses: usesOfACopy * quantity }))
  if (files.length > 0) await insertDownloads(tx, storeId, order, files)
}
