import type { Position } from '../../core/cursor.ts'
import { fail } from '../../core/errors.ts'
import { currencyExponent, toMinor, toWire } from '../../core/money.ts'
import type { ShownProducts, WrittenProduct } from '../../http/cached-products.ts'
import type { StoreCtx } from '../context.ts'
import { cursorScope, type Page, readPage } from '../paging.ts'
import { type Category, type ListQuery, maxLineQuantity, type Product, type ProductDetail } from './catalog.contract.ts'
import * as sql from './catalog.sql.ts'
import { readOptionFilter } from './option-choices.ts'
import { showImage, showPicture, showSizes } from './show-image.ts'
import { readProducts } from './written-products.ts'

/** `asOfMs`: when the oldest product was read. */
export type ProductPage = Page<WrittenProduct> & { asOfMs: number }

/** A product that was deleted since the page was read is missing in it. */
export const listProducts = async (ctx: StoreCtx, query: ListQuery): Promise<ProductPage> => {
  const sort = query.sort ?? 'newest'
  const filter = await readFilter(ctx, query)
  const { data, ...page } = await readPage(ctx, query, cursorScope(ctx, 'products', query), {
    read: async (position, limit): Promise<Position[]> => {
      if (filter === null) return []
      const { texts } = await sql.listPlaces(ctx.db, outletRefOf(ctx), { ...filter, sort, position, limit })
      return JSON.parse(`[${texts ?? ''}]`)
    },
    positionOf: (place) => place,
    show: (place) => Number(place.at(-1)),
  })
  const { products, asOfMs } = await findProducts(ctx, data)
  const shown: WrittenProduct[] = []
  for (const seq of data) {
    const product = products.get(seq)
    if (product !== undefined) shown.push(product)
  }
  return { ...page, data: shown, asOfMs }
}

/** Products as lists show them, from memory or the database. */
export const findProducts = (ctx: StoreCtx, seqs: readonly number[]): ShownProducts | Promise<ShownProducts> =>
  ctx.cachedProducts.find(outletRefOf(ctx), seqs, async (missing) =>
    readProducts(ctx, await sql.writeProducts(ctx.db, outletRefOf(ctx), missing, moneyOf(ctx))),
  )

const moneyOf = ({ store: { currency } }: StoreCtx): sql.Money => ({
  ...{ currency, minorUnits: 10 ** currencyExponent(currency), untrackedStock: maxLineQuantity },
})

export const showProduct = async (ctx: StoreCtx, idOrSlug: string): Promise<ProductDetail> => {
  const row = await sql.findProduct(ctx.db, outletRefOf(ctx), idOrSlug)
  if (row === undefined) throw fail('NOT_FOUND', 'There is no such product.')
  const { currency } = ctx.store
  const tracked = row.variants.filter(({ stockTracked }) => stockTracked)
  const stock = tracked.reduce((sum, variant) => sum + variant.stock, 0)
  return {
    ...showProductRow(ctx, { ...row, stock, untracked: row.variants.length - tracked.length }),
    options: row.options,
    seo: row.seo,
    vendor: row.vendor,
    media: row.images.map((image, i) => showPicture(ctx, image, row.imageTexts[i] ?? '')),
    digital: row.digital,
    variants: row.variants.map(({ priceMinor, compareAtMinor, ...variant }) => ({
      ...variant,
      stock: variant.stockTracked ? variant.stock : maxLineQuantity,
      image: showImage(ctx, variant.image),
      ...showSizes(ctx, variant.image),
      price: toWire(priceMinor, currency),
      compareAtPrice: compareAtMinor === null ? null : toWire(compareAtMinor, currency),
    })),
  }
}

export const listCategories = async (
  ctx: StoreCtx,
  query: { limit?: number; cursor?: string },
): Promise<Page<Category>> =>
  readPage(ctx, query, cursorScope(ctx, 'categories', {}), {
    read: (position, limit) => sql.listCategories(ctx.db, ctx.store.id, position, limit),
    positionOf: (row) => [row.position, row.id],
    show: (row) => ({ ...row, image: showImage(ctx, row.image), ...showSizes(ctx, row.image) }),
  })

export const outletRefOf = (ctx: StoreCtx): sql.OutletRef => ({ storeId: ctx.store.id, outletId: ctx.outlet.id })

type FilterQuery = Pick<ListQuery, 'category' | 'ids' | 'minPrice' | 'maxPrice' | 'inStock' | 'options'>

/** Null if the category does not exist, so nothing can match. */
export const readFilter = async (ctx: StoreCtx, query: FilterQuery): Promise<sql.Filter | null> => {
  const ids = query.ids?.split(',').filter((id) => id !== '')
  if (ids !== undefined && ids.length > 100) throw fail('BAD_REQUEST', 'ids can have at most 100 product ids.')
  const filter: sql.Filter = {
    ids,
    minMinor: priceBound(ctx, query.minPrice, Math.ceil),
    maxMinor: priceBound(ctx, query.maxPrice, Math.floor),
    inStock: query.inStock,
    options: query.options === undefined ? undefined : readOptionFilter(query.options, ctx.outlet.id),
  }
  if (query.category === undefined) return filter
  const tree = await sql.findCategoryTree(ctx.db, ctx.store.id, query.category)
  if (tree.length === 0) return null
  const categoryProducts = tree.reduce((sum, { products }) => sum + products, 0)
  return { ...filter, categoryIds: tree.map(({ id }) => id), categoryProducts }
}

/** A bound may have more decimals than the currency. Rounding it to a minor unit excludes no price. */
const priceBound = (ctx: StoreCtx, amount: number | undefined, round: (n: number) => number) => {
  if (amount === undefined) return undefined
  return toMinor(amount, ctx.store.currency) ?? round(amount / toWire(1, ctx.store.currency))
}

export const showProductRow = (ctx: StoreCtx, row: sql.ProductRow): Product => ({
  id: row.id,
  name: row.name,
  description: row.description,
  price: toWire(row.priceMinor, ctx.store.currency),
  category: row.category ?? '',
  stock: row.stock + row.untracked * maxLineQuantity,
  stockTracked: row.untracked === 0,
  images: row.images.map((image) => showImage(ctx, image)),
  ...showSizes(ctx, row.images[0]),
  status: 'ACTIVE',
  slug: row.slug,
  currency: ctx.store.currency,
  compareAtPrice: row.compareAtMinor === null ? null : toWire(row.compareAtMinor, ctx.store.currency),
  hasVariants: row.hasVariants,
})
