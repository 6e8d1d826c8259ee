import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { noteShipment } from '../orders/settle.ts'
import { isActive, readRefundedUnshipped, unitsLeftOf, unitsToShip } from '../orders/shipment-units.ts'
import * as sql from './delivery.sql.ts'

export type ShipRequest = {
  /** Empty if there is none, as when the store delivers by itself. */
  trackingNumber: string
  partner: string
  trackingUrl: string
  estimatedDelivery: Date | null
  /** Lines by id or SKU with quantities. Empty: all that is left to ship, or another parcel of the whole order. */
  items: readonly { line: string; quantity: number }[]
}

/** Records that the store handed an order, or part of it, to a carrier. Carrier events refer to the tracking number. */
export const shipOrder = async (tx: Tx, ctx: { store: Store }, orderId: string, request: ShipRequest) => {
  const order = await holdOrder(tx, ctx, orderId)
  if (order === undefined) throw refuse('ORDER_NOT_FOUND', { order: orderId })
  if (order.status === 'cancelled' || order.status === 'refunded') {
    throw refuse('ORDER_NOT_SHIPPABLE', { order: orderId, status: order.status })
  }
  const others = await sql.listShipments(tx, ctx.store.id, orderId)
  const { trackingNumber, partner } = request
  if (trackingNumber !== '' && others.some((other) => other.trackingNumber === trackingNumber)) {
    throw refuse('TRACKING_NUMBER_TAKEN', { order: orderId, trackingNumber })
  }
  const shipment: sql.Shipment = {
    ...request,
    id: newId('ship'),
    status: 'shipped',
    items: await chooseUnits(tx, ctx, order, others, request.items),
    deliveredAt: null,
    lastEventAt: null,
    carrier: null,
  }
  await sql.saveShipment(tx, ctx.store.id, orderId, shipment)
  await noteShipment(tx, ctx, order, `Shipped with ${partner}${trackingNumber && `, number ${trackingNumber}`}.`)
  return { orderId, shipmentId: shipment.id }
}

/** Empty for a parcel of the whole order. The rest of an order is noted line by line, so that a packing slip has it. */
const chooseUnits = async (
  tx: Tx,
  ctx: { store: Store },
  order: LockedOrder,
  others: readonly sql.Shipment[],
  items: ShipRequest['items'],
) => {
  const refunded = await readRefundedUnshipped(tx, ctx, order)
  if (items.length > 0) return readItems(order, items, (line) => unitsLeftOf(line, others, refunded))
  const isPartial = refunded.length > 0 || others.some(isActive)
  return isPartial ? unitsToShip(order, others, refunded) : []
}

/** The same with its entry in the audit log. */
export const shipOrderBy = async (tx: Tx, ctx: { store: Store }, by: Author, orderId: string, request: ShipRequest) => {
  const shipped = await shipOrder(tx, ctx, orderId, request)
  const { trackingNumber, partner, items } = request
  noteShipped(tx, ctx, by, orderId, { id: shipped.shipmentId, trackingNumber, partner, items })
  return shipped
}

export const noteShipped = (
  tx: Tx,
  { store }: { store: Store },
  by: Author,
  id: string,
  shipment: Readonly<Record<string, unknown>>,
) =>
  recordChange(tx, store, by, { action: 'order.shipped', id, changes: { shipment: { before: null, after: shipment } } })

/** `leftOf` returns how many units of a line can be in this shipment. */
export const readItems = (
  order: LockedOrder,
  items: ShipRequest['items'],
  leftOf: (line: LockedOrder['lines'][number]) => number,
) => {
  const wanted = new Map<string, number>()
  for (const { line, quantity } of items) {
    const found = order.lines.filter(({ id, sku }) => id === line || sku === line)
    const [only] = found
    if (only === undefined) throw refuse('LINE_NOT_FOUND', { order: order.id, line })
    if (found.length > 1) throw refuse('LINE_AMBIGUOUS', { order: order.id, line })
    if (only.digital !== null) throw refuse('LINE_NOT_PHYSICAL', { name: only.name })
    const sum = (wanted.get(only.id) ?? 0) + quantity
    const left = leftOf(only)
    if (sum > left) throw refuse('LINE_UNITS_TOO_MANY', { name: only.name, units: sum, unitsLeft: left })
    wanted.set(only.id, sum)
  }
  return [...wanted].map(([id, quantity]) => ({ id, quantity }))
}
