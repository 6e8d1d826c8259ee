import type { Tx } from '../../db/database.ts'
import type { OutletId, StoreId } from '../context.ts'
import { showStockChange } from './products.ts'
import type { StockTurn } from './stock-events.sql.ts'
import { recordStockEvents } from './stock-events.ts'
import type { MoveCause, MoveNote } from './stock-ledger.sql.ts'
import { type Moved, moveStock, type StockLine, type StockMove } from './stock-moves.sql.ts'

const moves = {
  /** For an order that is not paid yet. */
  reserve: { onHand: 0, reserved: 1, mustBeFree: true },
  /** For an order that needs no prepayment. */
  sell: { onHand: -1, reserved: 0, mustBeFree: true },
  /** A reserved unit is sold. */
  sellReserved: { onHand: -1, reserved: -1, mustBeFree: false },
  /** A reserved unit becomes available again. */
  release: { onHand: 0, reserved: -1, mustBeFree: false },
  /** A sold unit comes back. */
  restock: { onHand: 1, reserved: 0, mustBeFree: false },
} satisfies Record<string, StockMove>

/** Units of an order, which the ledger names. */
export type Goods = { orderId: string; outletId: OutletId; lines: readonly StockLine[] }

/** Variants with too little stock (empty if all units were moved), and variants that are not tracked. */
export type Taken = { missing: string[]; uncounted: string[] }

/** If something is missing, other units may have been taken: the caller must roll back or return them. */
export const tryTakeStock = async (
  tx: Tx,
  storeId: StoreId,
  goods: Goods,
  move: 'reserve' | 'sell',
): Promise<Taken> => {
  const note = noteOf(goods, 'order')
  const moved = await moveStock(tx, storeId, goods.outletId, goods.lines, moves[move], note)
  const missing = findMissing(goods, moved)
  if (missing.length === 0) {
    await refreshTurned(tx, storeId, moved)
    recordStockEvents(tx, storeId, turnsOf(goods, moved))
  }
  return { missing, uncounted: moved.filter(({ isCounted }) => !isCounted).map(({ variantId }) => variantId) }
}

/** For units that were taken before. Returns the variants without a stock row; there should be none. */
export const moveTakenStock = async (
  tx: Tx,
  storeId: StoreId,
  goods: Goods,
  move: 'sellReserved' | 'release' | 'restock',
  cause: OrderCause,
): Promise<string[]> => {
  const moved = await moveStock(tx, storeId, goods.outletId, goods.lines, moves[move], noteOf(goods, cause))
  await refreshTurned(tx, storeId, moved)
  return findMissing(goods, moved)
}

/** Why units of an order move. */
export type OrderCause = Extract<MoveCause, 'order' | 'cancel' | 'refund' | 'return'>

const noteOf = ({ orderId }: Goods, cause: OrderCause): MoveNote => ({ cause, orderId, reason: null, actor: null })

const findMissing = ({ lines }: Goods, moved: readonly Moved[]) => {
  const found = new Set(moved.map(({ variantId }) => variantId))
  return [...new Set(lines.map(({ variantId }) => variantId))].filter((variantId) => !found.has(variantId))
}

const turnsOf = ({ outletId }: Goods, moved: readonly Moved[]): StockTurn[] =>
  moved.flatMap(({ variantId, eventType, sequence }) =>
    eventType === null ? [] : [{ variantId, outletId, type: eventType, sequence }],
  )

const refreshTurned = (tx: Tx, storeId: StoreId, moved: readonly Moved[]) =>
  showStockChange(
    tx,
    storeId,
    moved.filter(({ availabilityChanged }) => availabilityChanged).map(({ productId }) => productId),
  )
