import { sql } from '../../db/sql.ts'

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
export const stockByOutlet = sql`(select jsonb_object_agg(o.public_id, s.on_hand - s.reserved)
  from stock s join outlet o on o.store_id = s.store_id and o.id = s.outlet_id
  where s.store_id = v.store_id and s.variant_id = v.id)`

export const pricesByOutlet = sql`(select jsonb_object_agg(o.public_id, po.price_minor)
  from price_override po join outlet o on o.store_id = po.store_id and o.id = po.outlet_id
  where po.store_id = v.store_id and po.variant_id = v.id)`
