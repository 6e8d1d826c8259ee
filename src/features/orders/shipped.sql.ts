import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** A cancelled shipment never left the store, so no statement counts it. */

/** Whether a locked order has a shipment. */
export const hasShipment = async (tx: Tx, storeId: StoreId, orderId: string) =>
  (
    await tx.one<{ exists: boolean }>`
    select exists (select from shipment where store_id = ${storeId} and order_id = ${orderId}
      and status <> 'cancelled')`
  ).exists

/** The units of a locked order that were shipped, by line. A shipment without items holds the whole order. */
export const listShippedUnits = (tx: Tx, storeId: StoreId, orderId: string) => tx.many<{
  id: string
  quantity: number
}>`
  select l.id, least(l.quantity, sum(case when s.items = '[]' then l.quantity else coalesce(i.quantity, 0) end))::integer
    as quantity
  from shipment s
  join order_line l on l.store_id = s.store_id and l.order_id = s.order_id
  left join lateral (
    select sum(x.quantity) as quantity from jsonb_to_recordset(s.items) as x (id text, quantity integer)
    where x.id = l.id) i on true
  where s.store_id = ${storeId} and s.order_id = ${orderId} and s.status <> 'cancelled'
  group by l.id, l.quantity`

/** The items of a shipment or a refund. By functions that are immutable, which checks across servers need. */
export const itemsIn = (items: Fragment): Fragment => sql`(
    select x ->> 'id' as id, (x ->> 'quantity')::integer as quantity from jsonb_array_elements(${items}) x)`

/**
 * Refunded units of an order that were never shipped, as items `i`: those that went back to stock as not shipped, and
 * those of refunds before the first shipment. Other refunds are of units that the customer had received.
 */
export const refundedUnshipped = (storeId: StoreId | Fragment, orderId: Fragment): Fragment => sql`
  from refund r
  cross join lateral (
    select exists (select from shipment s where s.store_id = ${storeId} and s.order_id = r.order_id
      and s.status <> 'cancelled' and s.created_at <= r.created_at) as "isAfterShipment") known
  cross join lateral ${itemsIn(sql`case when known."isAfterShipment" and r.status = 'succeeded' then r.restocked else r.items end`)} i
  where r.store_id = ${storeId} and r.order_id = ${orderId} and r.status <> 'failed'
    and (r.restock is null or not known."isAfterShipment")`

/** The same by line. */
export const listRefundedUnshipped = (db: Queries, storeId: StoreId, orderId: string) => db.many<{
  id: string
  quantity: number
}>`
  select i.id, sum(i.quantity)::integer as quantity ${refundedUnshipped(storeId, sql`${orderId}`)}
  group by i.id`

export type ParcelState = { status: string; deliveredAt: Date | null; items: { id: string; quantity: number }[] }

/** Of a locked order. */
export const listParcels = (tx: Tx, storeId: StoreId, orderId: string) => tx.many<ParcelState>`
  select status, delivered_at as "deliveredAt", items from shipment
  where store_id = ${storeId} and order_id = ${orderId} and status <> 'cancelled'`
