import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { ProductState } from './merge.ts'
import type { VariantState } from './merge-variants.ts'

/** The file of a digital product: a URL, or a name in the files folder of the store. */
export type DigitalFile = { url?: string; file?: string; name?: string }

/** All columns of a product `p` without its variants. */
export const wholeProductColumns = sql`p.id, p.slug, p.name, p.description, p.status, p.category_id as "categoryId",
  p.vendor, p.images, p.image_texts as "imageTexts", p.options, p.has_variants as "hasVariants", p.tags, p.seo,
  p.digital, p.tax_rate as "taxRate"`

/** The fields of a variant `v` as arguments of `jsonb_build_object`. */
export const wholeVariantFields = sql`'sku', v.sku, 'title', v.title, 'options', v.options,
  'priceMinor', v.price_minor, 'compareAtMinor', v.compare_at_minor, 'barcode', v.barcode,
  'weightGrams', v.weight_grams, 'image', v.image, 'stockTracked', v.stock_tracked`

/** By public outlet id; null if there are none. */
export const stockByOutlet = (storeId: StoreId) => sql`(select jsonb_object_agg(o.public_id, s.on_hand - s.reserved)
  from stock s join outlet o on o.store_id = s.store_id and o.id = s.outlet_id
  where s.store_id = ${storeId} and s.variant_id = v.id)`

export const pricesByOutlet = (storeId: StoreId) => sql`(select jsonb_object_agg(o.public_id, po.price_minor)
  from price_override po join outlet o on o.store_id = po.store_id and o.id = po.outlet_id
  where po.store_id = ${storeId} and po.variant_id = v.id)`

/** All variants of a product `p`, including inactive ones. */
export const variantsOfProduct = (storeId: StoreId) => sql`
  select coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'active', v.active, 'position', v.position,
    'lowStockThreshold', v.low_stock_threshold, ${wholeVariantFields}, 'pricesMinor', coalesce(${pricesByOutlet(storeId)}, '{}'),
    'stock', coalesce(${stockByOutlet(storeId)}, '{}')) order by v.position, v.id), '[]') as variants
  from variant v where v.store_id = ${storeId} and v.product_id = p.id`

/** A product with its variants, prices and stock. Prices and stock by public outlet id. */
export type StateRow = Omit<ProductState, 'categoryPath' | 'taxRate' | 'variants'> & {
  slug: string
  categoryId: string | null
  taxRate: string
  variants: Omit<VariantState, 'defaultStock'>[]
}

export type WholeProduct = StateRow & { category: string | null; createdAt: Date; updatedAt: Date }

/** One statement, so that its prices and stock are consistent. */
export const findWholeProduct = (db: Queries, storeId: StoreId, idOrSlug: string) => db.maybeOne<WholeProduct>`
  select ${wholeProductColumns}, v.variants, c.name as category, p.created_at as "createdAt", p.updated_at as "updatedAt"
  from product p
  left join category c on c.store_id = p.store_id and c.id = p.category_id
  cross join lateral (${variantsOfProduct(storeId)}) v
  where p.store_id = ${storeId} and (p.id = ${idOrSlug} or p.slug = ${idOrSlug})
  order by p.id = ${idOrSlug} desc limit 1`

export const findWholeProducts = (db: Queries, storeId: StoreId, ids: readonly string[]) => db.many<WholeProduct>`
  select ${wholeProductColumns}, v.variants, c.name as category, p.created_at as "createdAt", p.updated_at as "updatedAt"
  from product p
  left join category c on c.store_id = p.store_id and c.id = p.category_id
  cross join lateral (${variantsOfProduct(storeId)}) v
  where p.store_id = ${storeId} and p.id = any(${ids}::text[])`

/** Locks a product. Undefined if the store has none with this id or slug. */
export const lockProductNamed = (tx: Tx, storeId: StoreId, idOrSlug: string) => tx.maybeOne<{ id: string }>`
  select id from product where store_id = ${storeId} and (id = ${idOrSlug} or slug = ${idOrSlug})
  order by id = ${idOrSlug} desc limit 1 for no key update`

export const listTakenSlugs = async (tx: Tx, storeId: StoreId, slugs: readonly string[]) =>
  (
    await tx.many<{ slug: string }>`
      select slug from product where store_id = ${storeId} and slug = any(${slugs}::text[])`
  ).map(({ slug }) => slug)
