import type { IndexBlock, IndexedProduct, IndexReader, IndexSlots } from '../../context.ts'
import { chooseBest, chooseFirst, extrapolate, type Match, type MatchSummary, summarise } from '../matches.ts'
import { ranks, type SearchPage } from '../search.sql.ts'
import { commonness, isBegun, type Term, tighten } from '../search-terms.ts'
import { countedMatches } from '../word-counts.ts'
import { begunTerm, categoryTerm, shortHash } from './index-file.ts'
import { takeNewestFirst } from './newest-first.ts'
import { hasSlot, intersect, unite } from './slots.ts'

export type Found = { page: Match[]; summary: MatchSummary; matches: number }

/**
 * Searches in an index file. Undefined if the database must answer: the index does not have what is asked for, or would have
 * to read so many products that other requests would wait.
 */
export const findInIndex = (reader: IndexReader, page: SearchPage, products: number): Found | undefined => {
  if (isUnknown(page) || visitsOf(page, products) > maxVisited) return undefined
  const search = openSearch(reader, page)
  if (search === undefined) return undefined
  const all = readsAll(page)
  const total = all ? undefined : knownTotal(page)
  const sample = total === undefined ? undefined : countMatches(search, sampledMatches, false)
  // With fewer, most products with the word were removed since it was counted.
  const known = sample?.length === sampledMatches ? total : undefined
  const limit = all ? maxVisited + 1 : countedMatches + 1
  const counted = known === undefined ? countMatches(search, limit, page.sort === 'relevance') : sample
  if (counted === undefined) return undefined
  const summary = summarise(counted)
  if (all || (known === undefined && counted.length <= countedMatches))
    return { page: choose(page, counted), summary, matches: counted.length }
  const found = page.sort === 'relevance' ? findBest(search, stepsOf(search)) : findNewest(search)
  if (found === undefined) return undefined
  const estimated = known === undefined ? summary : extrapolate(summary, known)
  return { page: found, summary: estimated, matches: countedMatches + 1 }
}

/** The best products with the words in their name. */
export const suggestFromIndex = (reader: IndexReader, page: SearchPage): Match[] | undefined => {
  const search = openSearch(reader, page)
  return search && findBest(search, stepsOf(search).slice(0, -1))
}

/** Whether all matches are read, because a filter or the order leaves no way to stop early. */
const readsAll = (page: SearchPage) => page.sort === 'price' || page.sort === '-price' || isFiltered(page)

/** A search looks at so many products at most, for 0.1 µs each. */
const maxVisited = 10_000

/** If the number of matches is known, facets are counted in so many of them. */
const sampledMatches = 200

/** The lists of so many words or categories are put together for a search. */
const maxLists = 100

const isUnknown = ({ ids, options, sort, categoryIds = [] }: SearchPage) =>
  ids !== undefined || options !== undefined || sort === 'name' || sort === '-name' || categoryIds.length > maxLists

const isFiltered = ({ minMinor, maxMinor, inStock }: SearchPage) => (minMinor ?? maxMinor ?? inStock) !== undefined

/** How many products are looked at, judging by how common the words are. A word without a count has fewer than are counted. */
const visitsOf = (page: SearchPage, products: number) => {
  if (!readsAll(page)) return 0
  const sizes = page.terms.map((term) => commonness(term)?.products ?? countedMatches)
  if (page.categoryIds !== undefined) sizes.push(page.categoryProducts ?? products)
  return sizes.reduce((left, size) => (left * size) / products, products)
}

/** The number of products with a common word, if that is all that is asked for. */
const knownTotal = (page: SearchPage) => {
  const [term, ...others] = page.terms
  if (term === undefined || others.length > 0 || page.categoryIds !== undefined || isFiltered(page)) return undefined
  const products = commonness(term)?.products ?? 0
  return products > countedMatches ? products : undefined
}

/** The products of a block that have certain words. */
type SlotsIn = (block: IndexBlock) => IndexSlots | undefined

/** `any`: the words anywhere. `begun`, `whole`: in the name, as they are asked for or as whole words. */
type Search = { reader: IndexReader; page: SearchPage; any: SlotsIn; begun: SlotsIn; whole: SlotsIn; named: Named }
type Named = ReturnType<IndexReader['listNamed']>

/** Undefined if there are too many words that begin so. */
const openSearch = (reader: IndexReader, page: SearchPage): Search | undefined => {
  const { terms, categoryIds, nameKey } = page
  const within = categoryIds && anyOf(reader, reader.categoryNumbers(categoryIds).map(categoryTerm))
  const any = allWords(reader, '~', terms, within)
  const begun = any && allWords(reader, '^', terms, within)
  const whole = allWords(reader, '^', terms.map(tighten), within)
  if (any === undefined || begun === undefined || whole === undefined) return undefined
  const named = reader.listNamed(shortHash(nameKey), maxVisited).filter(({ block, slot }) => {
    const slots = any(block)
    return slots !== undefined && hasSlot(slots, slot)
  })
  return { reader, page, any, begun: terms.some(isBegun) ? begun : whole, whole, named }
}

const allWords = (reader: IndexReader, mark: '~' | '^', terms: readonly Term[], within: SlotsIn | undefined) => {
  const lists: SlotsIn[] = within === undefined ? [] : [within]
  for (const term of terms) {
    const names = termsOf(reader, mark, term)
    if (names.length > maxLists) return undefined
    lists.push(anyOf(reader, names))
  }
  return lists.length === 1 ? lists[0] : remember(allOf(lists))
}

/** The words of which one must be there. Of short beginnings there are lists, of longer ones the words are put together. */
const termsOf = (reader: IndexReader, mark: '~' | '^', term: Term): string[] =>
  term.alternatives.flatMap((word) => {
    const marked = `${mark}${word}`
    return isBegun(term) ? (begunTerm(marked) ?? reader.listBegun(marked, maxLists + 1)) : [marked]
  })

const anyOf = (reader: IndexReader, names: readonly string[]): SlotsIn => {
  const [name, ...others] = names
  if (name === undefined) return () => undefined
  if (others.length === 0) return (block) => reader.slotsOf(name, block)
  return remember((block) => unite(names.flatMap((name) => reader.slotsOf(name, block) ?? [])))
}

const allOf =
  (lists: readonly SlotsIn[]): SlotsIn =>
  (block) => {
    let slots: IndexSlots | undefined
    for (const list of lists) {
      const more = list(block)
      if (more === undefined || more.length === 0) return undefined
      slots = slots === undefined ? more : intersect(slots, more)
    }
    return slots
  }

/** A block is looked at more than once: to count, and to rank. */
const remember = (find: SlotsIn): SlotsIn => {
  const known = new Map<number, IndexSlots | undefined>()
  return (block) => {
    if (known.has(block.number)) return known.get(block.number)
    const slots = find(block)
    known.set(block.number, slots)
    return slots
  }
}

const matchesFilter = ({ minMinor = 0, maxMinor = Number.MAX_SAFE_INTEGER, inStock }: SearchPage) => {
  return ({ priceMinor, isInStock }: IndexedProduct) =>
    priceMinor >= minMinor && priceMinor <= maxMinor && (inStock === undefined || inStock === isInStock)
}

/** The newest matches. Undefined if there are too many to look at. */
const countMatches = (search: Search, limit: number, isRanked: boolean): Match[] | undefined => {
  const { reader, page, any } = search
  const isWanted = matchesFilter(page)
  const matches: Match[] = []
  let visited = 0
  for (const block of reader.blocks()) {
    const rankOf = isRanked ? ranksIn(search, block) : () => 0
    const isDone = !takeNewestFirst(reader, block, any(block), (product, slot) => {
      if (isWanted(product)) matches.push(toMatch(reader, product, rankOf(slot) + Number(product.isInStock)))
      return ++visited <= maxVisited && matches.length < limit
    })
    if (isDone) break
  }
  return visited > maxVisited ? undefined : matches
}

const ranksIn = ({ whole, begun, named }: Search, block: IndexBlock) => {
  const [wholes, begins] = [whole(block), begun(block)]
  const names = new Set(named.flatMap(({ block: { number }, slot }) => (number === block.number ? [slot] : [])))
  return (slot: number) => {
    if (names.has(slot)) return ranks.name
    if (begins === undefined || !hasSlot(begins, slot)) return ranks.anywhere
    return wholes !== undefined && hasSlot(wholes, slot) ? ranks.whole : ranks.begun
  }
}

/** Made a thousand times a search. Spread from parts, it took five times as long. */
const toMatch = (reader: IndexReader, product: IndexedProduct, rank: number): Match => ({
  seq: product.seq,
  rank,
  priceMinor: product.priceMinor,
  categoryId: reader.categoryId(product.category),
  isInStock: product.isInStock,
  isWhole: true,
  isLater: true,
})

/** The page, of all matches. */
const choose = (page: SearchPage, matches: readonly Match[]): Match[] =>
  page.sort === 'relevance'
    ? chooseBest(matches, page.position, page.limit)
    : chooseFirst(matches.filter(laterThan(page)), orderOf(page), page.limit)

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
  return (match: Place) => order(start, match) < 0
}

/** The page from the newest on, if not all matches were counted. Undefined if it is too deep. */
const findNewest = ({ reader, page, any }: Search): Match[] | undefined => {
  const isLater = laterThan(page)
  const found: Match[] = []
  let visited = 0
  for (const block of reader.blocks()) {
    const isDone = !takeNewestFirst(reader, block, any(block), (product) => {
      if (isLater(product)) found.push(toMatch(reader, product, 0))
      return found.length < page.limit && ++visited <= maxVisited
    })
    if (isDone) break
  }
  return visited > maxVisited ? undefined : found
}

/** Products of a rank: those that have the words, and were not in a step before. */
type Step = { rank: number; slots: SlotsIn; before: SlotsIn }

/** From the best. Products with exactly this name come before all of them. */
const stepsOf = ({ any, begun, whole }: Search): Step[] => [
  { rank: ranks.whole, slots: whole, before: () => undefined },
  ...(begun === whole ? [] : [{ rank: ranks.begun, slots: begun, before: whole }]),
  { rank: ranks.anywhere, slots: any, before: begun },
]

/** The page by relevance, step by step until it is full. Undefined if a step has too many products that are not shown. */
const findBest = ({ reader, page, named }: Search, steps: readonly Step[]): Match[] | undefined => {
  const [lastRank = Number.POSITIVE_INFINITY, lastSeq = 0] = (page.position ?? []).map(Number)
  const isLater = ({ rank, seq }: Match) => rank < lastRank || (rank === lastRank && seq < lastSeq)
  const best: Match[] = []
  /** Those in stock come first, so a step ends when they fill the page. */
  const openStep = (rank: number) => {
    const [inStock, soldOut]: [Match[], Match[]] = [[], []]
    const places = page.limit - best.length
    return {
      add: (product: IndexedProduct) => {
        const match = toMatch(reader, product, rank + Number(product.isInStock))
        if (isLater(match)) (product.isInStock ? inStock : soldOut).push(match)
        return inStock.length < places
      },
      end: () => best.push(...[...inStock, ...soldOut].slice(0, places)),
    }
  }
  const names = openStep(ranks.name)
  for (const { block, slot } of named) {
    const product = reader.productAt(block, slot)
    if (product !== undefined) names.add(product)
  }
  names.end()
  const isNamed = new Set(named.map(({ block, slot }) => `${block.number} ${slot}`))
  for (const { rank, slots, before } of steps) {
    if (best.length === page.limit) break
    if (lastRank < rank) continue
    const step = openStep(rank)
    let visited = 0
    for (const block of reader.blocks()) {
      const earlier = before(block)
      const isDone = !takeNewestFirst(reader, block, slots(block), (product, slot) => {
        if (++visited > maxVisited) return false
        const isOther = earlier !== undefined && hasSlot(earlier, slot)
        if (isOther || (isNamed.size > 0 && isNamed.has(`${block.number} ${slot}`))) return true
        return step.add(product)
      })
      if (isDone) break
    }
    if (visited > maxVisited) return undefined
    step.end()
  }
  return best
}
