import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { takeTurns } from '../../core/take-turns.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { commandLine } from '../audit/record.ts'
import type { OutletId, Store } from '../context.ts'
import { makeSafeHtml, plainText } from './import/safe-html.ts'
import type { InputFault } from './input-faults.ts'
import { type MergedProduct, mergeProduct, type ProductState } from './merge.ts'
import type { StockToSet, VariantState } from './merge-variants.ts'
import { recordProductEvents } from './product-events.ts'
import { cutText, optionKey, type ProductPatch } from './product-input.ts'
import { addSearchWords, listCategoryNodes, lockCatalog } from './products.sql.ts'
import { categoryPaths, ensureCategories, findOutlet, pathKey, refreshProducts } from './products.ts'
import * as sql from './save.sql.ts'
import type { Field, SaveMode } from './save-mode.ts'
import { fold, isCorrectable, wordsToIndex } from './search-words.ts'
import { setStockLevels } from './stock-change.ts'
import type { MoveNote } from './stock-ledger.sql.ts'
import { refreshVariantThreshold, shareThreshold } from './stock-threshold.sql.ts'
import type { StateRow } from './whole-product.sql.ts'
import { noteUncountedWords } from './word-counts.sql.ts'

/** The result of a save or a dry run. `changes` counts for each field the existing products in which it changes. */
export type SaveSummary = {
  created: number
  updated: number
  unchanged: number
  changes: Record<Field, number>
  /** Variants whose stock differs from the file and was not changed, because `setStock` is off. */
  stockKept: number
}

export const newSummary = (): SaveSummary => ({ created: 0, updated: 0, unchanged: 0, changes: {}, stockKept: 0 })

export type SavePlan = MergedProduct | { faults: InputFault[] }

/** Compares the patches with the current state of the store, and returns their plans in order. Writes nothing. */
export const planProducts = async (
  db: Queries,
  store: Store,
  patches: readonly ProductPatch[],
  mode: SaveMode,
): Promise<SavePlan[]> => {
  const rows = await sql.readStates(
    db,
    store.id,
    patches.map(({ slug }) => slug),
  )
  // Categories are read only for existing products: a new product has none to compare with.
  const pathOf = rows.length === 0 ? () => [] : categoryPaths(await listCategoryNodes(db, store.id))
  const states = new Map(rows.map((row) => [row.slug, toState(row, store, pathOf)]))
  return patches.map((patch) => {
    const merged = mergeProduct(states.get(patch.slug), patch, mode)
    return Array.isArray(merged) ? { faults: merged } : merged
  })
}

const toState = (row: StateRow, store: Store, pathOf: (id: string | null) => string[]): ProductState => ({
  ...row,
  taxRate: Number(row.taxRate),
  categoryPath: pathOf(row.categoryId),
  variants: row.variants.map((variant) => {
    const defaultStock = variant.stock?.[store.defaultOutlet.publicId]
    return { ...variant, ...(defaultStock === undefined ? {} : { defaultStock }) }
  }),
})

export const countProduct = (summary: SaveSummary, { id, changes, stockKept }: MergedProduct) => {
  if (id === undefined) summary.created++
  else if (changes.size > 0) summary.updated++
  else summary.unchanged++
  for (const field of changes) summary.changes[field] = (summary.changes[field] ?? 0) + 1
  summary.stockKept += stockKept
}

/**
 * Creates or updates products by slug. Products that are already equal are not written. The number of statements does
 * not depend on the number of products. All writers lock in the same order, so that they cannot deadlock: catalog,
 * products by id, stock by variant and outlet, categories by id.
 */
export const saveProducts = async (
  tx: Tx,
  store: Store,
  patches: readonly ProductPatch[],
  mode: SaveMode = { replace: true, setStock: true },
): Promise<SaveSummary> => {
  const { summary, plans } = await tryToSave(tx, store, patches, mode)
  for (const [i, plan] of plans.entries()) {
    if (!('faults' in plan)) continue
    throw refuse('PRODUCT_INVALID', { slug: patches[i]?.slug ?? '', faults: plan.faults })
  }
  return summary
}

/** Like `saveProducts`, but skips products with faults. */
export const tryToSave = async (tx: Tx, store: Store, patches: readonly ProductPatch[], mode: SaveMode) => {
  const summary = newSummary()
  if (patches.length === 0) return { summary, plans: [] }
  await lockCatalog(tx, store.id)
  await sql.lockProductsBySlug(
    tx,
    store.id,
    patches.map(({ slug }) => slug),
  )
  const plans = await planProducts(tx, store, patches, mode)
  const merged = plans.filter((plan): plan is MergedProduct => !('faults' in plan))
  for (const plan of merged) countProduct(summary, plan)
  await write(
    tx,
    store,
    merged.filter(({ id, changes }) => id === undefined || changes.size > 0),
    mode,
  )
  return { summary, plans }
}

const write = async (tx: Tx, store: Store, products: readonly MergedProduct[], mode: SaveMode) => {
  if (products.length === 0) return
  const categoryIds = await ensureCategories(
    tx,
    store,
    products.map(({ categoryPath }) => categoryPath),
  )
  // Sorted, because exports read products by id, and the order of ids must be the order of creation.
  const newIds = products.map(() => newId('prod')).sort()
  const rows: sql.NewProduct[] = []
  for (const product of products) {
    const id = product.id ?? mustExist(newIds[rows.length], 'the id of a new product')
    rows.push(toRow(product, id, categoryIds.get(pathKey(product.categoryPath)) ?? null))
    // Search words and safe HTML take most of the time of a save outside of the database.
    await takeTurns(rows.length)
  }
  const created = rows.filter((_, i) => products[i]?.id === undefined)
  const updated = rows.filter((_, i) => products[i]?.id !== undefined)
  if (created.length > 0) {
    await sql.insertProducts(tx, store.id, created)
    await noteUncountedWords(tx, store.id)
  }
  await addSearchWords(tx, store.id, [...new Set(rows.flatMap(({ words }) => words.filter(isCorrectable)))])
  const sequences = updated.length > 0 ? await sql.updateProducts(tx, store.id, updated) : []
  await writeVariants(tx, store, products, (i) => mustExist(rows[i], 'the row of a product').id, noteOf(mode))
  const archived = new Set(rows.filter((_, i) => isArchived(products[i])).map(({ id }) => id))
  recordProductEvents(tx, store, [
    ...created.map(({ id }) => ({ id, type: 'product.created' as const, sequence: 1 })),
    ...sequences.map(({ id, sequence }) => ({
      ...{ id, sequence, type: archived.has(id) ? ('product.archived' as const) : ('product.updated' as const) },
    })),
  ])
  await refreshProducts(
    tx,
    store,
    rows.map(({ id }) => id),
  )
}

/** What the ledger of stock says about this save. */
const noteOf = ({ by = commandLine, cause = 'import' }: SaveMode): MoveNote => ({
  ...{ cause, orderId: null, reason: null, actor: by.actor },
})

const isArchived = (product: MergedProduct | undefined) =>
  product !== undefined && product.status === 'ARCHIVED' && product.changes.has('status')

const toRow = (product: MergedProduct, id: string, categoryId: string | null): sql.NewProduct => {
  const description = makeSafeHtml(product.description)
  return {
    id,
    description,
    slug: product.slug,
    name: product.name,
    status: product.status,
    category_id: categoryId,
    vendor: product.vendor,
    images: product.images,
    image_texts: product.imageTexts,
    options: product.options,
    has_variants: product.hasVariants,
    tags: product.tags,
    seo: product.seo,
    digital: product.digital,
    tax_rate: product.taxRate,
    ...wordsOf({ ...product, description }),
  }
}

/** What the search words of a product are made of. `variants` are the active ones. */
export type Worded = Pick<MergedProduct, 'name' | 'vendor' | 'categoryPath' | 'tags' | 'description'> & {
  variants: readonly Pick<VariantState, 'sku' | 'barcode' | 'options'>[]
}

const maxNameKeyLength = 200
const maxIndexedLength = 3_000

/**
 * The search words of a product: of its name first, then of vendor, SKUs, barcodes, categories, tags, options and
 * description. They are sorted, because options have no stored order and equal products must produce equal rows.
 */
export const wordsOf = (product: Worded) => {
  const titleWords = wordsToIndex(product.name)
  const ofVariants = product.variants.flatMap(({ sku, barcode, options }) => [sku, barcode, ...Object.values(options)])
  const description = plainText(product.description).slice(0, maxIndexedLength)
  const more = [product.vendor, ...product.categoryPath, ...product.tags, ...ofVariants, description]
  return {
    name_key: cutText(fold(product.name), maxNameKeyLength),
    title_words: titleWords,
    words: [...new Set([...titleWords, ...wordsToIndex(...more)])].sort(),
  }
}

const writeVariants = async (
  tx: Tx,
  store: Store,
  products: readonly MergedProduct[],
  productIdOf: (i: number) => string,
  note: MoveNote,
) => {
  const collect = <Item>(choose: (product: MergedProduct) => readonly Item[]) =>
    products.flatMap((product, i) => choose(product).map((item) => ({ item, productId: productIdOf(i) })))
  const variantRows = (choose: (product: MergedProduct) => readonly VariantState[]) =>
    collect(choose).map(({ item, productId }) => toVariantRow(item, productId))
  const freed = products.flatMap(({ idsToFreeKeysOf }) => idsToFreeKeysOf)
  const deactivated = products.flatMap(({ deactivatedIds }) => deactivatedIds)
  const [added, changed] = [variantRows(({ newVariants }) => newVariants), variantRows((p) => p.changedVariants)]
  const thresholds = products.flatMap(({ thresholdChanges }) => thresholdChanges.map(({ id }) => id)).sort()
  if (thresholds.length > 0) await shareThreshold(tx, store.id)
  if (freed.length > 0) await sql.freeOptionKeys(tx, store.id, freed)
  if (deactivated.length > 0) await sql.deactivateVariants(tx, store.id, deactivated)
  if (changed.length > 0) await sql.updateVariants(tx, store.id, changed)
  if (added.length > 0) await sql.insertVariants(tx, store.id, added)
  for (const id of thresholds) await refreshVariantThreshold(tx, store.id, id)

  const levels = collect(({ stockChanges }) => stockChanges).flatMap(({ item, productId }) =>
    stockByOutlet(store, item).map(([outletId, available]) => ({
      ...{ variant_id: item.variantId, product_id: productId, outlet_id: outletId, available },
    })),
  )
  const stocked = new Set(levels.map(({ variant_id }) => variant_id))
  const uncounted = added.filter(({ id, stock_tracked }) => stock_tracked && !stocked.has(id))
  await setStockLevels(tx, store, [...levels, ...uncounted.map((variant) => noUnits(store, variant))], note)
  const priced = collect(({ priceChanges }) => priceChanges)
  const prices = priced.flatMap(({ item: variant }) =>
    Object.entries(variant.pricesMinor).map(([outlet, minor]) => ({
      ...{ variant_id: variant.id, outlet_id: findOutlet(store, outlet).id, price_minor: minor },
    })),
  )
  const known = new Set(changed.map(({ id }) => id))
  const toDrop = priced.map(({ item }) => item.id).filter((id) => known.has(id))
  if (toDrop.length > 0) await sql.dropOutletPrices(tx, store.id, toDrop, prices)
  if (prices.length > 0) await sql.setOutletPrices(tx, store.id, prices)
}

/** A new variant without stock is sold out, and lists of what is sold out read stock rows. */
const noUnits = ({ defaultOutlet }: Store, { id, product_id }: sql.NewVariant) => ({
  ...{ variant_id: id, product_id, outlet_id: defaultOutlet.id, available: 0 },
})

const toVariantRow = (variant: VariantState, productId: string): sql.NewVariant => ({
  id: variant.id,
  product_id: productId,
  position: variant.position,
  sku: variant.sku,
  title: variant.title,
  options: variant.options,
  // Options of an inactive variant are free for others.
  option_key: variant.active ? optionKey(variant.options) : variant.id,
  active: variant.active,
  price_minor: variant.priceMinor,
  compare_at_minor: variant.compareAtMinor,
  barcode: variant.barcode,
  weight_grams: variant.weightGrams,
  image: variant.image,
  stock_tracked: variant.stockTracked,
  low_stock_threshold: variant.lowStockThreshold,
})

const stockByOutlet = (store: Store, { byOutlet, atDefaultOutlet }: StockToSet): [OutletId, number][] =>
  Object.entries({
    ...byOutlet,
    ...(atDefaultOutlet === undefined ? {} : { [store.defaultOutlet.publicId]: atDefaultOutlet }),
  }).map(([outlet, units]) => [findOutlet(store, outlet).id, units])
