import type { Queries } from '../../db/database.ts'
import { byKey, notByIndex } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'
import type { FewMatches } from '../searched-list.ts'
import { type Buyer, buyerColumns, type FullOrderRow, fullColumns } from './orders.sql.ts'

/**
 * `facets`: what `order_facet` may return, see order-facets.ts. `toShip`: only orders with something left to ship. Other
 * fields are null for no condition.
 */
export type OrderListFilter = {
  facets: readonly number[]
  toShip: boolean
  outletId: OutletId | null
  from: Date | null
  to: Date | null
}

/** Where an order is in the list. The time is a text, because it has microseconds. */
export type OrderKey = { createdAt: string; number: number }

export type OrderPage = { after: OrderKey | null; isOldestFirst: boolean; limit: number }

/** A facet and an outlet that orders of the store have. */
export type OrderPair = { facet: number; outletId: OutletId }

type ToShip = Pick<OrderListFilter, 'toShip'>

/** A condition that is the one of an index: what is to be shipped has an index of its own, with the same columns. */
const isToShip = ({ toShip }: ToShip) => (toShip ? sql`and o.to_ship` : sql``)

/** Jumps through the index from one pair to the next. */
const pairsOf = (storeId: StoreId, filter: ToShip) => sql`pair as (
    (select o.facet, o.outlet_id from orders o where o.store_id = ${storeId} ${isToShip(filter)}
     order by o.facet, o.outlet_id limit 1)
    union all
    select n.facet, n.outlet_id from pair p cross join lateral (
      select o.facet, o.outlet_id from orders o
      where o.store_id = ${storeId} and (o.facet, o.outlet_id) > (p.facet, p.outlet_id) ${isToShip(filter)}
      order by o.facet, o.outlet_id limit 1) n)`

export const listPairs = (db: Queries, storeId: StoreId, filter: ToShip) => db.many<OrderPair>`
  with recursive ${pairsOf(storeId, filter)}
  select facet as "facet", outlet_id as "outletId" from pair`

const inPeriod = ({ from, to }: OrderListFilter) => sql`
  ${from === null ? sql`` : sql`and o.created_at >= ${from}`} ${to === null ? sql`` : sql`and o.created_at < ${to}`}`

const afterKey = ({ after, isOldestFirst }: Omit<OrderPage, 'limit'>) => {
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
    where o.store_id = ${storeId} and o.facet = ${facetNumber} and o.outlet_id = ${outletId} ${isToShip(filter)}
      ${inPeriod(filter)} ${afterKey(page)}
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
        where o.store_id = ${storeId} and o.facet = p.facet and o.outlet_id = p.outlet_id ${isToShip(filter)}
          ${inPeriod(filter)}
        limit ${limit}) o
      limit ${limit}) found`
  ).found

export type OrdersToDo = { unpaid: number; toShip: number; attention: number }

/** What there is to do with the orders of a store, each counted up to `limit` as the lists count it. Reads only indexes. */
export const countOrdersToDo = (
  db: Queries,
  storeId: StoreId,
  { unpaid, attention }: { unpaid: readonly number[]; attention: readonly number[] },
  limit: number,
) => {
  const count = (facets: readonly number[]) => sql`(
    select count(*) from (
      select from pair p cross join lateral (
        select from orders o where o.store_id = ${storeId} and o.facet = p.facet and o.outlet_id = p.outlet_id
        limit ${limit}) o
      where p.facet = any(${facets}::integer[]) limit ${limit}) found)`
  return db.one<OrdersToDo>`
  with recursive ${pairsOf(storeId, { toShip: false })}
  select ${count(unpaid)} as unpaid, ${count(attention)} as attention, (
    select count(*) from (
      select from orders o where o.store_id = ${storeId} and o.to_ship limit ${limit}) found) as "toShip"`
}

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

/**
 * The terms of orders with neighbouring numbers are together in the index, in blocks. Migration 0023 has the same
 * expression.
 */
const blockOf = (number: Fragment) => sql`${number} / 4096`
const firstNumber = (block: Fragment) => sql`${block} * 4096`

/** How far the sequence of numbers can differ from that of the times, if orders are placed at once. */
const disorder = 500

const maxNumber = 2_147_000_000

/** The numbers of the orders behind a position are on this side of a number. */
const nearestNumber = ({ after, isOldestFirst }: Omit<OrderPage, 'limit'>) =>
  after === null ? null : isOldestFirst ? after.number - disorder : after.number + disorder

/** The numbers between which the orders of the filter are; null at an end without a limit. */
export type NumberRange = { lowest: number | null; highest: number | null }

/** The range of a period. Without an order on one side, no number is on that side. */
export const findNumberRange = async (
  db: Queries,
  storeId: StoreId,
  { from, to }: OrderListFilter,
): Promise<NumberRange> => {
  if (from === null && to === null) return { lowest: null, highest: null }
  const first = (condition: Fragment, inOrder: Fragment, none: number) => sql`coalesce((
    select o.number from orders o where o.store_id = ${storeId} and ${condition}
    order by o.created_at ${inOrder} limit 1), ${none}::integer)`
  return db.one<NumberRange>`
  select ${from === null ? sql`null::integer` : first(sql`o.created_at >= ${from}`, sql``, maxNumber)} as lowest,
    ${to === null ? sql`null::integer` : first(sql`o.created_at < ${to}`, sql`desc`, 0)} as highest`
}

/** The order with the number that is searched for. */
const numbered = (storeId: StoreId, { number }: OrderSearch) => sql`
  select o.number from orders o where o.store_id = ${storeId} and o.number = ${number}::integer`

/** Blocks `b` in the sequence of the list, from the position on, with the orders of a range. */
const blocksFrom = (
  storeId: StoreId,
  search: OrderSearch,
  page: Omit<OrderPage, 'limit'>,
  { lowest, highest }: NumberRange,
) => {
  const { isOldestFirst } = page
  const nearest = nearestNumber(page)
  const lowLimits = [lowest === null ? null : lowest - disorder, isOldestFirst ? nearest : null]
  const highLimits = [highest === null ? null : highest + disorder, isOldestFirst ? null : nearest]
  // A store without orders has one block, not all of them. An order that was erased has no terms, only its number.
  const end = (limit: Fragment, further: Fragment) => sql`coalesce(${further}(
    (select ${limit}(number) from order_search where store_id = ${storeId}), (${numbered(storeId, search)})), 0)`
  const low = blockOf(sql`greatest(${end(sql`min`, sql`least`)}, ${Math.max(0, ...lowLimits.map(Number))}::integer)`)
  const high = blockOf(
    sql`least(${end(sql`max`, sql`greatest`)}, ${Math.min(...highLimits.map((one) => one ?? maxNumber))}::integer)`,
  )
  return isOldestFirst
    ? sql`(select block from generate_series(${low}, ${high}) block order by block offset 0) b`
    : sql`(select block from generate_series(${high}, ${low}, -1) block order by block desc offset 0) b`
}

/** The numbers of orders of a block that match. An order can be found several times. Each text is looked up by itself. */
const foundInBlock = (storeId: StoreId, search: OrderSearch) => sql`${searched(search)} cross join lateral (
  select s.number from order_search s
  where s.store_id = ${storeId} and ${blockOf(sql`s.number`)} = b.block and ${beginsWith} offset 0) s`

const inFilter = (
  filter: OrderListFilter,
) => sql`o.facet = any(${filter.facets}::integer[]) ${isToShip(filter)} ${inPeriod(filter)}
    ${filter.outletId === null ? sql`` : sql`and o.outlet_id = ${filter.outletId}`}`

const orderOf = (storeId: StoreId) => byKey(sql`select * from orders where store_id = ${storeId} and number = f.number`)

export type SearchFilter = OrderListFilter & { range: NumberRange }

/** For searches that find few orders: all of them are read. `found` is a number of terms, `orders` of orders with them. */
export const findFewOrders = (
  db: Queries,
  storeId: StoreId,
  search: OrderSearch,
  filter: SearchFilter,
  { maxFound, ...page }: Omit<OrderPage, 'limit'> & { maxFound: number },
) => {
  const blocks = blocksFrom(storeId, search, { ...page, after: null }, filter.range)
  return db.one<FewMatches<number> & { orders: number }>`
  with found as materialized (
    select s.number from ${blocks} cross join ${foundInBlock(storeId, search)} limit ${maxFound + 1}),
  few as materialized (
    select f.number from found f where (select count(*) from found) <= ${maxFound}
    union ${numbered(storeId, search)})
  select (select count(*) from found) as found, (select count(distinct number) from found) as orders,
    coalesce(array_agg(o.number order by ${inOrder(page)}), '{}') as ids,
    count(*) filter (where not (true ${afterKey(page)})) as passed
  from few f cross join ${orderOf(storeId)} o where ${inFilter(filter)}`
}

/**
 * Where the list goes on with an order that matches: no order between the position and there does. Blocks without a match
 * are passed over, so that a search for what was ordered long ago does not read all orders since. `start` is null where
 * nothing can be passed over; the answer is undefined if no other order matches.
 */
export const findNextMatch = (
  db: Queries,
  storeId: StoreId,
  search: OrderSearch,
  { range }: SearchFilter,
  page: Omit<OrderPage, 'limit'>,
) => {
  // Behind this order in the list are all orders of the block and of those that follow.
  const before = page.isOldestFirst
    ? sql`o.number <= ${firstNumber(sql`b.block`)} - ${disorder}::integer order by o.number desc`
    : sql`o.number >= ${firstNumber(sql`(b.block + 1)`)} + ${disorder}::integer order by o.number`
  return db.maybeOne<{ start: OrderKey | null }>`
  select (
    select json_build_object('createdAt', o.created_at::text, 'number', o.number) from (
      select o.created_at, o.number from orders o where o.store_id = ${storeId} and ${before} limit 1) o
    where true ${afterKey(page)}) as start
  from ${blocksFrom(storeId, search, page, range)}
  where b.block = ${blockOf(sql`(${numbered(storeId, search)})`)} or exists (select from ${foundInBlock(storeId, search)})
  order by b.block ${page.isOldestFirst ? sql`` : sql`desc`} limit 1`
}

/**
 * The next orders of the list that match, among `limit`: their numbers are looked up among the terms of their blocks that
 * match, up to `maxTerms`, without reading an order. `reached` is the last order that was compared; null if that was none.
 * `isEnd`: the list has no others.
 */
export const intersectNext = (
  db: Queries,
  storeId: StoreId,
  search: OrderSearch,
  pairs: readonly OrderPair[],
  filter: OrderListFilter,
  { maxTerms, ...page }: OrderPage & { maxTerms: number },
) => {
  const { isOldestFirst } = page
  const [first, last, step, direction, isLeftOut, isBefore] = isOldestFirst
    ? [sql`min`, sql`max`, 1, sql``, sql`>=`, sql`<`]
    : [sql`max`, sql`min`, -1, sql`desc`, sql`<=`, sql`>`]
  return db.one<{ ids: number[]; reached: OrderKey | null; isEnd: boolean }>`
  with listed as materialized (
    select o.created_at, o.number from (${merged(storeId, pairs, filter, page)}) o
    order by ${inOrder(page)} limit ${page.limit}),
  found as materialized (
    select b.block, s.number from (
      select block from generate_series(
        (select ${blockOf(sql`${first}(number)`)} from listed), (select ${blockOf(sql`${last}(number)`)} from listed),
        ${step}::integer) block
      order by block ${direction} offset 0) b
    cross join ${foundInBlock(storeId, search)}
    order by b.block ${direction} limit ${maxTerms + 1}),
  -- The last block is not read to its end. The orders before the first one from there are compared.
  left_out as materialized (
    select o.created_at, o.number from listed o, (select count(*) as count, ${last}(block) as block from found) f
    where f.count > ${maxTerms} and ${blockOf(sql`o.number`)} ${isLeftOut} f.block
    order by ${inOrder(page)} limit 1),
  compared as materialized (
    select o.created_at, o.number from listed o
    where not exists (select from left_out)
      or (o.created_at, o.number) ${isBefore} (select l.created_at, l.number from left_out l))
  -- Grouped, not joined: the time of a join would depend on how many terms the planner expects.
  select array(
      select o.number from (
        select x.number, max(x.created_at) as created_at from (
          select c.number, c.created_at, true as is_compared from compared c
          union all select f.number, null, false from found f
          union all select ${search.number}::integer, null, false) x
        group by x.number having bool_or(x.is_compared) and not bool_and(x.is_compared)) o
      order by ${inOrder(page)}) as ids,
    (select json_build_object('createdAt', o.created_at::text, 'number', o.number) from compared o
     order by ${inOrder({ isOldestFirst: !isOldestFirst })} limit 1) as reached,
    not exists (select from left_out) and (select count(*) from listed) < ${page.limit} as "isEnd"`
}

/** Which of these orders match. An order has few terms, and very many orders may have the same. */
export const matchOrders = (db: Queries, storeId: StoreId, search: OrderSearch, numbers: readonly number[]) =>
  db.many<{ number: number }>`
  select n.number from unnest(${numbers}::integer[]) n (number)
  where n.number = ${search.number}::integer or exists (
    select from ${searched(search)} cross join ${byKey(sql`
      select from order_search s where s.store_id = ${storeId} and s.number = n.number and ${notByIndex(beginsWith)}`)} s)`

export type ListedOrder = FullOrderRow & Buyer & { createdAtText: string }

export const readListedOrders = (db: Queries, storeId: StoreId, numbers: readonly number[]) => db.many<ListedOrder>`
  select ${fullColumns(storeId)}, ${buyerColumns(storeId)}, o.created_at::text as "createdAtText"
  from unnest(${numbers}::integer[]) n (number)
  cross join ${byKey(sql`select * from orders where store_id = ${storeId} and number = n.number`)} o`
