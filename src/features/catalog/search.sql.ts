import type { Db } from '../../db/database.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
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

/** Counting stops here; beyond it a total is a lower bound. */
export const countedMatches = 10_000

/** Every word of the text as a prefix. The database cuts the words itself, so nothing in them can be syntax. */
const wordsOf = (text: string) => sql`
  select string_agg(quote_literal(word) || ':*', ' & ')::tsquery as words
  from unnest(tsvector_to_array(to_tsvector('simple', vitrine_fold(${text})))) word`

const matches = (place: Place, text: string, filter: Filter) => {
  const wanted: Fragment[] = [
    sql`p.store_id = ${place.storeId} and p.search @@ query.words and l.outlet_id = ${place.outletId}`,
    ...conditions(filter),
  ]
  if (filter.categoryIds !== undefined) wanted.push(sql`l.category_id = any(${filter.categoryIds})`)
  return sql`
    select l.*, ts_rank(p.search, query.words)::float8 as rank
    from (${wordsOf(text)}) query
    join product p on true
    join listing l on l.store_id = p.store_id and l.product_id = p.id
    where ${allOf(wanted)}`
}

export type SearchPage = Filter & {
  text: string
  sort: SearchSort
  position?: readonly (string | number)[] | undefined
  limit: number
}

export type MatchRow = ProductRow & { rank: number }

export const searchProducts = (db: Db, place: Place, page: SearchPage) => {
  const order = page.sort === 'relevance' ? sql`l.rank desc, l.seq desc` : orderBy(page.sort)
  const start =
    page.position === undefined
      ? sql`true`
      : page.sort === 'relevance'
        ? sql`(l.rank, l.seq) < (${page.position[0]}, ${page.position[1]})`
        : after(page.sort, page.position)
  const rows = sql`
    select * from (${matches(place, page.text, page)}) l where ${start} order by ${order} limit ${page.limit}`
  return db.many<MatchRow>`
    select shown.*, l.rank from (${productColumns(rows)}) shown
    join (${rows}) l on l.product_id = shown.id
    order by ${order}`
}

export type SearchSummary = {
  total: number
  minMinor: number | null
  maxMinor: number | null
  inStock: number
  categories: { id: string; name: string; slug: string; count: number }[]
}

export const summariseSearch = (db: Db, place: Place, text: string, filter: Filter) => db.one<SearchSummary>`
  with found as materialized (
    select category_id, price_minor, in_stock
    from (${matches(place, text, filter)}) l limit ${countedMatches + 1})
  select count(*) as total, min(price_minor) as "minMinor", max(price_minor) as "maxMinor",
    count(*) filter (where in_stock) as "inStock",
    (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'count', f.count)
        order by f.count desc, c.name), '[]')
     from (select category_id, count(*) as count from found group by category_id) f
     join category c on c.store_id = ${place.storeId} and c.id = f.category_id) as categories
  from found`

export type SuggestedProduct = { id: string; slug: string; name: string; images: string[] }

export const suggestProducts = (db: Db, place: Place, text: string, limit: number) => db.many<SuggestedProduct>`
  select p.id, p.slug, p.name, p.images
  from (${matches(place, text, {})}) l
  join product p on p.store_id = l.store_id and p.id = l.product_id
  order by l.rank desc, l.seq desc limit ${limit}`

export type SuggestedCategory = { id: string; slug: string; name: string }

export const suggestCategories = (db: Db, place: Place, text: string, limit: number) => db.many<SuggestedCategory>`
  select c.id, c.slug, c.name from category c, (${wordsOf(text)}) query
  where c.store_id = ${place.storeId} and to_tsvector('simple', vitrine_fold(c.name)) @@ query.words
  order by c.product_count desc, c.position, c.id limit ${limit}`
