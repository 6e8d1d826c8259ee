import type { Db } from '../../db/database.ts'
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

/** Counting and ranking stop here; beyond it a total is a lower bound. */
export const countedMatches = 10_000

/** One word of a query with what else it may be: its corrections when it is misspelt. `whole`: no beginning of others. */
export type Term = { alternatives: readonly string[]; prefix: boolean; whole: boolean }

/**
 * In the index every word bears the number of its outlet, so that a search reads no other store's entries, and a mark:
 * `~` for any word of a product, `^` for a word of its name. Words hold letters, digits and marks only, so
 * nothing in them can be syntax.
 */
const wordQuery = (outletId: OutletId, mark: '~' | '^', terms: readonly Term[], prefixes: boolean) =>
  terms
    .map(({ alternatives, prefix, whole }) => {
      const end = prefix && !whole && prefixes ? ':*' : ''
      const words = alternatives.map((word) => `'${outletId}${mark}${word}'${end}`)
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

const hereIn = ({ storeId, outletId }: OutletRef) => sql`l.store_id = ${storeId} and l.outlet_id = ${outletId}`

const withWords = (query: string, filter: Filter): Fragment => {
  const wanted = [sql`l.words @@ ${query}::tsquery`, ...conditions(filter)]
  if (filter.categoryIds !== undefined) wanted.push(sql`l.category_id = any(${filter.categoryIds})`)
  return allOf(wanted)
}

/** Few products are of a category, have one of these ids or come in these options; a range of prices may hold most of the store. */
const isNarrow = ({ categoryIds, ids, options }: Filter) => (categoryIds ?? ids ?? options) !== undefined
const isWide = ({ minMinor, maxMinor, inStock }: Filter) => (minMinor ?? maxMinor ?? inStock) !== undefined

/** A filter may name fewer products than the words do: then the planner chooses where to start, knowing the values. */
const isPlannersChoice = (filter: Filter, source: Source) => isNarrow(filter) || (isWide(filter) && source === 'words')

/**
 * Otherwise the index of words is the way, and `case` keeps the planner from any other: it believes that all stores are
 * of one size, a small one, and would go through the whole of a large one. It also lets it expect hundreds of matches, so
 * that they are counted by hashing; of a comparison it would expect one, and sort thousands.
 */
const matching = (outlet: OutletRef, filter: Filter, query: string, source: Source): Fragment =>
  isPlannersChoice(filter, source)
    ? sql`${hereIn(outlet)} and ${withWords(query, filter)}`
    : sql`case when ${allOf([hereIn(outlet), ...conditions(filter)])} then true else false end
        and l.words @@ ${query}::tsquery`

const planned = (db: Db, filter: Filter, source: Source) => (isPlannersChoice(filter, source) ? db.fresh : db)

/**
 * Two ways to the matches. The index of words reads every match, also those beyond the limit, before it gives the first
 * one, so of words that are everywhere it is the slow way: there the newest products are gone through instead.
 * `rare words` is the index too, but finds nothing when many of the newest products match.
 */
export type Source = 'rare words' | 'newest' | 'words'

/**
 * Limits that stand in the text, so that the one plan that serves all stores is made for them: of one that it does not
 * know the planner expects a tenth of all rows. Suggestions need fewer, since nobody who is still typing is helped by the
 * best of ten thousand.
 */
const most = { counted: sql`10001`, suggested: sql`500` }
const probe = { rows: 200, limit: sql`200` }
const newest = { rows: 30_000, limit: sql`30000` }

const newestListings = (outlet: OutletRef, limit: Fragment) =>
  sql`select * from listing l where ${hereIn(outlet)} order by l.seq desc limit ${limit}`

/**
 * A look at a few products guesses the part of all that match; at worst, the slower way is taken. The index of words
 * gives also those that a range of prices then leaves out, so these count.
 */
const areRare = (outlet: OutletRef, filter: Filter, query: string, part: number) => sql`
  (select count(*) < ${part * probe.rows} from (${newestListings(outlet, probe.limit)}) l
    where ${isNarrow(filter) ? withWords(query, filter) : sql`l.words @@ ${query}::tsquery`})`

type Wanted = { query: string; source: Source; columns: Fragment; most: Fragment; rare: Fragment }

const candidates = (outlet: OutletRef, filter: Filter, { query, source, columns, most, rare }: Wanted) =>
  source === 'newest'
    ? sql`select ${columns} from (${newestListings(outlet, newest.limit)}) l
        where ${withWords(query, filter)} limit ${most}`
    : sql`select ${columns} from listing l
        where ${source === 'words' ? sql`true` : rare} and ${matching(outlet, filter, query, source)} limit ${most}`

/** The exact name first, then all words whole in the name, then as beginnings in it, then anywhere; stock before none. */
const rankOf = (outlet: OutletRef, { terms, nameKey }: SearchPage) => sql`
  2 * case when l.name_key = ${nameKey} then 4
    when l.words @@ ${wordQuery(outlet.outletId, '^', terms, false)}::tsquery then 3
    when l.words @@ ${wordQuery(outlet.outletId, '^', terms, true)}::tsquery then 2
    else 1 end + l.in_stock::integer`

const lowestRank = { whole: 6, begun: 4, anywhere: 2 }

/** Only what is counted and sorted by: thousands of rows pass through here, and the rest is read for one page of them. */
const columnsToRank = (outlet: OutletRef, page: SearchPage) => sql`l.seq, l.category_id, l.price_minor, l.in_stock,
  ${page.sort === 'relevance' ? rankOf(outlet, page) : sql`0`} as rank${/name/.test(page.sort) ? sql`, l.name_key` : sql``}`

const orderOf = (sort: SearchSort) => (sort === 'relevance' ? sql`l.rank desc, l.seq desc` : orderBy(sort))

/** The page that is asked for, of these rows. */
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
    sql`select l.*, chosen.rank from (${chosen}) chosen cross join lateral (
      select * from listing l where ${hereIn(outlet)} and l.seq = chosen.seq limit 1) l`,
    sql`, l.rank`,
  )} order by ${orderOf(sort)}`

/**
 * `named`: how many of the matches have the words in their name. `isComplete`: no match was overlooked, or there are
 * more than are counted anyway.
 */
export type FoundProducts = { summary: SearchSummary; page: MatchRow[]; named: number; isComplete: boolean }

/**
 * From this part of the products on, going through the newest is faster than the index of words. With a filter that may
 * leave nearly all of them out the planner is asked sooner, since then no limit ends the visits.
 */
const everywhere = (filter: Filter) => (isWide(filter) && !isNarrow(filter) ? 0.05 : 0.4)

const rareWords = sql`(select words from rare)`

/** Parts of the statement. Whatever is `matched` is counted. */
type Parts = { matches: Fragment; page: Fragment; named: Fragment }

/** All matches are ranked or sorted, and the page is the first of them. */
const sortAll = (outlet: OutletRef, page: SearchPage, source: Source, query: string): Parts => ({
  matches: sql`matched as materialized (${candidates(outlet, page, {
    ...{ query, source, columns: columnsToRank(outlet, page), most: most.counted, rare: rareWords },
  })})`,
  page: pageOf(sql`select * from matched`, page),
  named: sql`(select count(*)::integer from matched where rank >= ${lowestRank.begun})`,
})

/**
 * The same with less work for each match: those with the words in their name are found by the index too, first whole
 * words, then beginnings, and each step is taken only when those before it do not fill the page. Nobody looks into the
 * words of a row to rank it.
 */
const sortInSteps = (outlet: OutletRef, page: SearchPage, source: Source, query: string): Parts => {
  const inStock = sql`l.in_stock::integer`
  const found = (words: string, columns: Fragment, rare = rareWords) =>
    candidates(outlet, page, { query: words, source, columns, most: most.counted, rare })
  const whole = wordQuery(outlet.outletId, '^', page.terms, false)
  const begun = wordQuery(outlet.outletId, '^', page.terms, true)
  const isWanting = (step: Fragment) => sql`(select count(*) < ${page.limit} from ${step})`
  return {
    matches: sql`matched as materialized (${found(query, sql`l.seq, l.category_id, l.price_minor, l.in_stock`)}),
      whole as materialized (${found(
        whole,
        sql`l.seq, ${lowestRank.whole} + 2 * (l.name_key = ${page.nameKey})::integer + ${inStock} as rank`,
      )}),
      first_whole as materialized (${pageOf(sql`select * from whole`, page)}),
      begun as materialized (
        select seq, rank from (${found(begun, sql`l.seq, ${lowestRank.begun} + ${inStock} as rank`)}) l
        where ${isWanting(sql`first_whole`)} and seq not in (select seq from whole)),
      first_named as materialized (${pageOf(sql`select * from first_whole union all select * from begun`, page)}),
      others as (
        select seq, ${lowestRank.anywhere} + ${inStock} as rank from matched l
        where ${isWanting(sql`first_named`)} and seq not in (select seq from whole union all select seq from begun))`,
    page: pageOf(sql`select * from first_named union all select * from others`, page),
    named: sql`(select count(*)::integer from whole)`,
  }
}

/** The summary of the first matches that are found, and a page of them. */
export const searchProducts = (db: Db, outlet: OutletRef, page: SearchPage, source: Source) => {
  const query = wordQuery(outlet.outletId, '~', page.terms, true)
  const { matches, ...ways } =
    page.sort === 'relevance' && source !== 'newest'
      ? sortInSteps(outlet, page, source, query)
      : sortAll(outlet, page, source, query)
  const isComplete = {
    'rare words': rareWords,
    newest: sql`(select sum(count) > ${countedMatches} from by_category) or ${hasAtMost(outlet, newest.rows)}`,
    words: sql`true`,
  }
  return planned(db, page, source).one<FoundProducts>`
    with rare as materialized (select ${areRare(outlet, page, query, everywhere(page))} as words),
    ${matches},
    by_category as materialized (
      select category_id, count(*) as count, min(price_minor) as lowest, max(price_minor) as highest,
        count(*) filter (where in_stock) as in_stock
      from matched group by category_id)
    select (select json_build_object('total', coalesce(sum(count), 0), 'minMinor', min(lowest), 'maxMinor', max(highest),
          'inStock', coalesce(sum(in_stock), 0), 'categories', (
            select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'count', f.count)
              order by f.count desc, c.name), '[]')
            from by_category f join category c on c.store_id = ${outlet.storeId} and c.id = f.category_id))
        from by_category) as summary,
      (select coalesce(json_agg(shown), '[]') from (${showRows(outlet, ways.page, page.sort)}) shown) as page,
      ${ways.named} as named,
      ${isComplete[source]} as "isComplete"`
}

const hasAtMost = (outlet: OutletRef, most: number) =>
  sql`(select count(*) <= ${most} from (select from listing l where ${hereIn(outlet)} limit ${most + 1}) listed)`

/** The same page of the matches that have exactly the name, or also of those that have the words in it. */
export const findNamed = (db: Db, outlet: OutletRef, page: SearchPage, also: { words: boolean }) => {
  const columns = columnsToRank(outlet, page)
  const any = wordQuery(outlet.outletId, '~', page.terms, true)
  const named = wordQuery(outlet.outletId, '^', page.terms, true)
  const exactly = sql`(select ${columns} from listing l
    where ${hereIn(outlet)} and l.name_key = ${page.nameKey} and ${withWords(any, page)} limit ${countedMatches})`
  const rows = also.words
    ? sql`${exactly} union
        (select ${columns} from listing l where ${matching(outlet, page, named, 'words')} limit ${countedMatches})`
    : exactly
  return planned(db, page, 'words').many<MatchRow>`${showRows(outlet, pageOf(rows, page), page.sort)}`
}

/** A page in another order than relevance, when there are too many matches to sort: along that order, past the rest. */
export const walkMatches = (db: Db, outlet: OutletRef, page: SearchPage & { sort: Sort }) => {
  const wanted = [hereIn(outlet), withWords(wordQuery(outlet.outletId, '~', page.terms, true), page)]
  if (page.position !== undefined) wanted.push(after(page.sort, page.position))
  const order = orderBy(page.sort)
  const rows = sql`select l.* from listing l where ${allOf(wanted)} order by ${order} limit ${page.limit}`
  return db.fresh.many<MatchRow>`${productColumns(rows, sql`, 0 as rank`)} order by ${order}`
}

export type KnownWord = { word: string; isWhole: boolean; lookalikes: string[] }

/**
 * Whether the store has each of these words and, of one that begins no word of the store, words that look like it: they
 * share a first letter with it, or begin with its second, as when the first two were swapped. They travel as JSON and
 * not as an array, which would be planned for its length each time; and nothing is asked by `exists`, for which the
 * planner may read all words of the store at once.
 */
export const lookUpWords = (db: Db, storeId: StoreId, words: readonly string[]) => db.many<KnownWord>`
  select asked.word, coalesce(known.word = asked.word, false) as "isWhole", array(
    select v.word from search_word v, unnest(array[left(asked.word, 1), substr(asked.word, 2, 1)]) initial
    where known.word is null
      and v.store_id = ${storeId} and v.word >= initial and v.word < initial || chr(1114111)
      and length(v.word) between length(asked.word) - 2 and length(asked.word) + 2
      and levenshtein_less_equal(v.word, asked.word, 2) <= 2
    order by levenshtein(v.word, asked.word), v.word limit 20) as lookalikes
  from jsonb_array_elements_text(${JSON.stringify(words)}::jsonb) as asked (word)
  left join lateral (select v.word from search_word v
    where v.store_id = ${storeId} and v.word >= asked.word and v.word < asked.word || chr(1114111)
    order by v.word limit 1) known on true`

export type SuggestedProduct = { id: string; slug: string; name: string; images: string[] }
export type Suggested = { products: SuggestedProduct[]; isComplete: boolean }

/** A few hundred are soon found, so that what is in every twentieth name counts as everywhere. */
const inManyNames = 0.05

export const suggestProducts = (db: Db, outlet: OutletRef, page: SearchPage, source: Source) => {
  const query = wordQuery(outlet.outletId, '^', page.terms, true)
  const columns = sql`l.product_id, l.seq, ${rankOf(outlet, page)} as rank`
  const isComplete = { 'rare words': rareWords, newest: sql`count(*) = ${page.limit}`, words: sql`true` }
  return db.one<Suggested>`
    with rare as materialized (select ${areRare(outlet, page, query, inManyNames)} as words)
    select coalesce(json_agg(shown), '[]') as products, ${isComplete[source]} as "isComplete"
    from (select p.id, p.slug, p.name, p.images
      from (select * from (${candidates(outlet, page, { query, source, columns, most: most.suggested, rare: rareWords })}) l
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
