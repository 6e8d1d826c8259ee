import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import type { Snapshot } from '../events/events.sql.ts'

/** The type of event when the available units go from `before` to `after`; null if they reach no threshold. */
export const stockEventType = (before: Fragment, after: Fragment, threshold: Fragment) => sql`
  case when ${after} < ${before} and ${after} <= ${threshold} then
    case when ${after} = 0 then 'stock.out' when ${before} > ${threshold} then 'stock.low' end end`

/** Adds to `event_count` when an event of this type follows. */
export const countStockEvent = (type: Fragment) => sql`case when ${type} is null then 0 else 1 end`

/** A row whose units have reached a threshold, with the sequence of the event. */
export type StockTurn = { variantId: string; outletId: OutletId; type: 'stock.low' | 'stock.out'; sequence: number }

export const stockSubject = ({ variantId, outletId }: Pick<StockTurn, 'variantId' | 'outletId'>) =>
  `${variantId}/${outletId}`

/** Stock rows as an event keeps them. */
export const stockSnapshot = (storeId: StoreId, turns: readonly StockTurn[]): Snapshot => ({
  rows: sql`
  select s.variant_id || '/' || s.outlet_id as subject, json_build_object('variantId', v.id, 'productId', p.id,
    'sku', v.sku, 'name', p.name, 'variant', v.title, 'outletId', o.public_id,
    'available', s.on_hand - s.reserved, 'threshold', s.low_at) as data, true as has_recipient
  from unnest(${turns.map(({ variantId }) => variantId)}::text[], ${turns.map(({ outletId }) => outletId)}::integer[])
    as n (variant_id, outlet_id)
  join stock s on s.store_id = ${storeId} and s.variant_id = n.variant_id and s.outlet_id = n.outlet_id
  join variant v on v.store_id = s.store_id and v.id = s.variant_id
  join product p on p.store_id = v.store_id and p.id = v.product_id
  join outlet o on o.store_id = s.store_id and o.id = s.outlet_id`,
})
