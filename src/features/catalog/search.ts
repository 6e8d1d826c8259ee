import { toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { StoreCtx } from '../context.ts'
import { cursorScope, readPage } from '../paging.ts'
import type { SearchQuery, SearchResult, Suggestions } from './catalog.contract.ts'
import { productPositionOf } from './catalog.sql.ts'
import { outletRefOf, readFilter, showProductRow } from './catalog.ts'
import { correctQuery } from './corrected-query.ts'
import * as sql from './search.sql.ts'
import { closestWords, fold, wordsToFind } from './search-words.ts'
import { showImage, showSizes } from './show-image.ts'

export const search = async (ctx: StoreCtx, query: SearchQuery): Promise<SearchResult> => {
  const sort = query.sort ?? 'relevance'
  const [filter, terms] = await Promise.all([readFilter(ctx, query), readTerms(ctx, query.q)])
  let summary: sql.SearchSummary | undefined
  const page = await readPage(ctx, query, cursorScope(ctx, 'search', query), {
    read: async (position, limit) => {
      if (filter === null || terms.length === 0) return []
      const request = { ...filter, nameKey: fold(query.q.trim()), sort, position, limit }
      const found = await tryTerms(terms, async (terms) => {
        const answer = await trySources((source) =>
          sql.searchProducts(ctx.db, outletRefOf(ctx), { ...request, terms }, source),
        )
        return { ...answer, terms, matches: answer.summary.total }
      })
      summary = found.summary
      if (isExact(summary)) return found.page
      if (sort === 'relevance') return addNamed(ctx, { ...request, terms: found.terms }, found)
      return sql.walkMatches(ctx.db, outletRefOf(ctx), { ...request, terms: found.terms, sort })
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

/**
 * Words of the store's vocabulary must match whole words. If few products match, the last word matches as a prefix too,
 * because the shopper may still be typing it; if none match, all words do. If a single last letter finds nothing, it is
 * treated as the start of a word and dropped.
 */
const tryTerms = async <Answer extends { matches: number }>(
  terms: readonly sql.Term[],
  ask: (terms: readonly sql.Term[]) => Promise<Answer>,
): Promise<Answer> => {
  const answer = await ask(terms)
  if (answer.matches >= enoughMatches) return answer
  const looser = answer.matches === 0 ? terms.map(loosen) : loosenLast(terms)
  const loose = isLooser(looser, terms) ? await ask(looser) : answer
  const isBegun = loose.matches === 0 && terms.length > 1 && terms.at(-1)?.prefix === false
  return isBegun ? tryTerms(terms.slice(0, -1), ask) : loose
}

const loosen = (term: sql.Term): sql.Term => ({ ...term, whole: false })
const loosenLast = (terms: readonly sql.Term[]) => [...terms.slice(0, -1), ...terms.slice(-1).map(loosen)]
const isLooser = (terms: readonly sql.Term[], before: readonly sql.Term[]) =>
  terms.some(({ prefix, whole }, i) => prefix && !whole && before[i]?.whole)

/** Usually the first source suffices. Words that are common among the newest products may be rare elsewhere: the third. */
const trySources = async <Answer extends { isComplete: boolean }>(ask: (source: sql.Source) => Promise<Answer>) => {
  for (const source of ['rare words', 'newest'] as const) {
    const answer = await ask(source)
    if (answer.isComplete) return { ...answer, source }
  }
  return { ...(await ask('words')), source: 'words' as const }
}

const enoughNamed = 1_000

/**
 * With more matches than are counted, the best may be among those not read. So products with exactly that name are
 * searched, and, unless enough were found, products with the words in their name. The word index finds all of them
 * anyway while the matches with whole words in the name are within the limit.
 */
const addNamed = async (ctx: StoreCtx, request: sql.SearchPage, found: sql.FoundProducts & { source: sql.Source }) => {
  const byIndex = found.source !== 'newest'
  if (byIndex && found.named <= sql.countedMatches) return found.page
  const words = !byIndex && found.named < enoughNamed
  const named = await sql.findNamed(ctx.db, outletRefOf(ctx), request, { words })
  const rows = new Map([...found.page, ...named].map((row) => [row.seq, row]))
  return [...rows.values()].sort((a, b) => b.rank - a.rank || b.seq - a.seq).slice(0, request.limit)
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

/**
 * The words of a query, with likely corrections for misspelt ones. Only correctable words are stored in the vocabulary,
 * so shorter words always match as prefixes.
 */
const readTerms = async (ctx: StoreCtx, text: string): Promise<sql.Term[]> => {
  const words = wordsToFind(text)
  const correctable = words.filter((word) => word.correctable).map((word) => word.text)
  const known = correctable.length === 0 ? [] : await sql.lookUpWords(ctx.db, ctx.store.id, correctable)
  return words.map(({ text: word, prefix }, i) => {
    const { isWhole = false, lookalikes = [] } = known.find((row) => row.word === word) ?? {}
    const corrections = closestWords(word, lookalikes)
    const whole = isWhole || (corrections.length > 0 && i < words.length - 1)
    return { alternatives: [word, ...corrections], prefix, whole }
  })
}

const suggestedProducts = 8
const suggestedCategories = 4

export const suggest = async (ctx: StoreCtx, text: string): Promise<Suggestions> => {
  const terms = await readTerms(ctx, text)
  if (terms.length === 0) return { products: [], categories: [] }
  const page = { nameKey: fold(text.trim()), sort: 'relevance', limit: suggestedProducts } as const
  const [{ products }, categories] = await Promise.all([
    // The shopper is still typing the last word, so it matches as a prefix.
    tryTerms(loosenLast(terms), async (terms) => {
      const answer = await trySources((source) =>
        sql.suggestProducts(ctx.db, outletRefOf(ctx), { ...page, terms }, source),
      )
      return { ...answer, matches: answer.products.length }
    }),
    sql.suggestCategories(
      ctx.db,
      ctx.store.id,
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
