import type { IndexBlock, IndexedProduct, IndexReader, IndexSlots } from '../../context.ts'
import {
  byRelevance,
  extrapolate,
  type MatchOrder,
  type MatchSummary,
  openFirst,
  openSummary,
  type Place,
} from '../matches.ts'
import { ranks, type SearchPage } from '../search.sql.ts'
import { commonness, isBegun, type Term, tighten } from '../search-terms.ts'
import { countedMatches } from '../word-counts.ts'
import { begunTerm, categoryTerm, shortHash } from './index-file.ts'
import { takeNewestFirst } from './newest-first.ts'
import { hasSlot, intersect } from './slots.ts'

export type Found = { page: Place[]; summary: MatchSummary; matches: number }

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
  const sample = total === undefined ? undefined : countMatches(search, sampledMatches)
  // With fewer, most products with the word were removed since it was counted.
  const known = sample?.summary.total === sampledMatches ? total : undefined
  if (sample !== undefined && known !== undefined) return cutShort(search, extrapolate(sample.summary, known))
  const counted = countMatches(search, all ? maxVisited + 1 : countedMatches + 1, openPage(page))
  if (counted === undefined) return undefined
  const { summary, first } = counted
  if (all || summary.total <= countedMatches) return { page: first, summary, matches: summary.total }
  return cutShort(search, summary)
}

/** If not all matches were counted. */
const cutShort = (search: Search, summary: MatchSummary): Found | undefined => {
  const page = search.page.sort === 'relevance' ? findBest(search, stepsOf(search)) : findNewest(search)
  return page && { page, summary, matches: countedMatches + 1 }
}

/** The best products with the words in their name. */
export const suggestFromIndex = (reader: IndexReader, page: SearchPage): Place[] | undefined => {
  const search = openSearch(reader, page)
  return search && findBest(search, stepsOf(search).slice(0, -1))
}

/** Whether all matches are read, because a filter or the order leaves no way to stop early. */
const readsAll = (page: SearchPage) => page.sort === 'price' || page.sort === '-price' || isFiltered(page)

/** A search looks at so many products at most, for 0.3 µs each. */
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

/** The products of a block that have all words, and what each word has. */
type Words = { slots: SlotsIn; each: readonly SlotsIn[] }

/** `any`: the words anywhere. `begun`, `whole`: in the name, as they are asked for or as whole words. */
type Search = { reader: IndexReader; page: SearchPage; any: SlotsIn; begun: Words; whole: Words; named: Named }
type Named = ReturnType<IndexReader['listNamed']>

/** Undefined if there are too many words that begin so. */
const openSearch = (reader: IndexReader, page: SearchPage): Search | undefined => {
  const { terms, categoryIds, nameKey } = page
  const within = categoryIds && reader.anyOf(reader.categoryNumbers(categoryIds).map(categoryTerm))
  const any = allWords(reader, '~', terms, within)?.slots
  const begun = any && allWords(reader, '^', terms, within)
  const whole = allWords(reader, '^', terms.map(tighten), within)
  if (any === undefined || begun === undefined || whole === undefined) return undefined
  const named = reader.listNamed(shortHash(nameKey), maxVisited).filter(({ block, slot }) => {
    const slots = any(block)
    return slots !== undefined && hasSlot(slots, slot)
  })
  return { reader, page, any, begun: terms.some(isBegun) ? begun : whole, whole, named }
}

const allWords = (
  reader: IndexReader,
  mark: '~' | '^',
  terms: readonly Term[],
  within: SlotsIn | undefined,
): Words | undefined => {
  const each: SlotsIn[] = []
  for (const term of terms) {
    const names = termsOf(reader, mark, term)
    if (names.length > maxLists) return undefined
    each.push(reader.anyOf(names))
  }
  const lists = within === undefined ? each : [within, ...each]
  const [only, ...others] = lists
  return { slots: only !== undefined && others.length === 0 ? only : remember(allOf(lists)), each }
}

/** The words of which one must be there. Of short beginnings there are lists, of longer ones the words are put together. */
const termsOf = (reader: IndexReader, mark: '~' | '^', term: Term): string[] =>
  term.alternatives.flatMap((word) => {
    const marked = `${mark}${word}`
    return isBegun(term) ? (begunTerm(marked) ?? reader.listBegun(marked, maxLists + 1)) : [marked]
  })

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

/** A block may be looked at more than once: to count, and to rank. */
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

type First = ReturnType<typeof openFirst<IndexedProduct>>

const openPage = (page: SearchPage): First => openFirst(orderOf(page), page.limit, startOf(page))

/** Counts the newest matches, and finds the first of them for a page. Undefined if there are too many to look at. */
const countMatches = (
  search: Search,
  limit: number,
  first?: First,
): { summary: MatchSummary; first: Place[] } | undefined => {
  const { reader, page, any } = search
  const isWanted = matchesFilter(page)
  const isRanked = first !== undefined && page.sort === 'relevance'
  const summary = openSummary()
  /** By the numbers of categories. */
  const counts: number[] = []
  let visited = 0
  for (const block of reader.blocks()) {
    const rankOf = isRanked ? ranksIn(search, block) : undefined
    const isDone = !takeNewestFirst(reader, block, any(block), (product, slot) => {
      if (isWanted(product)) {
        summary.add(product.priceMinor, product.isInStock)
        counts[product.category] = (counts[product.category] ?? 0) + 1
        if (rankOf !== undefined) product.rank = rankOf(slot) + Number(product.isInStock)
        first?.add(product)
      }
      return ++visited <= maxVisited && summary.total() < limit
    })
    if (isDone) break
  }
  if (visited > maxVisited) return undefined
  return { summary: summary.end(withIds(reader, counts)), first: first?.end() ?? [] }
}

const withIds = (reader: IndexReader, counts: readonly number[]) => {
  const byCategory = new Map<string, number>()
  // The array has gaps, which `forEach` leaves out.
  counts.forEach((count, number) => {
    const id = reader.categoryId(number)
    if (id !== null) byCategory.set(id, count)
  })
  return byCategory
}

/** For matches, so only their words in names are looked at. Lists are not put together for it: matches may be few. */
const ranksIn = ({ whole, begun, named }: Search, block: IndexBlock) => {
  const names = new Set(named.flatMap(({ block: { number }, slot }) => (number === block.number ? [slot] : [])))
  const begins = inAll(begun, block)
  const isWhole = begun === whole ? begins : inAll(whole, block)
  return (slot: number) => {
    if (names.has(slot)) return ranks.name
    if (!begins(slot)) return ranks.anywhere
    return isWhole(slot) ? ranks.whole : ranks.begun
  }
}

const inAll = ({ each }: Words, block: IndexBlock) => {
  let lists: readonly (IndexSlots | undefined)[] | undefined
  return (slot: number) => {
    lists ??= each.map((slotsIn) => slotsIn(block))
    for (const slots of lists) if (slots === undefined || !hasSlot(slots, slot)) return false
    return true
  }
}

const orderOf = ({ sort }: SearchPage): MatchOrder => {
  if (sort === 'relevance') return byRelevance
  if (sort === 'price') return (a, b) => a.priceMinor - b.priceMinor || a.seq - b.seq
  if (sort === '-price') return (a, b) => b.priceMinor - a.priceMinor || b.seq - a.seq
  return (a, b) => b.seq - a.seq
}

/** What the page comes after. */
const startOf = ({ position, sort }: SearchPage): Place | undefined => {
  if (position === undefined) return undefined
  const [first = 0, seq = first] = position.map(Number)
  return { seq, rank: sort === 'relevance' ? first : 0, priceMinor: first }
}

/** The page from the newest on, if not all matches were counted. Undefined if it is too deep. */
const findNewest = ({ reader, page, any }: Search): Place[] | undefined => {
  const start = startOf(page)
  const found: Place[] = []
  let visited = 0
  for (const block of reader.blocks()) {
    const isDone = !takeNewestFirst(reader, block, any(block), (product) => {
      if (start === undefined || product.seq < start.seq) found.push(product)
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
  { rank: ranks.whole, slots: whole.slots, before: () => undefined },
  ...(begun === whole ? [] : [{ rank: ranks.begun, slots: begun.slots, before: whole.slots }]),
  { rank: ranks.anywhere, slots: any, before: begun.slots },
]

/** The page by relevance, step by step until it is full. Undefined if a step has too many products that are not shown. */
const findBest = ({ reader, page, named }: Search, steps: readonly Step[]): Place[] | undefined => {
  const start = startOf(page)
  const best: Place[] = []
  /** Those in stock come first, so a step ends when they fill the page. */
  const openStep = (rank: number) => {
    const [inStock, soldOut]: [Place[], Place[]] = [[], []]
    const places = page.limit - best.length
    return {
      add: (product: IndexedProduct) => {
        product.rank = rank + Number(product.isInStock)
        if (start === undefined || byRelevance(start, product) < 0)
          (product.isInStock ? inStock : soldOut).push(product)
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
    if (start !== undefined && start.rank < rank) continue
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
