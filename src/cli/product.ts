import type { Command } from 'commander'
import { Option } from 'commander'
import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Db } from '../db/database.ts'
import { commandLine } from '../features/audit/record.ts'
import {
  archiveProduct,
  changeProduct,
  createProduct,
  duplicateProduct,
  type EditCtx,
} from '../features/catalog/edit-products.ts'
import { changeVariant } from '../features/catalog/edit-variants.ts'
import { adminSorts } from '../features/catalog/product-list.sql.ts'
import { openProductList, showItem } from '../features/catalog/product-list.ts'
import type { AdminProduct, AdminProductQuery, ProductChange } from '../features/catalog/products.admin.contract.ts'
import { findVariant } from '../features/catalog/stock-change.ts'
import { readWholeProduct, showWholeProduct } from '../features/catalog/whole-products.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { collect, fields, type OutputOptions, printResult, readYesNo, table, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }
type FieldOptions = StoreOptions & {
  name?: string
  slug?: string
  price?: string
  compareAtPrice?: string
  sku?: string
  barcode?: string
  weight?: string
  category?: string
  vendor?: string
  description?: string
  status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED'
  tag: readonly string[]
  taxRate?: string
}

const statuses = ['ACTIVE', 'DRAFT', 'ARCHIVED'] as const
const storeOption = ['--store <id>', 'store id; default: the only store, or the demo store'] as const

export const addProduct = (program: Command) => {
  const product = program.command('product').description('List, create and change products')
  addList(product)
  addShow(product)
  addCreate(product)
  addSet(product)
  addArchive(product)
  addDuplicate(product)
}

const inStore = async (db: Db, config: Config, options: StoreOptions): Promise<EditCtx> => ({
  ...{ store: await whichStore(db, config, options), by: commandLine, ifMatch: null },
  ...{ publicUrl: config.publicUrl, mediaUrl: config.media.publicUrl ?? config.publicUrl },
})

const addList = (product: Command) =>
  product
    .command('list')
    .description('List products of every status')
    .option('--query <words>', 'words or word prefixes of name, SKU, vendor, tags and texts')
    .addOption(new Option('--status <status>', 'only products of this status').choices(statuses))
    .option('--category <category>', 'id or slug; includes its descendants')
    .addOption(new Option('--stock <state>', 'only products that are sold out or low in stock').choices(['out', 'low']))
    .addOption(new Option('--sort <order>', 'the order').choices(adminSorts).default('newest'))
    .option('--limit <n>', 'maximum number of products', '20')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine product list --query mug --status DRAFT')
    .action((options: StoreOptions & Omit<AdminProductQuery, 'limit' | 'q'> & { query?: string; limit: string }) =>
      withReadableDatabase(async (db, config) => {
        const ctx = await inStore(db, config, options)
        const { query: q, status, category, stock, sort } = options
        const list = await openProductList({ db, store: ctx.store }, { q, status, category, stock, sort })
        const limit = wholeNumber('--limit', options.limit, { min: 1, max: 500 })
        const items = (await list.read(undefined, limit)).map((row) => showItem(ctx, row))
        printResult(options, items, () =>
          table(
            ['id', 'name', 'status', 'price', 'stock', 'category'],
            items.map(({ id, name, status, price, stock, stockTracked, category }) => [
              ...[id, name, status, String(price), stockTracked ? String(stock) : 'untracked', category],
            ]),
          ),
        )
      }),
    )

const addShow = (product: Command) =>
  product
    .command('show <product>')
    .description('Show a product with its variants, by id or slug')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine product show cafe-au-lait-mug')
    .action((idOrSlug: string, options: StoreOptions) =>
      withReadableDatabase(async (db, config) => {
        const ctx = await inStore(db, config, options)
        printProduct(options, showWholeProduct(ctx, await readWholeProduct(db, ctx, idOrSlug)))
      }),
    )

const withFields = (command: Command) =>
  command
    .option('--slug <slug>', 'its part of the address in the storefront')
    .option('--price <amount>', 'price of its only variant')
    .option('--compare-at-price <amount>', 'price before a reduction, or none')
    .option('--sku <sku>', 'SKU of its only variant, or none')
    .option('--barcode <code>', 'GTIN, EAN, UPC or ISBN, or none')
    .option('--weight <grams>', 'weight in grams, or none')
    .option('--category <category>', 'id, slug or path such as "Home > Kitchen", which is created if needed; or none')
    .option('--vendor <name>', 'manufacturer or brand, or none')
    .option('--description <html>', 'description, or none')
    .addOption(new Option('--status <status>', 'only ACTIVE products are visible to shoppers').choices(statuses))
    .option('--tag <tag>', 'a tag; repeatable; replaces all tags', collect, [])
    .option('--tax-rate <percent>', 'tax in percent')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')

const addCreate = (product: Command) =>
  withFields(product.command('create').requiredOption('--name <name>', 'name that shoppers see'))
    .description('Create a product with one variant')
    .option('--stock <n>', 'units at the default outlet, or untracked')
    .addHelpText(
      'after',
      "\nExample:\n  vitrine product create --name 'Oat mug' --price 449 --stock 12 --category Mugs",
    )
    .action((options: FieldOptions & { name: string; stock?: string }) =>
      withDatabase(async (db, config) => {
        const ctx = await inStore(db, config, options)
        const stock = options.stock === undefined ? {} : { stock: readStock(options.stock) }
        const body = { ...readFields(options), name: options.name, ...stock }
        printProduct(options, await db.tx((tx) => createProduct(tx, ctx, body)))
      }),
    )

const addSet = (product: Command) =>
  withFields(product.command('set <product>').option('--name <name>', 'name that shoppers see'))
    .description('Change a product, or with --variant one of its variants')
    .option('--variant <variant>', 'id or SKU of the variant whose price, SKU, barcode or weight changes')
    .option('--active <yes|no>', 'with --variant: whether it can be bought')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine product set cafe-au-lait-mug --price 499\n  vitrine product set block-print-kurta --variant KC-KURTA-S --active no',
    )
    .action((idOrSlug: string, options: FieldOptions & { variant?: string; active?: string }) =>
      withDatabase(async (db, config) => {
        const ctx = await inStore(db, config, options)
        const { variant, active } = options
        if (active !== undefined && variant === undefined) throw new OperatorError('--active needs --variant.')
        const change = readFields(options)
        const changed = await db.tx(async (tx) => {
          if (variant === undefined) return changeProduct(tx, ctx, idOrSlug, change)
          const product = await readWholeProduct(tx, ctx, idOrSlug)
          const known = product.variants.find(({ id }) => id === variant)
          const { id } = known ?? (await findVariant(tx, ctx.store, { product: product.id, variantId: variant }))
          const { price, compareAtPrice, sku, barcode, weightGrams, ...others } = change
          const unused = Object.keys(others)[0]
          if (unused !== undefined) throw new OperatorError(`A variant has no ${unused} of its own.`)
          const own = Object.fromEntries(
            Object.entries({ price, compareAtPrice, sku, barcode, weightGrams }).filter(
              ([, value]) => value !== undefined,
            ),
          )
          const switched = active === undefined ? {} : { active: readYesNo('--active', active) }
          await changeVariant(tx, ctx, { product: product.id, variantId: id }, { ...own, ...switched })
          return showWholeProduct(ctx, await readWholeProduct(tx, ctx, product.id))
        })
        printProduct(options, changed)
      }),
    )

const addArchive = (product: Command) =>
  product
    .command('archive <product>')
    .description('Hide a product from shoppers')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine product archive cafe-au-lait-mug')
    .action((idOrSlug: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const ctx = await inStore(db, config, options)
        printProduct(options, await db.tx((tx) => archiveProduct(tx, ctx, idOrSlug)))
      }),
    )

const addDuplicate = (product: Command) =>
  product
    .command('duplicate <product>')
    .description('Copy a product as a draft, without stock, SKUs and barcodes')
    .option('--name <name>', 'name of the copy')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', "\nExample:\n  vitrine product duplicate cafe-au-lait-mug --name 'Flat white mug'")
    .action((idOrSlug: string, options: StoreOptions & { name?: string }) =>
      withDatabase(async (db, config) => {
        const ctx = await inStore(db, config, options)
        const copy = options.name === undefined ? {} : { name: options.name }
        printProduct(options, await db.tx((tx) => duplicateProduct(tx, ctx, idOrSlug, copy)))
      }),
    )

/** The options that were given, as fields of the API. */
const readFields = (options: FieldOptions) => {
  const text = (value: string | undefined) => (value === 'none' ? null : value)
  const number = (name: string, value: string | undefined) => (value === 'none' ? null : readNumber(name, value))
  const { name, slug, status, tag } = options
  const given = {
    ...{ name, slug, status, price: readNumber('--price', options.price) },
    compareAtPrice: number('--compare-at-price', options.compareAtPrice),
    ...{ sku: text(options.sku), barcode: text(options.barcode), weightGrams: number('--weight', options.weight) },
    ...{ category: text(options.category), vendor: text(options.vendor), description: text(options.description) },
    ...{ tags: tag.length === 0 ? undefined : [...tag], taxRate: readNumber('--tax-rate', options.taxRate) },
  }
  // JSON leaves out what is undefined, and what is left out does not change.
  const fields: Omit<ProductChange, 'variants'> = JSON.parse(JSON.stringify(given))
  return fields
}

const readNumber = (name: string, text: string | undefined) => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text)) throw new OperatorError(`${name} must be a number, not "${text}".`)
  return value
}

const readStock = (text: string) =>
  text === 'untracked' ? null : wholeNumber('--stock', text, { min: 0, max: 1_000_000_000 })

const printProduct = (options: OutputOptions, product: AdminProduct) =>
  printResult(options, product, () => {
    const { id, name, slug, status, price, currency, category, tags, variants } = product
    const head = fields({ id, name, slug, status, price: `${price} ${currency}`, category, tags: tags.join(', ') })
    const rows = variants.map((variant) => [
      ...[variant.id, variant.title, variant.sku, String(variant.price)],
      ...[variant.stockTracked ? String(variant.stock) : 'untracked', variant.active ? 'yes' : 'no'],
    ])
    return `${head}\n\n${table(['variant', 'title', 'SKU', 'price', 'stock', 'active'], rows)}`
  })
