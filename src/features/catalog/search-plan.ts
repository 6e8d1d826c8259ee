import type { OutletId } from '../context.ts'
import type { Filter } from './catalog.sql.ts'
import { type Lookup, ranks, type SearchPage, sortedMatches, type Walk, wordQuery } from './search.sql.ts'
import { commonness, isBegun, type Term, tighten } from './search-terms.ts'
import { countedMatches } from './word-counts.ts'

/**
 * Decides how a search reads its matches, from how common its words are (decision 0057). A wrong estimate costs time and
 * never an answer.
 */

const isFiltered = ({ categoryIds, ids, minMinor, maxMinor, inStock, options }: Filter) =>
  (categoryIds ?? ids ?? minMinor ?? maxMinor ?? inStock ?? options) !== undefined

/** Walks of more rows than this are too slow in any case. */
const maxWalkedRows = 4_096

/** A sample has so many matches, if that takes no more rows than this. */
const sampledMatches = 200
const maxSampledRows = 1_024

/** A part of the products is out of stock, and the newest may differ from the others. */
const margin = 3

/** Processor time of reading a row, in microseconds: of the newest in their order, or one here and one there. */
const walkedMicros = 1.6
const lookedUpMicros = 2.5

/** What is assumed of the names that have a word that is not common. */
const uncommonNames = 200

/** How a page of a common word is read. `names`: looks up names, by prefix or only with the whole word. */
export type CommonRead =
  | { kind: 'walk'; walk: Walk; worst: number }
  | { kind: 'names'; terms: readonly Term[]; worst: number }

/**
 * For one common word, where names alone are likely to fill the page: reads the newest products until enough have it in
 * the name, or looks up names, whichever takes less. Undefined if neither is quick. `worst` is the lowest rank that the
 * read finds completely.
 */
export const chooseCommon = (page: SearchPage, products: number): CommonRead | undefined => {
  const [term, ...others] = page.terms
  const common = term === undefined ? null : commonness(term)
  if (term === undefined || common === null || others.length > 0 || products === 0) return undefined
  if (page.sort !== 'relevance' || isFiltered(page)) return undefined
  const rowsFor = (matches: number, named: number) => Math.ceil((matches * products) / named)
  const sample = Math.min(rowsFor(sampledMatches, common.products), maxSampledRows)
  const walk = (named: number, prefixes: boolean) => {
    const rows = rowsFor(page.limit, named)
    const worst = (prefixes ? ranks.begun : ranks.whole) + 1
    const wholes = prefixes ? (term.common.whole?.named ?? uncommonNames) * lookedUpMicros : 0
    return {
      read: { kind: 'walk', walk: { prefixes, rank: worst, rows: rows * margin, sample }, worst } as const,
      micros: rows > maxWalkedRows ? Number.POSITIVE_INFINITY : (rows + sample) * walkedMicros + wholes,
    }
  }
  const names = (named: number, prefixes: boolean) => ({
    read: {
      ...({ kind: 'names', terms: prefixes ? page.terms : page.terms.map(tighten) } as const),
      worst: prefixes ? ranks.begun : ranks.whole,
    },
    micros: named < page.limit || named > maxNames ? Number.POSITIVE_INFINITY : named * lookedUpMicros,
  })
  const whole = term.common.whole?.named ?? 0
  const choices = [walk(whole, false), names(whole, false)]
  if (isBegun(term)) choices.push(walk(common.named, true), names(common.named, true))
  const [best] = choices
    .filter(({ read, micros }) => Number.isFinite(micros) && !isBeyond(page, read.worst))
    .sort((a, b) => a.micros - b.micros)
  return best?.read
}

const maxNames = 8_000

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
  const isLarge = categoryProducts > fewInCategory
  if (categoryIds !== undefined && fewest > countedMatches && isLarge)
    return { ...byWords(outletId, '~', terms), by: 'both' }
  if (categoryIds !== undefined && fewest > categoryProducts) return { query, by: 'category' }
  // At least one in twenty has each of the words: a thousand matches are likely among the newest.
  const isEverywhere = products > 0 && fewest > products / 20
  return isEverywhere ? { query, by: { newest: newestRows } } : byWords(outletId, '~', terms)
}

const newestRows = 10_000

/** Reading so many products of a category takes less than planning a statement anew. */
const fewInCategory = 500

/** Looks up all words, or only those that are looked up quickly, and compares the others. */
export const byWords = (outletId: OutletId, mark: '~' | '^', terms: readonly Term[]): Lookup => {
  const query = wordQuery(outletId, mark, terms)
  const quick = terms.filter((term) => !isBegun(term) || (commonness(term)?.products ?? 0) <= tooManyBegun)
  if (quick.length === 0 || quick.length === terms.length) return { query, by: 'words' }
  return { query: wordQuery(outletId, mark, quick), filter: query, by: 'words' }
}

/**
 * How many matches are read at once. Of words that are known to have more than are counted, all: reading the counted ones
 * first and then all again would take longer.
 */
export const chooseLimit = ({ sort, terms }: SearchPage, { by }: Lookup) => {
  if (typeof by === 'object') return countedMatches
  const isCommon = terms.every((term) => commonness(term) !== null)
  return sort !== 'relevance' || (isCommon && terms.length > 1) ? sortedMatches : countedMatches
}

/** A full page of whole-word matches: prefix matches are not added to it. */
export const enoughMatches = 20

/**
 * Whether one statement should find the products that have the last word whole and those that have it as a prefix. Not if
 * so many have the prefix that asking for the whole word is better alone; unless too few of these are in the category.
 */
export const isAskedAtOnce = (terms: readonly Term[], { categoryProducts }: Filter, products: number) => {
  const last = terms.at(-1)
  if (last === undefined || !last.prefix || !last.whole) return false
  if (last.common.begun === null) return true
  const whole = last.common.whole?.products ?? countedMatches
  return categoryProducts !== undefined && (whole * categoryProducts) / Math.max(1, products) < enoughMatches
}
