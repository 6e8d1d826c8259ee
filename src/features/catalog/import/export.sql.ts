import type { Queries } from '../../../db/database.ts'
import type { StoreId } from '../../context.ts'

export type ExportRow = {
  id: string
  slug: string
  name: string
  description: string
  status: 'ACTIVE' | 'DRAFT' | 'ARCHIVED'
  categoryId: string | null
  vendor: string
  images: string[]
  imageTexts: string[]
  options: { name: string; values: string[] }[]
  hasVariants: boolean
  tags: string[]
  seo: { title: string; description: string }
  digital: { url?: string; file?: string; name?: string } | null
  taxRate: string
  variants: ExportVariant[]
}

export type ExportVariant = {
  sku: string
  title: string
  options: Record<string, string>
  priceMinor: number
  compareAtMinor: number | null
  barcode: string
  weightGrams: number | null
  image: string
  stockTracked: boolean
  /** By public id of the outlet; null where there are none. */
  stock: Record<string, number> | null
  prices: Record<string, number> | null
}

/** One statement, so that each product is whole: its prices and its stock are of one moment. */
export const listProductsToExport = (db: Queries, storeId: StoreId, after: string, limit: number) => db.many<ExportRow>`
  select p.id, p.slug, p.name, p.description, p.status, p.category_id as "categoryId", p.vendor, p.images,
    p.image_texts as "imageTexts", p.options,
    p.has_variants as "hasVariants", p.tags, p.seo, p.digital, p.tax_rate as "taxRate", v.variants
  from (select * from product where store_id = ${storeId} and id > ${after} order by id limit ${limit}) p
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('sku', v.sku, 'title', v.title, 'options', v.options,
      'priceMinor', v.price_minor, 'compareAtMinor', v.compare_at_minor, 'barcode', v.barcode,
      'weightGrams', v.weight_grams, 'image', v.image, 'stockTracked', v.stock_tracked,
      'stock', (select jsonb_object_agg(o.public_id, s.on_hand - s.reserved)
        from stock s join outlet o on o.store_id = s.store_id and o.id = s.outlet_id
        where s.store_id = v.store_id and s.variant_id = v.id),
      'prices', (select jsonb_object_agg(o.public_id, po.price_minor)
        from price_override po join outlet o on o.store_id = po.store_id and o.id = po.outlet_id
        where po.store_id = v.store_id and po.variant_id = v.id)) order by v.position, v.id), '[]') as variants
    from variant v where v.store_id = p.store_id and v.product_id = p.id and v.active) v
  order by p.id`
