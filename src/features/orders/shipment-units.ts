import type { Queries } from '../../db/database.ts'
import type { Store } from '../context.ts'
import type { LockedOrder, OrderLineRow } from './orders.sql.ts'
import { listRefundedUnshipped } from './shipped.sql.ts'

/** A shipment without items covers the whole order. */
type Parcel = { status: string; items: readonly UnitsOfLine[] }

/** A cancelled shipment never left the store. */
export const isActive = ({ status }: Pick<Parcel, 'status'>) => status !== 'cancelled'

/** How many units of a line are in shipments that list their items. */
export const unitsIn = (shipments: readonly Parcel[], lineId: string) =>
  shipments
    .filter(isActive)
    .flatMap(({ items }) => items)
    .filter(({ id }) => id === lineId)
    .reduce((sum, { quantity }) => sum + quantity, 0)

export type UnitsOfLine = { id: string; quantity: number }

/** Refunded units that were never shipped, by line. */
export const readRefundedUnshipped = async (
  db: Queries,
  { store }: { store: Pick<Store, 'id'> },
  order: Pick<LockedOrder, 'id' | 'lines'>,
): Promise<readonly UnitsOfLine[]> =>
  order.lines.some(({ refunded }) => refunded > 0) ? listRefundedUnshipped(db, store.id, order.id) : []

export const unitsOf = (items: readonly UnitsOfLine[], lineId: string) =>
  items.find(({ id }) => id === lineId)?.quantity ?? 0

/** Refunded units stay in the store, unless they were shipped before the refund. */
export const unitsLeftOf = (
  line: OrderLineRow,
  shipments: readonly Parcel[],
  refundedUnshipped: readonly UnitsOfLine[],
): number => {
  if (line.digital !== null) return 0
  const left = line.quantity - unitsIn(shipments, line.id) - unitsOf(refundedUnshipped, line.id)
  return Math.max(0, Math.min(left, line.quantity - line.refunded))
}

/** Units that are in no shipment and must still be sent. A shipment without items covers the whole order. */
export const unitsToShip = (
  order: Pick<LockedOrder, 'lines'>,
  shipments: readonly Parcel[],
  refundedUnshipped: readonly UnitsOfLine[],
): UnitsOfLine[] => {
  if (shipments.some((shipment) => isActive(shipment) && shipment.items.length === 0)) return []
  return order.lines
    .map((line) => ({ id: line.id, quantity: unitsLeftOf(line, shipments, refundedUnshipped) }))
    .filter(({ quantity }) => quantity > 0)
}

/**
 * A shipment without items covers the whole order. Otherwise every physical unit must be in a delivered shipment, except
 * those that were refunded instead.
 */
export const isAllDelivered = (
  order: Pick<LockedOrder, 'lines'>,
  all: readonly Parcel[],
  refundedUnshipped: readonly UnitsOfLine[],
) => {
  const shipments = all.filter(isActive)
  if (shipments.length === 0) return false
  if (shipments.some(({ status }) => status !== 'delivered')) return false
  if (shipments.some(({ items }) => items.length === 0)) return true
  return order.lines.every(
    ({ id, digital, quantity }) =>
      digital !== null || unitsIn(shipments, id) + unitsOf(refundedUnshipped, id) >= quantity,
  )
}

/** How many units of a line have left the store. A shipment without items holds the whole order. */
export const unitsShipped = ({ id, quantity, digital }: OrderLineRow, shipments: readonly Parcel[]): number => {
  if (digital !== null) return 0
  if (shipments.some((shipment) => isActive(shipment) && shipment.items.length === 0)) return quantity
  return Math.min(quantity, unitsIn(shipments, id))
}
