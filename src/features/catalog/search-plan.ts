import type { OutletId } from '../context.ts'
import type { Filter } from './catalog.sql.ts'
import { type Lookup, ranks, type SearchPage, type Walk, wordQuery } from './search.sql.ts'
import { commonness, isBegun, type Term } from './search-terms.ts'

/**
 * Decides how a search reads its matches, from how common its words are (decision 0055). A wrong estimate costs time and
 * never an answer.
 */

const isFiltered = ({ categoryIds, ids, minMinor, maxMinor, inStock, options }: Filter) =>
  (categoryIds ?? ids ?? minMinor ?? maxMinor ?? inStock ?? options) !== undefined

/** Numbers of rows that a walk may read; few, because each is a statement of its own. */
const walkSizes = [256, 1_024, 4_096]
const sizeFor = (rows: number) => walkSizes.find((size) => size >= rows)

/** Matches that a sample should have. */
const sampledMatches = 200

/** Products of a store that are in stock, at least; the rest of a walk finds nothing. */
const inStockPart = 0.6

/**
 * For one common word: read the newest products until a page of them has it in the name. Undefined if that would take
 * longer than looking the word up.
 */
export const chooseWalk = (page: SearchPage, products: number): Walk | undefined => {
  const [term, ...others] = page.terms
  const common = term === undefined ? null : commonness(term)
  if (term === undefined || common === null || others.length > 0 || products === 0) return undefined
  if (page.sort !== 'relevance' || isFiltered(page)) return undefined
  const rowsFor = (named: number) =>
    named === 0 ? undefined : sizeFor((page.limit * products) / (named * inStockPart))
  const sample = sizeFor((sampledMatches * products) / common.products) ?? 1_024
  const wholeRows = rowsFor(term.common.whole?.named ?? 0)
  const walk =
    wholeRows !== undefined
      ? { prefixes: false, rank: ranks.whole + 1, rows: wholeRows }
      : { prefixes: true, rank: ranks.begun + 1, rows: isBegun(term) ? rowsFor(common.named) : undefined }
  const { rows, ...rest } = walk
  if (rows === undefined || isBeyond(page, walk.rank)) return undefined
  return { ...rest, rows, sample: Math.min(sample, 1_024) }
}

/** The page begins after the last row that a walk of this rank finds. */
const isBeyond = ({ position }: SearchPage, rank: number) => position !== undefined && Number(position[0]) < rank

/** More products than this begin with a common prefix, and collecting them takes longer than comparing the other matches. */
const tooManyBegun = 5_000

export const chooseLookup = (outletId: OutletId, page: SearchPage, products: number): Lookup => {
  const { terms, ids, categoryIds, categoryProducts = 0 } = page
  const query = wordQuery(outletId, '~', terms)
  if (ids !== undefined) return { query, by: 'ids' }
  const fewest = Math.min(...terms.map((term) => commonness(term)?.products ?? 0))
  if (categoryIds !== undefined && fewest > categoryProducts) return { query, by: 'category' }
  const isSlow = (term: Term) => isBegun(term) && (commonness(term)?.products ?? 0) > tooManyBegun
  const quick = terms.filter((term) => !isSlow(term))
  if (quick.length > 0 && quick.length < terms.length)
    return { query: wordQuery(outletId, '~', quick), filter: query, by: 'words' }
  // At least one in twenty has each of the words: a thousand matches are likely among the newest.
  const isEverywhere = products > 0 && fewest > products / 20
  return isEverywhere ? { query, by: { newest: newestRows } } : { query, by: 'words' }
}

const newestRows = 10_000

/** Whether the names alone may fill the page, because so many products have the word. */
export const mayBeNamed = (page: SearchPage) =>
  page.sort === 'relevance' &&
  page.terms.length === 1 &&
  !isFiltered(page) &&
  page.terms.every((term) => commonness(term) !== null)
