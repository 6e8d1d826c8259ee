import { toWire } from '../../core/money.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Queries } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { Store } from '../context.ts'
import { type OrderStatus, orderStatuses } from './order.contract.ts'
import { listStoreOrders } from './order-book.sql.ts'
import { type FullOrderRow, findOrderStore, readOrder } from './orders.sql.ts'

/** The orders of a store as its operator sees them. */
export const listOrdersOfStore = async (
  db: Queries,
  store: Pick<Store, 'id'>,
  { status, limit }: { status: string | null; limit: number },
) => {
  if (status !== null && !orderStatuses.includes(status as OrderStatus)) {
    throw new OperatorError(`There is no status "${status}". Orders are ${orderStatuses.join(', ')}.`)
  }
  const orders = await listStoreOrders(db, store.id, { status, limit })
  return orders.map(({ totalMinor, number, createdAt, ...order }) => ({
    ...order,
    number: String(number),
    total: toWire(totalMinor, order.currency),
    createdAt: createdAt.toISOString(),
  }))
}

/** An operator names an order by its id alone, which also tells the store. */
export const findOrder = async (db: Queries, orderId: string): Promise<{ store: Store; order: FullOrderRow }> => {
  const found = await findOrderStore(db, orderId)
  const store = found && (await findStoreByPublicId(db, found.storeId))
  const order = store && (await readOrder(db, store.id, orderId))
  if (order === undefined || store === undefined) {
    throw new OperatorError(`There is no order ${orderId}. "vitrine order list" shows the orders.`)
  }
  return { store, order }
}
