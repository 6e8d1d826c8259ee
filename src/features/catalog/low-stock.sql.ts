import type { Queries } from '../../db/database.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import type { StoreId } from '../context.ts'

/** `total` counts all rows, not only those that are listed; `products` counts their products. */
export type LowStockRow = {
  name: string
  variant: string
  sku: string
  outlet: string
  units: number
  total: number
  products: number
}

/** Variants on sale that are low in stock or sold out, by outlet, fewest units first. */
export const listLowStock = (db: Queries, storeId: StoreId) => db.many<LowStockRow>`
  with low as materialized (
    select p.id as product_id, p.name, v.title, v.sku, o.id as outlet_id, o.name as outlet,
      s.on_hand - s.reserved as units
    from stock s
    join variant v on v.store_id = s.store_id and v.id = s.variant_id and v.active and v.stock_tracked
    join product p on p.store_id = v.store_id and p.id = v.product_id and p.status = 'ACTIVE'
    join outlet o on o.store_id = s.store_id and o.id = s.outlet_id
    where s.store_id = ${storeId} and s.is_low)
  select name, title as variant, sku, outlet, units, c.total, c.products
  from low cross join (select count(*) as total, count(distinct product_id) as products from low) c
  order by units, name, title, outlet_id
  limit ${literalLimit(50)}`
