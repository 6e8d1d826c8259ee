import { refuse } from '../../core/domain-errors.ts'
import { toWire } from '../../core/money.ts'
import type { Queries } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { Store } from '../context.ts'
import { orderStatuses } from './order.contract.ts'
import { findOrderById, findOrdersByNumber, listStoreOrders } from './order-book.sql.ts'
import { type FullOrderRow, readOrder } from './orders.sql.ts'

/** The orders of a store as its operator sees them. */
export const listOrdersOfStore = async (
  db: Queries,
  store: Pick<Store, 'id'>,
  { status, limit }: { status: string | null; limit: number },
) => {
  if (status !== null && !orderStatuses.some((known) => known === status)) {
    throw refuse('ORDER_STATUS_UNKNOWN', { status, statuses: orderStatuses })
  }
  const orders = await listStoreOrders(db, store.id, { status, limit })
  return orders.map(({ totalMinor, number, createdAt, ...order }) => ({
    ...order,
    number: String(number),
    total: toWire(totalMinor, order.currency),
    createdAt: createdAt.toISOString(),
  }))
}

/**
 * An operator names an order by its id, or by its number, which several stores may have: then `storeId` (public) says
 * which one is meant.
 */
export const findOrder = async (
  db: Queries,
  name: string,
  storeId?: string,
): Promise<{ store: Store; order: FullOrderRow }> => {
  const places = await findPlaces(db, name, storeId ?? null)
  const [place, another] = places
  if (another !== undefined) {
    const stores = places.map((found) => ({ id: found.storeId, name: found.storeName }))
    throw refuse('ORDER_AMBIGUOUS', { order: name, stores })
  }
  const store = place && (await findStoreByPublicId(db, place.storeId))
  const order = store && (await readOrder(db, store.id, place.orderId))
  if (order === undefined || store === undefined) throw refuse('ORDER_NOT_FOUND', { order: name, storeId })
  return { store, order }
}

const findPlaces = (db: Queries, name: string, storeId: string | null) => {
  const number = readOrderNumber(name)
  return number === null ? findOrderById(db, name, storeId) : findOrdersByNumber(db, number, storeId)
}

/** `1042` or `#1042`; null when the name is not a number. */
export const readOrderNumber = (name: string): number | null => {
  const [, digits] = /^#?(\d{1,9})$/.exec(name) ?? []
  return digits === undefined ? null : Number(digits)
}
