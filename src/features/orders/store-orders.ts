import { refuse } from '../../core/domain-errors.ts'
import type { Queries } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { Store } from '../context.ts'
import { type FullOrderRow, readOrder } from './orders.sql.ts'
import { findOrderById, findOrdersByNumber } from './store-orders.sql.ts'

/**
 * Finds an order by its id, or by its number. Several stores may have the same number; then `storeId` (the public id) is
 * needed.
 */
export const findOrder = async (
  db: Queries,
  name: string,
  storeId?: string,
): Promise<{ store: Store; order: FullOrderRow }> => {
  const matches = await findMatches(db, name, storeId ?? null)
  const [match, another] = matches
  if (another !== undefined) {
    const stores = matches.map((found) => ({ id: found.storeId, name: found.storeName }))
    throw refuse('ORDER_AMBIGUOUS', { order: name, stores })
  }
  const store = match && (await findStoreByPublicId(db, match.storeId))
  const order = store && (await readOrder(db, store.id, match.orderId))
  if (order === undefined || store === undefined) throw refuse('ORDER_NOT_FOUND', { order: name, storeId })
  return { store, order }
}

const findMatches = (db: Queries, name: string, storeId: string | null) => {
  const number = readOrderNumber(name)
  return number === null ? findOrderById(db, name, storeId) : findOrdersByNumber(db, number, storeId)
}

/** `1042` or `#1042`; null when the name is not a number. */
export const readOrderNumber = (name: string): number | null => {
  const [, digits] = /^#?(\d{1,9})$/.exec(name) ?? []
  return digits === undefined ? null : Number(digits)
}
