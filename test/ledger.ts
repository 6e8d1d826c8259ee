import assert from 'node:assert/strict'
import type { Queries } from '../src/db/database.ts'

type Difference = { orderId: string; variantId: string }

/**
 * The moves of each order are those of its lines: a reserved order holds its units, a sold one has taken those that did
 * not come back, and a released one has neither. Only for stores whose orders are all younger than the ledger.
 */
export const assertOrdersInLedger = async (db: Queries, storeId: number) => {
  const differences = await db.many<Difference>`
    with moved as (
      select order_id, variant_id, sum(on_hand) as on_hand, sum(reserved) as reserved from stock_move
      where store_id = ${storeId} and order_id is not null group by order_id, variant_id),
    ordered as (
      select o.id as order_id, l.variant_id,
        -sum(case when o.stock_state = 'sold' then l.quantity - l.restocked else 0 end) as on_hand,
        sum(case when o.stock_state = 'reserved' then l.quantity else 0 end) as reserved
      from orders o join order_line l on l.store_id = o.store_id and l.order_id = o.id
      where o.store_id = ${storeId} and l.stock_counted group by o.id, l.variant_id)
    select coalesce(m.order_id, o.order_id) as "orderId", coalesce(m.variant_id, o.variant_id) as "variantId"
    from moved m full join ordered o on o.order_id = m.order_id and o.variant_id = m.variant_id
    where (coalesce(m.on_hand, 0), coalesce(m.reserved, 0)) <> (coalesce(o.on_hand, 0), coalesce(o.reserved, 0))`
  assert.deepEqual(differences, [], 'orders whose moves are not those of their lines')
}
