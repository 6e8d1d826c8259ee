import { refuse } from '../../core/domain-errors.ts'
import { toWire } from '../../core/money.ts'
import type { Queries } from '../../db/database.ts'
import type { AdminCtx } from '../context.ts'
import { maxLineQuantity } from './catalog.contract.ts'
import type { VariantState } from './merge-variants.ts'
import { findMediaIds, showPictures } from './product-media.ts'
import type { AdminProduct, AdminVariant } from './products.admin.contract.ts'
import { showImage } from './show-image.ts'
import { findWholeProduct, type WholeProduct } from './whole-product.sql.ts'

export type ShowCtx = Pick<AdminCtx, 'store' | 'publicUrl' | 'mediaUrl'>

/** With the ids of its uploaded pictures, by path. */
export type ReadProduct = WholeProduct & { mediaIds: ReadonlyMap<string, string> }

/** By id or slug. */
export const readWholeProduct = async (
  db: Queries,
  { store }: Pick<ShowCtx, 'store'>,
  idOrSlug: string,
): Promise<ReadProduct> => {
  const product = await findWholeProduct(db, store.id, idOrSlug)
  if (product === undefined) throw refuse('PRODUCT_NOT_FOUND', { product: idOrSlug })
  const images = [...product.images, ...product.variants.map(({ image }) => image)]
  return { ...product, mediaIds: await findMediaIds(db, store, images) }
}

export const findVariantOf = (product: WholeProduct, variantId: string) => {
  const variant = product.variants.find(({ id }) => id === variantId)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', { variant: variantId, product: product.id })
  return variant
}

export const showVariant = (
  ctx: ShowCtx,
  { id: productId, mediaIds }: Pick<ReadProduct, 'id' | 'mediaIds'>,
  variant: VariantState,
): AdminVariant => {
  const { currency, defaultOutlet } = ctx.store
  const stockByOutlet = variant.stock ?? {}
  return {
    ...{ id: variant.id, productId, sku: variant.sku, title: variant.title, options: inOrder(variant.options) },
    price: toWire(variant.priceMinor, currency),
    compareAtPrice: variant.compareAtMinor === null ? null : toWire(variant.compareAtMinor, currency),
    prices: inOrder(
      Object.fromEntries(Object.entries(variant.pricesMinor).map(([id, minor]) => [id, toWire(minor, currency)])),
    ),
    stock: variant.stockTracked ? (stockByOutlet[defaultOutlet.publicId] ?? 0) : maxLineQuantity,
    stockTracked: variant.stockTracked,
    stockByOutlet: variant.stockTracked ? inOrder(stockByOutlet) : {},
    ...{ barcode: variant.barcode, weightGrams: variant.weightGrams, image: showImage(ctx, variant.image) },
    ...{ mediaId: mediaIds.get(variant.image) ?? null, lowStockThreshold: variant.lowStockThreshold },
    ...{ active: variant.active, position: variant.position },
  }
}

/** JSON of the database has no order of its own, and an ETag depends on it. */
const inOrder = <Value>(values: Record<string, Value>) =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))

export const showWholeProduct = (ctx: ShowCtx, product: ReadProduct): AdminProduct => {
  const { currency, defaultOutlet } = ctx.store
  const variants = product.variants.map((variant) => showVariant(ctx, product, variant))
  const active = variants.filter((variant) => variant.active)
  const priceOf = (variant: AdminVariant) => variant.prices[defaultOutlet.publicId] ?? variant.price
  const cheapest = active.toSorted((a, b) => priceOf(a) - priceOf(b) || a.position - b.position)[0]
  const only = active.length === 1 ? active[0] : undefined
  return {
    ...{ id: product.id, name: product.name, slug: product.slug, description: product.description },
    ...{ status: product.status, category: product.category ?? '', categoryId: product.categoryId },
    price: cheapest === undefined ? 0 : priceOf(cheapest),
    compareAtPrice: cheapest?.compareAtPrice ?? null,
    currency,
    stock: active.reduce((sum, { stock }) => sum + stock, 0),
    stockTracked: active.every(({ stockTracked }) => stockTracked),
    images: product.images.map((image) => showImage(ctx, image)),
    media: showPictures(ctx, product, product.mediaIds),
    hasVariants: product.hasVariants,
    ...{ vendor: product.vendor, tags: product.tags, taxRate: Number(product.taxRate) },
    ...{ sku: only?.sku ?? '', barcode: only?.barcode ?? '', weightGrams: only?.weightGrams ?? null },
    lowStockThreshold: only?.lowStockThreshold ?? null,
    prices: only?.prices ?? {},
    seo: { title: product.seo.title, description: product.seo.description },
    ...{ digital: product.digital !== null, download: product.digital },
    options: product.options.map(({ name, values }) => ({ name, values })),
    variants,
    createdAt: product.createdAt.toISOString(),
    updatedAt: product.updatedAt.toISOString(),
  }
}

/** Without stock, which sales change: an ETag must not depend on it, or nobody could edit a product that sells well. */
export const editableProduct = ({ stock: _, stockTracked: __, variants, ...product }: AdminProduct) => ({
  ...product,
  variants: variants.map(editableVariant),
})

export const editableVariant = ({ stock: _, stockByOutlet: __, ...variant }: AdminVariant) => variant
