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
      const found = await tryInTurn((source) => sql.searchProducts(ctx.db, placeOf(ctx), asked, source))
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

/** Mostly the first try answers. What is everywhere among the newest products need not be elsewhere: hence the third. */
const tryInTurn = async <Answer extends { isComplete: boolean }>(ask: (source: sql.Source) => Promise<Answer>) => {
  for (const source of ['rare words', 'newest'] as const) {
    const answer = await ask(source)
    if (answer.isComplete) return answer
  }
  return ask('words')
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
  const [{ products }, categories] = await Promise.all([
    tryInTurn((source) => sql.suggestProducts(ctx.db, placeOf(ctx), page, source)),
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
