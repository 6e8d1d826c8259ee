import type { Queries } from '../../db/database.ts'
import { byKey, notByIndex } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import { type Buyer, buyerColumns, type FullOrderRow, fullColumns } from './orders.sql.ts'

/** `facets`: what `order_facet` may return, see order-facets.ts. Other fields are null for no condition. */
export type OrderListFilter = {
  facets: readonly number[]
  outletId: OutletId | null
  from: Date | null
  to: Date | null
}

/** Where an order is in the list. The time is a text, because it has microseconds. */
export type OrderKey = { createdAt: string; number: number }

export type OrderPage = { after: OrderKey | null; isOldestFirst: boolean; limit: number }

const facet = sql`order_facet(o.status, o.payment_status, o.delivery_status, o.needs_attention is not null)`

/** A facet and an outlet that orders of the store have. */
export type OrderPair = { facet: number; outletId: OutletId }

/** Jumps through the index from one pair to the next. */
export const listPairs = (db: Queries, storeId: StoreId) => db.many<OrderPair>`
  with recursive pair as (
    (select ${facet} as facet, o.outlet_id from orders o where o.store_id = ${storeId}
     order by ${facet}, o.outlet_id limit 1)
    union all
    select n.facet, n.outlet_id from pair p cross join lateral (
      select ${facet} as facet, o.outlet_id from orders o
      where o.store_id = ${storeId} and (${facet}, o.outlet_id) > (p.facet, p.outlet_id)
      order by ${facet}, o.outlet_id limit 1) n)
  select facet as "facet", outlet_id as "outletId" from pair`

const inPeriod = ({ from, to }: OrderListFilter) => sql`
  ${from === null ? sql`` : sql`and o.created_at >= ${from}`} ${to === null ? sql`` : sql`and o.created_at < ${to}`}`

const afterKey = ({ after, isOldestFirst }: OrderPage) => {
  if (after === null) return sql``
  const position = sql`(${after.createdAt}::timestamptz, ${after.number}::integer)`
  return isOldestFirst
    ? sql`and (o.created_at, o.number) > ${position}`
    : sql`and (o.created_at, o.number) < ${position}`
}

const inOrder = ({ isOldestFirst }: Pick<OrderPage, 'isOldestFirst'>) =>
  isOldestFirst ? sql`o.created_at, o.number` : sql`o.created_at desc, o.number desc`

const keyColumns = sql`o.created_at::text as "createdAt", o.number`

/** The statement has a branch for each pair up to this number. */
const maxBranches = 128

/**
 * The first orders of all pairs, merged. Branches that are in order are read only as far as the page needs, so the time
 * does not depend on how many orders match. The number of branches is a power of two, so that there are few statements.
 */
const merged = (storeId: StoreId, pairs: readonly OrderPair[], filter: OrderListFilter, page: OrderPage): Fragment => {
  const first = (facetNumber: Fragment, outletId: Fragment) => sql`
    select o.created_at, o.number from orders o
    where o.store_id = ${storeId} and ${facet} = ${facetNumber} and o.outlet_id = ${outletId} ${inPeriod(filter)}
      ${afterKey(page)}
    order by ${inOrder(page)} limit ${page.limit}`
  if (pairs.length > maxBranches) {
    const [facets, outlets] = [pairs.map((pair) => pair.facet), pairs.map(({ outletId }) => outletId)]
    return sql`(select o.* from unnest(${facets}::integer[], ${outlets}::integer[]) p (facet, outlet_id)
      cross join lateral (${first(sql`p.facet`, sql`p.outlet_id`)}) o)`
  }
  const branches = 2 ** Math.ceil(Math.log2(Math.max(pairs.length, 1)))
  const noPair = { facet: 0, outletId: 0 }
  return Array.from({ length: branches }, (_, i) => pairs[i] ?? noPair)
    .map((pair) => sql`(${first(sql`${pair.facet}::integer`, sql`${pair.outletId}::integer`)})`)
    .reduce((all, branch) => sql`${all} union all ${branch}`)
}

export const browseOrders = (
  db: Queries,
  storeId: StoreId,
  pairs: readonly OrderPair[],
  filter: OrderListFilter,
  page: OrderPage,
) => db.many<OrderKey>`
  select ${keyColumns} from (${merged(storeId, pairs, filter, page)}) o order by ${inOrder(page)} limit ${page.limit}`

/** Counts up to `limit`. */
export const countOrdersBrowsed = async (
  db: Queries,
  storeId: StoreId,
  pairs: readonly OrderPair[],
  filter: OrderListFilter,
  limit: number,
) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (
      select from unnest(${pairs.map((pair) => pair.facet)}::integer[], ${pairs.map(({ outletId }) => outletId)}::integer[])
        p (facet, outlet_id)
      cross join lateral (
        select from orders o
        where o.store_id = ${storeId} and ${facet} = p.facet and o.outlet_id = p.outlet_id ${inPeriod(filter)}
        limit ${limit}) o
      limit ${limit}) found`
  ).found

/**
 * What is searched for: the beginning of a term of the order, such as a name or a SKU. `texts` has several for a phone
 * number, with and without the calling code. `number` is that of an order, if it could be one.
 */
export type OrderSearch = { texts: readonly string[]; number: number | null }

/** Greater than every text that begins with the given one, in the byte order of the index. */
const end = '\u{10ffff}'

const beginsWith = sql`s.term >= t.text and s.term < t.text || ${end}`

const searched = ({ texts }: OrderSearch) => sql`(
  select left(lower(x.text), 60) as text from unnest(${texts}::text[]) x (text)) t`

/** The numbers of orders that match, up to `limit` for each text. An order can be found several times. */
const found = (storeId: StoreId, search: OrderSearch, limit: number) => sql`
  select f.number from ${searched(search)} cross join lateral (
    select s.number from order_search s where s.store_id = ${storeId} and ${beginsWith} limit ${limit}) f
  union all
  select o.number from orders o where o.store_id = ${storeId} and o.number = ${search.number}::integer`

/** How many terms match, up to `limit` for each text. An order can have several. */
export const countFound = async (db: Queries, storeId: StoreId, search: OrderSearch, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (${found(storeId, search, limit)}) f`
  ).found

const foundInFilter = (storeId: StoreId, search: OrderSearch, filter: OrderListFilter, limit: number) => sql`
  (select distinct f.number from (${found(storeId, search, limit)}) f) f
  cross join ${byKey(sql`select * from orders where store_id = ${storeId} and number = f.number`)} o
  where ${inFilter(filter)}`

const inFilter = (filter: OrderListFilter) => sql`${facet} = any(${filter.facets}::integer[]) ${inPeriod(filter)}
    ${filter.outletId === null ? sql`` : sql`and o.outlet_id = ${filter.outletId}`}`

/** How far the sequence of numbers can differ from that of the times, if orders are placed at once. */
const disorder = 500

/**
 * For searches that find very many orders: all numbers that match are read from the index, and their orders only until the
 * page is full.
 */
export const searchByNumber = (
  db: Queries,
  storeId: StoreId,
  search: OrderSearch,
  filter: OrderListFilter,
  page: OrderPage,
) => {
  const { after, isOldestFirst, limit } = page
  const byNumber = isOldestFirst ? sql`f.number` : sql`f.number desc`
  const near = isOldestFirst
    ? sql`f.number >= ${Number(after?.number) - disorder}::integer`
    : sql`f.number <= ${Number(after?.number) + disorder}::integer`
  return db.many<OrderKey>`
  select ${keyColumns} from (
    select o.created_at, o.number from (
      select distinct f.number from (${found(storeId, search, 2_000_000_000)}) f
      where ${after === null ? sql`true` : near} order by ${byNumber}) f
    cross join ${byKey(sql`select * from orders where store_id = ${storeId} and number = f.number`)} o
    where ${inFilter(filter)} ${afterKey(page)}
    order by ${byNumber} limit ${limit + disorder}) o
  order by ${inOrder(page)} limit ${limit}`
}

/** For searches that find few orders: all of them are read. `maxFound`: how many the index may give. */
export const searchOrders = (
  db: Queries,
  storeId: StoreId,
  search: OrderSearch,
  filter: OrderListFilter,
  { maxFound, ...page }: OrderPage & { maxFound: number },
) => db.many<OrderKey>`
  select ${keyColumns} from ${foundInFilter(storeId, search, filter, maxFound)} ${afterKey(page)}
  order by ${inOrder(page)} limit ${page.limit}`

export const countOrdersFound = async (
  db: Queries,
  storeId: StoreId,
  search: OrderSearch,
  filter: OrderListFilter,
  maxFound: number,
) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from ${foundInFilter(storeId, search, filter, maxFound)}`
  ).found

/** Which of these orders match. An order has few terms, and very many orders may have the same. */
export const matchOrders = (db: Queries, storeId: StoreId, search: OrderSearch, numbers: readonly number[]) =>
  db.many<{ number: number }>`
  select n.number from unnest(${numbers}::integer[]) n (number)
  where n.number = ${search.number}::integer or exists (
    select from ${searched(search)} cross join ${byKey(sql`
      select from order_search s where s.store_id = ${storeId} and s.number = n.number and ${notByIndex(beginsWith)}`)} s)`

export type ListedOrder = FullOrderRow & Buyer & { createdAtText: string }

export const readListedOrders = (db: Queries, storeId: StoreId, numbers: readonly number[]) => db.many<ListedOrder>`
  select ${fullColumns}, ${buyerColumns}, o.created_at::text as "createdAtText"
  from unnest(${numbers}::integer[]) n (number)
  cross join ${byKey(sql`select * from orders where store_id = ${storeId} and number = n.number`)} o`
