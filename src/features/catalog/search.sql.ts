import type { Db } from '../../db/database.ts'
import { literalLimit, notByIndex, storeNotByIndex } from '../../db/plan-hints.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { OutletId } from '../context.ts'
import {
  after,
  conditions,
  type Filter,
  type OutletRef,
  orderBy,
  type ProductRow,
  productColumns,
  type Sort,
} from './catalog.sql.ts'
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

export type MatchRow = ProductRow & { rank: number }

export type SearchSummary = {
  total: number
  minMinor: number | null
  maxMinor: number | null
  inStock: number
  categories: { id: string; name: string; slug: string; count: number }[]
}

export type FoundProducts = { summary: SearchSummary; page: MatchRow[] }

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

/** What counting, sorting and showing need of a listing. */
const matchColumns = (rank: Fragment) => sql`l.outlet_id, l.product_id, l.seq, l.category_id, l.name_key, l.price_minor,
  l.compare_at_minor, l.in_stock, ${rank} as rank`

const orderOf = (sort: SearchSort) => (sort === 'relevance' ? sql`l.rank desc, l.seq desc` : orderBy(sort))

/** The requested page of these rows. */
const pageOf = (rows: Fragment, { sort, position, limit }: SearchPage) => {
  const start =
    position === undefined
      ? sql`true`
      : sort === 'relevance'
        ? sql`(l.rank, l.seq) < (${position[0]}::integer, ${position[1]}::bigint)`
        : after(sort, position)
  return sql`select l.* from (${rows}) l where ${start} order by ${orderOf(sort)} limit ${limit}`
}

const showRows = (outlet: OutletRef, chosen: Fragment, sort: SearchSort) => sql`
  ${productColumns(outlet.storeId, chosen, sql`, l.rank`)} order by ${orderOf(sort)}`

/** The page, and the summary of `matched`. */
const summaryAndPage = (outlet: OutletRef, matched: Fragment, chosen: Fragment, sort: SearchSort) => sql`
  by_category as (
    select l.category_id, count(*)::integer as count, min(l.price_minor) as lowest, max(l.price_minor) as highest,
      count(*) filter (where l.in_stock)::integer as in_stock
    from (${matched}) l group by l.category_id)
  select (
      select json_build_object('total', coalesce(sum(count), 0), 'minMinor', min(lowest), 'maxMinor', max(highest),
        'inStock', coalesce(sum(in_stock), 0), 'categories', (
          select coalesce(json_agg(counted), '[]') from (
            select c.id, c.name, c.slug, f.count
            from by_category f join category c on c.store_id = ${outlet.storeId} and c.id = f.category_id
            order by f.count desc, c.name) counted))
      from by_category) as summary,
    (select coalesce(json_agg(shown), '[]') from (${showRows(outlet, chosen, sort)}) shown) as page`

/**
 * How matches are found. `query`: the words that are looked up in the index. `filter`: words that are compared with each
 * row, because looking them up takes longer. `newest`: reads only so many of the newest products, in their order.
 */
export type Lookup = {
  query: string
  filter?: string | undefined
  by: 'words' | 'category' | 'ids' | { newest: number }
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
  const others = by === 'ids' ? { ...rest, categoryIds } : { ...rest, ids }
  return sql`listing l where ${hereIn(outlet)} and ${key} and ${notByIndex(allOf([...words, ...filters(outlet, others)]))}`
}

/** `isCut`: there are more matches than were read. */
export type Matches = FoundProducts & { isCut: boolean }

export type MatchOptions = {
  /** Matches that are read at most. */
  limit: number
  /** For a query with prefixes: if enough products have all of these words whole, only they match. */
  wholeFirst?: { query: string; enough: number } | undefined
}

/** A page of the matches, and the summary of as many as are counted. */
export const findMatches = (db: Db, outlet: OutletRef, page: SearchPage, lookup: Lookup, options: MatchOptions) => {
  const { limit, wholeFirst } = options
  const rank = page.sort === 'relevance' ? rankOf(outlet, page) : sql`0`
  const isWhole = wholeFirst === undefined ? sql`` : sql`, ${hasWords(wholeFirst.query)} as is_whole`
  const matched =
    wholeFirst === undefined
      ? sql`select * from found`
      : sql`select * from found where is_whole or (
          select count(*) filter (where is_whole) < ${wholeFirst.enough} from found)`
  return db.one<Matches>`
    with found as materialized (
      select ${matchColumns(rank)}${isWhole} from ${lookedUp(outlet, page, lookup)} limit ${literalLimit(limit + 1)}),
    ${summaryAndPage(outlet, sql`${matched} limit ${literalLimit(countedMatches + 1)}`, pageOf(matched, page), page.sort)},
    (select count(*) > ${limit} from found) as "isCut"`
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
 * with the whole words in their name; they are looked up. The summary is that of a sample.
 */
export const walkCommon = (db: Db, outlet: OutletRef, page: SearchPage, walk: Walk) => {
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
  const best = walk.prefixes ? sql`(${named}) union all (${wholes})` : sql`(${named})`
  return db.one<FoundProducts>`
    with walked as materialized (${walked}),
    ${summaryAndPage(
      outlet,
      sql`select l.category_id, l.price_minor, l.in_stock from listing l
        where ${hereIn(outlet)} and ${areNewest(outlet, walk.sample)} and ${notByIndex(any)}`,
      pageOf(isLater ? sql`select * from walked` : sql`select * from walked union all ${best}`, page),
      page.sort,
    )}`
}

/** A page in an order other than relevance, for too many matches to sort: scans in that order and filters. */
export const walkMatches = (db: Db, outlet: OutletRef, page: SearchPage & { sort: Sort }) => {
  const wanted = [hereIn(outlet), hasWords(wordQuery(outlet.outletId, '~', page.terms)), ...filters(outlet, page)]
  if (page.position !== undefined) wanted.push(after(page.sort, page.position))
  const order = orderBy(page.sort)
  const rows = sql`select l.* from listing l where ${allOf(wanted)} order by ${order} limit ${page.limit}`
  return db.fresh.many<MatchRow>`${productColumns(outlet.storeId, rows, sql`, 0 as rank`)} order by ${order}`
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

export type SuggestedCategory = { id: string; slug: string; name: string }

export const suggestCategories = (db: Db, { storeId }: OutletRef, words: readonly string[], limit: number) =>
  db.many<SuggestedCategory>`
  select c.id, c.slug, c.name from category c
  where c.store_id = ${storeId} and not exists (
    select from unnest(${words}::text[]) as asked (word)
    where not exists (select from unnest(c.words) w where starts_with(w, asked.word)))
  order by c.product_count desc, c.position, c.id limit ${limit}`
