import type { Db } from '../../db/database.ts'
import { byKey, literalLimit, notByIndex, storeNotByIndex } from '../../db/plan-hints.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
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

export type SearchSort = Sort | 'relevance'

/** Counting and ranking stop at this number; beyond it the total is a lower bound. */
export const countedMatches = 10_000

/** A word of a query with its possible corrections. `whole`: does not match as a prefix. */
export type Term = { alternatives: readonly string[]; prefix: boolean; whole: boolean }

/**
 * Every indexed word is prefixed with the id of its outlet, so that a search reads only entries of its own store, and a
 * mark: `~` for any word of a product, `^` for a word of its name. Words contain only letters, digits and combining
 * marks, so they need no escaping.
 */
export const wordQuery = (outletId: OutletId, mark: '~' | '^', terms: readonly Term[], prefixes: boolean) =>
  terms
    .map(({ alternatives, prefix, whole }) => {
      const end = prefix && !whole && prefixes ? ':*' : ''
      const words = alternatives.map((word) => `'${outletId}${mark}${word}'${end}`)
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

const hereIn = ({ storeId, outletId }: OutletRef) => sql`l.store_id = ${storeId} and l.outlet_id = ${outletId}`

const withWords = ({ storeId }: OutletRef, query: string, filter: Filter): Fragment => {
  const wanted = [sql`l.words @@ ${query}::tsquery`, ...conditions(storeId, filter)]
  if (filter.categoryIds !== undefined) wanted.push(sql`l.category_id = any(${filter.categoryIds})`)
  return allOf(wanted)
}

/** Category, ids and options select few products; a price range or stock filter may match most of the store. */
const isNarrow = ({ categoryIds, ids, options }: Filter) => (categoryIds ?? ids ?? options) !== undefined
const isWide = ({ minMinor, maxMinor, inStock }: Filter) => (minMinor ?? maxMinor ?? inStock) !== undefined

/** If a filter may match fewer products than the words, the planner chooses the index with the actual values. */
const isPlannersChoice = (filter: Filter, source: Source) => isNarrow(filter) || (isWide(filter) && source === 'words')

/**
 * Otherwise the word index is used, and no other. The hint also lets the planner expect hundreds of matches and aggregate
 * by hashing; for a plain comparison it would expect one match, and sort thousands.
 */
const matching = (outlet: OutletRef, filter: Filter, query: string, source: Source): Fragment =>
  isPlannersChoice(filter, source)
    ? sql`${hereIn(outlet)} and ${withWords(outlet, query, filter)}`
    : sql`${notByIndex(allOf([hereIn(outlet), ...conditions(outlet.storeId, filter)]))}
        and ${storeNotByIndex(sql`l.store_id`, outlet.storeId)} and l.words @@ ${query}::tsquery`

const planned = (db: Db, filter: Filter, source: Source) => (isPlannersChoice(filter, source) ? db.fresh : db)

/**
 * Where matches are read from. The word index (`words`) reads every match, even beyond the limit, before it returns the
 * first, so it is slow for common words: those are searched by scanning the `newest` products. `rare words` is the word
 * index too, but returns nothing if many of the newest products match.
 */
export type Source = 'rare words' | 'newest' | 'words'

/** Suggestions need fewer rows, because a rough ranking is enough while the shopper is typing. */
const maxRows = { counted: countedMatches + 1, suggested: 500 }
const probedRows = 200
const newestRows = 30_000

const newestListings = (outlet: OutletRef, rows: number) =>
  sql`select * from listing l where ${hereIn(outlet)} order by l.seq desc limit ${literalLimit(rows)}`

/**
 * Estimates the fraction of matching products from a sample; a wrong estimate only costs time. A price range is not
 * applied, because the word index also returns the rows that the range then excludes.
 */
const areRare = (outlet: OutletRef, filter: Filter, query: string, part: number) => sql`
  (select count(*) < ${part * probedRows} from (${newestListings(outlet, probedRows)}) l
    where ${isNarrow(filter) ? withWords(outlet, query, filter) : sql`l.words @@ ${query}::tsquery`})`

type Wanted = { query: string; source: Source; columns: Fragment; maxRows: number; rare: Fragment }

const candidates = (outlet: OutletRef, filter: Filter, { query, source, columns, maxRows, rare }: Wanted) =>
  source === 'newest'
    ? sql`select ${columns} from (${newestListings(outlet, newestRows)}) l
        where ${withWords(outlet, query, filter)} limit ${literalLimit(maxRows)}`
    : sql`select ${columns} from listing l
        where ${source === 'words' ? sql`true` : rare} and ${matching(outlet, filter, query, source)} limit ${literalLimit(maxRows)}`

/** The exact name first, then all words whole in the name, then as prefixes in the name, then anywhere; in stock first. */
const rankOf = (outlet: OutletRef, { terms, nameKey }: SearchPage) => sql`
  2 * case when l.name_key = ${nameKey} then 4
    when l.words @@ ${wordQuery(outlet.outletId, '^', terms, false)}::tsquery then 3
    when l.words @@ ${wordQuery(outlet.outletId, '^', terms, true)}::tsquery then 2
    else 1 end + l.in_stock::integer`

const lowestRank = { whole: 6, begun: 4, anywhere: 2 }

/** Only the columns for counting and sorting. Thousands of rows pass through; the rest is read for one page of them. */
const columnsToRank = (outlet: OutletRef, page: SearchPage) => sql`l.seq, l.category_id, l.price_minor, l.in_stock,
  ${page.sort === 'relevance' ? rankOf(outlet, page) : sql`0`} as rank${/name/.test(page.sort) ? sql`, l.name_key` : sql``}`

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
  ${productColumns(
    outlet.storeId,
    sql`select l.*, chosen.rank from (${chosen}) chosen cross join
      ${byKey(sql`select * from listing l where ${hereIn(outlet)} and l.seq = chosen.seq`)} l`,
    sql`, l.rank`,
  )} order by ${orderOf(sort)}`

/**
 * `named`: number of matches with the words in their name. `isComplete`: no match was missed, or there are more than
 * are counted.
 */
export type FoundProducts = { summary: SearchSummary; page: MatchRow[]; named: number; isComplete: boolean }

/**
 * Above this fraction of matching products, scanning the newest is faster than the word index. It is lower with a wide
 * filter, which may exclude nearly all matches, so that no limit ends the index scan early.
 */
const everywhere = (filter: Filter) => (isWide(filter) && !isNarrow(filter) ? 0.05 : 0.4)

const rareWords = sql`(select words from rare)`

/** Parts of the statement. The rows of `matched` are counted. */
type Parts = { matches: Fragment; page: Fragment; named: Fragment }

/** Ranks or sorts all matches and takes the page from them. */
const sortAll = (outlet: OutletRef, page: SearchPage, source: Source, query: string): Parts => ({
  matches: sql`matched as (${candidates(outlet, page, {
    ...{ query, source, columns: columnsToRank(outlet, page), maxRows: maxRows.counted, rare: rareWords },
  })})`,
  page: pageOf(sql`select * from matched`, page),
  named: sql`(select count(*)::integer from matched where rank >= ${lowestRank.begun})`,
})

/**
 * The same with less work per match: matches in the name are found by the index too, first whole words, then prefixes.
 * Each step runs only if the previous ones do not fill the page. No row's words are read to rank it.
 */
const sortInSteps = (outlet: OutletRef, page: SearchPage, source: Source, query: string): Parts => {
  const inStock = sql`l.in_stock::integer`
  const found = (words: string, columns: Fragment, rare = rareWords) =>
    candidates(outlet, page, { query: words, source, columns, maxRows: maxRows.counted, rare })
  const whole = wordQuery(outlet.outletId, '^', page.terms, false)
  const begun = wordQuery(outlet.outletId, '^', page.terms, true)
  const isWanting = (step: Fragment) => sql`(select count(*) < ${page.limit} from ${step})`
  return {
    matches: sql`matched as (${found(query, sql`l.seq, l.category_id, l.price_minor, l.in_stock`)}),
      whole as (${found(
        whole,
        sql`l.seq, ${lowestRank.whole} + 2 * (l.name_key = ${page.nameKey})::integer + ${inStock} as rank`,
      )}),
      first_whole as (${pageOf(sql`select * from whole`, page)}),
      begun as (
        select seq, rank from (${found(begun, sql`l.seq, ${lowestRank.begun} + ${inStock} as rank`)}) l
        where ${isWanting(sql`first_whole`)} and seq not in (select seq from whole)),
      first_named as (${pageOf(sql`select * from first_whole union all select * from begun`, page)}),
      others as (
        select seq, ${lowestRank.anywhere} + ${inStock} as rank from matched l
        where ${isWanting(sql`first_named`)} and seq not in (select seq from whole union all select seq from begun))`,
    page: pageOf(sql`select * from first_named union all select * from others`, page),
    named: sql`(select count(*)::integer from whole)`,
  }
}

/** The summary of the matches, up to the limit, and a page of them. */
export const searchProducts = (db: Db, outlet: OutletRef, page: SearchPage, source: Source) => {
  const query = wordQuery(outlet.outletId, '~', page.terms, true)
  const { matches, ...parts } =
    page.sort === 'relevance' && source !== 'newest'
      ? sortInSteps(outlet, page, source, query)
      : sortAll(outlet, page, source, query)
  const isComplete = {
    'rare words': rareWords,
    newest: sql`(select sum(count) > ${countedMatches} from by_category) or ${hasAtMost(outlet, newestRows)}`,
    words: sql`true`,
  }
  return planned(db, page, source).one<FoundProducts>`
    with rare as (select ${areRare(outlet, page, query, everywhere(page))} as words),
    ${matches},
    by_category as (
      select category_id, count(*) as count, min(price_minor) as lowest, max(price_minor) as highest,
        count(*) filter (where in_stock) as in_stock
      from matched group by category_id)
    select (select json_build_object('total', coalesce(sum(count), 0), 'minMinor', min(lowest), 'maxMinor', max(highest),
          'inStock', coalesce(sum(in_stock), 0), 'categories', (
            select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'count', f.count)
              order by f.count desc, c.name), '[]')
            from by_category f join category c on c.store_id = ${outlet.storeId} and c.id = f.category_id))
        from by_category) as summary,
      (select coalesce(json_agg(shown), '[]') from (${showRows(outlet, parts.page, page.sort)}) shown) as page,
      ${parts.named} as named,
      ${isComplete[source]} as "isComplete"`
}

const hasAtMost = (outlet: OutletRef, maxRows: number) =>
  sql`(select count(*) <= ${maxRows} from (select from listing l where ${hereIn(outlet)} limit ${maxRows + 1}) listed)`

/** The same page of the matches with exactly the name, and with `words` also of those with the words in their name. */
export const findNamed = (db: Db, outlet: OutletRef, page: SearchPage, also: { words: boolean }) => {
  const columns = columnsToRank(outlet, page)
  const any = wordQuery(outlet.outletId, '~', page.terms, true)
  const named = wordQuery(outlet.outletId, '^', page.terms, true)
  const exactly = sql`(select ${columns} from listing l
    where ${hereIn(outlet)} and l.name_key = ${page.nameKey} and ${withWords(outlet, any, page)} limit ${countedMatches})`
  const rows = also.words
    ? sql`${exactly} union
        (select ${columns} from listing l where ${matching(outlet, page, named, 'words')} limit ${countedMatches})`
    : exactly
  return planned(db, page, 'words').many<MatchRow>`${showRows(outlet, pageOf(rows, page), page.sort)}`
}

/** A page in an order other than relevance, for too many matches to sort: scans in that order and filters. */
export const walkMatches = (db: Db, outlet: OutletRef, page: SearchPage & { sort: Sort }) => {
  const wanted = [hereIn(outlet), withWords(outlet, wordQuery(outlet.outletId, '~', page.terms, true), page)]
  if (page.position !== undefined) wanted.push(after(page.sort, page.position))
  const order = orderBy(page.sort)
  const rows = sql`select l.* from listing l where ${allOf(wanted)} order by ${order} limit ${page.limit}`
  return db.fresh.many<MatchRow>`${productColumns(outlet.storeId, rows, sql`, 0 as rank`)} order by ${order}`
}

export type KnownWord = { word: string; isWhole: boolean; lookalikes: string[] }

/**
 * Whether the store has each of these words, and similar words for one that is no prefix of any: they start with its
 * first letter, or with its second in case the first two were swapped. No `exists`, for which the planner may read all
 * words of the store.
 */
export const lookUpWords = (db: Db, storeId: StoreId, words: readonly string[]) => db.many<KnownWord>`
  select asked.word, coalesce(known.word = asked.word, false) as "isWhole", array(
    select v.word from search_word v, unnest(array[left(asked.word, 1), substr(asked.word, 2, 1)]) initial
    where known.word is null
      and v.store_id = ${storeId} and v.word >= initial and v.word < initial || chr(1114111)
      and length(v.word) between length(asked.word) - 2 and length(asked.word) + 2
      and levenshtein_less_equal(v.word, asked.word, 2) <= 2
    order by levenshtein(v.word, asked.word), v.word limit 20) as lookalikes
  from unnest(${words}::text[]) as asked (word)
  left join lateral (select v.word from search_word v
    where v.store_id = ${storeId} and v.word >= asked.word and v.word < asked.word || chr(1114111)
    order by v.word limit 1) known on true`

export type SuggestedProduct = { id: string; slug: string; name: string; images: string[] }
export type Suggested = { products: SuggestedProduct[]; isComplete: boolean }

/** Suggestions read only a few hundred rows, so a word in one of twenty names counts as common. */
const inManyNames = 0.05

export const suggestProducts = (db: Db, outlet: OutletRef, page: SearchPage, source: Source) => {
  const query = wordQuery(outlet.outletId, '^', page.terms, true)
  const columns = sql`l.product_id, l.seq, ${rankOf(outlet, page)} as rank`
  const isComplete = { 'rare words': rareWords, newest: sql`count(*) = ${page.limit}`, words: sql`true` }
  return db.one<Suggested>`
    with rare as (select ${areRare(outlet, page, query, inManyNames)} as words)
    select coalesce(json_agg(shown), '[]') as products, ${isComplete[source]} as "isComplete"
    from (select p.id, p.slug, p.name, p.images
      from (select * from (${candidates(outlet, page, { query, source, columns, maxRows: maxRows.suggested, rare: rareWords })}) l
        order by l.rank desc, l.seq desc limit ${page.limit}) l
      join product p on p.store_id = ${outlet.storeId} and p.id = l.product_id
      order by l.rank desc, l.seq desc) shown`
}

export type SuggestedCategory = { id: string; slug: string; name: string }

export const suggestCategories = (db: Db, storeId: StoreId, words: readonly string[], limit: number) =>
  db.many<SuggestedCategory>`
  select c.id, c.slug, c.name from category c
  where c.store_id = ${storeId} and not exists (
    select from unnest(${words}::text[]) as asked (word)
    where not exists (select from unnest(c.words) w where starts_with(w, asked.word)))
  order by c.product_count desc, c.position, c.id limit ${limit}`
