import type { Tx } from '../../db/database.ts'
import type { OutletId, StoreId } from '../context.ts'

/** Rows travel as one JSON parameter: a thousand products cost as many round trips as one. */
const json = (rows: readonly object[]) => JSON.stringify(rows)

export type NewProduct = {
  id: string
  slug: string
  name: string
  description: string
  status: string
  category_id: string | null
  images: string[]
  options: object[]
  has_variants: boolean
  tags: string[]
  seo: object
  digital: object | null
  tax_rate: number
}

/** The ids under which the products are known, in no particular order. An existing slug keeps its id. */
export const upsertProducts = (tx: Tx, storeId: StoreId, products: readonly NewProduct[]) => tx.many<{
  id: string
  slug: string
}>`
  insert into product (store_id, id, slug, name, description, status, category_id, images, options, has_variants, tags,
    seo, digital, tax_rate)
  select ${storeId}, n.id, n.slug, n.name, n.description, n.status, n.category_id,
    array(select jsonb_array_elements_text(n.images)), n.options, n.has_variants,
    array(select jsonb_array_elements_text(n.tags)), n.seo, nullif(n.digital, 'null'), n.tax_rate
  from rows from (jsonb_to_recordset(${json(products)}::jsonb) as (id text, slug text, name text, description text,
    status text, category_id text, images jsonb, options jsonb, has_variants boolean, tags jsonb, seo jsonb,
    digital jsonb, tax_rate numeric)) with ordinality n
  order by n.ordinality
  on conflict (store_id, slug) do update set name = excluded.name, description = excluded.description,
    status = excluded.status, category_id = excluded.category_id, images = excluded.images, options = excluded.options,
    has_variants = excluded.has_variants, tags = excluded.tags, seo = excluded.seo, digital = excluded.digital,
    tax_rate = excluded.tax_rate, updated_at = vitrine_now()
  returning id, slug`

export type NewVariant = {
  id: string
  product_id: string
  position: number
  sku: string
  title: string
  options: Record<string, string>
  option_key: string
  price_minor: number
  compare_at_minor: number | null
}

export const upsertVariants = (tx: Tx, storeId: StoreId, variants: readonly NewVariant[]) => tx.many<{
  id: string
  product_id: string
  option_key: string
}>`
  insert into variant (store_id, id, product_id, position, sku, title, options, option_key, price_minor,
    compare_at_minor)
  select ${storeId}, n.id, n.product_id, n.position, n.sku, n.title, n.options, n.option_key, n.price_minor,
    n.compare_at_minor
  from jsonb_to_recordset(${json(variants)}::jsonb) as n (id text, product_id text, position integer, sku text,
    title text, options jsonb, option_key text, price_minor bigint, compare_at_minor bigint)
  on conflict (store_id, product_id, option_key) do update set position = excluded.position, sku = excluded.sku,
    title = excluded.title, options = excluded.options, price_minor = excluded.price_minor,
    compare_at_minor = excluded.compare_at_minor, active = true
  returning id, product_id, option_key`

/** Switches off the variants of these products that are not among those just saved. */
export const retireVariants = (
  tx: Tx,
  storeId: StoreId,
  productIds: readonly string[],
  kept: readonly string[],
) => tx.run`
  update variant set active = false
  where store_id = ${storeId} and product_id = any(${productIds}) and active and not id = any(${kept})`

export type StockLevel = { variant_id: string; product_id: string; outlet_id: OutletId; available: number }

/** What can be sold becomes `available`; what shoppers have reserved stays reserved on top of it. */
export const setStockLevels = (tx: Tx, storeId: StoreId, levels: readonly StockLevel[]) => tx.run`
  insert into stock (store_id, variant_id, outlet_id, product_id, on_hand)
  select ${storeId}, n.variant_id, n.outlet_id, n.product_id, n.available
  from jsonb_to_recordset(${json(levels)}::jsonb)
    as n (variant_id text, outlet_id integer, product_id text, available integer)
  order by n.variant_id, n.outlet_id
  on conflict (store_id, variant_id, outlet_id) do update set on_hand = excluded.on_hand + stock.reserved`

export type OutletPrice = { variant_id: string; outlet_id: OutletId; price_minor: number }

export const clearOutletPrices = (tx: Tx, storeId: StoreId, variantIds: readonly string[]) => tx.run`
  delete from price_override where store_id = ${storeId} and variant_id = any(${variantIds})`

export const addOutletPrices = (tx: Tx, storeId: StoreId, prices: readonly OutletPrice[]) => tx.run`
  insert into price_override (store_id, variant_id, outlet_id, price_minor)
  select ${storeId}, n.variant_id, n.outlet_id, n.price_minor
  from jsonb_to_recordset(${json(prices)}::jsonb) as n (variant_id text, outlet_id integer, price_minor bigint)`

/** Makes the listing rows of these products anew at every outlet, touching only those that really change. */
export const refreshListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  insert into listing (store_id, outlet_id, product_id, seq, category_id, name_key, price_minor, compare_at_minor,
    in_stock)
  select distinct on (o.id, p.id) p.store_id, o.id, p.id, p.seq, p.category_id, left(vitrine_fold(p.name), 200),
    coalesce(po.price_minor, v.price_minor), v.compare_at_minor,
    bool_or(coalesce(s.on_hand - s.reserved, 0) > 0) over (partition by o.id, p.id)
  from product p
  join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
  join outlet o on o.store_id = p.store_id
  left join price_override po on po.store_id = p.store_id and po.variant_id = v.id and po.outlet_id = o.id
  left join stock s on s.store_id = p.store_id and s.variant_id = v.id and s.outlet_id = o.id
  where p.store_id = ${storeId} and p.id = any(${productIds}) and p.status = 'ACTIVE'
  order by o.id, p.id, coalesce(po.price_minor, v.price_minor), v.position
  on conflict (store_id, outlet_id, product_id) do update set category_id = excluded.category_id,
    name_key = excluded.name_key, price_minor = excluded.price_minor, compare_at_minor = excluded.compare_at_minor,
    in_stock = excluded.in_stock
  where (listing.category_id, listing.name_key, listing.price_minor, listing.compare_at_minor, listing.in_stock)
    is distinct from (excluded.category_id, excluded.name_key, excluded.price_minor, excluded.compare_at_minor,
      excluded.in_stock)`

export const dropHiddenListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  delete from listing l using product p
  where l.store_id = ${storeId} and l.product_id = any(${productIds}) and p.store_id = l.store_id
    and p.id = l.product_id and p.status <> 'ACTIVE'`

/** Two writers on one product would each see the other's stock as it was before; the second one waits here instead. */
export const lockProducts = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  select from product where store_id = ${storeId} and id = any(${productIds}) order by id for no key update`

export const listProductIds = async (tx: Tx, storeId: StoreId) =>
  (await tx.many<{ id: string }>`select id from product where store_id = ${storeId}`).map(({ id }) => id)

export const recountCategories = (tx: Tx, storeId: StoreId) => tx.run`
  update category c set product_count = counted.count
  from (select c.id, count(p.id) as count from category c
    left join product p on p.store_id = c.store_id and p.category_id = c.id and p.status = 'ACTIVE'
    where c.store_id = ${storeId} group by c.id) counted
  where c.store_id = ${storeId} and c.id = counted.id and c.product_count <> counted.count`

export type CategoryNode = { id: string; parentId: string | null; name: string; slug: string; position: number }

export const listCategoryNodes = (tx: Tx, storeId: StoreId) => tx.many<CategoryNode>`
  select id, parent_id as "parentId", name, slug, position from category where store_id = ${storeId}`

export const insertCategory = (tx: Tx, storeId: StoreId, category: CategoryNode & { image: string }) => tx.run`
  insert into category (store_id, id, parent_id, name, slug, position, image)
  values (${storeId}, ${category.id}, ${category.parentId}, ${category.name}, ${category.slug}, ${category.position},
    ${category.image})`

/** The variant to change when only the product is named; more than one means that the caller must choose. */
export const findVariants = (tx: Tx, storeId: StoreId, productIdOrSlug: string, variantId: string | null) => tx.many<{
  id: string
  productId: string
  title: string
}>`
  select v.id, v.product_id as "productId", v.title
  from product p join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
  where p.store_id = ${storeId} and (p.id = ${productIdOrSlug} or p.slug = ${productIdOrSlug})
    and (${variantId}::text is null or v.id = ${variantId})
  order by v.position`
