import type { Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { OrderPaymentStatus, OrderStatus } from './order.contract.ts'
import { itemsIn, refundedUnshipped } from './shipped.sql.ts'

/** A parcel that is being booked is not with a carrier yet. If the booking is interrupted, the order must not be forgotten. */
const isHandedOver = sql`s.status not in ('cancelled', 'preparing')`

/** Whether a line of an order has units that are neither handed over nor refunded. As `unitsToShip`, see shipment-units.ts. */
export const hasUnitsLeft = (storeId: StoreId | Fragment, orderId: Fragment): Fragment => {
  const parcels = sql`s.store_id = ${storeId} and s.order_id = ${orderId} and ${isHandedOver}`
  return sql`(
    not exists (select from shipment s where ${parcels} and s.items = '[]')
    and exists (
      select from order_line l
      where l.store_id = ${storeId} and l.order_id = ${orderId} and l.digital is null and l.quantity > l.refunded
        and l.quantity > coalesce((
          select sum(i.quantity) from shipment s
          cross join lateral ${itemsIn(sql`s.items`)} i
          where ${parcels} and i.id = l.id), 0) + coalesce((
          select sum(i.quantity) ${refundedUnshipped(storeId, orderId)} and i.id = l.id), 0)))`
}

/** Whether units that are left can be shipped: the order is paid, or will be in cash, and has not ended. */
export const isOpenToShip = ({ status, paymentStatus, paymentMethod }: OpenState): boolean =>
  (status === 'pending' || status === 'paid' || status === 'out_for_delivery') &&
  (paymentStatus === 'paid' ||
    paymentStatus === 'partially_refunded' ||
    (paymentMethod === 'cod' && paymentStatus !== 'refunded'))

type OpenState = { status: OrderStatus; paymentStatus: OrderPaymentStatus; paymentMethod: 'online' | 'cod' }

const isOpen = sql`o.status in ('pending', 'paid', 'out_for_delivery') and (
  o.payment_status in ('paid', 'partially_refunded') or o.payment_method = 'cod' and o.payment_status <> 'refunded')`

/** What `orders.to_ship` must be, of an order `o`. */
export const isToShip = (storeId: StoreId | Fragment): Fragment =>
  sql`(${isOpen} and ${hasUnitsLeft(storeId, sql`o.id`)})`

/** What `orders.to_ship` is to be, in the statement that writes the state of a locked order. */
export const toShipOf = (storeId: StoreId, order: OpenState): Fragment =>
  isOpenToShip(order) ? hasUnitsLeft(storeId, sql`orders.id`) : sql`false`

/** The same for an order without shipments and refunds. */
export const toShipOfUntouched = (order: OpenState & { lines: readonly { digital: object | null }[] }): Fragment =>
  sql`${isOpenToShip(order) && order.lines.some(({ digital }) => digital === null)}::boolean`

/** For a locked order, after its shipments or refunds were written in statements of their own. */
export const refreshToShip = (tx: Tx, storeId: StoreId, orderId: string) => tx.run`
  update orders o set to_ship = not o.to_ship
  where o.store_id = ${storeId} and o.id = ${orderId} and o.to_ship <> ${isToShip(storeId)}`
