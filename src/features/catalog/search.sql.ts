import type { Db } from '../../db/database.ts'
import { byKey, literalLimit, notByIndex, storeNotByIndex } from '../../db/plan-hints.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { OutletId } from '../context.ts'
import { after, conditions, type Filter, type OutletRef, orderBy, type Sort } from './catalog.sql.ts'
import { type Match, readMatches } from './matches.ts'
import { isBegun, type Term } from './search-terms.ts'
import { countedMatches } from './word-counts.ts'

export type SearchSort = Sort | 'relevance'

/** Up to this number, matches are sorted in another order than relevance. Beyond it, `walkMatches` reads in that order. */
export const sortedMatches = 10_000

/**
 * Every indexed word is prefixed with the id of its outlet, so that a search reads only entries of its own store, and a
 * mark: `~` for any word of a product, `^` for a word of its name. Words contain only letters, digits and combining
 * marks, so they need no escaping.
 */
export const wordQuery = (
  outletId: OutletId,
  mark: '~' | '^',
  terms: readonly Omit<Term, 'common'>[],
  prefixes = true,
) =>
  terms
    .map((term) => {
      const end = isBegun(term) && prefixes ? ':*' : ''
      const words = term.alternatives.map((word) => `'${outletId}${mark}${word}'${end}`)
      return `(${words.join(' | ')})`
    })
    .join(' & ')

export type SearchPage = Filter & {
  terms: readonly Term[]
  /** The whole query, folded, to find products with exactly that name. */
  nameKey: string
  sort: SearchSort
  position?: readonly (string | number)[] | undefined
  limit: number
}

const hereIn = ({ storeId, outletId }: OutletRef) => sql`l.store_id = ${storeId} and l.outlet_id = ${outletId}`

const hasWords = (query: string) => sql`l.words @@ ${query}::tsquery`

const filters = ({ storeId }: OutletRef, filter: Filter): Fragment[] => {
  const wanted = conditions(storeId, filter)
  if (filter.categoryIds !== undefined) wanted.push(sql`l.category_id = any(${filter.categoryIds})`)
  return wanted
}

/**
 * The steps of relevance, from the best: exactly this name, all words whole in the name, all as prefixes in the name, all
 * anywhere. Within a step, what is in stock comes first (one more), then what is newer.
 */
export const ranks = { name: 8, whole: 6, begun: 4, anywhere: 2 }

const rankOf = (outlet: OutletRef, { terms, nameKey }: SearchPage) => {
  const whole = hasWords(wordQuery(outlet.outletId, '^', terms, false))
  const step = (rank: number) => literalLimit(rank)
  // Most matches do not have the words in their name, so that is compared first.
  const inName = terms.some(isBegun)
    ? sql`when not ${hasWords(wordQuery(outlet.outletId, '^', terms))} then ${step(ranks.anywhere)}
        when ${whole} then ${step(ranks.whole)} else ${step(ranks.begun)}`
    : sql`when ${whole} then ${step(ranks.whole)} else ${step(ranks.anywhere)}`
  return sql`case when l.name_key = ${nameKey} then ${step(ranks.name)} ${inName} end + l.in_stock::integer`
}

/** What counting and sorting need of a listing. */
const matchColumns = (rank: Fragment, isWhole: Fragment = sql`true`, isLater: Fragment = sql`true`) => sql`
  l.seq, l.category_id, l.name_key, l.price_minor, l.in_stock, ${rank} as rank, ${isWhole} as is_whole,
  ${isLater} as is_later`

/** Rows with `matchColumns` as one text, which `readMatches` reads. Ids of categories have neither spaces nor commas. */
const packed = (order: Fragment = sql``) => sql`string_agg(l.seq || ' ' || l.price_minor || ' '
  || (l.rank * 8 + l.is_later::integer * 4 + l.is_whole::integer * 2 + l.in_stock::integer) || ' '
  || coalesce(l.category_id, ''), ',' ${order})`

/**
 * How matches are found. `query`: the words that are looked up in the index. `filter`: words that are compared with each
 * row, because looking them up takes longer. `both`: by words and by category, in two indexes. `newest`: reads only so
 * many of the newest products, in their order.
 */
export type Lookup = {
  query: string
  filter?: string | undefined
  by: 'words' | 'category' | 'both' | 'ids' | { newest: number }
}

const lookedUp = (outlet: OutletRef, page: SearchPage, { query, filter, by }: Lookup): Fragment => {
  const words = [query, ...(filter === undefined ? [] : [filter])].map(hasWords)
  if (by === 'words') {
    const rest = notByIndex(allOf([hereIn(outlet), ...filters(outlet, page), ...words.slice(1)]))
    return sql`listing l where ${hasWords(query)} and ${rest} and ${storeNotByIndex(sql`l.store_id`, outlet.storeId)}`
  }
  if (typeof by === 'object')
    return sql`listing l where ${hereIn(outlet)} and ${areNewest(outlet, by.newest)}
      and ${notByIndex(allOf([...filters(outlet, page), ...words]))}`
  const { ids, categoryIds, ...rest } = page
  const key = by === 'ids' ? sql`l.product_id = any(${ids})` : sql`l.category_id = any(${categoryIds})`
  const others = filters(outlet, by === 'ids' ? { ...rest, categoryIds } : { ...rest, ids })
  const [indexed, compared] = by === 'both' ? [[key, ...words.slice(0, 1)], words.slice(1)] : [[key], words]
  return sql`listing l where ${allOf([hereIn(outlet), ...indexed])} and ${notByIndex(allOf([...compared, ...others, sql`true`]))}`
}

export type MatchOptions = {
  /** Matches that are read at most; one more says that there are more. */
  limit: number
  /** For a query with prefixes: tells which products have all of these words whole. */
  whole?: string | undefined
}

/** `readMatches` reads it. */
type FoundRow = { matches: string | null }

/** The matches, in the order of the page unless that is relevance. */
export const findMatches = async (
  db: Db,
  outlet: OutletRef,
  page: SearchPage,
  lookup: Lookup,
  { limit, whole }: MatchOptions,
): Promise<Match[]> => {
  const { sort, position } = page
  const rank = sort === 'relevance' ? rankOf(outlet, page) : sql`0`
  const isWhole = whole === undefined ? sql`true` : hasWords(whole)
  const isLater = sort === 'relevance' || position === undefined ? sql`true` : after(sort, position)
  const order = sort === 'relevance' ? sql`` : sql`order by ${orderBy(sort)}`
  // How many products the words and the category have decides whether two indexes are better than one.
  const queries = lookup.by === 'both' ? db.fresh : db
  const { matches } = await queries.one<FoundRow>`
    select ${packed(order)} as matches from (
      select ${matchColumns(rank, isWhole, isLater)} from ${lookedUp(outlet, page, lookup)}
      limit ${literalLimit(limit + 1)}) l`
  return readMatches(matches)
}

/** Reads at most so many `rows` for the page, and counts a `sample`. With `prefixes`, names with words that begin so. */
export type Walk = { prefixes: boolean; rank: number; rows: number; sample: number }

/**
 * Only so many of the newest products. By the number of the last one, because for a limit of a thousand rows the planner
 * would sort the store: it expects a store of average size.
 */
const areNewest = (outlet: OutletRef, rows: number, start: Fragment = sql`true`) => sql`${start} and l.seq >= coalesce((
  select l.seq from listing l where ${hereIn(outlet)} and ${start}
  order by l.seq desc offset ${rows} limit 1), 0)`

/**
 * For words that very many products have: reads products from the newest on until the page is full of those in stock that
 * have the words in their name. Only products with exactly that name rank higher, and, if the walk is for prefixes, those
 * with the whole words in their name; they are looked up. The sample is of all products with the words.
 */
export const walkCommon = async (db: Db, outlet: OutletRef, page: SearchPage, walk: Walk) => {
  const any = hasWords(wordQuery(outlet.outletId, '~', page.terms))
  const whole = wordQuery(outlet.outletId, '^', page.terms, false)
  const wanted = walk.prefixes ? wordQuery(outlet.outletId, '^', page.terms) : whole
  const rank = sql`${literalLimit(walk.rank)}`
  const isLater = page.position !== undefined && Number(page.position[0]) <= walk.rank
  const start = isLater ? sql`l.seq < ${page.position?.[1]}::bigint` : sql`true`
  const notWhole = walk.prefixes ? sql`and not ${hasWords(whole)}` : sql``
  const walked = sql`select ${matchColumns(rank)} from listing l
    where ${hereIn(outlet)} and ${areNewest(outlet, walk.rows, start)}
      and ${notByIndex(sql`l.in_stock and ${hasWords(wanted)} and l.name_key <> ${page.nameKey} ${notWhole}`)}
    order by l.seq desc limit ${page.limit}`
  const named = sql`select ${matchColumns(sql`${literalLimit(ranks.name)} + l.in_stock::integer`)} from listing l
    where ${hereIn(outlet)} and l.name_key = ${page.nameKey} and ${notByIndex(any)}
    limit ${literalLimit(countedMatches)}`
  const wholes = sql`select ${matchColumns(sql`${literalLimit(ranks.whole)} + l.in_stock::integer`)} from listing l
    where ${hasWords(whole)} and ${notByIndex(sql`${hereIn(outlet)} and l.name_key <> ${page.nameKey}`)}
      and ${storeNotByIndex(sql`l.store_id`, outlet.storeId)}
    limit ${literalLimit(sortedMatches)}`
  const best = walk.prefixes ? sql`union all (${named}) union all (${wholes})` : sql`union all (${named})`
  const sampled = sql`select ${matchColumns(sql`0`)} from listing l
    where ${hereIn(outlet)} and ${areNewest(outlet, walk.sample)} and ${notByIndex(any)}`
  const { matches, sample } = await db.one<FoundRow & { sample: string | null }>`
    select (select ${packed()} from ((${walked}) ${isLater ? sql`` : best}) l) as matches,
      (select ${packed()} from (${sampled}) l) as sample`
  return { matches: readMatches(matches), sample: readMatches(sample) }
}

/** A page in an order other than relevance, for too many matches to sort: scans in that order and filters. */
export const walkMatches = async (db: Db, outlet: OutletRef, page: SearchPage & { sort: Sort }) => {
  const wanted = [hereIn(outlet), hasWords(wordQuery(outlet.outletId, '~', page.terms)), ...filters(outlet, page)]
  if (page.position !== undefined) wanted.push(after(page.sort, page.position))
  const order = orderBy(page.sort)
  const { matches } = await db.fresh.one<FoundRow>`
    select ${packed(sql`order by ${order}`)} as matches
    from (select ${matchColumns(sql`0`)} from listing l where ${allOf(wanted)} order by ${order} limit ${page.limit}) l`
  return readMatches(matches)
}

export type SuggestedProduct = { id: string; slug: string; name: string; images: string[] }

/** Suggestions rank only so many matches, because a rough ranking is enough while the shopper is typing. */
const rankedSuggestions = 500

/** Products with the words in their name. With `newestRows`, only the first ones among so many of the newest products. */
export const suggestProducts = (db: Db, outlet: OutletRef, page: SearchPage, newestRows?: number) => {
  const query = wordQuery(outlet.outletId, '^', page.terms)
  const columns = sql`l.product_id, l.seq, ${rankOf(outlet, page)} as rank`
  const rows =
    newestRows === undefined
      ? sql`select ${columns} from ${lookedUp(outlet, page, { query, by: 'words' })}
          limit ${literalLimit(rankedSuggestions)}`
      : sql`select ${columns} from listing l
          where ${hereIn(outlet)} and ${areNewest(outlet, newestRows)} and ${notByIndex(hasWords(query))}
          order by l.seq desc limit ${2 * page.limit}`
  return db.many<SuggestedProduct>`
    select p.id, p.slug, p.name, p.images
    from (select * from (${rows}) l order by l.rank desc, l.seq desc limit ${page.limit}) l
    join product p on p.store_id = ${outlet.storeId} and p.id = l.product_id
    order by l.rank desc, l.seq desc`
}

/** In this order. */
export const readSuggested = (db: Db, { storeId, outletId }: OutletRef, seqs: readonly number[]) =>
  db.many<SuggestedProduct>`
    select p.id, p.slug, p.name, p.images
    from unnest(${seqs}::bigint[]) with ordinality as wanted (seq, place)
    cross join ${byKey(sql`select product_id from listing
      where store_id = ${storeId} and outlet_id = ${outletId} and seq = wanted.seq`)} l
    cross join ${byKey(sql`select * from product where store_id = ${storeId} and id = l.product_id`)} p
    order by wanted.place`

export type SuggestedCategory = { id: string; slug: string; name: string }

export const suggestCategories = (db: Db, { storeId }: OutletRef, words: readonly string[], limit: number) =>
  db.many<SuggestedCategory>`
  select c.id, c.slug, c.name from category c
  where c.store_id = ${storeId} and not exists (
    select from unnest(${words}::text[]) as asked (word)
    where not exists (select from unnest(c.words) w where starts_with(w, asked.word)))
  order by c.product_count desc, c.position, c.id limit ${limit}`
