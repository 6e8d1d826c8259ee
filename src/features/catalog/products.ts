import { newId } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Tx } from '../../db/database.ts'
import { announceCatalog } from '../access/announce.sql.ts'
import type { Outlet, OutletId, Store } from '../context.ts'
import { optionKey, type ProductInput, slugify, type VariantInput } from './product-input.ts'
import * as sql from './products.sql.ts'

/** Saves products by slug: new ones are made, known ones updated, in a fixed number of statements. */
export const saveProducts = async (tx: Tx, store: Store, inputs: readonly ProductInput[]) => {
  if (inputs.length === 0) return
  const categoryIds = await ensureCategories(
    tx,
    store,
    inputs.map(({ categoryPath }) => categoryPath),
  )
  const saved = await sql.upsertProducts(
    tx,
    store.id,
    inputs.map((input) => ({
      id: newId('prod'),
      slug: input.slug,
      name: input.name,
      description: input.description,
      status: input.status,
      category_id: categoryIds.get(pathKey(input.categoryPath)) ?? null,
      images: input.images,
      options: input.options,
      has_variants: input.hasVariants,
      tags: input.tags,
      seo: input.seo,
      digital: input.digital,
      tax_rate: input.taxRate,
    })),
  )
  const idBySlug = new Map(saved.map(({ id, slug }) => [slug, id]))
  const productIds = [...idBySlug.values()]
  await saveVariants(tx, store, inputs, idBySlug)
  await publishProducts(tx, store, productIds)
}

/** Brings what lists are read from up to date, and tells every instance. */
export const publishProducts = async (tx: Tx, store: Pick<Store, 'id'>, productIds: readonly string[]) => {
  await sql.lockProducts(tx, store.id, productIds)
  await sql.refreshListings(tx, store.id, productIds)
  await sql.dropHiddenListings(tx, store.id, productIds)
  await sql.recountCategories(tx, store.id)
  await announceCatalog(tx, store.id)
}

const saveVariants = async (
  tx: Tx,
  store: Store,
  inputs: readonly ProductInput[],
  idBySlug: ReadonlyMap<string, string>,
) => {
  const wanted = inputs.flatMap(({ slug, variants }) =>
    variants.map((variant, position) => ({ variant, position, productId: idBySlug.get(slug) as string })),
  )
  const saved = await sql.upsertVariants(
    tx,
    store.id,
    wanted.map(({ variant, position, productId }) => ({
      id: newId('var'),
      product_id: productId,
      position,
      sku: variant.sku,
      title: variant.title,
      options: variant.options,
      option_key: optionKey(variant.options),
      price_minor: variant.priceMinor,
      compare_at_minor: variant.compareAtMinor,
    })),
  )
  const idByKey = new Map(saved.map(({ id, product_id, option_key }) => [`${product_id} ${option_key}`, id]))
  const known = wanted.map(({ variant, productId }) => ({
    variant,
    productId,
    variantId: idByKey.get(`${productId} ${optionKey(variant.options)}`) as string,
  }))
  const variantIds = saved.map(({ id }) => id)
  await sql.retireVariants(tx, store.id, [...idBySlug.values()], variantIds)
  await sql.setStockLevels(
    tx,
    store.id,
    known.flatMap(({ variant, productId, variantId }) =>
      stockByOutlet(store, variant).map(([outletId, available]) => ({
        variant_id: variantId,
        product_id: productId,
        outlet_id: outletId,
        available,
      })),
    ),
  )
  await sql.clearOutletPrices(tx, store.id, variantIds)
  const prices = known.flatMap(({ variant, variantId }) =>
    Object.entries(variant.pricesMinor).map(([outlet, minor]) => ({
      variant_id: variantId,
      outlet_id: findOutlet(store, outlet).id,
      price_minor: minor,
    })),
  )
  if (prices.length > 0) await sql.addOutletPrices(tx, store.id, prices)
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

export type StockChange = {
  product: string
  variantId: string | null
  outletId: string | null
  quantity: number
}

/** Sets what can be sold of one variant at one outlet. */
export const setStock = async (tx: Tx, store: Store, change: StockChange) => {
  const variants = await sql.findVariants(tx, store.id, change.product, change.variantId)
  const [variant, another] = variants
  if (variant === undefined) throw new OperatorError(`The store has no such product or variant: ${change.product}.`)
  if (another !== undefined) {
    const choices = variants.map(({ id, title }) => `${id} (${title})`).join(', ')
    throw new OperatorError(`This product has several variants. Name one with --variant: ${choices}.`)
  }
  const outlet = change.outletId === null ? store.defaultOutlet : findOutlet(store, change.outletId)
  await sql.setStockLevels(tx, store.id, [
    { variant_id: variant.id, product_id: variant.productId, outlet_id: outlet.id, available: change.quantity },
  ])
  await publishProducts(tx, store, [variant.productId])
  return { variantId: variant.id, outletId: outlet.publicId, stock: change.quantity }
}

/** A new outlet sells everything that the store has, at the same prices, and has none of it yet. */
export const publishAllProducts = async (tx: Tx, store: Pick<Store, 'id'>) =>
  publishProducts(tx, store, await sql.listProductIds(tx, store.id))

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
