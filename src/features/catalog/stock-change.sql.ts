import type { Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import { json } from './products.sql.ts'
import { countStockEvent, lowAt, type StockTurn, stockEventType } from './stock-events.sql.ts'

export type NamedVariant = { id: string; productId: string; sku: string; title: string; productName: string }

const columns = sql`v.id, v.product_id as "productId", v.sku, v.title, p.name as "productName"`

/** All variants of a product, or with `variant` (an id or SKU) the matching ones. */
export const findVariantsOfProduct = (
  tx: Tx,
  storeId: StoreId,
  productIdOrSlug: string,
  variant: string | null,
) => tx.many<NamedVariant>`
  select ${columns}
  from product p join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
  where p.store_id = ${storeId} and (p.id = ${productIdOrSlug} or p.slug = ${productIdOrSlug})
    and (${variant}::text is null or v.id = ${variant} or v.sku = ${variant})
  order by v.position`

/** Variants of any product. Several can share a SKU; a few are enough to report that. */
export const findVariantsByName = (tx: Tx, storeId: StoreId, idOrSku: string) => tx.many<NamedVariant>`
  with named as (
    select v.id from variant v where v.store_id = ${storeId} and v.id = ${idOrSku}
    union
    select v.id from variant v where v.store_id = ${storeId} and v.sku = ${idOrSku} and v.sku <> '')
  select ${columns}
  from named
  join variant v on v.store_id = ${storeId} and v.id = named.id and v.active
  join product p on p.store_id = v.store_id and p.id = v.product_id
  order by v.product_id, v.position
  limit 5`

export type StockLocation = { variantId: string; productId: string; outletId: OutletId }

/** Creates the stock row of a variant that was never counted at this outlet. */
export const ensureStock = (tx: Tx, storeId: StoreId, { variantId, productId, outletId }: StockLocation) => tx.run`
  insert into stock (store_id, variant_id, outlet_id, product_id, on_hand)
  values (${storeId}, ${variantId}, ${outletId}, ${productId}, 0)
  on conflict (store_id, variant_id, outlet_id) do nothing`

/** Undefined if fewer units than the reserved ones would be left, or more than `maxUnits`. */
export const addToStock = (
  tx: Tx,
  storeId: StoreId,
  { variantId, outletId }: StockLocation,
  delta: number,
  maxUnits: number,
) => {
  const available = sql`(s.on_hand - s.reserved)`
  const type = (before: Fragment, after: Fragment) => stockEventType(before, after, lowAt(storeId))
  const next = type(available, sql`(${available} + ${delta}::integer)`)
  return tx.maybeOne<{ available: number; type: StockTurn['type'] | null; sequence: number }>`
  update stock s set on_hand = s.on_hand + ${delta}::integer, event_count = s.event_count + ${countStockEvent(next)}
  where s.store_id = ${storeId} and s.variant_id = ${variantId} and s.outlet_id = ${outletId}
    and s.on_hand::bigint + ${delta}::integer between s.reserved and ${maxUnits}::bigint
  returning ${available} as available, ${type(sql`(${available} - ${delta}::integer)`, available)} as type,
    s.event_count as sequence`
}

export type StockLevel = { variant_id: string; product_id: string; outlet_id: OutletId; available: number }

/**
 * Sets the available units; reserved units stay reserved on top of them. Rows are locked by variant and outlet, after
 * the products. Rows that already have the value are not written. Returns those that have reached a threshold.
 */
export const setStockLevels = (tx: Tx, storeId: StoreId, levels: readonly StockLevel[]) => {
  const available = sql`(stock.on_hand - stock.reserved)`
  const type = (before: Fragment, after: Fragment) => stockEventType(before, after, lowAt(storeId))
  return tx.many<StockTurn>`
  with level as materialized (
    select * from jsonb_to_recordset(${json(levels)}::jsonb)
      as n (variant_id text, outlet_id integer, product_id text, available integer)),
  before as materialized (
    select s.variant_id, s.outlet_id, s.on_hand - s.reserved as available
    from stock s join level n on n.variant_id = s.variant_id and n.outlet_id = s.outlet_id
    where s.store_id = ${storeId}
    order by s.variant_id, s.outlet_id
    for no key update of s),
  written as (
    insert into stock (store_id, variant_id, outlet_id, product_id, on_hand)
    select ${storeId}, n.variant_id, n.outlet_id, n.product_id, n.available
    from level n left join before b on b.variant_id = n.variant_id and b.outlet_id = n.outlet_id
    where b.available is distinct from n.available
    order by n.variant_id collate "C", n.outlet_id
    on conflict (store_id, variant_id, outlet_id) do update set on_hand = excluded.on_hand + stock.reserved,
      event_count = stock.event_count + ${countStockEvent(type(available, sql`excluded.on_hand`))}
    returning variant_id, outlet_id, event_count, ${available} as available)
  select * from (
    select w.variant_id as "variantId", w.outlet_id as "outletId", w.event_count as sequence,
      ${type(sql`b.available`, sql`w.available`)} as type
    from written w join before b on b.variant_id = w.variant_id and b.outlet_id = w.outlet_id) turned
  where type is not null`
}

export const readStock = (tx: Tx, storeId: StoreId, { variantId, outletId }: StockLocation) => tx.one<{
  available: number
}>`
  select on_hand - reserved as available from stock
  where store_id = ${storeId} and variant_id = ${variantId} and outlet_id = ${outletId}`
