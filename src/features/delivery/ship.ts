import { newId } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { holdOrder, noteShipment } from '../orders/settle.ts'
import * as sql from './delivery.sql.ts'

export type ShipRequest = {
  trackingNumber: string
  partner: string
  trackingUrl: string
  estimatedDelivery: Date | null
  /** Lines by id or SKU with their quantities; none: the whole order, or one more parcel of it. */
  items: readonly { line: string; quantity: number }[]
}

/** The store hands something of an order to a carrier, and says under which number the carrier will tell of it. */
export const shipOrder = async (tx: Tx, ctx: { store: Store }, orderId: string, request: ShipRequest) => {
  const order = await holdOrder(tx, ctx, orderId)
  if (order === undefined) throw new OperatorError(`There is no order ${orderId}.`)
  if (order.status === 'cancelled' || order.status === 'refunded') {
    throw new OperatorError(`Order ${orderId} is ${order.status} and is not shipped any more.`)
  }
  const others = await sql.listShipments(tx, ctx.store.id, orderId)
  if (others.some(({ trackingNumber }) => trackingNumber === request.trackingNumber)) {
    throw new OperatorError(`Order ${orderId} already has a shipment with the number ${request.trackingNumber}.`)
  }
  const shipment: sql.Shipment = {
    ...request,
    id: newId('ship'),
    status: 'shipped',
    items: readItems(order, request.items, others),
    deliveredAt: null,
    lastEventAt: null,
  }
  await sql.saveShipment(tx, ctx.store.id, orderId, shipment)
  await noteShipment(tx, ctx, order, `Shipped with ${request.partner}, number ${request.trackingNumber}.`)
  return { orderId, shipmentId: shipment.id }
}

const readItems = (order: LockedOrder, items: ShipRequest['items'], others: readonly sql.Shipment[]) => {
  const wanted = new Map<string, number>()
  for (const { line, quantity } of items) {
    const found = order.lines.filter(({ id, sku }) => id === line || sku === line)
    const [only] = found
    if (only === undefined) throw new OperatorError(`Order ${order.id} has no line "${line}".`)
    if (found.length > 1)
      throw new OperatorError(`"${line}" names several lines of order ${order.id}. Use a line's id.`)
    if (only.digital !== null) throw new OperatorError(`${only.name} is a download and is not shipped.`)
    const sum = (wanted.get(only.id) ?? 0) + quantity
    const left = only.quantity - unitsIn(others, only.id)
    if (sum > left) throw new OperatorError(`There are ${left} units of ${only.name} left to ship, not ${sum}.`)
    wanted.set(only.id, sum)
  }
  return [...wanted].map(([id, quantity]) => ({ id, quantity }))
}

/** How many units of a line are in shipments that name their lines. */
export const unitsIn = (shipments: readonly sql.Shipment[], lineId: string) =>
  shipments
    .flatMap(({ items }) => items)
    .filter(({ id }) => id === lineId)
    .reduce((sum, { quantity }) => sum + quantity, 0)
