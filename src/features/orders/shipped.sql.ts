import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** A cancelled shipment never left the store, so neither statement counts it. */

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
