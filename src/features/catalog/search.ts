import type { Position } from '../../core/cursor.ts'
import { toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { WrittenProduct } from '../../http/cached-products.ts'
import type { StoreCtx } from '../context.ts'
import { cursorScope, readPage } from '../paging.ts'
import type { SearchQuery, Suggestions } from './catalog.contract.ts'
import { readNameKeys } from './catalog.sql.ts'
import { findProducts, outletRefOf, readFilter } from './catalog.ts'
import { correctQuery } from './corrected-query.ts'
import { chooseBest, extrapolate, type Match, type MatchSummary, type Place, summarise } from './matches.ts'
import * as sql from './search.sql.ts'
import { findInIndex, suggestFromIndex } from './search-index/find-in-index.ts'
import {
  byWords,
  type CommonRead,
  chooseCommon,
  chooseLimit,
  chooseLookup,
  chooseSuggestedRows,
  enoughMatches,
  isAskedAtOnce,
} from './search-plan.ts'
import { commonness, isBegun, loosen, loosenLast, readTerms, type Term } from './search-terms.ts'
import { fold } from './search-words.ts'
import { showImage, showSizes } from './show-image.ts'
import { countedMatches } from './word-counts.ts'
import type { WrittenResult } from './written-products.ts'

/** `asOfMs`: when the oldest part of it was read: a product, a word of the query or the name of a category. */
type SearchAnswer = { result: WrittenResult; asOfMs: number }

export const search = async (ctx: StoreCtx, query: SearchQuery): Promise<SearchAnswer> => {
  const sort = query.sort ?? 'relevance'
  const [filter, { terms, products, asOfMs }] = await Promise.all([readFilter(ctx, query), readTerms(ctx, query.q)])
  let found: Shown | undefined
  const { data, nextCursor, hasMore } = await readPage(ctx, query, cursorScope(ctx, 'search', query), {
    read: async (position, limit) => {
      if (filter === null || terms.length === 0) return []
      const request = { ...filter, nameKey: fold(query.q.trim()), sort, position, limit }
      const atOnce = isAskedAtOnce(terms, filter, products)
      const find = (byIndex: boolean) =>
        tryTerms(terms, atOnce, (terms, whole) => ask({ ctx, page: { ...request, terms }, products, whole }, byIndex))
      found = await show(ctx, sort, find)
      return found.page
    },
    positionOf: ({ position }) => position,
    show: ({ product }) => product,
  })
  const { facetsAsOfMs, facets, ...totals } = found === undefined ? noMatches : await showSummary(ctx, found.summary)
  const result = { data, nextCursor, hasMore, ...totals, correctedQuery: correctQuery(query.q, terms, data[0]), facets }
  return { result, asOfMs: Math.min(asOfMs, found?.asOfMs ?? asOfMs, facetsAsOfMs) }
}

type Shown = { page: { product: WrittenProduct; position: Position }[]; summary: MatchSummary; asOfMs: number }

const maxTries = 3

/** Shows what was found. If one of these products was removed in between, the page would look like the last one. */
const show = async (
  ctx: StoreCtx,
  sort: sql.SearchSort,
  find: (byIndex: boolean) => Promise<Answer>,
  tries = 1,
): Promise<Shown> => {
  // An index may not know yet what was removed.
  const { page, summary, asOfMs: foundAsOfMs = Number.POSITIVE_INFINITY } = await find(tries === 1)
  const [{ products, asOfMs }, positions] = await Promise.all([
    findProducts(
      ctx,
      page.map(({ seq }) => seq),
    ),
    readPositions(ctx, sort, page),
  ])
  const shown = page.flatMap(({ seq }, i) => {
    const [product, position] = [products.get(seq), positions[i]]
    return product === undefined || position === undefined ? [] : [{ product, position }]
  })
  if (shown.length < page.length && tries < maxTries) return show(ctx, sort, find, tries + 1)
  return { page: shown, summary, asOfMs: Math.min(asOfMs, foundAsOfMs) }
}

/** The next page starts after the last of them. */
const readPositions = async (
  ctx: StoreCtx,
  sort: sql.SearchSort,
  page: readonly Place[],
): Promise<(Position | undefined)[]> => {
  if (sort === 'newest') return page.map(({ seq }) => [seq])
  if (sort === 'relevance') return page.map(({ rank, seq }) => [rank, seq])
  if (sort === 'price' || sort === '-price') return page.map(({ priceMinor, seq }) => [priceMinor, seq])
  const seqs = page.map(({ seq }) => seq)
  const names = new Map((await readNameKeys(ctx.db, outletRefOf(ctx), seqs)).map(({ seq, nameKey }) => [seq, nameKey]))
  return seqs.map((seq) => {
    const name = names.get(seq)
    return name === undefined ? undefined : [name, seq]
  })
}

type Ask<Answer> = (terms: readonly Term[], whole?: readonly Term[]) => Promise<Answer>

/**
 * Words of the store's vocabulary must match whole words. If few products match, the last word matches as a prefix too,
 * because the shopper may still be typing it; if none match, all words do. If a single last letter finds nothing, it is
 * treated as the start of a word and dropped. `atOnce`: one statement for the first two steps.
 */
const tryTerms = async <Answer extends { matches: number }>(
  terms: readonly Term[],
  atOnce: boolean,
  ask: Ask<Answer>,
): Promise<Answer> => {
  const last = mustExist(terms.at(-1), 'a word of the query')
  const begun = loosenLast(terms)
  const answer = atOnce ? await ask(begun, terms) : await ask(terms)
  if (answer.matches >= enoughMatches) return answer
  const looser = answer.matches === 0 ? terms.map(loosen) : begun
  const asked = atOnce ? begun : terms
  const loose = isLooser(looser, asked) ? await ask(looser) : answer
  const isCutShort = loose.matches === 0 && terms.length > 1 && !last.prefix
  return isCutShort ? tryTerms(terms.slice(0, -1), false, ask) : loose
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
/** `asOfMs`: changes since then may not be known. */
type Answer = { page: Place[]; summary: MatchSummary; matches: number; asOfMs?: number | undefined }

/** By the index of the store, if it has one and that is up to date. */
const ask = async (asked: Asked, byIndex: boolean): Promise<Answer> =>
  (byIndex ? askIndex(asked) : undefined) ?? askDatabase(asked)

const askIndex = ({ ctx, page, products, whole }: Asked): Answer | undefined => {
  const found = ctx.searchIndexes.ask(outletRefOf(ctx), products, (reader) => {
    const first = whole && findInIndex(reader, { ...page, terms: whole }, products)
    if (whole !== undefined && first === undefined) return undefined
    return first && first.matches >= enoughMatches ? first : findInIndex(reader, page, products)
  })
  return found && { ...found.result, asOfMs: found.asOfMs }
}

/** Finds a page of the best matches and the summary, and reads as few rows as possible for it. */
const askDatabase = async (asked: Asked): Promise<Answer> => {
  const { ctx, page, products } = asked
  const common = await askCommon(asked)
  if (common !== undefined) return common
  const lookup = chooseLookup(ctx.outlet.id, page, products)
  const limit = chooseLimit(page, lookup)
  const found = await findBy(asked, lookup, limit)
  const isEnough = typeof lookup.by !== 'object' || found.length > limit
  if (isEnough) return findBest(asked, found, limit)
  // Words that are common among the newest products may be rare elsewhere.
  const all = byWords(ctx.outlet.id, '~', page.terms)
  const wider = chooseLimit(page, all)
  return findBest(asked, await findBy(asked, all, wider), wider)
}

/** A full page of products with a common word in their name, and a summary of some products that have it. */
const askCommon = async ({ ctx, page, products }: Asked): Promise<Answer | undefined> => {
  const read = chooseCommon(page, products)
  if (read === undefined) return undefined
  const { matches, sample } = await readCommon(ctx, page, read)
  const best = chooseBest(matches, page.position, page.limit)
  const isComplete = matches.length <= sql.sortedMatches && best.every(({ rank }) => rank >= read.worst)
  if (best.length < page.limit || !isComplete) return undefined
  const total = Math.max(...page.terms.map((term) => commonness(term)?.products ?? 0), countedMatches + 1)
  return { page: best, matches: total, summary: extrapolate(summarise(sample), total) }
}

const readCommon = async (ctx: StoreCtx, page: sql.SearchPage, read: CommonRead) => {
  if (read.kind === 'walk') return sql.walkCommon(ctx.db, outletRefOf(ctx), page, read.walk)
  const matches = await findNamed(ctx, { ...page, terms: read.terms })
  return { matches, sample: matches }
}

const findBy = ({ ctx, page, whole }: Asked, lookup: sql.Lookup, limit: number) =>
  sql.findMatches(ctx.db, outletRefOf(ctx), page, lookup, {
    limit,
    whole: whole && sql.wordQuery(ctx.outlet.id, '~', whole),
  })

/** With more matches than were read, the best may be among the others. */
const findBest = async (asked: Asked, found: readonly Match[], limit: number): Promise<Answer> => {
  const { whole, ...all } = asked
  const isCut = found.length > limit
  if (whole !== undefined && isCut) {
    const first = await askDatabase({ ...all, page: { ...all.page, terms: whole } })
    return first.matches >= enoughMatches ? first : findBest(all, found, limit)
  }
  const wholes = whole === undefined ? found : found.filter(({ isWhole }) => isWhole)
  const matches = wholes.length >= enoughMatches ? wholes : found
  const page = isCut ? await findPage(all, matches, limit) : choosePage(all.page, matches)
  return { page, summary: summarise(matches), matches: matches.length }
}

const choosePage = ({ sort, position, limit }: sql.SearchPage, matches: readonly Match[]) =>
  sort === 'relevance' ? chooseBest(matches, position, limit) : matches.filter(({ isLater }) => isLater).slice(0, limit)

/** The page if only so many of its matches were read. */
const findPage = async ({ ctx, page }: Asked, matches: readonly Match[], read: number): Promise<Match[]> => {
  const { sort } = page
  if (sort !== 'relevance') return sql.walkMatches(ctx.db, outletRefOf(ctx), { ...page, sort })
  const named = choosePage(page, await findNamed(ctx, page))
  if (named.length === page.limit) return named
  if (read === sql.sortedMatches) return choosePage(page, matches)
  const lookup = chooseLookup(ctx.outlet.id, page, 0)
  return choosePage(page, await sql.findMatches(ctx.db, outletRefOf(ctx), page, lookup, { limit: sql.sortedMatches }))
}

/** Only products with the words in their name. */
const findNamed = (ctx: StoreCtx, page: sql.SearchPage) => {
  const lookup = byWords(ctx.outlet.id, '^', page.terms)
  return sql.findMatches(ctx.db, outletRefOf(ctx), page, lookup, { limit: sql.sortedMatches })
}

const isExact = ({ total }: MatchSummary) => total <= countedMatches

const showSummary = async (ctx: StoreCtx, summary: MatchSummary) => {
  const price = (minor: number | null) => (minor === null ? null : toWire(minor, ctx.store.currency))
  const categories = await ctx.categoryFacets.write(ctx.db, ctx.store.id, summary.byCategory)
  return {
    facetsAsOfMs: categories.asOfMs,
    total: summary.total === countedMatches + 1 ? countedMatches : summary.total,
    totalIsExact: isExact(summary),
    facets: {
      categories,
      price: { min: price(summary.minMinor), max: price(summary.maxMinor) },
      inStock: { count: summary.inStock },
    },
  }
}

const noMatches = {
  facetsAsOfMs: Number.POSITIVE_INFINITY,
  total: 0,
  totalIsExact: true,
  facets: { categories: { json: '[]', fingerprint: '' }, price: { min: null, max: null }, inStock: { count: 0 } },
}

const suggestedProducts = 8
const suggestedCategories = 4

/** `asOfMs` as for a search. */
type SuggestAnswer = { suggestions: Suggestions; asOfMs: number }

export const suggest = async (ctx: StoreCtx, text: string): Promise<SuggestAnswer> => {
  const { terms, products: all, asOfMs } = await readTerms(ctx, text)
  if (terms.length === 0) return { suggestions: { products: [], categories: [] }, asOfMs }
  const request = { nameKey: fold(text.trim()), sort: 'relevance', limit: suggestedProducts } as const
  const [{ products, asOfMs: foundAsOfMs = asOfMs }, categories] = await Promise.all([
    // The shopper is still typing the last word, so it matches as a prefix.
    tryTerms(loosenLast(terms), false, async (terms) => {
      const found = await suggestProducts(ctx, { ...request, terms }, all)
      return { ...found, matches: found.products.length }
    }),
    sql.suggestCategories(
      ctx.db,
      outletRefOf(ctx),
      terms.map(({ alternatives }) => mustExist(alternatives.at(-1), 'a word of the query')),
      suggestedCategories,
    ),
  ])
  const shown = products.map(({ images: [image = ''], ...product }) => ({
    ...product,
    image: showImage(ctx, image),
    ...showSizes(ctx, image),
  }))
  return { suggestions: { products: shown, categories }, asOfMs: Math.min(asOfMs, foundAsOfMs) }
}

type Suggested = { products: sql.SuggestedProduct[]; asOfMs?: number }

const suggestProducts = async (ctx: StoreCtx, page: sql.SearchPage, products: number): Promise<Suggested> => {
  const indexed = ctx.searchIndexes.ask(outletRefOf(ctx), products, (reader) => suggestFromIndex(reader, page))
  if (indexed !== undefined) {
    const seqs = indexed.result.map(({ seq }) => seq)
    const found = seqs.length === 0 ? [] : await sql.readSuggested(ctx.db, outletRefOf(ctx), seqs)
    return { products: found, asOfMs: indexed.asOfMs }
  }
  const rows = chooseSuggestedRows(page, products)
  const newest = rows ? await sql.suggestProducts(ctx.db, outletRefOf(ctx), page, rows) : undefined
  const isFull = newest !== undefined && newest.length === page.limit
  return { products: isFull ? newest : await sql.suggestProducts(ctx.db, outletRefOf(ctx), page) }
}
