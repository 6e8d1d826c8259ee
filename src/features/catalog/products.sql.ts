import type { Queries, Tx } from '../../db/database.ts'
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
  name_key: string
  title_words: string[]
  words: string[]
}

/**
 * One writer of a store's catalog at a time: two imports at once would both make the category or the product that
 * neither has seen. Shoppers do not meet this lock, and stock changes do not either.
 */
export const lockCatalog = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock(${catalogLock}::integer, ${storeId}::integer)`

const catalogLock = 7150423

/** Products that exist already, locked in the order in which every writer locks products. */
export const lockProductsBySlug = (tx: Tx, storeId: StoreId, slugs: readonly string[]) => tx.many<{
  id: string
  slug: string
}>`
  select id, slug from product where store_id = ${storeId} and slug = any(${slugs}) order by id for no key update`

/** In the order given, which becomes their order of creation. */
export const insertProducts = (tx: Tx, storeId: StoreId, products: readonly NewProduct[]) => tx.run`
  insert into product (store_id, id, slug, name, description, status, category_id, images, options, has_variants, tags,
    seo, digital, tax_rate, name_key, title_words, words)
  select ${storeId}, n.id, n.slug, n.name, n.description, n.status, n.category_id,
    array(select jsonb_array_elements_text(n.images)), n.options, n.has_variants,
    array(select jsonb_array_elements_text(n.tags)), n.seo, nullif(n.digital, 'null'), n.tax_rate, n.name_key,
    array(select jsonb_array_elements_text(n.title_words)), array(select jsonb_array_elements_text(n.words))
  from rows from (jsonb_to_recordset(${json(products)}::jsonb) as (id text, slug text, name text, description text,
    status text, category_id text, images jsonb, options jsonb, has_variants boolean, tags jsonb, seo jsonb,
    digital jsonb, tax_rate numeric, name_key text, title_words jsonb, words jsonb)) with ordinality n
  order by n.ordinality`

/** Writes only the rows that differ, and says which they were. */
export const updateProducts = (tx: Tx, storeId: StoreId, products: readonly NewProduct[]) => tx.many<Touched>`
  update product p set name = n.name, description = n.description, status = n.status, category_id = n.category_id,
    images = n.images, options = n.options, has_variants = n.has_variants, tags = n.tags, seo = n.seo,
    digital = n.digital, tax_rate = n.tax_rate, name_key = n.name_key, title_words = n.title_words, words = n.words,
    updated_at = vitrine_now()
  from (select r.id, r.name, r.description, r.status, r.category_id,
      array(select jsonb_array_elements_text(r.images)) as images, r.options, r.has_variants,
      array(select jsonb_array_elements_text(r.tags)) as tags, r.seo, nullif(r.digital, 'null') as digital, r.tax_rate,
      r.name_key, array(select jsonb_array_elements_text(r.title_words)) as title_words,
      array(select jsonb_array_elements_text(r.words)) as words
    from jsonb_to_recordset(${json(products)}::jsonb) as r (id text, name text, description text, status text,
      category_id text, images jsonb, options jsonb, has_variants boolean, tags jsonb, seo jsonb, digital jsonb,
      tax_rate numeric, name_key text, title_words jsonb, words jsonb)) n
  where p.store_id = ${storeId} and p.id = n.id
    and (p.name, p.description, p.status, p.category_id, p.images, p.options, p.has_variants, p.tags, p.seo, p.digital,
        p.tax_rate, p.name_key, p.title_words, p.words)
      is distinct from (n.name, n.description, n.status, n.category_id, n.images, n.options, n.has_variants, n.tags,
        n.seo, n.digital, n.tax_rate, n.name_key, n.title_words, n.words)
  returning p.id as "productId"`

/** The product that a written row belongs to. */
export type Touched = { productId: string }

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

/** Makes new variants and writes those that differ. The products are locked, so nobody else changes them meanwhile. */
export const upsertVariants = (tx: Tx, storeId: StoreId, variants: readonly NewVariant[]) => tx.many<Touched>`
  insert into variant (store_id, id, product_id, position, sku, title, options, option_key, price_minor,
    compare_at_minor)
  select ${storeId}, n.id, n.product_id, n.position, n.sku, n.title, n.options, n.option_key, n.price_minor,
    n.compare_at_minor
  from jsonb_to_recordset(${json(variants)}::jsonb) as n (id text, product_id text, position integer, sku text,
    title text, options jsonb, option_key text, price_minor bigint, compare_at_minor bigint)
  left join variant v on v.store_id = ${storeId} and v.product_id = n.product_id and v.option_key = n.option_key
  where (v.position, v.sku, v.title, v.options, v.price_minor, v.compare_at_minor, v.active)
    is distinct from (n.position, n.sku, n.title, n.options, n.price_minor, n.compare_at_minor, true)
  on conflict (store_id, product_id, option_key) do update set position = excluded.position, sku = excluded.sku,
    title = excluded.title, options = excluded.options, price_minor = excluded.price_minor,
    compare_at_minor = excluded.compare_at_minor, active = true
  returning product_id as "productId"`

export type VariantKey = { id: string; productId: string; optionKey: string }

export const listActiveVariants = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.many<VariantKey>`
  select id, product_id as "productId", option_key as "optionKey"
  from variant where store_id = ${storeId} and product_id = any(${productIds}) and active`

export const retireVariants = (tx: Tx, storeId: StoreId, variantIds: readonly string[]) => tx.run`
  update variant set active = false where store_id = ${storeId} and id = any(${variantIds})`

export type StockLevel = { variant_id: string; product_id: string; outlet_id: OutletId; available: number }

/**
 * What can be sold becomes `available`; what shoppers have reserved stays reserved on top of it. Rows are locked by
 * variant and outlet, after the products, and those that say so already are left alone.
 */
export const setStockLevels = (tx: Tx, storeId: StoreId, levels: readonly StockLevel[]) => tx.many<Touched>`
  insert into stock (store_id, variant_id, outlet_id, product_id, on_hand)
  select ${storeId}, n.variant_id, n.outlet_id, n.product_id, n.available
  from jsonb_to_recordset(${json(levels)}::jsonb)
    as n (variant_id text, outlet_id integer, product_id text, available integer)
  left join stock s on s.store_id = ${storeId} and s.variant_id = n.variant_id and s.outlet_id = n.outlet_id
  where s.on_hand - s.reserved is distinct from n.available
  order by n.variant_id collate "C", n.outlet_id
  on conflict (store_id, variant_id, outlet_id) do update set on_hand = excluded.on_hand + stock.reserved
  returning product_id as "productId"`

export type OutletPrice = { variant_id: string; outlet_id: OutletId; price_minor: number }

/** Removes the outlet prices of these variants that are not among those wanted. */
export const dropOutletPrices = (
  tx: Tx,
  storeId: StoreId,
  variantIds: readonly string[],
  wanted: readonly OutletPrice[],
) => tx.many<Touched>`
  delete from price_override o using variant v
  where o.store_id = ${storeId} and o.variant_id = any(${variantIds}) and v.store_id = o.store_id
    and v.id = o.variant_id and not exists (
      select from jsonb_to_recordset(${json(wanted)}::jsonb) as n (variant_id text, outlet_id integer)
      where n.variant_id = o.variant_id and n.outlet_id = o.outlet_id)
  returning v.product_id as "productId"`

export const setOutletPrices = (tx: Tx, storeId: StoreId, prices: readonly OutletPrice[]) => tx.many<Touched>`
  with written as (
    insert into price_override (store_id, variant_id, outlet_id, price_minor)
    select ${storeId}, n.variant_id, n.outlet_id, n.price_minor
    from jsonb_to_recordset(${json(prices)}::jsonb) as n (variant_id text, outlet_id integer, price_minor bigint)
    left join price_override o
      on o.store_id = ${storeId} and o.variant_id = n.variant_id and o.outlet_id = n.outlet_id
    where o.price_minor is distinct from n.price_minor
    on conflict (store_id, variant_id, outlet_id) do update set price_minor = excluded.price_minor
    returning variant_id)
  select v.product_id as "productId" from written join variant v on v.store_id = ${storeId} and v.id = variant_id`

/**
 * Makes the listing rows of these products anew at every outlet, touching only those that really change. Beside words,
 * the index holds each option of a variant (`7=Colour␟Indigo`), which no search for words can meet: see option-choices.ts.
 */
export const refreshListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  insert into listing (store_id, outlet_id, product_id, seq, category_id, name_key, price_minor, compare_at_minor,
    in_stock, words)
  select distinct on (o.id, p.id) p.store_id, o.id, p.id, p.seq, p.category_id, p.name_key,
    coalesce(po.price_minor, v.price_minor), v.compare_at_minor,
    bool_or(coalesce(s.on_hand - s.reserved, 0) > 0) over (partition by o.id, p.id),
    array_to_tsvector(array(
      select o.id || '~' || word from unnest(p.words) word union all
      select o.id || '^' || word from unnest(p.title_words) word union all
      select o.id || '=' || left(chosen.key || chr(31) || chosen.value, 300)
      from variant optional, jsonb_each_text(optional.options) chosen
      where optional.store_id = p.store_id and optional.product_id = p.id and optional.active))
  from product p
  join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
  join outlet o on o.store_id = p.store_id
  left join price_override po on po.store_id = p.store_id and po.variant_id = v.id and po.outlet_id = o.id
  left join stock s on s.store_id = p.store_id and s.variant_id = v.id and s.outlet_id = o.id
  where p.store_id = ${storeId} and p.id = any(${productIds}) and p.status = 'ACTIVE'
  order by o.id, p.id, coalesce(po.price_minor, v.price_minor), v.position
  on conflict (store_id, outlet_id, product_id) do update set category_id = excluded.category_id,
    name_key = excluded.name_key, price_minor = excluded.price_minor, compare_at_minor = excluded.compare_at_minor,
    in_stock = excluded.in_stock, words = excluded.words
  where (listing.category_id, listing.name_key, listing.price_minor, listing.compare_at_minor, listing.in_stock,
      listing.words)
    is distinct from (excluded.category_id, excluded.name_key, excluded.price_minor, excluded.compare_at_minor,
      excluded.in_stock, excluded.words)`

/** Only the flag that a change of stock can turn. */
export const refreshStockFlags = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  update listing l set in_stock = not l.in_stock
  from outlet o
  where o.store_id = ${storeId} and l.store_id = o.store_id and l.outlet_id = o.id and l.product_id = any(${productIds})
    and l.in_stock <> exists (select from stock s
      join variant v on v.store_id = s.store_id and v.id = s.variant_id and v.active
      where s.store_id = l.store_id and s.outlet_id = l.outlet_id and s.product_id = l.product_id
        and s.on_hand > s.reserved)`

/** In one order, so that two writers of the same new words wait for each other and do not deadlock. */
export const addSearchWords = (tx: Tx, storeId: StoreId, words: readonly string[]) => tx.run`
  insert into search_word (store_id, word)
  select ${storeId}, word from unnest(${words}::text[]) word
  where not exists (select from search_word known where known.store_id = ${storeId} and known.word = word.word)
  order by word collate "C"
  on conflict do nothing`

/**
 * Goes by outlet, because the key of a listing begins with it. Mostly nothing is hidden, which is asked first: in a store
 * that is just being filled the planner expects no listings, and would go through all there are for every batch.
 */
export const dropHiddenListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  delete from listing l using outlet o, product p
  where (select count(*) > 0 from product p
      where p.store_id = ${storeId} and p.id = any(${productIds}) and p.status <> 'ACTIVE')
    and o.store_id = ${storeId} and l.store_id = o.store_id and l.outlet_id = o.id and l.product_id = any(${productIds})
    and p.store_id = l.store_id and p.id = l.product_id and p.status <> 'ACTIVE'`

/** Two writers on one product would each see the other's stock as it was before; the second one waits here instead. */
export const lockProducts = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  select from product where store_id = ${storeId} and id = any(${productIds}) order by id for no key update`

export const listProductIdsAfter = async (tx: Tx, storeId: StoreId, after: string, limit: number) =>
  (
    await tx.many<{ id: string }>`
      select id from product where store_id = ${storeId} and id > ${after} order by id limit ${limit}`
  ).map(({ id }) => id)

/** Every outlet lists the same products, so one of them tells which categories these are counted in now. */
export const listCountedCategories = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.many<{
  categoryId: string
}>`
  select l.category_id as "categoryId" from listing l
  where l.store_id = ${storeId} and l.outlet_id = (select default_outlet_id from store where id = ${storeId})
    and l.product_id = any(${productIds}) and l.category_id is not null`

export type CategoryGain = { id: string; gain: number }

/** Adds to the counts, so that the cost does not grow with the catalog; in one order, so that writers only wait. */
export const addToCategoryCounts = (tx: Tx, storeId: StoreId, gains: readonly CategoryGain[]) => tx.run`
  with locked as materialized (
    select c.id from category c
    where c.store_id = ${storeId} and c.id = any(${gains.map(({ id }) => id)}) order by c.id for no key update)
  update category c set product_count = c.product_count + n.gain
  from locked join jsonb_to_recordset(${json(gains)}::jsonb) as n (id text, gain integer) on n.id = locked.id
  where c.store_id = ${storeId} and c.id = locked.id`

/**
 * Tells the planner how large the tables have become. Until the database does so by itself, which takes it a minute or
 * more, it believes that a store has a handful of products and reads all of them wherever it looks for one.
 */
export const analyzeCatalog = (db: Queries) => db.run`
  analyze category, product, variant, price_override, stock, listing, search_word`

export type CategoryNode = { id: string; parentId: string | null; name: string; slug: string; position: number }

export const listCategoryNodes = (tx: Tx, storeId: StoreId) => tx.many<CategoryNode>`
  select id, parent_id as "parentId", name, slug, position from category where store_id = ${storeId}`

export type NewCategory = CategoryNode & { image: string; words: readonly string[] }

export const insertCategory = (tx: Tx, storeId: StoreId, category: NewCategory) => tx.run`
  insert into category (store_id, id, parent_id, name, slug, position, image, words)
  values (${storeId}, ${category.id}, ${category.parentId}, ${category.name}, ${category.slug}, ${category.position},
    ${category.image}, ${category.words})`

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
