import type { IndexedProduct, IndexReader } from '../../context.ts'
import { chooseBest, extrapolate, type Match, type MatchSummary, summarise } from '../matches.ts'
import { ranks, type SearchPage } from '../search.sql.ts'
import { commonness, isBegun, type Term } from '../search-terms.ts'
import { countedMatches } from '../word-counts.ts'
import { shortHash } from './written-index.ts'

export type Found = { page: Match[]; summary: MatchSummary; matches: number }

/**
 * Searches in an index file. Undefined if the database must answer: the index does not have what is asked for, or would have
 * to read so many products that other requests would wait.
 */
export const findInIndex = (reader: IndexReader, page: SearchPage, products: number): Found | undefined => {
  if (isUnknown(page) || visitsOf(page, products) > maxVisited) return undefined
  const within = categoriesOf(reader, page)
  if (within === undefined) return { page: [], summary: summarise([]), matches: 0 }
  const search: Search = { reader, page, within }
  const known = knownTotal(page)
  if (readsAll(page)) return findAll(search)
  const counted = countMatches(search, known === undefined ? countedMatches + 1 : sampledMatches)
  if (counted === undefined) return undefined
  if (known === undefined && counted.length <= countedMatches) return choose(search, counted)
  const found = page.sort === 'relevance' ? findBest(search, steps(search)) : findNewest(search)
  if (found === undefined) return undefined
  const summary = summarise(counted)
  return {
    page: found,
    summary: known === undefined ? summary : extrapolate(summary, known),
    matches: countedMatches + 1,
  }
}

/** Whether all matches are read, because a filter or the order leaves no way to stop early. */
const readsAll = (page: SearchPage) => page.sort === 'price' || page.sort === '-price' || isFiltered(page)

const findAll = (search: Search): Found | undefined => {
  const matches = countMatches(search, 2 * maxVisited)
  return matches && choose(search, matches)
}

const choose = (search: Search, matches: readonly Match[]): Found => ({
  ...{ page: chooseOf(search, matches), summary: summarise(matches), matches: matches.length },
})

/** The best products with the words in their name. */
export const suggestFromIndex = (reader: IndexReader, page: SearchPage, products: number): Match[] | undefined => {
  if (visitsOf(page, products) > maxVisited) return undefined
  const search: Search = { reader, page, within: '' }
  return findBest(search, steps(search).slice(0, -1))
}

type Search = { reader: IndexReader; page: SearchPage; within: string }

/** A search reads so many products at most, for 1 µs each. */
const maxVisited = 5_000

/** If the number of matches is known, facets are counted in so many of them. */
const sampledMatches = 200

/** With more categories the query would be too long. */
const maxCategories = 100

const isUnknown = ({ ids, options, sort, categoryIds = [] }: SearchPage) =>
  ids !== undefined ||
  options !== undefined ||
  sort === 'name' ||
  sort === '-name' ||
  categoryIds.length > maxCategories

const isFiltered = ({ minMinor, maxMinor, inStock }: SearchPage) => (minMinor ?? maxMinor ?? inStock) !== undefined

/** How many products are read, judging by how common the words are. A word without a count has fewer than are counted. */
const visitsOf = (page: SearchPage, products: number) => {
  if (page.terms.some(isSlowBeginning)) return Number.POSITIVE_INFINITY
  const sizes = page.terms.map((term) => commonness(term)?.products ?? countedMatches)
  if (page.categoryIds !== undefined) sizes.push(page.categoryProducts ?? products)
  const rarest = Math.min(...sizes)
  const matches = sizes.reduce((left, size) => (left * size) / products, products)
  if (readsAll(page)) return Math.max(matches, sizes.length > 1 ? rarest : 0)
  return sizes.length === 1 ? 0 : rarest * Math.min(1, (countedMatches + 1) / matches)
}

/** Beginnings of which the index has no list. It would put one together from the lists of all words. */
const isSlowBeginning = (term: Term) =>
  isBegun(term) &&
  term.alternatives.some((word) => {
    const { length } = [...word]
    return length < 2 || (length > 4 && (commonness(term)?.products ?? 0) > maxVisited)
  })

/** Undefined if no product is in them. */
const categoriesOf = (reader: IndexReader, { categoryIds }: SearchPage) => {
  if (categoryIds === undefined) return ''
  const numbers = reader.categoryNumbers(categoryIds)
  return numbers.length === 0 ? undefined : ` AND (${numbers.map((number) => `"#${number}"`).join(' OR ')})`
}

/** Words have no quotes, see `wordQuery`. */
const queryOf = (mark: '~' | '^', terms: readonly Term[], prefixes = true) =>
  terms
    .map((term) => {
      const end = isBegun(term) && prefixes ? ' *' : ''
      return `(${term.alternatives.map((word) => `"${mark}${word}"${end}`).join(' OR ')})`
    })
    .join(' AND ')

/** The number of products with a common word, if that is all that is asked for. */
const knownTotal = (page: SearchPage) => {
  const [term, ...others] = page.terms
  if (term === undefined || others.length > 0 || page.categoryIds !== undefined || isFiltered(page)) return undefined
  const products = commonness(term)?.products ?? 0
  return products > countedMatches ? products : undefined
}

/** The newest matches. Undefined if there are too many to read. */
const countMatches = ({ reader, page, within }: Search, limit: number): Match[] | undefined => {
  const matches: Match[] = []
  for (const product of reader.walk(`${queryOf('~', page.terms)}${within}`, limit, page)) {
    matches.push(toMatch(reader, product, 0))
  }
  return matches.length === 2 * maxVisited ? undefined : matches
}

const toMatch = (
  reader: IndexReader,
  { seq, priceMinor, isInStock, category }: IndexedProduct,
  rank: number,
): Match => ({
  seq,
  rank,
  priceMinor,
  isInStock,
  categoryId: reader.categoryId(category),
  isWhole: true,
  isLater: true,
})

/** The page, of all matches. */
const chooseOf = (search: Search, matches: readonly Match[]): Match[] => {
  const { page } = search
  if (page.sort === 'relevance') return chooseBest(rankAll(search, matches), page.position, page.limit)
  return matches.toSorted(orderOf(page)).filter(laterThan(page)).slice(0, page.limit)
}

const rankAll = ({ reader, page, within }: Search, matches: readonly Match[]): Match[] => {
  const named = new Set(reader.named(shortHash(page.nameKey), maxVisited).map(({ seq }) => seq))
  const inNames = (prefixes: boolean) =>
    reader.numbers(`${queryOf('^', page.terms, prefixes)}${within}`, 2 * maxVisited)
  const whole = inNames(false)
  const begun = page.terms.some(isBegun) ? inNames(true) : whole
  const stepOf = (seq: number) => {
    if (named.has(seq)) return ranks.name
    if (whole.has(seq)) return ranks.whole
    return begun.has(seq) ? ranks.begun : ranks.anywhere
  }
  return matches.map((match) => ({ ...match, rank: stepOf(match.seq) + Number(match.isInStock) }))
}

type Place = Pick<Match, 'priceMinor' | 'seq'>

const orderOf = ({ sort }: SearchPage) => {
  if (sort === 'price') return (a: Place, b: Place) => a.priceMinor - b.priceMinor || a.seq - b.seq
  if (sort === '-price') return (a: Place, b: Place) => b.priceMinor - a.priceMinor || b.seq - a.seq
  return (a: Place, b: Place) => b.seq - a.seq
}

const laterThan = (page: SearchPage) => {
  const { position, sort } = page
  if (position === undefined) return () => true
  const seq = Number(position.at(-1))
  const start: Place = { seq, priceMinor: sort === 'newest' ? 0 : Number(position[0]) }
  const order = orderOf(page)
  return (match: Match) => order(start, match) < 0
}

/** The page from the newest on, if not all matches were counted. Undefined if it is too deep. */
const findNewest = ({ reader, page, within }: Search): Match[] | undefined => {
  const isLater = laterThan(page)
  const found: Match[] = []
  let visited = 0
  for (const product of reader.walk(`${queryOf('~', page.terms)}${within}`, maxVisited)) {
    visited++
    const match = toMatch(reader, product, 0)
    if (isLater(match)) found.push(match)
    if (found.length === page.limit) return found
  }
  return visited === maxVisited ? undefined : found
}

/** Products of a rank. The step of the name has no query. */
type Step = { rank: number; query: string | null }

/** From the best. No product is in two of them. */
const steps = ({ page: { terms }, within }: Search): Step[] => {
  const [whole, begun] = [queryOf('^', terms, false), queryOf('^', terms)]
  const [hasBegun, named] = terms.some(isBegun) ? [true, begun] : [false, whole]
  return [
    { rank: ranks.name, query: null },
    { rank: ranks.whole, query: `(${whole})${within}` },
    ...(hasBegun ? [{ rank: ranks.begun, query: `((${begun}) NOT (${whole}))${within}` }] : []),
    { rank: ranks.anywhere, query: `((${queryOf('~', terms)}) NOT (${named}))${within}` },
  ]
}

/** The page by relevance, step by step until it is full. Undefined if a step has too many products that are not shown. */
const findBest = ({ reader, page, within }: Search, all: readonly Step[]): Match[] | undefined => {
  const [lastRank = Number.POSITIVE_INFINITY, lastSeq = 0] = (page.position ?? []).map(Number)
  const name = shortHash(page.nameKey)
  const categories = within === '' ? undefined : new Set(reader.categoryNumbers(page.categoryIds ?? []))
  const best: Match[] = []
  for (const { rank, query } of all) {
    if (lastRank < rank) continue
    const places = page.limit - best.length
    const [inStock, soldOut]: [Match[], Match[]] = [[], []]
    let visited = 0
    for (const product of query === null ? reader.named(name, maxVisited) : reader.walk(query, maxVisited)) {
      visited++
      const isOther = query === null ? !(categories?.has(product.category) ?? true) : product.name === name
      if (isOther) continue
      const match = toMatch(reader, product, rank + Number(product.isInStock))
      const isLater = match.rank < lastRank || (match.rank === lastRank && match.seq < lastSeq)
      if (isLater) (product.isInStock ? inStock : soldOut).push(match)
      if (inStock.length === places) break
    }
    if (visited === maxVisited && inStock.length < places) return undefined
    best.push(...[...inStock, ...soldOut].slice(0, places))
    if (best.length === page.limit) return best
  }
  return best
}
