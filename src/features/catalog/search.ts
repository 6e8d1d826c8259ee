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
      const asked = { ...filter, nameKey: fold(query.q.trim()), sort, position, limit }
      const found = await tryTerms(terms, async (terms) => {
        const answer = await tryInTurn((source) =>
          sql.searchProducts(ctx.db, placeOf(ctx), { ...asked, terms }, source),
        )
        return { ...answer, terms, hasSome: answer.summary.total > 0 }
      })
      summary = found.summary
      if (isExact(summary)) return found.page
      if (sort === 'relevance') return addNamed(ctx, { ...asked, terms: found.terms }, found)
      return sql.walkMatches(ctx.db, placeOf(ctx), { ...asked, terms: found.terms, sort })
    },
    positionOf: (row) => (sort === 'relevance' ? [row.rank, row.seq] : positionOf(sort, row)),
    show: (row) => showProductRow(ctx, row),
  })
  return { ...page, ...(summary === undefined ? noMatches : showSummary(ctx, summary)) }
}

/** Words that a shop has are wanted whole, unless no product has them all so: then their beginnings do. */
const tryTerms = async <Answer extends { hasSome: boolean }>(
  terms: readonly sql.Term[],
  ask: (terms: readonly sql.Term[]) => Promise<Answer>,
) => {
  const answer = await ask(terms)
  if (answer.hasSome || !terms.some(({ prefix, whole }) => prefix && whole)) return answer
  return ask(terms.map((term) => ({ ...term, whole: false })))
}

/** Mostly the first try answers. What is everywhere among the newest products need not be elsewhere: hence the third. */
const tryInTurn = async <Answer extends { isComplete: boolean }>(ask: (source: sql.Source) => Promise<Answer>) => {
  for (const source of ['rare words', 'newest'] as const) {
    const answer = await ask(source)
    if (answer.isComplete) return { ...answer, source }
  }
  return { ...(await ask('words')), source: 'words' as const }
}

const plentyNamed = 1_000

/**
 * Of more matches than are counted the best may be among those not looked at, so these are looked for: products of
 * exactly that name and, unless there are plenty already, those with the words in their name. The index of words gives
 * the latter anyway.
 */
const addNamed = async (ctx: StoreCtx, asked: sql.SearchPage, found: sql.Found & { source: sql.Source }) => {
  const byIndex = found.source !== 'newest'
  if (byIndex && found.named <= sql.countedMatches) return found.page
  const words = !byIndex && found.named < plentyNamed
  const named = await sql.findNamed(ctx.db, placeOf(ctx), asked, { words })
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

/**
 * The words of a query, a misspelt one together with the words of the catalog that it probably means. The last may still
 * be being typed and stands for every word that begins so; one before it only when the catalog does not have it.
 */
const readTerms = async (ctx: StoreCtx, text: string): Promise<sql.Term[]> => {
  const words = wordsToFind(text)
  const unsure = words.filter(({ correctable, finished, prefix }) => correctable || (finished && prefix))
  const asked = unsure.map((word) => ({ word: word.text, doubtful: word.correctable }))
  const known = asked.length === 0 ? [] : await sql.lookUpWords(ctx.db, ctx.store.id, asked)
  return words.map(({ text: word, prefix, finished }) => {
    const { isWhole = false, lookalikes = [] } = known.find((row) => row.word === word) ?? {}
    const corrections = likeliest(word, lookalikes)
    const whole = finished && (isWhole || corrections.length > 0)
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
    tryTerms(terms, async (terms) => {
      const answer = await tryInTurn((source) => sql.suggestProducts(ctx.db, placeOf(ctx), { ...page, terms }, source))
      return { ...answer, hasSome: answer.products.length > 0 }
    }),
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
