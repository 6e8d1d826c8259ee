import { refuse } from '../../core/domain-errors.ts'
import type { Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { isPaid } from '../orders/settle.ts'
import { isActive, readRefundedUnshipped, unitsToShip } from '../orders/shipment-units.ts'
import { applyToOrder, newShipment } from './carrier.ts'
import * as sql from './delivery.sql.ts'

/**
 * Marks an order as delivered for an operator, in place of a carrier event. All its units count as delivered, and a cash
 * order is paid. `delivered` is false if the order was already delivered.
 */
export const deliverOrder = async (
  tx: Tx,
  ctx: { store: Store },
  orderId: string,
  nowMs: number,
): Promise<{ delivered: boolean }> => {
  const order = await holdOrder(tx, ctx, orderId)
  if (order === undefined) throw refuse('ORDER_NOT_FOUND', { order: orderId })
  const shipments = (await sql.listShipments(tx, ctx.store.id, orderId)).filter(isActive)
  refuseUndeliverable(order, shipments.length > 0)
  const left = unitsToShip(order, shipments, await readRefundedUnshipped(tx, ctx, order))
  if (order.status !== 'delivered' && shipments.length > 0 && left.length > 0) {
    await sql.saveShipment(tx, ctx.store.id, orderId, { ...newShipment(''), status: 'shipped', items: left })
  }
  if (order.status === 'delivered' && shipments.every(({ status }) => status === 'delivered')) {
    return { delivered: false }
  }
  // Must not be older than the last carrier event, whose time may come from another clock, or it would count as stale.
  const latest = Math.max(nowMs, ...shipments.map(({ lastEventAt }) => lastEventAt?.getTime() ?? 0))
  await applyToOrder(tx, ctx, order, {
    ...{ eventId: '', orderId, trackingNumber: null, shipmentId: null, partner: null, trackingUrl: null },
    ...{ status: 'delivered', moves: 'delivered', estimatedDelivery: null, deliveredAt: new Date(nowMs) },
    at: new Date(latest),
    message: 'Marked as delivered by the store.',
  })
  return { delivered: true }
}

/** The same with its entry in the audit log. */
export const deliverOrderBy = async (tx: Tx, ctx: { store: Store }, by: Author, orderId: string, nowMs: number) => {
  const before = await holdOrder(tx, ctx, orderId)
  const { delivered } = await deliverOrder(tx, ctx, orderId, nowMs)
  const changes = { status: { before: before?.status, after: 'delivered' } }
  if (delivered) recordChange(tx, ctx.store, by, { action: 'order.delivered', id: orderId, changes })
  return { delivered }
}

const refuseUndeliverable = (order: LockedOrder, isShipped: boolean) => {
  const { number, status, paymentMethod, lines } = order
  if (lines.every(({ digital }) => digital !== null)) {
    throw refuse('NOTHING_TO_DELIVER', { order: String(number) })
  }
  if (status === 'cancelled' || status === 'refunded') {
    throw refuse('ORDER_NOT_DELIVERABLE', { order: String(number), status })
  }
  if (status === 'pending' && paymentMethod === 'online' && !isPaid(order) && !isShipped) {
    throw refuse('ORDER_NOT_PAID', { order: String(number) })
  }
}
