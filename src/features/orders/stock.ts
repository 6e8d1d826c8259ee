import { fail } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import { showStockChange } from '../catalog/products.ts'
import type { StoreId } from '../context.ts'
import type { LockedOrder, OrderLineRow } from './orders.sql.ts'
import { type Moved, moveStock, noteCounted, type StockMove } from './stock.sql.ts'

const moves = {
  /** Held for an order that is yet to be paid. */
  reserve: { onHand: 0, reserved: 1, mustBeFree: true },
  /** Gone with an order that needs no payment before. */
  sell: { onHand: -1, reserved: 0, mustBeFree: true },
  /** What was held is gone now. */
  sellReserved: { onHand: -1, reserved: -1, mustBeFree: false },
  /** What was held can be bought by others. */
  release: { onHand: 0, reserved: -1, mustBeFree: false },
  /** What was gone is back. */
  restock: { onHand: 1, reserved: 0, mustBeFree: false },
} satisfies Record<string, StockMove>

type Goods = Pick<LockedOrder, 'outletId'> & { lines: readonly Pick<OrderLineRow, 'variantId' | 'quantity' | 'name'>[] }

/** Variants that there is not enough of (none when all units were moved), and those that nobody counts. */
type Taken = { missing: string[]; uncounted: string[] }

export const tryTakeStock = async (
  tx: Tx,
  storeId: StoreId,
  { outletId, lines }: Goods,
  move: 'reserve' | 'sell',
): Promise<Taken> => {
  const moved = await moveStock(tx, storeId, outletId, lines, moves[move])
  const names = new Set(moved.map(({ variantId }) => variantId))
  const missing = [...new Set(lines.map(({ variantId }) => variantId))].filter((variantId) => !names.has(variantId))
  if (missing.length === 0) await showTurned(tx, storeId, moved)
  return { missing, uncounted: moved.filter(({ isCounted }) => !isCounted).map(({ variantId }) => variantId) }
}

/**
 * Takes all units or ends the request with 409. Returns the variants that are not tracked: `noteUncounted` keeps them
 * with the order, so that nothing is given back that was never taken.
 */
export const takeStock = async (
  tx: Tx,
  storeId: StoreId,
  goods: Goods,
  move: 'reserve' | 'sell',
): Promise<string[]> => {
  const {
    missing: [missing],
    uncounted,
  } = await tryTakeStock(tx, storeId, goods, move)
  if (missing === undefined) return uncounted
  const name = goods.lines.find(({ variantId }) => variantId === missing)?.name ?? 'what you want to buy'
  throw fail('INSUFFICIENT_STOCK', `There is not enough of ${name} in stock.`)
}

/** For an order that was just written. Its lines are marked as counted by default, so only the others are updated. */
export const noteUncounted = (tx: Tx, storeId: StoreId, orderId: string, uncounted: readonly string[]) => {
  if (uncounted.length > 0) tx.later(noteCounted(tx, storeId, orderId, uncounted))
}

type Order = Pick<LockedOrder, 'id' | 'outletId' | 'lines'>

/** Moves the units that an order reserved or took. Lines that were untracked when ordered are skipped. */
export const moveCounted = async (
  tx: Tx,
  storeId: StoreId,
  { id, outletId, lines }: Order,
  move: 'sellReserved' | 'release' | 'restock',
): Promise<void> => {
  const counted = lines.filter(({ stockCounted }) => stockCounted)
  if (counted.length === 0) return
  const moved = await moveStock(tx, storeId, outletId, counted, moves[move])
  const names = new Set(moved.map(({ variantId }) => variantId))
  const missing = counted.filter(({ variantId }) => !names.has(variantId)).map(({ variantId }) => variantId)
  if (missing.length > 0) throw new Error(`order ${id} has units of variants without stock: ${missing}`)
  await showTurned(tx, storeId, moved)
}

/** For an order that was given back: all its units or none. True when they were taken. */
export const takeStockAgain = async (tx: Tx, storeId: StoreId, order: Order): Promise<boolean> => {
  const { missing, uncounted } = await tryTakeStock(tx, storeId, order, 'sell')
  if (missing.length === 0) {
    tx.later(noteCounted(tx, storeId, order.id, uncounted))
    return true
  }
  const untaken = new Set([...missing, ...uncounted])
  const taken = order.lines.filter(({ variantId }) => !untaken.has(variantId))
  if (taken.length > 0) await moveStock(tx, storeId, order.outletId, taken, moves.restock)
  return false
}

/** Units that an order holds or has taken go back to where they came from. */
export const returnStock = async (tx: Tx, storeId: StoreId, order: LockedOrder): Promise<void> => {
  if (order.stockState === 'released') return
  await moveCounted(tx, storeId, order, order.stockState === 'reserved' ? 'release' : 'restock')
}

const showTurned = (tx: Tx, storeId: StoreId, moved: readonly Moved[]) =>
  showStockChange(
    tx,
    storeId,
    moved.filter(({ isTurned }) => isTurned).map(({ productId }) => productId),
  )
