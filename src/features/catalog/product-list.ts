import type { Position } from '../../core/cursor.ts'
import { toWire } from '../../core/money.ts'
import type { Queries } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { answerList, type CountedMatches, type CountedPage } from '../admin-list.ts'
import type { AdminCtx } from '../context.ts'
import { maxLineQuantity } from './catalog.contract.ts'
import { findCategoryTree } from './catalog.sql.ts'
import * as sql from './product-list.sql.ts'
import type { AdminProductItem, AdminProductQuery } from './products.admin.contract.ts'
import { wordsToFind } from './search-words.ts'
import { showImage } from './show-image.ts'

/** Products of every status. Prices and stock are those of the default outlet. */
export const listProductsForAdmin = async (
  ctx: AdminCtx,
  query: AdminProductQuery,
): Promise<Answer<CountedPage<AdminProductItem>>> => {
  const source = await openProductList(ctx, query)
  return answerList(ctx, 'products', query, {
    ...source,
    show: (row) => showItem(ctx, row),
    columns: [
      ...([
        'id',
        'name',
        'slug',
        'sku',
        'status',
        'category',
        'vendor',
        'price',
        'compareAtPrice',
        'currency',
      ] as const),
      ...(['stock', 'stockTracked', 'variantCount', 'taxRate', 'tags', 'createdAt', 'updatedAt'] as const),
    ],
  })
}

type ListCtx = Pick<AdminCtx, 'store'> & { db: Queries }
/** Undefined: not filtered. */
export type ProductListFilter = {
  [Name in 'q' | 'status' | 'category' | 'stock' | 'sort']?: AdminProductQuery[Name] | undefined
}

export const openProductList = async ({ db, store }: ListCtx, query: ProductListFilter) => {
  const sort = query.sort ?? 'newest'
  const outlet = { storeId: store.id, outletId: store.defaultOutlet.id }
  const words = query.q === undefined || query.q.trim() === '' ? undefined : wordsToFind(query.q)
  const tree = query.category === undefined ? undefined : await findCategoryTree(db, store.id, query.category)
  const categoryIds = tree?.map(({ id }) => id)
  const { status, stock } = query
  const filter = { status, stock, categoryIds, words }
  // A text without letters and digits, or an unknown category, matches nothing.
  const isEmpty = words?.length === 0 || categoryIds?.length === 0
  const probe = words === undefined || isEmpty ? null : await sql.probeWords(db, outlet, filter, sort)
  const areWordsRare = probe !== null && areRare(probe)
  const isStockRare =
    stock !== undefined && !isEmpty && !areWordsRare && (await sql.probeStock(db, outlet, stock)) < sql.probedStockRows
  const rarity = { areWordsRare, isStockRare }
  return {
    read: async (position: Position | undefined, limit: number) =>
      isEmpty ? [] : sql.listForAdmin(db, outlet, { ...filter, sort, position, limit }, rarity),
    count: async (limit: number): Promise<CountedMatches> => {
      if (isEmpty) return { found: 0, isExact: true }
      const areCommon = probe !== null && areEverywhere(probe)
      const found = await sql.countForAdmin(db, outlet, filter, { limit, areCommon, ...rarity })
      return { found, isExact: found < limit && (stock === undefined || areWordsRare || isStockRare) }
    },
    positionOf: (row: sql.AdminProductRow) => sql.adminPositionOf(sort, row),
  }
}

type Probe = { matches: number; rows: number }

/** Then the index of words has few matches to sort. Otherwise a page is full after some hundred products. */
const areRare = ({ matches, rows }: Probe) => rows === sql.probedProducts && matches < 3

/** Then counting up to the limit visits few products, while the index of words would read all matches. */
const areEverywhere = ({ matches, rows }: Probe) => matches > rows * 0.3

export const showItem = (
  { store, ...urls }: Pick<AdminCtx, 'store' | 'publicUrl' | 'mediaUrl'>,
  row: sql.AdminProductRow,
): AdminProductItem => ({
  ...{ id: row.id, name: row.name, slug: row.slug, description: row.description, status: row.status },
  price: toWire(row.priceMinor ?? 0, store.currency),
  compareAtPrice: row.compareAtMinor === null ? null : toWire(row.compareAtMinor, store.currency),
  currency: store.currency,
  ...{ category: row.category ?? '', categoryId: row.categoryId },
  stock: row.stock + row.untracked * maxLineQuantity,
  stockTracked: row.untracked === 0,
  images: row.images.map((image) => showImage(urls, image)),
  hasVariants: row.hasVariants,
  ...{ vendor: row.vendor, tags: row.tags, taxRate: Number(row.taxRate), sku: row.sku },
  variantCount: row.variantCount,
  ...{ createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() },
})
