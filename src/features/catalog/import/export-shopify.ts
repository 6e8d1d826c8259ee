import { csvCell } from '../../../core/csv.ts'
import { refuse } from '../../../core/domain-errors.ts'
import type { ExportedProduct, ExportedStock, ExportedVariant } from './exported-product.ts'

const columns = [
  ...(['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Product Category', 'Type', 'Tags', 'Published'] as const),
  ...(['Option1 Name', 'Option1 Value', 'Option2 Name', 'Option2 Value', 'Option3 Name', 'Option3 Value'] as const),
  ...(['Variant SKU', 'Variant Grams', 'Variant Inventory Tracker', 'Variant Inventory Qty'] as const),
  ...([
    'Variant Inventory Policy',
    'Variant Fulfillment Service',
    'Variant Price',
    'Variant Compare At Price',
  ] as const),
  ...(['Variant Requires Shipping', 'Variant Taxable', 'Variant Barcode'] as const),
  ...(['Image Src', 'Image Position', 'Image Alt Text', 'Gift Card', 'SEO Title', 'SEO Description'] as const),
  ...(['Variant Image', 'Variant Weight Unit', 'Status'] as const),
]
type Cells = Partial<Record<(typeof columns)[number], unknown>>

export const shopifyHeading = columns.join(',')

const maxOptions = 3

/** The rows of one product: one for each variant, and more if there are more images than variants. */
export const writeShopifyRows = (product: ExportedProduct): string => {
  const variants = product.variants ?? [ownVariant(product)]
  const names = optionNames(product)
  const images = (product.images ?? []).map((image) => (typeof image === 'string' ? { url: image, alt: '' } : image))
  const rows = Array.from({ length: Math.max(variants.length, images.length) }, (_, i): Cells => {
    const [variant, image] = [variants[i], images[i]]
    return {
      Handle: product.slug,
      ...(i === 0 ? productCells(product) : {}),
      ...(variant === undefined ? {} : { ...variantCells(variant, product), ...optionCells(variant, names, i === 0) }),
      ...(image && { 'Image Src': image.url, 'Image Position': i + 1, 'Image Alt Text': image.alt }),
    }
  })
  return rows.map((row) => columns.map((column) => csvCell(row[column])).join(',')).join('\n')
}

/** `ExportedVariant` whose optional fields may also be undefined. */
type WrittenVariant = Pick<ExportedVariant, 'stock'> & {
  [Name in keyof ExportedVariant]: ExportedVariant[Name] | undefined
}

const ownVariant = ({ sku, price = 0, compareAtPrice, stock = null, barcode, weightGrams }: ExportedProduct) => ({
  sku,
  price,
  compareAtPrice,
  stock,
  barcode,
  weightGrams,
  image: undefined,
  options: {},
})

/** A product without options gets Shopify's hidden default option (see `optionCells`). */
const optionNames = ({ slug, options = [], variants = [] }: ExportedProduct) => {
  const used = new Set(variants.flatMap((variant) => Object.keys(variant.options ?? {})))
  const names = [...new Set([...options.map(({ name }) => name).filter((name) => used.has(name)), ...used])]
  if (names.length > maxOptions) {
    throw refuse('EXPORT_OPTIONS_TOO_MANY', { slug, options: names.length, maxOptions })
  }
  return names
}

const optionCells = ({ options = {} }: WrittenVariant, names: readonly string[], isFirst: boolean): Cells => {
  const entries = names.length === 0 ? [['Title', 'Default Title']] : names.map((name) => [name, options[name]])
  return Object.fromEntries(
    entries.flatMap(([name, value], i) => [
      ...(isFirst ? [[`Option${i + 1} Name`, name]] : []),
      [`Option${i + 1} Value`, value],
    ]),
  )
}

const productCells = (product: ExportedProduct): Cells => ({
  Title: product.name,
  'Body (HTML)': product.description,
  Vendor: product.vendor,
  Type: product.category,
  Tags: product.tags?.join(', '),
  Published: product.status === 'ACTIVE',
  'Gift Card': false,
  'SEO Title': product.seo?.title,
  'SEO Description': product.seo?.description,
  Status: product.status?.toLowerCase(),
})

const variantCells = (variant: WrittenVariant, { digital }: ExportedProduct): Cells => ({
  'Variant SKU': variant.sku,
  'Variant Grams': variant.weightGrams ?? 0,
  'Variant Inventory Tracker': variant.stock === null ? '' : 'shopify',
  'Variant Inventory Qty': unitsOf(variant.stock),
  'Variant Inventory Policy': 'deny',
  'Variant Fulfillment Service': 'manual',
  'Variant Price': variant.price,
  'Variant Compare At Price': variant.compareAtPrice,
  'Variant Requires Shipping': digital === undefined,
  'Variant Taxable': true,
  'Variant Barcode': variant.barcode,
  'Variant Image': variant.image,
  'Variant Weight Unit': 'g',
})

/** Shopify has one number: the sum of all outlets. */
const unitsOf = (stock: ExportedStock) => {
  if (stock === null) return undefined
  return typeof stock === 'number' ? stock : Object.values(stock).reduce((sum, units) => sum + units, 0)
}
