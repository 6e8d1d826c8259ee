import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type ServerFacts = { version: string; encoding: string; stores: number; products: number }

export const readServerFacts = (db: Queries) => db.one<ServerFacts>`
  select current_setting('server_version') as version, current_setting('server_encoding') as encoding,  (select count(*) from store) as stores,
    (select count(*) from product) as products`

/**
 * Counts listing rows that are missing, left over, or differ from products, variants, prices and stock; in one store or
 * in all.
 */
export const countStaleListings = async (db: Queries, storeId: StoreId | null = null) =>
  (
    await db.one<{ count: number }>`
    with expected as (
      select distinct on (o.id, p.id) p.store_id, o.id as outlet_id, p.id as product_id, p.category_id,
        coalesce(po.price_minor, v.price_minor) as price_minor,
        bool_or(not v.stock_tracked or coalesce(s.on_hand - s.reserved, 0) > 0) over (partition by o.id, p.id) as in_stock
      from product p
      join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
      join outlet o on o.store_id = p.store_id
      left join price_override po on po.store_id = p.store_id and po.variant_id = v.id and po.outlet_id = o.id
      left join stock s on s.store_id = p.store_id and s.variant_id = v.id and s.outlet_id = o.id
      where p.status = 'ACTIVE' and (${storeId}::integer is null or p.store_id = ${storeId})
      order by o.id, p.id, coalesce(po.price_minor, v.price_minor), v.position)
    select count(*) from expected e
    full join (select * from listing where ${storeId}::integer is null or store_id = ${storeId}) l on l.store_id = e.store_id and l.outlet_id = e.outlet_id and l.product_id = e.product_id
    where (l.category_id, l.price_minor, l.in_stock) is distinct from (e.category_id, e.price_minor, e.in_stock)`
  ).count

/** The first stores that send one-time passwords to all countries without a cap, and the total number of them. */
export const listStoresWithOpenCodes = (db: Queries) => db.many<{ publicId: string; count: number }>`
  select public_id as "publicId", count(*) over ()::integer as count from store
  where otp_hourly_cap is null and otp_countries = '{}'
  order by id limit 5`

/** The first browser keys with the default limit, which is too low for all shoppers of a store together. */
export const listSlowBrowserKeys = (db: Queries) => db.many<{ id: string; count: number }>`
  select id, count(*) over ()::integer as count from store_key
  where kind = 'browser' and rate_limit is null and revoked_at is null
    and (expires_at is null or expires_at > vitrine_now())
  order by store_id, id limit 5`

/** Summing the lines of a million orders takes about 115 MB; with less, PostgreSQL spills to disk. */
export const raiseWorkMem = (tx: Tx) => tx.run`set local work_mem = '128MB'`

export const listStoreNumbers = async (db: Queries) =>
  (await db.many<{ id: StoreId }>`select id from store order by id`).map(({ id }) => id)

/** Stores that share a domain with an older store, which earlier versions allowed. */
export const listDuplicateDomains = (db: Queries) => db.many<{ publicId: string; domain: string; owner: string }>`
  select s.public_id as "publicId", s.domain, o.public_id as owner
  from store s join store o on o.domain = s.domain and o.id < s.id and not o.domain_is_duplicate
  where s.domain_is_duplicate
  order by s.id limit 20`

/** The first stores without cash on delivery whose payment provider does not work in this service. */
export const listStoresWithoutPayment = (db: Queries, onlineProviders: readonly string[]) => db.many<{
  publicId: string
  name: string
  paymentProvider: string
}>`
  select public_id as "publicId", name, payment_provider as "paymentProvider" from store
  where not cash_on_delivery and payment_provider <> all(${onlineProviders}::text[])
  order by id limit 20`
