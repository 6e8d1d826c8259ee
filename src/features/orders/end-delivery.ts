import type { Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import type { LockedOrder } from './orders.sql.ts'
import { moveOrder } from './settle.ts'
import { isAllDelivered, readRefundedUnshipped } from './shipment-units.ts'
import { listParcels } from './shipped.sql.ts'

/**
 * A refund of the last units that were not sent leaves nothing to wait for: the order is delivered, when the last of its
 * parcels was. The refund is written.
 */
export const endDelivery = async (
  tx: Tx,
  ctx: { store: Pick<Store, 'id'> },
  order: LockedOrder,
): Promise<LockedOrder> => {
  if (order.status !== 'out_for_delivery') return order
  const parcels = await listParcels(tx, ctx.store.id, order.id)
  if (!isAllDelivered(order, parcels, await readRefundedUnshipped(tx, ctx, order))) return order
  const { deliveryPartner, estimatedDelivery, trackingUrl } = order
  const deliveredAt = new Date(Math.max(...parcels.map((parcel) => parcel.deliveredAt?.getTime() ?? 0)))
  return moveOrder(
    tx,
    ctx,
    order,
    { status: 'delivered', deliveryPartner, estimatedDelivery, trackingUrl, deliveredAt },
    [{ type: 'delivered', message: 'Delivered. The units that were not sent are refunded.' }],
  )
}
