import { newId } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { announceCatalog } from '../../db/announce.ts'
import type { Tx } from '../../db/database.ts'
import type { Outlet, OutletId, Store, StoreId } from '../context.ts'
import { makeSafeHtml } from './import/safe-html.ts'
import { cutText, optionKey, type ProductInput, slugify, type VariantInput } from './product-input.ts'
import * as sql from './products.sql.ts'
import { fold, isCorrectable, wordsToIndex } from './search-words.ts'
import { addUnits, findVariant, type VariantName } from './stock-change.ts'

export type SaveCounts = { created: number; updated: number; unchanged: number }

/**
 * Saves products by slug: new ones are made, known ones updated, and what is equal already is not written. The number
 * of statements is fixed. Every writer locks in one order, so that they wait for each other and never deadlock: the
 * catalog, products by id, stock by variant and outlet, categories by id.
 */
export const saveProducts = async (tx: Tx, store: Store, inputs: readonly ProductInput[]): Promise<SaveCounts> => {
  if (inputs.length === 0) return { created: 0, updated: 0, unchanged: 0 }
  await sql.lockCatalog(tx, store.id)
  const categoryIds = await ensureCategories(
    tx,
    store,
    inputs.map(({ categoryPath }) => categoryPath),
  )
  const known = await sql.lockProductsBySlug(
    tx,
    store.id,
    inputs.map(({ slug }) => slug),
  )
  const knownIds = new Map(known.map(({ id, slug }) => [slug, id]))
  // Sorted, so that going by id is going by creation: an export is read that way.
  const newIds = inputs.map(() => newId('prod')).sort()
  const rows = inputs.map((input, i) =>
    toRow(
      input,
      knownIds.get(input.slug) ?? (newIds[i] as string),
      categoryIds.get(pathKey(input.categoryPath)) ?? null,
    ),
  )
  const created = rows.filter(({ slug }) => !knownIds.has(slug))
  if (created.length > 0) await sql.insertProducts(tx, store.id, created)
  await sql.addSearchWords(tx, store.id, [...new Set(rows.flatMap(({ words }) => words.filter(isCorrectable)))])
  const touched = known.length === 0 ? [] : await sql.updateProducts(tx, store.id, rows)
  touched.push(...(await saveVariants(tx, store, inputs, new Map(rows.map(({ slug, id }) => [slug, id])))))

  const createdIds = new Set(created.map(({ id }) => id))
  const changedIds = new Set([...createdIds, ...touched.map(({ productId }) => productId)])
  if (changedIds.size > 0) await refreshProducts(tx, store, [...changedIds])
  return {
    created: createdIds.size,
    updated: changedIds.size - createdIds.size,
    unchanged: inputs.length - changedIds.size,
  }
}

const toRow = (written: ProductInput, id: string, categoryId: string | null): sql.NewProduct => {
  const input = { ...written, description: makeSafeHtml(written.description) }
  return {
    id,
    slug: input.slug,
    name: input.name,
    description: input.description,
    status: input.status,
    category_id: categoryId,
    images: input.images,
    options: input.options,
    has_variants: input.hasVariants,
    tags: input.tags,
    seo: input.seo,
    digital: input.digital,
    tax_rate: input.taxRate,
    ...wordsOf(input),
  }
}

const longestNameKey = 200
const describedBy = 3_000

/**
 * What a product is found by: its name first, then its SKUs, categories, tags, options and description. The words are
 * sorted, because options have no order of their own and equal products must give equal rows.
 */
const wordsOf = (input: ProductInput) => {
  const titleWords = wordsToIndex(input.name)
  const ofVariants = input.variants.flatMap(({ sku, options }) => [sku, ...Object.values(options)])
  const description = input.description.replaceAll(/<[^>]*>|&(?:amp|lt|gt|quot);/g, ' ').slice(0, describedBy)
  return {
    name_key: cutText(fold(input.name), longestNameKey),
    title_words: titleWords,
    words: [
      ...new Set([...titleWords, ...wordsToIndex(...input.categoryPath, ...input.tags, ...ofVariants, description)]),
    ].sort(),
  }
}

/** Brings what lists are read from up to date, and tells every instance. */
export const publishProducts = async (tx: Tx, store: Pick<Store, 'id'>, productIds: readonly string[]) => {
  await sql.lockProducts(tx, store.id, productIds)
  await refreshProducts(tx, store, productIds)
}

/** For products that this transaction has locked or made. */
const refreshProducts = async (tx: Tx, store: Pick<Store, 'id'>, productIds: readonly string[]) => {
  const before = await sql.listCountedCategories(tx, store.id, productIds)
  await sql.refreshListings(tx, store.id, productIds)
  await sql.dropHiddenListings(tx, store.id, productIds)
  const after = await sql.listCountedCategories(tx, store.id, productIds)
  const gains = new Map<string, number>()
  for (const { categoryId } of after) gains.set(categoryId, (gains.get(categoryId) ?? 0) + 1)
  for (const { categoryId } of before) gains.set(categoryId, (gains.get(categoryId) ?? 0) - 1)
  const changed = [...gains].filter(([, gain]) => gain !== 0).map(([id, gain]) => ({ id, gain }))
  if (changed.length > 0) await sql.addToCategoryCounts(tx, store.id, changed)
  await announceCatalog(tx, store.id)
}

/** Returns a product for each row that it wrote. */
const saveVariants = async (
  tx: Tx,
  store: Store,
  inputs: readonly ProductInput[],
  idBySlug: ReadonlyMap<string, string>,
): Promise<sql.Touched[]> => {
  const wanted = inputs.flatMap(({ slug, variants }) =>
    variants.map((variant, position) => ({
      ...{ variant, position, productId: idBySlug.get(slug) as string },
      key: optionKey(variant.options),
    })),
  )
  const touched = await sql.upsertVariants(
    tx,
    store.id,
    wanted.map(({ variant, position, productId, key }) => ({
      id: newId('var'),
      product_id: productId,
      position,
      sku: variant.sku,
      title: variant.title,
      options: variant.options,
      option_key: key,
      price_minor: variant.priceMinor,
      compare_at_minor: variant.compareAtMinor,
    })),
  )
  const active = await sql.listActiveVariants(tx, store.id, [...idBySlug.values()])
  const idByKey = new Map(active.map(({ id, productId, optionKey }) => [`${productId} ${optionKey}`, id]))
  const known = wanted.map(({ variant, productId, key }) => ({
    ...{ variant, productId },
    variantId: idByKey.get(`${productId} ${key}`) as string,
  }))
  const kept = new Set(known.map(({ variantId }) => variantId))
  const retired = active.filter(({ id }) => !kept.has(id))
  if (retired.length > 0) {
    await sql.retireVariants(
      tx,
      store.id,
      retired.map(({ id }) => id),
    )
  }
  const levels = known.flatMap(({ variant, productId, variantId }) =>
    stockByOutlet(store, variant).map(([outletId, available]) => ({
      ...{ variant_id: variantId, product_id: productId, outlet_id: outletId, available },
    })),
  )
  const stocked = levels.length === 0 ? [] : await sql.setStockLevels(tx, store.id, levels)
  const prices = known.flatMap(({ variant, variantId }) =>
    Object.entries(variant.pricesMinor).map(([outlet, minor]) => ({
      ...{ variant_id: variantId, outlet_id: findOutlet(store, outlet).id, price_minor: minor },
    })),
  )
  const unpriced = await sql.dropOutletPrices(tx, store.id, [...kept], prices)
  const priced = prices.length === 0 ? [] : await sql.setOutletPrices(tx, store.id, prices)
  return [...touched, ...retired, ...stocked, ...unpriced, ...priced]
}

const plenty = 1_000_000

const stockByOutlet = (store: Store, { stock }: VariantInput): [OutletId, number][] => {
  if (stock === 'plenty') return store.outlets.map(({ id }) => [id, plenty])
  if (typeof stock === 'number') return [[store.defaultOutlet.id, stock]]
  return Object.entries(stock).map(([outlet, units]) => [findOutlet(store, outlet).id, units])
}

export const findOutlet = (store: Pick<Store, 'outlets'>, publicId: string): Outlet => {
  const outlet = store.outlets.find((candidate) => candidate.publicId === publicId)
  if (outlet === undefined) throw new OperatorError(`The store has no outlet ${publicId}.`)
  return outlet
}

/** `quantity` is what can be sold from now on, `delta` what is added to it. */
export type StockChange = VariantName & { outletId: string | null } & ({ quantity: number } | { delta: number })

/** Changes what can be sold of one variant at one outlet. */
export const setStock = async (tx: Tx, store: Store, change: StockChange) => {
  const variant = await findVariant(tx, store, change)
  const outlet = change.outletId === null ? store.defaultOutlet : findOutlet(store, change.outletId)
  // The product first, as every writer does.
  await sql.lockProducts(tx, store.id, [variant.productId])
  const stock = await writeStock(tx, store, variant, outlet, change)
  await sql.refreshStockFlags(tx, store.id, [variant.productId])
  await announceCatalog(tx, store.id)
  return { variantId: variant.id, outletId: outlet.publicId, stock }
}

const writeStock = async (
  tx: Tx,
  store: Store,
  variant: { id: string; productId: string },
  { id: outletId }: Outlet,
  change: StockChange,
) => {
  if ('delta' in change) {
    return addUnits(tx, store, { variantId: variant.id, productId: variant.productId, outletId }, change.delta)
  }
  await sql.setStockLevels(tx, store.id, [
    { variant_id: variant.id, product_id: variant.productId, outlet_id: outletId, available: change.quantity },
  ])
  return change.quantity
}

/**
 * Keeps what lists say of stock right, for products of which a variant is sold out or there again. Answers in memory
 * live a second, so nobody has to be told (decision 0012).
 */
export const showStockChange = async (tx: Tx, storeId: StoreId, productIds: readonly string[]) => {
  if (productIds.length > 0) await sql.refreshStockFlags(tx, storeId, productIds)
}

const publishAtOnce = 2_000

/** A new outlet sells everything that the store has, at the same prices, and has none of it yet. */
export const publishAllProducts = async (tx: Tx, store: Pick<Store, 'id'>) => {
  // An import under way does not see the outlet yet, and we do not see its products.
  await sql.lockCatalog(tx, store.id)
  for (let last = ''; ; ) {
    const productIds = await sql.listProductIdsAfter(tx, store.id, last, publishAtOnce)
    if (productIds.length > 0) await publishProducts(tx, store, productIds)
    if (productIds.length < publishAtOnce) return
    last = productIds.at(-1) as string
  }
}

const pathKey = (path: readonly string[]) => path.join('\n')

export type CategoryInput = { path: readonly string[]; image?: string }

/** Makes the categories of these paths that do not exist yet, parents first. Returns ids by path. */
export const ensureCategories = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  wanted: readonly (readonly string[])[],
  images: ReadonlyMap<string, string> = new Map(),
) => {
  const nodes = await sql.listCategoryNodes(tx, store.id)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const pathOf = (node: sql.CategoryNode): string[] => {
    const parent = node.parentId === null ? undefined : byId.get(node.parentId)
    return [...(parent === undefined ? [] : pathOf(parent)), node.name]
  }
  const ids = new Map(nodes.map((node) => [pathKey(pathOf(node)), node.id]))
  const slugs = new Set(nodes.map(({ slug }) => slug))
  let position = Math.max(0, ...nodes.map((node) => node.position))

  const ensure = async (path: readonly string[]): Promise<string | null> => {
    const name = path.at(-1)
    if (name === undefined) return null
    const known = ids.get(pathKey(path))
    if (known !== undefined) return known
    const parentId = await ensure(path.slice(0, -1))
    const id = newId('cat')
    const slug = freeSlug(path, slugs)
    slugs.add(slug)
    position++
    await sql.insertCategory(tx, store.id, {
      id,
      parentId,
      name,
      slug,
      position,
      image: images.get(pathKey(path)) ?? '',
      words: wordsToIndex(name),
    })
    ids.set(pathKey(path), id)
    return id
  }
  for (const path of wanted) await ensure(path)
  return ids
}

/** The name alone, or with its parents when another category has that already. */
const freeSlug = (path: readonly string[], taken: ReadonlySet<string>) => {
  const name = slugify(path.at(-1) ?? '') || 'category'
  const whole = slugify(path.join(' ')) || name
  if (!taken.has(name)) return name
  if (!taken.has(whole)) return whole
  for (let n = 2; ; n++) if (!taken.has(`${whole}-${n}`)) return `${whole}-${n}`
}

export const categoryImages = (inputs: readonly CategoryInput[]) =>
  new Map(inputs.map(({ path, image }) => [pathKey(path), image ?? '']))
