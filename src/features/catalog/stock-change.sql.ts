import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'

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
) => tx.maybeOne<{ available: number }>`
  update stock set on_hand = on_hand + ${delta}::integer
  where store_id = ${storeId} and variant_id = ${variantId} and outlet_id = ${outletId}
    and on_hand::bigint + ${delta}::integer between reserved and ${maxUnits}::bigint
  returning on_hand - reserved as available`

export const readStock = (tx: Tx, storeId: StoreId, { variantId, outletId }: StockLocation) => tx.one<{
  available: number
}>`
  select on_hand - reserved as available from stock
  where store_id = ${storeId} and variant_id = ${variantId} and outlet_id = ${outletId}`
