import type { OutletId } from '../context.ts'
import type { Filter } from './catalog.sql.ts'
import { type Lookup, ranks, type SearchPage, type Walk, wordQuery } from './search.sql.ts'
import { commonness, isBegun, type Term } from './search-terms.ts'

/**
 * Decides how a search reads its matches, from how common its words are (decision 0056). A wrong estimate costs time and
 * never an answer.
 */

const isFiltered = ({ categoryIds, ids, minMinor, maxMinor, inStock, options }: Filter) =>
  (categoryIds ?? ids ?? minMinor ?? maxMinor ?? inStock ?? options) !== undefined

/** Looking a word up is better than reading more rows than this. */
const maxWalkedRows = 4_096

/** A sample has so many matches, if that takes no more rows than this. */
const sampledMatches = 200
const maxSampledRows = 1_024

/** A part of the products is out of stock, and the newest may differ from the others. */
const margin = 3

/**
 * For one common word: read the newest products until a page of them has it in the name. Undefined if that would take
 * longer than looking the word up.
 */
export const chooseWalk = (page: SearchPage, products: number): Walk | undefined => {
  const [term, ...others] = page.terms
  const common = term === undefined ? null : commonness(term)
  if (term === undefined || common === null || others.length > 0 || products === 0) return undefined
  if (page.sort !== 'relevance' || isFiltered(page)) return undefined
  const rowsFor = (matches: number, named: number) => Math.ceil((matches * products) / named)
  const whole = rowsFor(page.limit, term.common.whole?.named ?? 0)
  const begun = isBegun(term) ? rowsFor(page.limit, common.named) : Number.POSITIVE_INFINITY
  const walk =
    whole <= maxWalkedRows
      ? { prefixes: false, rank: ranks.whole + 1, rows: whole * margin }
      : { prefixes: true, rank: ranks.begun + 1, rows: begun * margin }
  if (Math.min(whole, begun) > maxWalkedRows || isBeyond(page, walk.rank)) return undefined
  return { ...walk, sample: Math.min(rowsFor(sampledMatches, common.products), maxSampledRows) }
}

/** The same for suggestions, which need not be the best: a name that begins with the word is enough. */
export const chooseSuggestedRows = ({ terms, limit }: SearchPage, products: number): number | undefined => {
  const [term, ...others] = terms
  const named = (term && commonness(term)?.named) ?? 0
  const rows = Math.ceil((2 * limit * products) / named)
  return others.length > 0 || named === 0 || rows > maxWalkedRows ? undefined : rows * margin
}

/** The page begins after the last row that a walk of this rank finds. */
const isBeyond = ({ position }: SearchPage, rank: number) => position !== undefined && Number(position[0]) < rank

/** Collecting the products of a prefix that is so common takes longer than comparing it with the matches of other words. */
const tooManyBegun = 5_000

export const chooseLookup = (outletId: OutletId, page: SearchPage, products: number): Lookup => {
  const { terms, ids, categoryIds, categoryProducts = 0 } = page
  const query = wordQuery(outletId, '~', terms)
  if (ids !== undefined) return { query, by: 'ids' }
  const fewest = Math.min(...terms.map((term) => commonness(term)?.products ?? 0))
  if (categoryIds !== undefined && fewest > categoryProducts) return { query, by: 'category' }
  // At least one in twenty has each of the words: a thousand matches are likely among the newest.
  const isEverywhere = products > 0 && fewest > products / 20
  return isEverywhere ? { query, by: { newest: newestRows } } : byWords(outletId, '~', terms)
}

const newestRows = 10_000

/** Looks up all words, or only those that are looked up quickly, and compares the others. */
export const byWords = (outletId: OutletId, mark: '~' | '^', terms: readonly Term[]): Lookup => {
  const query = wordQuery(outletId, mark, terms)
  const quick = terms.filter((term) => !isBegun(term) || (commonness(term)?.products ?? 0) <= tooManyBegun)
  if (quick.length === 0 || quick.length === terms.length) return { query, by: 'words' }
  return { query: wordQuery(outletId, mark, quick), filter: query, by: 'words' }
}

/** Whether the names alone may fill the page, because so many products have the word. */
export const mayBeNamed = (page: SearchPage) =>
  page.sort === 'relevance' &&
  page.terms.length === 1 &&
  !isFiltered(page) &&
  page.terms.every((term) => commonness(term) !== null)
