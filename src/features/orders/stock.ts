import { fail } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import { showStockChange } from '../catalog/products.ts'
import type { StoreId } from '../context.ts'
import type { LockedOrder, OrderLineRow } from './orders.sql.ts'
import { moveStock, type StockMove } from './stock.sql.ts'

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

/** The variants that there is not enough of; none when all units were moved. */
export const tryMoveStock = async (
  tx: Tx,
  storeId: StoreId,
  { outletId, lines }: Goods,
  move: keyof typeof moves,
): Promise<string[]> => {
  const moved = await moveStock(tx, storeId, outletId, lines, moves[move])
  const names = new Set(moved.map(({ variantId }) => variantId))
  const missing = [...new Set(lines.map(({ variantId }) => variantId))].filter((variantId) => !names.has(variantId))
  const turned = moved.filter(({ isTurned }) => isTurned).map(({ productId }) => productId)
  if (missing.length === 0) await showStockChange(tx, storeId, turned)
  return missing
}

/** Moves all units or ends the request with 409. */
export const takeStock = async (tx: Tx, storeId: StoreId, goods: Goods, move: 'reserve' | 'sell'): Promise<void> => {
  const [missing] = await tryMoveStock(tx, storeId, goods, move)
  if (missing === undefined) return
  const name = goods.lines.find(({ variantId }) => variantId === missing)?.name ?? 'what you want to buy'
  throw fail('INSUFFICIENT_STOCK', `There is not enough of ${name} in stock.`)
}

/** Units that an order holds or has taken go back to where they came from. */
export const returnStock = async (tx: Tx, storeId: StoreId, order: LockedOrder): Promise<void> => {
  if (order.stockState === 'released') return
  const move = order.stockState === 'reserved' ? 'release' : 'restock'
  const missing = await tryMoveStock(tx, storeId, order, move)
  if (missing.length > 0) throw new Error(`order ${order.id} has units of variants without stock: ${missing}`)
}
