import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type ChargingStore = {
  id: StoreId
  publicId: string
  paymentProvider: string
  currency: string
  shippingFlatMinor: number
}

export const listChargingStores = (db: Queries, storeId: StoreId | null) => db.many<ChargingStore>`
  select id, public_id as "publicId", payment_provider as "paymentProvider", currency,
    shipping_flat_minor as "shippingFlatMinor"
  from store
  where closed_at is null and (${storeId}::integer is null or id = ${storeId})
  order by id`

/** Every price above 0 of a product on sale, once. */
export const listPrices = async (db: Queries, storeId: StoreId) =>
  (
    await db.many<{ priceMinor: number }>`
    select distinct coalesce(po.price_minor, v.price_minor) as "priceMinor"
    from product p
    join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
    join outlet o on o.store_id = p.store_id
    left join price_override po on po.store_id = p.store_id and po.variant_id = v.id and po.outlet_id = o.id
    where p.store_id = ${storeId} and p.status = 'ACTIVE' and coalesce(po.price_minor, v.price_minor) > 0`
  ).map(({ priceMinor }) => priceMinor)

/** The first products on sale that have one of these prices, and how many there are. */
export const listProductsByPrice = (db: Queries, storeId: StoreId, prices: readonly number[]) => db.many<{
  slug: string
  priceMinor: number
  count: number
}>`
  select p.slug, min(coalesce(po.price_minor, v.price_minor)) as "priceMinor", count(*) over ()::integer as count
  from product p
  join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
  join outlet o on o.store_id = p.store_id
  left join price_override po on po.store_id = p.store_id and po.variant_id = v.id and po.outlet_id = o.id
  where p.store_id = ${storeId} and p.status = 'ACTIVE'
    and coalesce(po.price_minor, v.price_minor) = any(${prices}::bigint[])
  group by p.id, p.slug
  order by p.id limit 3`
