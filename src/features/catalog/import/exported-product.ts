import type { ProductFile } from '../product-input.ts'

/** A product in a JSON export. Stock is null if it is not tracked. */
export type ExportedProduct = Omit<ProductFile, 'stock' | 'variants'> & {
  slug: string
  name: string
  stock?: ExportedStock
  variants?: ExportedVariant[]
}
export type ExportedStock = number | Record<string, number> | null
export type ExportedVariant = Omit<NonNullable<ProductFile['variants']>[number], 'stock' | 'price'> & {
  price: number
  stock: ExportedStock
}
