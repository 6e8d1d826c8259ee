import type { Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { countRefunded, type LockedOrder, type OrderLineRow } from './orders.sql.ts'
import { listShippedUnits } from './shipped.sql.ts'
import { moveCounted, takeStockAgain } from './stock.ts'

type Ctx = { store: Pick<Store, 'id'> }

export type RestockedUnits = { id: string; quantity: number }

/** `items` empty: all units that no other refund is for. `restock` null: only units that were not shipped. */
type UnitsToRestock = {
  isWhole: boolean
  items: readonly RestockedUnits[]
  restock: true | null
  /** Why the units come back, for the ledger. */
  cause?: 'refund' | 'return'
}

export const isSent = ({ status }: LockedOrder) => status === 'out_for_delivery' || status === 'delivered'

/** Returns units of a refund to stock, and the order as it is then. */
export const restockUnits = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  { isWhole, items, restock, cause = 'refund' }: UnitsToRestock,
): Promise<LockedOrder> => {
  if (order.stockState !== 'sold') return order
  const shipped = await shippedUnitsOf(tx, ctx, order, restock)
  const unitsOf = (line: OrderLineRow) => {
    const wanted = wantedUnits(line, items, isWhole)
    return Math.max(0, Math.min(wanted, line.quantity - line.restocked - (shipped.get(line.id) ?? 0)))
  }
  const moved = order.lines.map((line) => ({ ...line, quantity: unitsOf(line) })).filter(({ quantity }) => quantity > 0)
  if (moved.length > 0) {
    await moveCounted(tx, ctx.store.id, { ...order, lines: moved }, 'restock', cause)
    const changes = moved.map(({ id, quantity }) => ({ id, refunded: 0, restocked: quantity }))
    await countRefunded(tx, ctx.store.id, order.id, changes)
  }
  const lines = order.lines.map((line) => ({ ...line, restocked: line.restocked + unitsOf(line) }))
  const isReleased = isWhole && lines.every(({ quantity, restocked }) => quantity === restocked)
  return { ...order, lines, stockState: isReleased ? 'released' : 'sold' }
}

/** Returns units to stock that a customer has sent back, whether or not they are refunded, and the order as it is then. */
export const restockReturned = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  items: readonly RestockedUnits[],
): Promise<LockedOrder> => {
  if (order.stockState !== 'sold') return order
  const unitsOf = (line: OrderLineRow) =>
    Math.min(items.find(({ id }) => id === line.id)?.quantity ?? 0, line.quantity - line.restocked)
  const moved = order.lines.map((line) => ({ ...line, quantity: unitsOf(line) })).filter(({ quantity }) => quantity > 0)
  if (moved.length === 0) return order
  await moveCounted(tx, ctx.store.id, { ...order, lines: moved }, 'restock', 'return')
  const changes = moved.map(({ id, quantity }) => ({ id, refunded: 0, restocked: quantity }))
  await countRefunded(tx, ctx.store.id, order.id, changes)
  return { ...order, lines: order.lines.map((line) => ({ ...line, restocked: line.restocked + unitsOf(line) })) }
}

/** A unit that the customer keeps is never restocked, even if an earlier refund of it failed after its unit was sold. */
const wantedUnits = (line: OrderLineRow, items: UnitsToRestock['items'], isWhole: boolean): number => {
  if (items.length === 0) return line.quantity - line.refunded
  const quantity = items.find(({ id }) => id === line.id)?.quantity ?? 0
  return isWhole ? quantity : Math.min(quantity, line.refunded - line.restocked)
}

/** The units of each line that stay away from stock. None if the merchant wants all of them back. */
const shippedUnitsOf = async (tx: Tx, ctx: Ctx, order: LockedOrder, restock: true | null) => {
  if (restock === true) return new Map<string, number>()
  const shipped = new Map(
    (await listShippedUnits(tx, ctx.store.id, order.id)).map(({ id, quantity }) => [id, quantity]),
  )
  // A carrier's event can come for an order without shipments.
  if (shipped.size === 0 && isSent(order)) return new Map(order.lines.map(({ id, quantity }) => [id, quantity]))
  return shipped
}

/** The units that `restockUnits` has returned to stock. */
export const listRestocked = (before: LockedOrder, after: LockedOrder): RestockedUnits[] => {
  const restockedBefore = new Map(before.lines.map(({ id, restocked }) => [id, restocked]))
  return after.lines
    .map(({ id, restocked }) => ({ id, quantity: restocked - (restockedBefore.get(id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0)
}

/** Takes all of these units from stock again and returns the order as it is then; null if there are not enough. */
export const takeRestockedUnits = async (
  tx: Tx,
  ctx: Ctx,
  order: LockedOrder,
  restocked: readonly RestockedUnits[],
): Promise<LockedOrder | null> => {
  const unitsOf = (line: OrderLineRow) =>
    Math.min(line.restocked, restocked.find(({ id }) => id === line.id)?.quantity ?? 0)
  const taken = order.lines.map((line) => ({ ...line, quantity: unitsOf(line) })).filter(({ quantity }) => quantity > 0)
  if (!(await takeStockAgain(tx, ctx.store.id, order, taken))) return null
  const lines = order.lines.map((line) => ({ ...line, restocked: line.restocked - unitsOf(line) }))
  return { ...order, lines, stockState: 'sold' }
}
