import type { Tx } from '../../db/database.ts'
import type { OutletId, StoreId } from '../context.ts'
import { showStockChange } from './products.ts'
import { type Moved, moveStock, type StockLine, type StockMove } from './stock-moves.sql.ts'

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

export type Goods = { outletId: OutletId; lines: readonly StockLine[] }

/** Variants that there is not enough of (none when all units were moved), and those that are not tracked. */
export type Taken = { missing: string[]; uncounted: string[] }

/** When something is missing, some units may have been taken: the caller ends the transaction or gives them back. */
export const tryTakeStock = async (
  tx: Tx,
  storeId: StoreId,
  goods: Goods,
  move: 'reserve' | 'sell',
): Promise<Taken> => {
  const moved = await moveStock(tx, storeId, goods.outletId, goods.lines, moves[move])
  const missing = findMissing(goods, moved)
  if (missing.length === 0) await showTurned(tx, storeId, moved)
  return { missing, uncounted: moved.filter(({ isCounted }) => !isCounted).map(({ variantId }) => variantId) }
}

/** For units that were taken before. Returns the variants that have no stock row, which there should be none of. */
export const moveTakenStock = async (
  tx: Tx,
  storeId: StoreId,
  goods: Goods,
  move: 'sellReserved' | 'release' | 'restock',
): Promise<string[]> => {
  const moved = await moveStock(tx, storeId, goods.outletId, goods.lines, moves[move])
  await showTurned(tx, storeId, moved)
  return findMissing(goods, moved)
}

const findMissing = ({ lines }: Goods, moved: readonly Moved[]) => {
  const found = new Set(moved.map(({ variantId }) => variantId))
  return [...new Set(lines.map(({ variantId }) => variantId))].filter((variantId) => !found.has(variantId))
}

const showTurned = (tx: Tx, storeId: StoreId, moved: readonly Moved[]) =>
  showStockChange(
    tx,
    storeId,
    moved.filter(({ isTurned }) => isTurned).map(({ productId }) => productId),
  )
