import type { Queries } from '../../../db/database.ts'
import type { StoreId } from '../../context.ts'
import {
  type DigitalFile,
  pricesByOutlet,
  stockByOutlet,
  wholeProductColumns,
  wholeVariantFields,
} from '../whole-product.sql.ts'

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
  digital: DigitalFile | null
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
  /** By public outlet id; null if there are none. */
  stock: Record<string, number> | null
  prices: Record<string, number> | null
}

/** One statement, so that the prices and stock of a product are consistent. */
export const listProductsToExport = (db: Queries, storeId: StoreId, after: string, limit: number) => db.many<ExportRow>`
  select ${wholeProductColumns}, v.variants
  from (select * from product where store_id = ${storeId} and id > ${after} order by id limit ${limit}) p
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object(${wholeVariantFields}, 'stock', ${stockByOutlet(storeId)},
      'prices', ${pricesByOutlet(storeId)}) order by v.position, v.id), '[]') as variants
    from variant v where v.store_id = ${storeId} and v.product_id = p.id and v.active) v
  order by p.id`

export const countProductsToExport = async (db: Queries, storeId: StoreId) =>
  (
    await db.one<{ count: number }>`
      select count(*)::integer as count from product where store_id = ${storeId}`
  ).count
