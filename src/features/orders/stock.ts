import { fail } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import { type Goods, moveTakenStock, type OrderCause, tryTakeStock } from '../catalog/stock-moves.ts'
import type { StoreId } from '../context.ts'
import { countRefunded, type LockedOrder, type OrderLineRow } from './orders.sql.ts'
import { noteCounted } from './stock.sql.ts'

type OrderedGoods = Pick<Goods, 'orderId' | 'outletId'> & {
  lines: readonly Pick<OrderLineRow, 'variantId' | 'quantity' | 'name'>[]
}

/**
 * Takes all units or fails with 409. Returns the variants that are not tracked: `noteUncounted` records them, so that
 * units that were never taken are not returned to stock later.
 */
export const takeStock = async (
  tx: Tx,
  storeId: StoreId,
  goods: OrderedGoods,
  move: 'reserve' | 'sell',
): Promise<string[]> => {
  const {
    missing: [missing],
    uncounted,
  } = await tryTakeStock(tx, storeId, goods, move)
  if (missing === undefined) return uncounted
  const name = goods.lines.find(({ variantId }) => variantId === missing)?.name ?? 'an item'
  throw fail('INSUFFICIENT_STOCK', `There is not enough of ${name} in stock.`)
}

/** For a new order. Lines are counted by default, so only the others are updated. */
export const noteUncounted = async (tx: Tx, storeId: StoreId, orderId: string, uncounted: readonly string[]) => {
  if (uncounted.length > 0) await noteCounted(tx, storeId, orderId, uncounted)
}

type Order = Pick<LockedOrder, 'id' | 'outletId' | 'lines'>

/** Moves the units that an order reserved or took. Skips lines that were not tracked at the time of the order. */
export const moveCounted = async (
  tx: Tx,
  storeId: StoreId,
  { id, outletId, lines }: Order,
  move: 'sellReserved' | 'release' | 'restock',
  cause: OrderCause,
): Promise<void> => {
  const counted = lines.filter(({ stockCounted }) => stockCounted)
  if (counted.length === 0) return
  const missing = await moveTakenStock(tx, storeId, { orderId: id, outletId, lines: counted }, move, cause)
  if (missing.length > 0) throw new Error(`order ${id}: no stock row for variants ${missing.join(', ')}`)
}

/** For units of an order that were returned to stock. Takes all of them or none; true if they were taken. */
export const takeStockAgain = async (
  tx: Tx,
  storeId: StoreId,
  order: Order,
  lines: readonly OrderLineRow[] = order.lines,
): Promise<boolean> => {
  const goods = { orderId: order.id, outletId: order.outletId }
  const { missing, uncounted } = await tryTakeStock(tx, storeId, { ...goods, lines }, 'sell')
  if (missing.length === 0) {
    const changes = lines
      .filter(({ restocked }) => restocked > 0)
      .map(({ id, quantity, restocked }) => ({ id, refunded: 0, restocked: -Math.min(quantity, restocked) }))
    if (changes.length > 0) await countRefunded(tx, storeId, order.id, changes)
    const others = order.lines.filter(({ id, stockCounted }) => !stockCounted && lines.every((line) => line.id !== id))
    await noteCounted(tx, storeId, order.id, [...uncounted, ...others.map(({ variantId }) => variantId)])
    return true
  }
  const untaken = new Set([...missing, ...uncounted])
  const taken = lines.filter(({ variantId }) => !untaken.has(variantId))
  if (taken.length > 0) await moveTakenStock(tx, storeId, { ...goods, lines: taken }, 'restock', 'order')
  return false
}

/** Returns the units that an order has reserved or taken, because it is cancelled. */
export const returnStock = async (tx: Tx, storeId: StoreId, order: LockedOrder): Promise<void> => {
  if (order.stockState === 'released') return
  await moveCounted(tx, storeId, order, order.stockState === 'reserved' ? 'release' : 'restock', 'cancel')
}
