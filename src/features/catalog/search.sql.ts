import type { Db } from '../../db/database.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import {
  after,
  conditions,
  type Filter,
  orderBy,
  type Place,
  type ProductRow,
  productColumns,
  type Sort,
} from './catalog.sql.ts'

export type SearchSort = Sort | 'relevance'

/** Counting and ranking stop here; beyond it a total is a lower bound. */
export const countedMatches = 10_000

/** One word of a query with what else it may be: its corrections when it is misspelt. */
export type Term = { alternatives: readonly string[]; prefix: boolean }

/**
 * In the index every word bears the number of its outlet, so that a search reads no other store's entries, and a mark:
 * `~` for any word of a product, `^` for a word of its name. Words hold letters, digits and marks only, so
 * nothing in them can be syntax.
 */
const wordQuery = (outletId: OutletId, mark: '~' | '^', terms: readonly Term[], prefixes: boolean) =>
  terms
    .map(({ alternatives, prefix }) => {
      const words = alternatives.map((word) => `'${outletId}${mark}${word}'${prefix && prefixes ? ':*' : ''}`)
      return `(${words.join(' | ')})`
    })
    .join(' & ')

export type SearchPage = Filter & {
  terms: readonly Term[]
  /** The whole query, folded, to know the product of exactly that name. */
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

const matching = (place: Place, filter: Filter, query: string): Fragment => {
  const wanted: Fragment[] = [
    sql`l.store_id = ${place.storeId} and l.outlet_id = ${place.outletId} and l.words @@ ${query}::tsquery`,
    ...conditions(filter),
  ]
  if (filter.categoryIds !== undefined) wanted.push(sql`l.category_id = any(${filter.categoryIds})`)
  return allOf(wanted)
}

/** The exact name first, then all words whole in the name, then as beginnings in it, then anywhere; stock before none. */
const rankOf = (place: Place, { terms, nameKey }: SearchPage) => sql`
  2 * case when l.name_key = ${nameKey} then 4
    when l.words @@ ${wordQuery(place.outletId, '^', terms, false)}::tsquery then 3
    when l.words @@ ${wordQuery(place.outletId, '^', terms, true)}::tsquery then 2
    else 1 end + l.in_stock::integer`

export type Found = { summary: SearchSummary; page: MatchRow[] }

/**
 * The summary of the first matches that are found, and a page of them. Of more matches than are counted, those with the
 * words in their name are looked through as well, so that the best are among those ranked.
 *
 * Planned for its own words each time (`fresh`): how many products a word names decides whether to start from the index
 * of words or not, and a plan made for all words would be wrong for most.
 */
export const searchProducts = async (db: Db, place: Place, page: SearchPage): Promise<Found> => {
  const any = wordQuery(place.outletId, '~', page.terms, true)
  const named = wordQuery(place.outletId, '^', page.terms, true)
  const byRank = page.sort === 'relevance'
  const order = page.sort === 'relevance' ? sql`l.rank desc, l.seq desc` : orderBy(page.sort)
  const start =
    page.position === undefined
      ? sql`true`
      : page.sort === 'relevance'
        ? sql`(l.rank, l.seq) < (${page.position[0]}, ${page.position[1]})`
        : after(page.sort, page.position)
  const columns = sql`l.store_id, l.outlet_id, l.product_id, l.seq, l.name_key, l.price_minor, l.compare_at_minor,
    l.category_id, l.in_stock, ${byRank ? rankOf(place, page) : sql`0`} as rank`
  const candidates = byRank
    ? sql`select * from found union (select ${columns} from listing l
        where (select count(*) > ${countedMatches} from found) and ${matching(place, page, named)}
        limit ${countedMatches})`
    : sql`select * from found`
  return db.fresh.one<Found>`
    with found as materialized (
      select ${columns} from listing l where ${matching(place, page, any)} limit ${countedMatches + 1}),
    chosen as (select * from (${candidates}) l where ${start} order by ${order} limit ${page.limit})
    select (select row_to_json(summary) from (
        select count(*) as total, min(price_minor) as "minMinor", max(price_minor) as "maxMinor",
          count(*) filter (where in_stock) as "inStock",
          (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'count', f.count)
              order by f.count desc, c.name), '[]')
           from (select category_id, count(*) as count from found group by category_id) f
           join category c on c.store_id = ${place.storeId} and c.id = f.category_id) as categories
        from found) summary) as summary,
      (select coalesce(json_agg(shown), '[]') from (
        ${productColumns(sql`select * from chosen`, sql`, l.rank`)} order by ${order}) shown) as page`
}

/** A page in another order than relevance, when there are too many matches to sort: along that order, past the rest. */
export const walkMatches = (db: Db, place: Place, page: SearchPage & { sort: Sort }) => {
  const wanted = [matching(place, page, wordQuery(place.outletId, '~', page.terms, true))]
  if (page.position !== undefined) wanted.push(after(page.sort, page.position))
  const order = orderBy(page.sort)
  const rows = sql`select l.* from listing l where ${allOf(wanted)} order by ${order} limit ${page.limit}`
  return db.fresh.many<MatchRow>`${productColumns(rows, sql`, 0 as rank`)} order by ${order}`
}

/**
 * For each of these words that begins no word of the store: words of the store that look like it. They share a first
 * letter with it, or begin with its second, as when the first two were swapped.
 */
export const findLookalikes = (db: Db, storeId: StoreId, words: readonly string[]) => db.many<{
  word: string
  candidates: string[]
}>`
  select asked.word, array(
    select v.word from search_word v, unnest(array[left(asked.word, 1), substr(asked.word, 2, 1)]) initial
    where v.store_id = ${storeId} and v.word >= initial and v.word < initial || chr(1114111)
      and length(v.word) between length(asked.word) - 2 and length(asked.word) + 2
      and levenshtein_less_equal(v.word, asked.word, 2) <= 2
    order by levenshtein(v.word, asked.word), v.word limit 20) as candidates
  from unnest(${words}::text[]) as asked (word)
  where not exists (select from search_word v
    where v.store_id = ${storeId} and v.word >= asked.word and v.word < asked.word || chr(1114111))`

export type SuggestedProduct = { id: string; slug: string; name: string; images: string[] }

export const suggestProducts = (db: Db, place: Place, page: SearchPage) => {
  const named = wordQuery(place.outletId, '^', page.terms, true)
  return db.fresh.many<SuggestedProduct>`
    select p.id, p.slug, p.name, p.images
    from (select l.*, ${rankOf(place, page)} as rank from listing l where ${matching(place, page, named)}
      limit ${suggestedFrom}) l
    join product p on p.store_id = l.store_id and p.id = l.product_id
    order by l.rank desc, l.seq desc limit ${page.limit}`
}

/** Somebody still typing is not helped by the best of ten thousand. */
const suggestedFrom = 500

export type SuggestedCategory = { id: string; slug: string; name: string }

export const suggestCategories = (db: Db, storeId: StoreId, words: readonly string[], limit: number) =>
  db.many<SuggestedCategory>`
  select c.id, c.slug, c.name from category c
  where c.store_id = ${storeId} and not exists (
    select from unnest(${words}::text[]) as asked (word)
    where not exists (select from unnest(c.words) w where starts_with(w, asked.word)))
  order by c.product_count desc, c.position, c.id limit ${limit}`
