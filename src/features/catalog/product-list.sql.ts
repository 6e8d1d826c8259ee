import type { Position } from '../../core/cursor.ts'
import type { Queries } from '../../db/database.ts'
import { byKey, literalLimit, notByIndex, storeNotByIndex } from '../../db/plan-hints.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { OutletRef } from './catalog.sql.ts'
import type { Status } from './product-input.ts'

export const adminSorts = ['newest', 'oldest', 'name', '-name'] as const
export type AdminSort = (typeof adminSorts)[number]

/** Undefined: not filtered. `words` must all occur, whole or as prefixes. */
export type AdminFilter = {
  status?: Status | undefined
  categoryIds?: readonly string[] | undefined
  words?: readonly { text: string; prefix: boolean }[] | undefined
  stock?: 'out' | 'low' | undefined
}

export type AdminProductRow = {
  id: string
  slug: string
  name: string
  nameKey: string
  description: string
  status: Status
  categoryId: string | null
  category: string | null
  vendor: string
  images: string[]
  hasVariants: boolean
  tags: string[]
  taxRate: string
  createdAt: Date
  updatedAt: Date
  /** Null without an active variant. */
  priceMinor: number | null
  compareAtMinor: number | null
  stock: number
  untracked: number
  variantCount: number
  /** Of the only variant. */
  sku: string
}

const orders: Record<AdminSort, { order: Fragment; beyond: Fragment; byName: boolean }> = {
  newest: { order: sql`p.id desc`, beyond: sql`<`, byName: false },
  oldest: { order: sql`p.id`, beyond: sql`>`, byName: false },
  name: { order: sql`p.name_key, p.id`, beyond: sql`>`, byName: true },
  '-name': { order: sql`p.name_key desc, p.id desc`, beyond: sql`<`, byName: true },
}

export const adminPositionOf = (sort: AdminSort, { id, nameKey }: Pick<AdminProductRow, 'id' | 'nameKey'>) =>
  orders[sort].byName ? [nameKey, id] : [id]

const after = (sort: AdminSort, position: Position | undefined) => {
  const { beyond, byName } = orders[sort]
  if (position === undefined) return sql`true`
  return byName
    ? sql`(p.name_key, p.id) ${beyond} (${position[0]}, ${position[1]})`
    : sql`p.id ${beyond} ${position[0]}`
}

const statuses: readonly Status[] = ['ACTIVE', 'DRAFT', 'ARCHIVED']

/** What is archived is not sold any more, so it is low in stock only for those who ask for it. */
const statusesOf = ({ status, stock }: AdminFilter) =>
  status !== undefined ? [status] : stock === undefined ? statuses : statuses.filter((one) => one !== 'ARCHIVED')

const isAnyStatus = (filter: AdminFilter) => filter.status === undefined && filter.stock === undefined

/** Stock rows `s` that are low, of variants that can be bought and are counted. An untracked variant keeps its rows. */
const lowRows = (storeId: OutletRef['storeId'], stock: 'out' | 'low') => {
  const variant = sql`select from variant v where v.store_id = ${storeId} and v.id = s.variant_id and v.active and v.stock_tracked`
  return sql`from stock s cross join ${byKey(variant)} v
    where s.store_id = ${storeId} and s.is_low ${stock === 'out' ? sql`and s.on_hand = s.reserved` : sql``}`
}

/** Whether a product `p` has such a row. */
const isShort = ({ storeId }: OutletRef, stock: 'out' | 'low') =>
  sql`exists (select ${lowRows(storeId, stock)} and s.product_id = p.id)`

type StockFilter = AdminFilter & { stock: 'out' | 'low' }

/** All products with such rows, by the index of rows that are low. `limit` is for the rows. */
const shortProducts = (outlet: OutletRef, filter: StockFilter, limit = sql``) => {
  const { categoryIds, words, stock } = filter
  const conditions = [
    sql`p.store_id = ${outlet.storeId} and p.id = short.product_id`,
    sql`p.status = any(${statusesOf(filter)}::text[])`,
    ...(categoryIds === undefined ? [] : [sql`p.category_id = any(${categoryIds}::text[])`]),
    ...(words === undefined ? [] : [hasWords(outlet, words)]),
  ]
  return sql`select p.id, p.name_key
    from (select s.product_id from (select s.product_id ${lowRows(outlet.storeId, stock)} ${limit}) s group by s.product_id) short
    cross join ${byKey(sql`select ${key} from product p where ${allOf(conditions)}`)} p`
}

/** All products with the words that have such rows, by the index of words. */
const shortByWords = (outlet: OutletRef, filter: StockFilter) => sql`select p.id, p.name_key
    from (${byWords(outlet, filter, { isWalk: false, limit: sql`` })}) found
    cross join ${byKey(sql`select ${key} from product p where p.store_id = ${outlet.storeId} and p.id = found.id
      and p.status = any(${statusesOf(filter)}::text[]) and ${isShort(outlet, filter.stock)}`)} p`

export const probedStockRows = 2_000

/** Counts rows that are low, up to `probedStockRows`. */
export const probeStock = async (db: Queries, { storeId }: OutletRef, stock: 'out' | 'low') =>
  (
    await db.one<{ count: number }>`
      select count(*)::integer as count from (
        select ${lowRows(storeId, stock)} limit ${literalLimit(probedStockRows)}) counted`
  ).count

/**
 * Products in the order of an index. With a filter, each status of each category is read in order from its own range of
 * the index, and the ranges are merged.
 */
const walk = (
  { storeId }: OutletRef,
  filter: AdminFilter,
  { sort, position, limit, columns, condition }: WalkOptions,
) => {
  const { categoryIds } = filter
  const { order, byName } = orders[sort]
  const rows = (range: Fragment) => sql`select ${columns} from product p
    where ${allOf([sql`p.store_id = ${storeId}`, range, after(sort, position), condition])} order by ${order} limit ${limit}`
  if (categoryIds === undefined && isAnyStatus(filter) && !byName) return rows(sql`true`)
  const ofStatus = sql`unnest(${statusesOf(filter)}::text[]) as of_status (status)`
  const ranges =
    categoryIds === undefined
      ? sql`${ofStatus} cross join lateral (${rows(sql`p.status = of_status.status`)}) p`
      : sql`unnest(${categoryIds}::text[]) as of_category (id) cross join ${ofStatus}
          cross join lateral (${rows(sql`p.category_id = of_category.id and p.status = of_status.status`)}) p`
  return sql`select p.* from ${ranges} order by ${order} limit ${limit}`
}

type WalkOptions = {
  sort: AdminSort
  position: Position | undefined
  limit: Fragment
  columns: Fragment
  condition: Fragment
}

const key = sql`p.id, p.name_key`

/** Few values, so that pages of all sizes share a few statements. */
const boundOf = (limit: number) => literalLimit(limit <= 21 ? 21 : limit <= 101 ? 101 : 500)

export type AdminPage = AdminFilter & { sort: AdminSort; position: Position | undefined; limit: number }

/** Which of the wanted products are few: those with the words (`probeWords`) or with little stock (`probeStock`). */
export type Rarity = { areWordsRare: boolean; isStockRare: boolean }

/** A page of products, found by an index of what is rare. */
export const listForAdmin = (db: Queries, outlet: OutletRef, page: AdminPage, rarity: Rarity) => {
  const { sort, position, limit, words, stock } = page
  const options = { sort, position, limit: boundOf(limit), columns: key }
  const pick = (rows: Fragment) => sql`select ${key} from (${rows}) p
    where ${notByIndex(after(sort, position))} order by ${orders[sort].order} limit ${boundOf(limit)}`
  const wanted = words === undefined ? sql`true` : hasWords(outlet, words)
  const chosen =
    stock !== undefined
      ? rarity.isStockRare || rarity.areWordsRare
        ? pick((rarity.areWordsRare ? shortByWords : shortProducts)(outlet, { ...page, stock }))
        : walk(outlet, page, { ...options, condition: sql`${isShort(outlet, stock)} and ${wanted}` })
      : words === undefined
        ? walk(outlet, page, { ...options, condition: sql`true` })
        : rarity.areWordsRare
          ? pick(byWords(outlet, page, { isWalk: false, limit: sql`` }))
          : walk(outlet, page, { ...options, condition: wanted })
  return db.many<AdminProductRow>`
    select p.id, p.slug, p.name, p.name_key as "nameKey", p.description, p.status, p.category_id as "categoryId",
      c.name as category, p.vendor, p.images, p.has_variants as "hasVariants", p.tags, p.tax_rate as "taxRate",
      p.created_at as "createdAt", p.updated_at as "updatedAt", v.price_minor as "priceMinor",
      v.compare_at_minor as "compareAtMinor", v.stock, v.untracked, v.variant_count as "variantCount", v.sku
    from (${chosen}) chosen
    cross join ${byKey(sql`select * from product p where p.store_id = ${outlet.storeId} and p.id = chosen.id`)} p
    left join category c on c.store_id = ${outlet.storeId} and c.id = p.category_id
    cross join lateral (${variantSummary(outlet)}) v
    order by ${orders[sort].order} limit ${limit}`
}

/** The active variants of a product `p` at the default outlet, as the storefront shows them in a list. */
const variantSummary = ({ storeId, outletId }: OutletRef) => sql`
  select min(x.price_minor) as price_minor, (array_agg(x.compare_at_minor order by x.price_minor, x.position))[1] as compare_at_minor,
    coalesce(sum(x.available) filter (where x.stock_tracked), 0)::integer as stock,
    (count(*) filter (where not x.stock_tracked))::integer as untracked, count(*)::integer as variant_count,
    case when count(*) = 1 then min(x.sku) else '' end as sku
  from (
    select coalesce(po.price_minor, v.price_minor) as price_minor, v.compare_at_minor, v.position, v.stock_tracked, v.sku,
      coalesce(s.on_hand - s.reserved, 0) as available
    from variant v
    left join ${byKey(sql`select price_minor from price_override o
      where o.store_id = ${storeId} and o.variant_id = v.id and o.outlet_id = ${outletId}`)} po on true
    left join ${byKey(sql`select on_hand, reserved from stock s
      where s.store_id = ${storeId} and s.variant_id = v.id and s.outlet_id = ${outletId}`)} s on true
    where v.store_id = ${storeId} and v.product_id = p.id and v.active) x`

/** If many rows are low, only the products of some are counted. */
const countedStockRows = 1_000

/** Counts up to `limit`. */
export const countForAdmin = async (
  db: Queries,
  outlet: OutletRef,
  filter: AdminFilter,
  { limit, areCommon, areWordsRare, isStockRare }: Rarity & { limit: number; areCommon: boolean },
) => {
  const { status, categoryIds, words, stock } = filter
  const wanted = [sql`p.store_id = ${outlet.storeId}`]
  if (categoryIds !== undefined) wanted.push(sql`p.category_id = any(${categoryIds}::text[])`)
  if (status !== undefined || categoryIds !== undefined)
    wanted.push(sql`p.status = any(${status === undefined ? statuses : [status]}::text[])`)
  const rows =
    stock !== undefined
      ? areWordsRare
        ? shortByWords(outlet, { ...filter, stock })
        : shortProducts(
            outlet,
            { ...filter, stock },
            isStockRare ? sql`` : sql`limit ${literalLimit(countedStockRows)}`,
          )
      : words === undefined
        ? sql`select from product p where ${allOf(wanted)}`
        : byWords(outlet, filter, { isWalk: areCommon, limit: sql`limit ${literalLimit(limit)}` })
  const { count } = await db.one<{ count: number }>`
    select count(*)::integer as count from (select from (${rows}) p limit ${literalLimit(limit)}) counted`
  return count
}

/** The words of a query in the index of listings (by outlet) or of hidden products (by store). */
const queryOf = (number: number, words: readonly { text: string; prefix: boolean }[]) =>
  words.map(({ text, prefix }) => `'${number}~${text}'${prefix ? ':*' : ''}`).join(' & ')

const hereIn = ({ storeId, outletId }: OutletRef) => sql`l.store_id = ${storeId} and l.outlet_id = ${outletId}`

/**
 * All products with the words: ACTIVE ones from the listings of the default outlet, others by their hidden words. They are
 * found by the index of words, or with `isWalk` by reading listings in any order. `limit` is for each of the two.
 */
const byWords = (
  outlet: OutletRef,
  { status, categoryIds, words = [] }: AdminFilter,
  { isWalk, limit }: { isWalk: boolean; limit: Fragment },
) => {
  const inCategory = (column: Fragment) =>
    categoryIds === undefined ? sql`true` : sql`${column} = any(${categoryIds}::text[])`
  const isHere = sql`${hereIn(outlet)} and ${inCategory(sql`l.category_id`)}`
  const hasListed = sql`l.words @@ ${queryOf(outlet.outletId, words)}::tsquery`
  const listed = isWalk
    ? sql`${isHere} and ${notByIndex(hasListed)}`
    : sql`${notByIndex(isHere)}
        and ${storeNotByIndex(sql`l.store_id`, outlet.storeId)} and ${hasListed}`
  const isHidden = sql`p.store_id = ${outlet.storeId} and ${inCategory(sql`p.category_id`)}
    and ${status === undefined ? sql`true` : sql`p.status = ${status}`}`
  const active = sql`(select l.product_id as id, l.name_key from listing l where ${listed} ${limit})`
  const hidden = sql`(select p.id, p.name_key from product p
    where ${notByIndex(isHidden)} and ${storeNotByIndex(sql`p.store_id`, outlet.storeId)}
      and p.hidden_words @@ ${queryOf(outlet.storeId, words)}::tsquery ${limit})`
  if (status === undefined) return sql`${active} union all ${hidden}`
  return status === 'ACTIVE' ? active : hidden
}

/** Whether a product `p` has the words. */
const hasWords = (outlet: OutletRef, words: NonNullable<AdminFilter['words']>) => sql`
  case when p.hidden_words is null then coalesce((
      select l.words @@ ${queryOf(outlet.outletId, words)}::tsquery from listing l
      where ${hereIn(outlet)} and l.product_id = p.id), false)
    else p.hidden_words @@ ${queryOf(outlet.storeId, words)}::tsquery end`

export const probedProducts = 400

/** How many of the first products of the list have the words. */
export const probeWords = (
  db: Queries,
  outlet: OutletRef,
  { words = [], ...filter }: AdminFilter,
  sort: AdminSort,
) => db.one<{ matches: number; rows: number }>`
  select (count(*) filter (where ${hasWords(outlet, words)}))::integer as matches, count(*)::integer as rows
  from (${walk(outlet, filter, {
    ...{ sort, position: undefined, limit: literalLimit(probedProducts), condition: sql`true` },
    columns: sql`p.id, p.name_key, p.hidden_words`,
  })}) p`
