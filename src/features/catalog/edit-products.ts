import { refuse } from '../../core/domain-errors.ts'
import { randomText } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Tx } from '../../db/database.ts'
import { requireMatch } from '../admin-etag.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx } from '../context.ts'
import { outletFaults } from './import/check.ts'
import { type ProductPatch, readProduct, slugify, splitPath, type VariantPatch } from './product-input.ts'
import { chooseImage, chooseImages, usePictures } from './product-media.ts'
import type { AdminProduct, ProductBody, ProductChange, ProductCopy } from './products.admin.contract.ts'
import { listCategoryNodes, lockCatalog } from './products.sql.ts'
import { categoryPaths, pathKey } from './products.ts'
import { tryToSave } from './save.ts'
import { auditVariants, checkFaults, emptyPatch, placeVariants, readVariants } from './variant-fields.ts'
import { listTakenSlugs, lockProductNamed } from './whole-product.sql.ts'
import { editableProduct, type ReadProduct, readWholeProduct, showWholeProduct } from './whole-products.ts'

/** Changes of products by staff, programs and commands. They are validated and saved like those of import files. */
export type EditCtx = Pick<AdminCtx, 'store' | 'publicUrl' | 'mediaUrl' | 'by' | 'ifMatch'>

export const createProduct = async (tx: Tx, ctx: EditCtx, body: ProductBody): Promise<AdminProduct> => {
  await lockCatalog(tx, ctx.store.id)
  const slug = await readNewSlug(tx, ctx, body.slug, body.name)
  const patch = await readBody(tx, ctx, slug, body)
  const variants = patch.variants?.map((variant, i) => {
    const { active = true, lowStockThreshold } = body.variants?.[i] ?? {}
    return { ...variant, active, lowStockThreshold }
  })
  return saveNew(tx, ctx, { ...patch, variants })
}

const saveNew = async (tx: Tx, ctx: EditCtx, patch: ProductPatch) => {
  await savePatch(tx, ctx, patch)
  const made = showWholeProduct(ctx, await readWholeProduct(tx, ctx, patch.slug))
  recordChange(tx, ctx.store, ctx.by, {
    ...{ action: 'product.created', id: made.id, changes: compareFields({}, auditedProduct(made)) },
  })
  return made
}

export const changeProduct = async (
  tx: Tx,
  ctx: EditCtx,
  idOrSlug: string,
  body: ProductChange,
): Promise<AdminProduct> => {
  const before = await lockToEdit(tx, ctx, idOrSlug)
  requireMatch(ctx, editableProduct(showWholeProduct(ctx, before)))
  const { slug, variants, ...rest } = body
  const fields = await readBody(tx, ctx, before.slug, rest)
  const placed = variants === undefined ? {} : placeVariants(before, await readVariants(tx, ctx, before, variants))
  const patch = { ...fields, ...placed }
  if (slug === undefined || slug === before.slug) return saveChange(tx, ctx, before, patch)
  return saveChange(tx, ctx, before, { ...patch, newSlug: await readNewSlug(tx, ctx, slug, '') })
}

export const archiveProduct = async (tx: Tx, ctx: EditCtx, idOrSlug: string): Promise<AdminProduct> => {
  const before = await lockToEdit(tx, ctx, idOrSlug)
  requireMatch(ctx, editableProduct(showWholeProduct(ctx, before)))
  return saveChange(tx, ctx, before, { ...emptyPatch(before.slug), status: 'ARCHIVED' })
}

/** A draft without stock, SKUs and barcodes, because those name one article. */
export const duplicateProduct = async (
  tx: Tx,
  ctx: EditCtx,
  idOrSlug: string,
  { name, status = 'DRAFT' }: ProductCopy,
): Promise<AdminProduct> => {
  const product = await lockToEdit(tx, ctx, idOrSlug)
  const copyName = name ?? `${product.name.slice(0, 490)} (copy)`
  const active = product.variants.filter((variant) => variant.active)
  const variants = active.map(
    ({
      title,
      options,
      priceMinor,
      compareAtMinor,
      pricesMinor,
      weightGrams,
      image,
      stockTracked,
      lowStockThreshold,
    }): VariantPatch => ({
      ...{ sku: undefined, barcode: undefined, title, options, priceMinor, compareAtMinor, weightGrams, image },
      ...{ pricesMinor: { clears: false, byOutlet: pricesMinor }, stock: stockTracked ? {} : null },
      lowStockThreshold,
    }),
  )
  return saveNew(tx, ctx, {
    ...emptyPatch(await readNewSlug(tx, ctx, undefined, copyName)),
    ...{ name: copyName, status, description: product.description, vendor: product.vendor, tags: product.tags },
    categoryPath: categoryPaths(await listCategoryNodes(tx, ctx.store.id))(product.categoryId),
    images: product.images.map((url, i) => ({ url, alt: product.imageTexts[i] })),
    ...{ options: product.options, seo: product.seo, digital: product.digital, taxRate: Number(product.taxRate) },
    ...(product.hasVariants ? { variants } : { own: mustExist(variants[0], 'the variant of a product') }),
  })
}

/** The catalog is locked first, then the product, as by every writer. The read sees what was committed meanwhile. */
export const lockToEdit = async (tx: Tx, ctx: EditCtx, idOrSlug: string): Promise<ReadProduct> => {
  await lockCatalog(tx, ctx.store.id)
  const locked = await lockProductNamed(tx, ctx.store.id, idOrSlug)
  return readWholeProduct(tx, ctx, locked?.id ?? idOrSlug)
}

const saveChange = async (tx: Tx, ctx: EditCtx, before: ReadProduct, patch: ProductPatch) => {
  await savePatch(tx, ctx, patch)
  const shown = showWholeProduct(ctx, before)
  const after = showWholeProduct(ctx, await readWholeProduct(tx, ctx, before.id))
  const changes = compareFields(auditedProduct(shown), auditedProduct(after))
  const isArchived = before.status !== 'ARCHIVED' && after.status === 'ARCHIVED'
  const action = isArchived ? 'product.archived' : 'product.updated'
  if (Object.keys(changes).length > 0) recordChange(tx, ctx.store, ctx.by, { action, id: before.id, changes })
  if (patch.variants !== undefined) auditVariants(tx, ctx, shown.variants, after.variants)
  return after
}

/** Stock of variants that exist is changed by other calls, except that `stock` starts or ends the counting. */
export const savePatch = async (tx: Tx, ctx: EditCtx, patch: ProductPatch): Promise<void> => {
  checkFaults(patch.slug, outletFaults(patch, new Set(ctx.store.outlets.map(({ publicId }) => publicId))))
  const { plans } = await tryToSave(tx, ctx.store, [patch], {
    ...{ replace: false, setStock: true, by: ctx.by, cause: 'adjustment' },
  })
  for (const plan of plans) if ('faults' in plan) checkFaults(patch.slug, plan.faults)
}

const readBody = async (
  tx: Tx,
  ctx: EditCtx,
  slug: string,
  {
    category,
    categoryId,
    download,
    images,
    media,
    lowStockThreshold,
    ...fields
  }: Omit<ProductChange, 'variants'> & Partial<ProductBody>,
): Promise<ProductPatch> => {
  const pictures = await usePictures(tx, ctx.store, [
    ...(media ?? []).map(({ id }) => id),
    ...(fields.variants ?? []).flatMap(({ mediaId }) => mediaId ?? []),
  ])
  const shown = chooseImages(ctx, pictures, { images, media })
  const variants = fields.variants?.map(({ image, mediaId, active: _, lowStockThreshold: __, ...variant }) => {
    const chosen = chooseImage(ctx, pictures, { image, mediaId })
    return chosen === undefined ? variant : { ...variant, image: chosen }
  })
  const written = {
    ...{ ...fields, slug },
    ...(download === undefined ? {} : { digital: download }),
    ...(shown === undefined ? {} : { images: shown }),
    ...(variants === undefined ? {} : { variants }),
  }
  const read = readProduct(written, ctx.store.currency)
  if (Array.isArray(read)) throw refuse('PRODUCT_INVALID', { slug, faults: read })
  const patch = { ...read, own: { ...read.own, lowStockThreshold } }
  const wanted = categoryId === undefined ? category : categoryId
  if (wanted === undefined) return patch
  const categoryPath = wanted === null ? [] : await readCategory(tx, ctx, wanted, categoryId === undefined)
  return { ...patch, categoryPath }
}

/** An id, a slug, a path of names, or the name of a single category. Otherwise it is the path of a new one. */
export const readCategory = async (tx: Tx, { store }: Pick<EditCtx, 'store'>, text: string, canBeNew: boolean) => {
  const nodes = await listCategoryNodes(tx, store.id)
  const pathOf = categoryPaths(nodes)
  const path = splitPath(text)
  const named = nodes.filter(({ name }) => name === text.trim())
  const known =
    nodes.find(({ id }) => id === text) ??
    nodes.find(({ slug }) => slug === text) ??
    nodes.find(({ id }) => pathKey(pathOf(id)) === pathKey(path)) ??
    (named.length === 1 ? named[0] : undefined)
  if (known !== undefined) return pathOf(known.id)
  if (!canBeNew) throw refuse('CATEGORY_UNKNOWN', { category: text })
  return path
}

/** A slug that no other product has. A given one must be free; one made from a name gets a number. */
const readNewSlug = async (tx: Tx, { store }: EditCtx, slug: string | undefined, name: string) => {
  if (slug !== undefined) {
    if (slugify(slug) !== slug) throw refuse('PRODUCT_SLUG_INVALID', { slug, suggestion: slugify(slug) })
    if ((await listTakenSlugs(tx, store.id, [slug])).length > 0) throw refuse('PRODUCT_SLUG_TAKEN', { slug })
    return slug
  }
  const base = slugify(name).slice(0, 180) || 'product'
  const candidates = [base, ...Array.from({ length: 30 }, (_, i) => `${base}-${i + 2}`)]
  const taken = new Set(await listTakenSlugs(tx, store.id, candidates))
  return candidates.find((candidate) => !taken.has(candidate)) ?? `${base}-${randomText(8)}`
}

/** Variants have entries of their own, unless they are the product. */
const auditedProduct = (product: AdminProduct) => {
  const { variants, createdAt: _, updatedAt: __, currency: ___, id: ____, ...fields } = editableProduct(product)
  const media = product.media.map(({ id, alt }) => ({ id, alt }))
  return { ...fields, media, variants: variants.filter(({ active }) => active).map(({ id }) => id) }
}
