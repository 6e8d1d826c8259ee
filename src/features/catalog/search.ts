import { toWire } from '../../core/money.ts'
import type { StoreCtx } from '../context.ts'
import type { SearchQuery, SearchResult, Suggestions } from './catalog.contract.ts'
import { positionOf } from './catalog.sql.ts'
import { cursorScope, placeOf, readFilter, readPage, showImage, showProductRow } from './catalog.ts'
import * as sql from './search.sql.ts'
import { fold, likeliest, wordsToFind } from './search-words.ts'

export const search = async (ctx: StoreCtx, query: SearchQuery): Promise<SearchResult> => {
  const sort = query.sort ?? 'relevance'
  const [filter, terms] = await Promise.all([readFilter(ctx, query), readTerms(ctx, query.q)])
  let summary: sql.SearchSummary | undefined
  const page = await readPage(ctx, query, cursorScope(ctx, 'search', query), {
    read: async (position, limit) => {
      if (filter === null || terms.length === 0) return []
      const asked = { ...filter, terms, nameKey: fold(query.q.trim()), sort, position, limit }
      const found = await findMatches(ctx, asked)
      summary = found.summary
      if (isExact(summary)) return found.page
      if (sort === 'relevance') return addNamed(ctx, asked, found)
      return sql.walkMatches(ctx.db, placeOf(ctx), { ...asked, sort })
    },
    positionOf: (row) => (sort === 'relevance' ? [row.rank, row.seq] : positionOf(sort, row)),
    show: (row) => showProductRow(ctx, row),
  })
  return { ...page, ...(summary === undefined ? noMatches : showSummary(ctx, summary)) }
}

/** From this part of the products on, going through the newest is faster than the index of words. */
const everywhere = 0.4

/** What is everywhere among the newest products need not be among the others: then the index of words answers. */
const findMatches = async (ctx: StoreCtx, asked: sql.SearchPage): Promise<sql.Found> => {
  const place = placeOf(ctx)
  if ((await sql.guessDensity(ctx.db, place, asked, 'anywhere')) >= everywhere) {
    const found = await sql.searchProducts(ctx.db, place, asked, 'newest')
    if (found.isComplete) return found
  }
  return sql.searchProducts(ctx.db, place, asked, 'words')
}

const plentyNamed = 1_000

/**
 * Of more matches than are counted the best may be among those not looked at, so these are looked for: products of
 * exactly that name and, unless there are plenty already, those with the words in their name.
 */
const addNamed = async (ctx: StoreCtx, asked: sql.SearchPage, found: sql.Found) => {
  const named = await sql.findNamed(ctx.db, placeOf(ctx), asked, { words: found.named < plentyNamed })
  const rows = new Map([...found.page, ...named].map((row) => [row.seq, row]))
  return [...rows.values()].sort((a, b) => b.rank - a.rank || b.seq - a.seq).slice(0, asked.limit)
}

const isExact = ({ total }: sql.SearchSummary) => total <= sql.countedMatches

const showSummary = ({ store }: StoreCtx, summary: sql.SearchSummary) => {
  const price = (minor: number | null) => (minor === null ? null : toWire(minor, store.currency))
  return {
    total: Math.min(summary.total, sql.countedMatches),
    totalIsExact: isExact(summary),
    facets: {
      categories: summary.categories,
      price: { min: price(summary.minMinor), max: price(summary.maxMinor) },
      inStock: { count: summary.inStock },
    },
  }
}

const noMatches = {
  total: 0,
  totalIsExact: true,
  facets: { categories: [], price: { min: null, max: null }, inStock: { count: 0 } },
}

/** The words of a query, a misspelt one together with the words of the catalog that it probably means. */
const readTerms = async (ctx: StoreCtx, text: string): Promise<sql.Term[]> => {
  const words = wordsToFind(text)
  const doubtful = words.filter(({ correctable }) => correctable).map((word) => word.text)
  const unknown = doubtful.length === 0 ? [] : await sql.findLookalikes(ctx.db, ctx.store.id, doubtful)
  return words.map(({ text: word, prefix }) => {
    const corrections = likeliest(word, unknown.find((row) => row.word === word)?.candidates ?? [])
    return { alternatives: [word, ...corrections], prefix }
  })
}

const suggestedProducts = 8
const suggestedCategories = 4

export const suggest = async (ctx: StoreCtx, text: string): Promise<Suggestions> => {
  const terms = await readTerms(ctx, text)
  if (terms.length === 0) return { products: [], categories: [] }
  const page = { terms, nameKey: fold(text.trim()), sort: 'relevance', limit: suggestedProducts } as const
  const [products, categories] = await Promise.all([
    suggestProducts(ctx, page),
    sql.suggestCategories(
      ctx.db,
      ctx.store.id,
      terms.map(({ alternatives }) => alternatives.at(-1) as string),
      suggestedCategories,
    ),
  ])
  return {
    products: products.map(({ images, ...product }) => ({ ...product, image: showImage(ctx, images[0] ?? '') })),
    categories,
  }
}

/** A few hundred matches are enough to choose from, so that already what is in every twentieth name is plenty. */
const inManyNames = 0.05

const suggestProducts = async (ctx: StoreCtx, asked: sql.SearchPage) => {
  const place = placeOf(ctx)
  if ((await sql.guessDensity(ctx.db, place, asked, 'name')) >= inManyNames) {
    const products = await sql.suggestProducts(ctx.db, place, asked, 'newest')
    if (products.length === asked.limit) return products
  }
  return sql.suggestProducts(ctx.db, place, asked, 'words')
}
