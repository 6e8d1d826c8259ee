import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { Snapshot } from '../events/events.sql.ts'
import type { VariantRow } from './catalog.sql.ts'
import type { ProductState } from './merge.ts'
import { pricesByOutlet, stockByOutlet, wholeProductColumns, wholeVariantFields } from './whole-product.sql.ts'

type ByOutlet = Record<string, number>

/** A product as an event keeps it. Prices and stock by public outlet id. */
export type ProductSnapshot = Omit<ProductState, 'categoryPath' | 'taxRate' | 'variants'> & {
  slug: string
  category: string | null
  variants: (Omit<VariantRow, 'stock' | 'weightGrams'> & {
    weightGrams: number | null
    pricesMinor: ByOutlet
    stock: ByOutlet
  })[]
}

export const productSnapshot = (storeId: StoreId, productIds: readonly string[]): Snapshot => ({
  rows: sql`
  select x.id as subject, row_to_json(x) as data, false as has_recipient
  from (
    select ${wholeProductColumns}, c.name as category, v.variants
    from unnest(${productIds}::text[]) as named (id)
    cross join lateral (select * from product where store_id = ${storeId} and id = named.id offset 0) p
    left join category c on c.store_id = ${storeId} and c.id = p.category_id
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('id', v.id, ${wholeVariantFields},
        'pricesMinor', coalesce(${pricesByOutlet(storeId)}, '{}'), 'stock', coalesce(${stockByOutlet(storeId)}, '{}'))
        order by v.position, v.id), '[]') as variants
      from variant v where v.store_id = ${storeId} and v.product_id = p.id and v.active) v) x`,
})
