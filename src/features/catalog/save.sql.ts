import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import { json } from './products.sql.ts'
import { type StateRow, variantsOfProduct, wholeProductColumns } from './whole-product.sql.ts'

export type NewProduct = {
  id: string
  slug: string
  name: string
  description: string
  status: string
  category_id: string | null
  vendor: string
  images: string[]
  image_texts: string[]
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

/** Locks existing products, in the same order as every other writer. */
export const lockProductsBySlug = (tx: Tx, storeId: StoreId, slugs: readonly string[]) => tx.many<{
  id: string
  slug: string
}>`
  select id, slug from product where store_id = ${storeId} and slug = any(${slugs}) order by id for no key update`

/** A separate statement after the lock, so that it sees changes made while waiting for the lock. */
export const readStates = (db: Queries, storeId: StoreId, slugs: readonly string[]) => db.many<StateRow>`
  select ${wholeProductColumns}, v.variants
  from product p
  cross join lateral (${variantsOfProduct(storeId)}) v
  where p.store_id = ${storeId} and p.slug = any(${slugs})`

/** The words of a product that no listing has, because it is not ACTIVE. */
const hiddenWords = (storeId: StoreId) => sql`case when n.status <> 'ACTIVE' then array_to_tsvector(array(
  select ${storeId}::integer || '~' || word from jsonb_array_elements_text(n.words) word)) end`

/** Inserted in the given order, which becomes the order of creation. Their first event is `product.created`. */
export const insertProducts = (tx: Tx, storeId: StoreId, products: readonly NewProduct[]) => tx.run`
  insert into product (store_id, id, slug, name, description, status, category_id, vendor, images, image_texts, options,
    has_variants, tags, seo, digital, tax_rate, name_key, title_words, words, hidden_words, event_count)
  select ${storeId}, n.id, n.slug, n.name, n.description, n.status, n.category_id, n.vendor,
    array(select jsonb_array_elements_text(n.images)), array(select jsonb_array_elements_text(n.image_texts)),
    n.options, n.has_variants,
    array(select jsonb_array_elements_text(n.tags)), n.seo, nullif(n.digital, 'null'), n.tax_rate, n.name_key,
    array(select jsonb_array_elements_text(n.title_words)), array(select jsonb_array_elements_text(n.words)),
    ${hiddenWords(storeId)}, 1
  from rows from (jsonb_to_recordset(${json(products)}::jsonb) as (id text, slug text, name text, description text,
    status text, category_id text, vendor text, images jsonb, image_texts jsonb, options jsonb, has_variants boolean,
    tags jsonb, seo jsonb, digital jsonb, tax_rate numeric, name_key text, title_words jsonb, words jsonb)) with ordinality n
  order by n.ordinality
  returning 1`

/** For products that this transaction has locked and that have changes. Counts one event for each. */
export const updateProducts = (tx: Tx, storeId: StoreId, products: readonly NewProduct[]) => tx.many<{
  id: string
  sequence: number
}>`
  update product p set slug = n.slug, name = n.name, description = n.description, status = n.status, category_id = n.category_id,
    vendor = n.vendor, images = array(select jsonb_array_elements_text(n.images)),
    image_texts = array(select jsonb_array_elements_text(n.image_texts)), options = n.options,
    has_variants = n.has_variants, tags = array(select jsonb_array_elements_text(n.tags)), seo = n.seo,
    digital = nullif(n.digital, 'null'), tax_rate = n.tax_rate, name_key = n.name_key,
    title_words = array(select jsonb_array_elements_text(n.title_words)),
    words = array(select jsonb_array_elements_text(n.words)), hidden_words = ${hiddenWords(storeId)}, updated_at = vitrine_now(),
    event_count = p.event_count + 1
  from jsonb_to_recordset(${json(products)}::jsonb) as n (id text, slug text, name text, description text,
    status text, category_id text, vendor text, images jsonb, image_texts jsonb, options jsonb, has_variants boolean, tags jsonb,
    seo jsonb, digital jsonb, tax_rate numeric, name_key text, title_words jsonb, words jsonb)
  where p.store_id = ${storeId} and p.id = n.id
  returning p.id, p.event_count as sequence`

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
  barcode: string
  weight_grams: number | null
  image: string
  stock_tracked: boolean
  low_stock_threshold: number | null
  active: boolean
}

const variantColumns = sql`id text, product_id text, position integer, sku text, title text, options jsonb,
  option_key text, price_minor bigint, compare_at_minor bigint, barcode text, weight_grams numeric, image text,
  stock_tracked boolean, low_stock_threshold integer, active boolean`

export const insertVariants = (tx: Tx, storeId: StoreId, variants: readonly NewVariant[]) => tx.run`
  insert into variant (store_id, id, product_id, position, sku, title, options, option_key, price_minor,
    compare_at_minor, barcode, weight_grams, image, stock_tracked, low_stock_threshold, active)
  select ${storeId}, n.id, n.product_id, n.position, n.sku, n.title, n.options, n.option_key, n.price_minor,
    n.compare_at_minor, n.barcode, n.weight_grams, n.image, n.stock_tracked, n.low_stock_threshold, n.active
  from jsonb_to_recordset(${json(variants)}::jsonb) as n (${variantColumns})
  returning 1`

export const updateVariants = (tx: Tx, storeId: StoreId, variants: readonly NewVariant[]) => tx.run`
  update variant v set position = n.position, sku = n.sku, title = n.title, options = n.options,
    option_key = n.option_key, price_minor = n.price_minor, compare_at_minor = n.compare_at_minor,
    barcode = n.barcode, weight_grams = n.weight_grams, image = n.image, stock_tracked = n.stock_tracked,
    low_stock_threshold = n.low_stock_threshold, active = n.active
  from jsonb_to_recordset(${json(variants)}::jsonb) as n (${variantColumns})
  where v.store_id = ${storeId} and v.id = n.id`

/**
 * Frees option keys: variants that swap options would violate the unique key halfway, and an inactive variant may hold
 * options that another one takes. The variant's id serves as a unique temporary key.
 */
export const freeOptionKeys = (tx: Tx, storeId: StoreId, variantIds: readonly string[]) => tx.run`
  update variant set option_key = id where store_id = ${storeId} and id = any(${variantIds})`

export const deactivateVariants = (tx: Tx, storeId: StoreId, variantIds: readonly string[]) => tx.run`
  update variant set active = false where store_id = ${storeId} and id = any(${variantIds})`

export type OutletPrice = { variant_id: string; outlet_id: OutletId; price_minor: number }

/** Deletes the outlet prices of these variants that are not in the list. */
export const dropOutletPrices = (
  tx: Tx,
  storeId: StoreId,
  variantIds: readonly string[],
  wanted: readonly OutletPrice[],
) => tx.run`
  delete from price_override o
  where o.store_id = ${storeId} and o.variant_id = any(${variantIds}) and not exists (
      select from jsonb_to_recordset(${json(wanted)}::jsonb) as n (variant_id text, outlet_id integer)
      where n.variant_id = o.variant_id and n.outlet_id = o.outlet_id)`

export const setOutletPrices = (tx: Tx, storeId: StoreId, prices: readonly OutletPrice[]) => tx.run`
  insert into price_override (store_id, variant_id, outlet_id, price_minor)
  select ${storeId}, n.variant_id, n.outlet_id, n.price_minor
  from jsonb_to_recordset(${json(prices)}::jsonb) as n (variant_id text, outlet_id integer, price_minor bigint)
  left join price_override o
    on o.store_id = ${storeId} and o.variant_id = n.variant_id and o.outlet_id = n.outlet_id
  where o.price_minor is distinct from n.price_minor
  on conflict (store_id, variant_id, outlet_id) do update set price_minor = excluded.price_minor`
