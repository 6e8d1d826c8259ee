import { toWire } from '../../core/money.ts'
import type { StoreCtx } from '../context.ts'
import type { SearchQuery, SearchResult, Suggestions } from './catalog.contract.ts'
import { positionOf } from './catalog.sql.ts'
import { cursorScope, emptyPage, placeOf, readFilter, readPage, showImage, showProductRow } from './catalog.ts'
import * as sql from './search.sql.ts'

export const search = async (ctx: StoreCtx, query: SearchQuery): Promise<SearchResult> => {
  const sort = query.sort ?? 'relevance'
  const text = query.q
  const filter = await readFilter(ctx, query)
  if (filter === null) return noResult
  const place = placeOf(ctx)
  const [page, summary] = await Promise.all([
    readPage(ctx, query, cursorScope(ctx, 'search', query), {
      read: (position, limit) => sql.searchProducts(ctx.db, place, { ...filter, text, sort, position, limit }),
      positionOf: (row) => (sort === 'relevance' ? [row.rank, row.seq] : positionOf(sort, row)),
      show: (row) => showProductRow(ctx, row),
    }),
    sql.summariseSearch(ctx.db, place, text, filter),
  ])
  const price = (minor: number | null) => (minor === null ? null : toWire(minor, ctx.store.currency))
  return {
    ...page,
    total: Math.min(summary.total, sql.countedMatches),
    totalIsExact: summary.total <= sql.countedMatches,
    facets: {
      categories: summary.categories,
      price: { min: price(summary.minMinor), max: price(summary.maxMinor) },
      inStock: { count: summary.inStock },
    },
  }
}

const noResult: SearchResult = {
  ...emptyPage,
  total: 0,
  totalIsExact: true,
  facets: { categories: [], price: { min: null, max: null }, inStock: { count: 0 } },
}

const suggestedProducts = 8
const suggestedCategories = 4

export const suggest = async (ctx: StoreCtx, text: string): Promise<Suggestions> => {
  const [products, categories] = await Promise.all([
    sql.suggestProducts(ctx.db, placeOf(ctx), text, suggestedProducts),
    sql.suggestCategories(ctx.db, placeOf(ctx), text, suggestedCategories),
  ])
  return {
    products: products.map(({ images, ...product }) => ({ ...product, image: showImage(ctx, images[0] ?? '') })),
    categories,
  }
}
