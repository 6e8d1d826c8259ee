import { csvCell, writeSafeText } from '../../../core/csv.ts'
import { toWire } from '../../../core/money.ts'
import type { Db, Queries } from '../../../db/database.ts'
import type { Store } from '../../context.ts'
import { listCategoryNodes } from '../products.sql.ts'
import { categoryPaths } from '../products.ts'
import { type ExportRow, type ExportVariant, listProductsToExport } from './export.sql.ts'
import { shopifyHeading, writeShopifyRows } from './export-shopify.ts'
import type { ExportedProduct, ExportedVariant } from './exported-product.ts'
import type { ExportFormat } from './transfer.admin.contract.ts'

const batchSize = 500

/**
 * Streams all products of a store in a format that import reads, oldest first. Importing it into the same store changes
 * nothing; importing it into an empty store creates the same catalog.
 */
export async function* exportCatalog(db: Db, store: Store, format: ExportFormat): AsyncGenerator<string> {
  for (let position = startOfExport; ; ) {
    const { text, isLast, ...next } = await exportBatch(db, store, format, position, batchSize)
    yield text
    if (isLast) return
    position = next
  }
}

/** `after` is the id of the last product, and `count` the number of products so far. */
export type ExportPosition = { after: string; count: number }

export const startOfExport: ExportPosition = { after: '', count: 0 }

/** The next products as text, with the beginning and the end of the file where they belong. */
export const exportBatch = async (
  db: Queries,
  store: Store,
  format: ExportFormat,
  { after, count }: ExportPosition,
  limit: number,
): Promise<ExportPosition & { text: string; isLast: boolean }> => {
  const write = writers[format]
  const rows = await listProductsToExport(db, store.id, after, limit)
  const pathOf = categoryPaths(await listCategoryNodes(db, store.id))
  const texts = rows.map((row) => write.product(toFile(row, store, (id) => pathOf(id).join(' > '))))
  const total = count + rows.length
  const isLast = rows.length < limit
  const start = count === 0 ? write.start : rows.length === 0 ? '' : write.between
  const end = isLast ? (total === 0 ? write.endOfNothing : write.end) : ''
  return { text: start + texts.join(write.between) + end, after: rows.at(-1)?.id ?? after, count: total, isLast }
}

/** Omits fields that have the default value of the import. */
const toFile = (row: ExportRow, store: Store, pathOf: (id: string | null) => string): ExportedProduct => {
  const category = pathOf(row.categoryId)
  const [only] = row.variants
  const { options: _, title: __, image: ___, ...simple } = only === undefined ? {} : toVariant(only, row, store)
  return {
    slug: row.slug,
    name: row.name,
    ...(row.description === '' ? {} : { description: row.description }),
    status: row.status,
    ...(category === '' ? {} : { category }),
    ...(row.vendor === '' ? {} : { vendor: row.vendor }),
    ...(row.images.length === 0 ? {} : { images: row.images.map((url, i) => toImage(url, row.imageTexts[i] ?? '')) }),
    ...(row.tags.length === 0 ? {} : { tags: row.tags }),
    ...(row.seo.title === '' && row.seo.description === '' ? {} : { seo: row.seo }),
    ...(row.digital === null ? {} : { digital: row.digital }),
    ...(Number(row.taxRate) === 0 ? {} : { taxRate: Number(row.taxRate) }),
    ...(row.hasVariants || row.options.length > 0 ? { options: row.options } : {}),
    ...(row.hasVariants ? { variants: row.variants.map((variant) => toVariant(variant, row, store)) } : simple),
  }
}

const toImage = (url: string, alt: string) => (alt === '' ? url : { url, alt })

const toVariant = (variant: ExportVariant, { options }: ExportRow, store: Store): ExportedVariant => ({
  ...(variant.sku === '' ? {} : { sku: variant.sku }),
  title: variant.title,
  options: inOrderOf(options, variant.options),
  price: toWire(variant.priceMinor, store.currency),
  ...(variant.compareAtMinor === null ? {} : { compareAtPrice: toWire(variant.compareAtMinor, store.currency) }),
  ...(variant.barcode === '' ? {} : { barcode: variant.barcode }),
  ...(variant.weightGrams === null ? {} : { weightGrams: variant.weightGrams }),
  ...(variant.image === '' ? {} : { image: variant.image }),
  stock: variant.stockTracked ? toStock(variant.stock ?? {}, store) : null,
  ...(variant.prices === null ? {} : { prices: mapValues(variant.prices, (minor) => toWire(minor, store.currency)) }),
})

/** A store with one outlet needs no outlet ids, so the file can be imported into any other store. */
const toStock = (stock: Record<string, number>, store: Store) =>
  (store.outlets.length === 1 ? stock[store.defaultOutlet.publicId] : undefined) ?? stock

const mapValues = (record: Record<string, number>, change: (value: number) => number) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

/** The database does not keep the order of option names, so they are put in the order of the product. */
const inOrderOf = (options: ExportRow['options'], chosen: Record<string, string>) => {
  const names = options.map(({ name }) => name).filter((name) => Object.hasOwn(chosen, name))
  return Object.fromEntries([...new Set([...names, ...Object.keys(chosen)])].map((name) => [name, chosen[name] ?? '']))
}

type Writer = {
  start: string
  product: (product: ExportedProduct) => string
  between: string
  end: string
  endOfNothing: string
}

const csvColumns = [
  ...(['slug', 'name', 'description', 'status', 'category', 'vendor', 'price', 'compareAtPrice', 'stock'] as const),
  ...([
    'sku',
    'barcode',
    'weightGrams',
    'images',
    'tags',
    'seo',
    'taxRate',
    'prices',
    'digital',
    'options',
    'variants',
  ] as const),
]

const toCell = (value: unknown) => (typeof value === 'string' ? writeSafeText(value) : value)

const lines = { between: '\n', end: '\n' }

const writers: Record<ExportFormat, Writer> = {
  jsonl: { ...lines, start: '', product: (product) => JSON.stringify(product), endOfNothing: '' },
  json: {
    start: '[\n',
    product: (product) => JSON.stringify(product),
    between: ',\n',
    end: '\n]\n',
    endOfNothing: ']\n',
  },
  csv: {
    ...{ ...lines, start: `${csvColumns.join(',')}\n`, endOfNothing: '' },
    // A cell cannot be null, and an empty one would leave the stock unchanged.
    product: (product) =>
      csvColumns.map((column) => csvCell(toCell(product[column] === null ? 'untracked' : product[column]))).join(','),
  },
  shopify: { ...lines, start: `${shopifyHeading}\n`, product: writeShopifyRows, endOfNothing: '' },
}
