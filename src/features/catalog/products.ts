import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { announceCatalog } from '../../db/announce.ts'
import type { Tx } from '../../db/database.ts'
import type { Outlet, Store, StoreId } from '../context.ts'
import { noteListingChange } from './listing-change.sql.ts'
import { slugify } from './product-input.ts'
import * as sql from './products.sql.ts'
import { wordsToIndex } from './search-words.ts'

/** Updates the listings of products, and notifies all instances. */
export const publishProducts = async (tx: Tx, store: Pick<Store, 'id'>, productIds: readonly string[]) => {
  await sql.lockProducts(tx, store.id, productIds)
  await refreshProducts(tx, store, productIds)
}

/** For products that this transaction has locked or created. */
export const refreshProducts = async (tx: Tx, store: Pick<Store, 'id'>, productIds: readonly string[]) => {
  const before = await sql.listCountedCategories(tx, store.id, productIds)
  const written = await sql.refreshListings(tx, store.id, productIds)
  const dropped = await sql.dropHiddenListings(tx, store.id, productIds)
  await noteChanged(tx, store.id, [...written, ...dropped])
  const after = await sql.listCountedCategories(tx, store.id, productIds)
  const gains = new Map<string, number>()
  for (const { categoryId } of after) gains.set(categoryId, (gains.get(categoryId) ?? 0) + 1)
  for (const { categoryId } of before) gains.set(categoryId, (gains.get(categoryId) ?? 0) - 1)
  const changed = [...gains].filter(([, gain]) => gain !== 0).map(([id, gain]) => ({ id, gain }))
  if (changed.length > 0) await sql.addToCategoryCounts(tx, store.id, changed)
  await announceCatalog(tx, store.id)
}

export const findOutlet = (store: Pick<Store, 'outlets'>, publicId: string): Outlet => {
  const outlet = store.outlets.find((candidate) => candidate.publicId === publicId)
  if (outlet === undefined) throw refuse('OUTLET_NOT_FOUND', { outletId: publicId })
  return outlet
}

/**
 * Updates the stock flag of listings after a variant sold out or became available. Cached answers expire within a second,
 * so no notification is needed (decision 0012).
 */
export const showStockChange = async (tx: Tx, storeId: StoreId, productIds: readonly string[]) => {
  if (productIds.length > 0) await noteChanged(tx, storeId, await sql.refreshStockFlags(tx, storeId, productIds))
}

const noteChanged = async (tx: Tx, storeId: StoreId, listings: readonly { seq: number }[]) => {
  if (listings.length > 0) await noteListingChange(tx, storeId, [...new Set(listings.map(({ seq }) => seq))])
}

const publishBatchSize = 2_000

/** A new outlet lists all products of the store at the same prices, without stock. */
export const publishAllProducts = async (tx: Tx, store: Pick<Store, 'id'>) => {
  // A concurrent import does not see the new outlet yet, and this transaction does not see its products.
  await sql.lockCatalog(tx, store.id)
  for (let after = ''; ; ) {
    const productIds = await sql.listProductIdsAfter(tx, store.id, after, publishBatchSize)
    if (productIds.length > 0) await publishProducts(tx, store, productIds)
    const last = productIds.at(-1)
    if (last === undefined || productIds.length < publishBatchSize) return
    after = last
  }
}

export const pathKey = (path: readonly string[]) => path.join('\n')

/** Returns a function from a category id to the names on its path; empty for null. */
export const categoryPaths = (nodes: readonly Pick<sql.CategoryNode, 'id' | 'parentId' | 'name'>[]) => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const pathOf = (id: string | null): string[] => {
    const node = id === null ? undefined : byId.get(id)
    return node === undefined ? [] : [...pathOf(node.parentId), node.name]
  }
  return pathOf
}

export type CategoryInput = { path: readonly string[]; image?: string }

/** Creates the missing categories of these paths, parents first. Returns ids by path. */
export const ensureCategories = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  wanted: readonly (readonly string[])[],
  images: ReadonlyMap<string, string> = new Map(),
) => {
  const nodes = await sql.listCategoryNodes(tx, store.id)
  const pathOf = categoryPaths(nodes)
  const ids = new Map(nodes.map(({ id }) => [pathKey(pathOf(id)), id]))
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

/** The name alone, or with its parents if that slug is taken. */
export const freeSlug = (path: readonly string[], taken: ReadonlySet<string>) => {
  const name = slugify(path.at(-1) ?? '') || 'category'
  const whole = slugify(path.join(' ')) || name
  if (!taken.has(name)) return name
  if (!taken.has(whole)) return whole
  for (let n = 2; ; n++) if (!taken.has(`${whole}-${n}`)) return `${whole}-${n}`
}

export const categoryImages = (inputs: readonly CategoryInput[]) =>
  new Map(inputs.map(({ path, image }) => [pathKey(path), image ?? '']))
