import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import { json } from './products.sql.ts'
import { countStockEvent, type StockTurn, stockEventType } from './stock-events.sql.ts'
import { type MoveNote, noteMoves } from './stock-ledger.sql.ts'
import { thresholdOf } from './stock-threshold.sql.ts'

export type NamedVariant = { id: string; productId: string; sku: string; title: string; productName: string }

const columns = sql`v.id, v.product_id as "productId", v.sku, v.title, p.name as "productName"`

/** All variants of a product, or with `variant` (an id or SKU) the matching ones. */
export const findVariantsOfProduct = (
  db: Queries,
  storeId: StoreId,
  productIdOrSlug: string,
  variant: string | null,
) => db.many<NamedVariant>`
  select ${columns}
  from product p join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
  where p.store_id = ${storeId} and (p.id = ${productIdOrSlug} or p.slug = ${productIdOrSlug})
    and (${variant}::text is null or v.id = ${variant} or v.sku = ${variant})
  order by v.position`

/** Variants of any product. Several can share a SKU; a few are enough to report that. */
export const findVariantsByName = (db: Queries, storeId: StoreId, idOrSku: string) => db.many<NamedVariant>`
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
  insert into stock (store_id, variant_id, outlet_id, product_id, on_hand, low_at)
  select ${storeId}, ${variantId}, ${outletId}, ${productId}, 0, ${thresholdOf(storeId, sql`${variantId}`)}
  on conflict (store_id, variant_id, outlet_id) do nothing
  returning 1`

/** The units on hand of a row that stays locked. */
export const lockOnHand = async (tx: Tx, storeId: StoreId, { variantId, outletId }: StockLocation) =>
  (
    await tx.one<{ onHand: number }>`
    select on_hand as "onHand" from stock
    where store_id = ${storeId} and variant_id = ${variantId} and outlet_id = ${outletId}
    for no key update`
  ).onHand

/** A stock row that was changed. `before` is what was available. */
export type ChangedStock = {
  variantId: string
  outletId: OutletId
  before: number
  available: number
  /** The event if the available units have reached a threshold. */
  type: StockTurn['type'] | null
  sequence: number
}

/** Undefined if fewer units than the reserved ones would be left, or more than `maxUnits`. */
export const addToStock = (
  tx: Tx,
  storeId: StoreId,
  { variantId, outletId }: StockLocation,
  { delta, maxUnits }: { delta: number; maxUnits: number },
  note: MoveNote,
) => {
  const available = sql`(s.on_hand - s.reserved)`
  const type = (before: Fragment, after: Fragment) => stockEventType(before, after, sql`s.low_at`)
  const next = type(available, sql`(${available} + ${delta}::integer)`)
  return tx.maybeOne<ChangedStock>`
  with changed as (
    update stock s set on_hand = s.on_hand + ${delta}::integer, event_count = s.event_count + ${countStockEvent(next)}
    where s.store_id = ${storeId} and s.variant_id = ${variantId} and s.outlet_id = ${outletId}
      and s.on_hand::bigint + ${delta}::integer between s.reserved and ${maxUnits}::bigint
    returning s.variant_id, s.outlet_id, ${delta}::integer as on_hand, 0 as reserved, s.on_hand as on_hand_after,
      s.reserved as reserved_after, ${type(sql`(${available} - ${delta}::integer)`, available)} as type, s.event_count),
  noted as (${noteMoves(storeId, note, sql`changed`)})
  select variant_id as "variantId", outlet_id as "outletId", on_hand_after - reserved_after - on_hand as before,
    on_hand_after - reserved_after as available, type, event_count as sequence from changed`
}

export type StockLevel = { variant_id: string; product_id: string; outlet_id: OutletId; available: number }

/**
 * Sets the available units; reserved units stay reserved on top of them. Rows are locked by variant and outlet, after
 * the products. Rows that already have the value are not written. Returns those that were.
 */
export const setStockLevels = (tx: Tx, storeId: StoreId, levels: readonly StockLevel[], note: MoveNote) => {
  const available = sql`(stock.on_hand - stock.reserved)`
  const type = (before: Fragment, after: Fragment, low: Fragment) => stockEventType(before, after, low)
  return tx.many<ChangedStock>`
  with level as materialized (
    select * from jsonb_to_recordset(${json(levels)}::jsonb)
      as n (variant_id text, outlet_id integer, product_id text, available integer)),
  before as materialized (
    select s.variant_id, s.outlet_id, s.on_hand, s.on_hand - s.reserved as available
    from (select * from level order by variant_id collate "C", outlet_id) n
    cross join lateral (
      select * from stock
      where store_id = ${storeId} and variant_id = n.variant_id and outlet_id = n.outlet_id
      for no key update) s),
  written as (
    insert into stock (store_id, variant_id, outlet_id, product_id, on_hand, low_at)
    select ${storeId}, n.variant_id, n.outlet_id, n.product_id, n.available, ${thresholdOf(storeId, sql`n.variant_id`)}
    from level n left join before b on b.variant_id = n.variant_id and b.outlet_id = n.outlet_id
    where b.available is distinct from n.available
    order by n.variant_id collate "C", n.outlet_id
    on conflict (store_id, variant_id, outlet_id) do update set on_hand = excluded.on_hand + stock.reserved,
      event_count = stock.event_count + ${countStockEvent(type(available, sql`excluded.on_hand`, sql`stock.low_at`))}
    returning variant_id, outlet_id, on_hand, reserved, low_at, event_count),
  changed as (
    select w.variant_id, w.outlet_id, w.on_hand - coalesce(b.on_hand, 0) as on_hand, 0 as reserved,
      w.on_hand as on_hand_after, w.reserved as reserved_after, w.low_at, w.event_count, b.available as before,
      w.on_hand - w.reserved as available
    from written w left join before b on b.variant_id = w.variant_id and b.outlet_id = w.outlet_id),
  noted as (${noteMoves(storeId, note, sql`changed`)})
  select variant_id as "variantId", outlet_id as "outletId", coalesce(before, 0) as before, available,
    event_count as sequence, ${type(sql`before`, sql`available`, sql`low_at`)} as type
  from changed`
}

export type StockUnits = { onHand: number; reserved: number; available: number }

export const readStock = (db: Queries, storeId: StoreId, { variantId, outletId }: Omit<StockLocation, 'productId'>) =>
  db.maybeOne<StockUnits>`
  select on_hand as "onHand", reserved, on_hand - reserved as available from stock
  where store_id = ${storeId} and variant_id = ${variantId} and outlet_id = ${outletId}`
