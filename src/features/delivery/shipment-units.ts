import type { Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import type { LockedOrder, OrderLineRow } from '../orders/orders.sql.ts'
import { listRefundedUnshipped } from './carrier-shipments.sql.ts'
import type { Shipment } from './delivery.sql.ts'

/** A cancelled shipment never left the store. */
export const isActive = ({ status }: Pick<Shipment, 'status'>) => status !== 'cancelled'

/** How many units of a line are in shipments that list their items. */
export const unitsIn = (shipments: readonly Shipment[], lineId: string) =>
  shipments
    .filter(isActive)
    .flatMap(({ items }) => items)
    .filter(({ id }) => id === lineId)
    .reduce((sum, { quantity }) => sum + quantity, 0)

export type UnitsOfLine = { id: string; quantity: number }

/** Refunded units that were never shipped, by line. */
export const readRefundedUnshipped = async (
  tx: Tx,
  { store }: { store: Pick<Store, 'id'> },
  order: LockedOrder,
): Promise<readonly UnitsOfLine[]> =>
  order.lines.some(({ refunded }) => refunded > 0) ? listRefundedUnshipped(tx, store.id, order.id) : []

export const unitsOf = (items: readonly UnitsOfLine[], lineId: string) =>
  items.find(({ id }) => id === lineId)?.quantity ?? 0

/** Refunded units stay in the store, unless they were shipped before the refund. */
export const unitsLeftOf = (
  line: OrderLineRow,
  shipments: readonly Shipment[],
  refundedUnshipped: readonly UnitsOfLine[],
): number => {
  if (line.digital !== null) return 0
  const left = line.quantity - unitsIn(shipments, line.id) - unitsOf(refundedUnshipped, line.id)
  return Math.max(0, Math.min(left, line.quantity - line.refunded))
}

/** Units that are in no shipment and must still be sent. A shipment without items covers the whole order. */
export const unitsToShip = (
  order: LockedOrder,
  shipments: readonly Shipment[],
  refundedUnshipped: readonly UnitsOfLine[],
): UnitsOfLine[] => {
  if (shipments.some((shipment) => isActive(shipment) && shipment.items.length === 0)) return []
  return order.lines
    .map((line) => ({ id: line.id, quantity: unitsLeftOf(line, shipments, refundedUnshipped) }))
    .filter(({ quantity }) => quantity > 0)
}
