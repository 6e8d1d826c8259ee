import { toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { StoreCtx } from '../context.ts'
import { cursorScope, readPage } from '../paging.ts'
import type { SearchQuery, SearchResult, Suggestions } from './catalog.contract.ts'
import { productPositionOf } from './catalog.sql.ts'
import { outletRefOf, readFilter, showProductRow } from './catalog.ts'
import { correctQuery } from './corrected-query.ts'
import * as sql from './search.sql.ts'
import { byWords, chooseLookup, chooseSuggestedRows, chooseWalk, mayBeNamed } from './search-plan.ts'
import { commonness, isBegun, loosen, loosenLast, readTerms, type Term } from './search-terms.ts'
import { fold } from './search-words.ts'
import { showImage, showSizes } from './show-image.ts'
import { countedMatches } from './word-counts.ts'

export const search = async (ctx: StoreCtx, query: SearchQuery): Promise<SearchResult> => {
  const sort = query.sort ?? 'relevance'
  const [filter, { terms, products }] = await Promise.all([readFilter(ctx, query), readTerms(ctx, query.q)])
  let summary: sql.SearchSummary | undefined
  const page = await readPage(ctx, query, cursorScope(ctx, 'search', query), {
    read: async (position, limit) => {
      if (filter === null || terms.length === 0) return []
      const request = { ...filter, nameKey: fold(query.q.trim()), sort, position, limit }
      const found = await tryTerms(terms, (terms, whole) => ask({ ctx, page: { ...request, terms }, products, whole }))
      summary = found.summary
      return found.page
    },
    positionOf: (row) => (sort === 'relevance' ? [row.rank, row.seq] : productPositionOf(sort, row)),
    show: (row) => showProductRow(ctx, row),
  })
  return {
    ...page,
    ...(summary === undefined ? noMatches : showSummary(ctx, summary)),
    correctedQuery: correctQuery(query.q, terms, page.data[0]),
  }
}

/** A full page of whole-word matches: prefix matches are not added to it. */
const enoughMatches = 20

type Ask<Answer> = (terms: readonly Term[], whole?: readonly Term[]) => Promise<Answer>

/**
 * Words of the store's vocabulary must match whole words. If few products match, the last word matches as a prefix too,
 * because the shopper may still be typing it; if none match, all words do. If a single last letter finds nothing, it is
 * treated as the start of a word and dropped.
 */
const tryTerms = async <Answer extends { matches: number }>(
  terms: readonly Term[],
  ask: Ask<Answer>,
): Promise<Answer> => {
  const last = mustExist(terms.at(-1), 'a word of the query')
  const begun = loosenLast(terms)
  // One statement for both steps, unless so many products have the prefix that the first step is better alone.
  const isOne = last.prefix && last.whole && last.common.begun === null
  const answer = isOne ? await ask(begun, terms) : await ask(terms)
  if (answer.matches >= enoughMatches) return answer
  const looser = answer.matches === 0 ? terms.map(loosen) : begun
  const asked = isOne ? begun : terms
  const loose = isLooser(looser, asked) ? await ask(looser) : answer
  const isCutShort = loose.matches === 0 && terms.length > 1 && !last.prefix
  return isCutShort ? tryTerms(terms.slice(0, -1), ask) : loose
}

const isLooser = (terms: readonly Term[], before: readonly Term[]) =>
  terms.some((term, i) => isBegun(term) && before[i]?.whole)

type Asked = {
  ctx: StoreCtx
  page: sql.SearchPage
  products: number
  /** If enough products have these words, only they match. */
  whole?: readonly Term[] | undefined
}
type Answer = { page: sql.MatchRow[]; summary: sql.SearchSummary; matches: number }

/** Finds a page of the best matches and the summary, and reads as few rows as possible for it. */
const ask = async (asked: Asked): Promise<Answer> => {
  const { ctx, page, products } = asked
  const walk = chooseWalk(page, products)
  if (walk !== undefined) {
    const found = await sql.walkCommon(ctx.db, outletRefOf(ctx), page, walk)
    if (isFull(found.page, page) && found.page.every(({ rank }) => rank >= walk.rank)) return estimate(found, page)
  }
  if (mayBeNamed(page)) {
    const named = await findNamed(ctx, page)
    if (isFull(named.page, page)) return estimate(named, page)
  }
  const lookup = chooseLookup(ctx.outlet.id, page, products)
  const found = await findBy(asked, lookup)
  // Words that are common among the newest products may be rare elsewhere.
  const isRare = typeof lookup.by === 'object' && !found.isCut
  const again = isRare ? byWords(ctx.outlet.id, '~', page.terms) : undefined
  return findBest(asked, again === undefined ? found : await findBy(asked, again))
}

const isFull = (rows: readonly sql.MatchRow[], { limit }: sql.SearchPage) => rows.length === limit

const findBy = ({ ctx, page, whole }: Asked, lookup: sql.Lookup) =>
  sql.findMatches(ctx.db, outletRefOf(ctx), page, lookup, {
    limit: page.sort === 'relevance' ? countedMatches : sql.sortedMatches,
    wholeFirst: whole && { query: sql.wordQuery(ctx.outlet.id, '~', whole), enough: enoughMatches },
  })

/** With more matches than were read, the best may be among the others. */
const findBest = async ({ ctx, page, products, whole }: Asked, found: sql.Matches): Promise<Answer> => {
  const answer = { ...found, matches: found.summary.total }
  if (!found.isCut) return answer
  if (whole !== undefined) {
    const first = await ask({ ctx, page: { ...page, terms: whole }, products })
    return first.matches >= enoughMatches ? first : ask({ ctx, page, products })
  }
  const { sort } = page
  if (sort !== 'relevance')
    return { ...answer, page: await sql.walkMatches(ctx.db, outletRefOf(ctx), { ...page, sort }) }
  const named = await findNamed(ctx, page)
  if (isFull(named.page, page)) return { ...answer, page: named.page }
  const lookup = chooseLookup(ctx.outlet.id, page, 0)
  const all = await sql.findMatches(ctx.db, outletRefOf(ctx), page, lookup, { limit: sql.sortedMatches })
  return { ...answer, page: all.page }
}

/** Only products with the words in their name. */
const findNamed = (ctx: StoreCtx, page: sql.SearchPage) => {
  const lookup = byWords(ctx.outlet.id, '^', page.terms)
  return sql.findMatches(ctx.db, outletRefOf(ctx), page, lookup, { limit: sql.sortedMatches })
}

/** The summary of some matches, extrapolated to as many as the words are known to have. */
const estimate = ({ page, summary }: sql.FoundProducts, { terms }: sql.SearchPage): Answer => {
  const matches = Math.max(...terms.map((term) => commonness(term)?.products ?? 0), countedMatches + 1)
  const part = matches / Math.max(1, summary.total)
  const scale = (count: number) => Math.round(count * part)
  const categories = summary.categories.map((category) => ({ ...category, count: scale(category.count) }))
  return { page, matches, summary: { ...summary, total: matches, inStock: scale(summary.inStock), categories } }
}

const isExact = ({ total }: sql.SearchSummary) => total <= countedMatches

const showSummary = ({ store }: StoreCtx, summary: sql.SearchSummary) => {
  const price = (minor: number | null) => (minor === null ? null : toWire(minor, store.currency))
  return {
    total: summary.total === countedMatches + 1 ? countedMatches : summary.total,
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

const suggestedProducts = 8
const suggestedCategories = 4

export const suggest = async (ctx: StoreCtx, text: string): Promise<Suggestions> => {
  const { terms, products: all } = await readTerms(ctx, text)
  if (terms.length === 0) return { products: [], categories: [] }
  const request = { nameKey: fold(text.trim()), sort: 'relevance', limit: suggestedProducts } as const
  const [{ products }, categories] = await Promise.all([
    // The shopper is still typing the last word, so it matches as a prefix.
    tryTerms(loosenLast(terms), async (terms) => {
      const products = await suggestProducts(ctx, { ...request, terms }, all)
      return { products, matches: products.length }
    }),
    sql.suggestCategories(
      ctx.db,
      outletRefOf(ctx),
      terms.map(({ alternatives }) => mustExist(alternatives.at(-1), 'a word of the query')),
      suggestedCategories,
    ),
  ])
  return {
    products: products.map(({ images: [image = ''], ...product }) => ({
      ...product,
      image: showImage(ctx, image),
      ...showSizes(ctx, image),
    })),
    categories,
  }
}

const suggestProducts = async (ctx: StoreCtx, page: sql.SearchPage, products: number) => {
  const rows = chooseSuggestedRows(page, products)
  const newest = rows && (await sql.suggestProducts(ctx.db, outletRefOf(ctx), page, rows))
  return newest && newest.length === page.limit ? newest : sql.suggestProducts(ctx.db, outletRefOf(ctx), page)
}
