import { refuse } from '../../core/domain-errors.ts'
import { toWire } from '../../core/money.ts'
import { readPeriod } from '../../core/period.ts'
import type { Queries } from '../../db/database.ts'
import { phonePrefixes } from '../accounts/phone.ts'
import { type CountedMatches, maxCounted } from '../admin-list.ts'
import type { Store, StoreCtx } from '../context.ts'
import { deliveryFilters, orderStatuses, paymentStatuses } from './order.contract.ts'
import type { OrderEventData } from './order-events.contract.ts'
import { listFacets, type OrderFacetFilter } from './order-facets.ts'
import * as sql from './order-list.sql.ts'
import { showOrder } from './show-order.ts'
import { readOrderNumber } from './store-orders.ts'

export type OrderListQuery = OrderFacetFilter & {
  outlet?: string
  from?: string
  to?: string
  q?: string
  sort?: string
}

/** The first orders that match, for an operator. */
export const listOrdersOfStore = async (
  db: Queries,
  store: Store,
  { limit, ...query }: OrderListQuery & { limit: number },
) => {
  const { status, payment, delivery } = query
  refuseUnknown(status, orderStatuses)
  refuseUnknown(payment, paymentStatuses)
  refuseUnknown(delivery, deliveryFilters)
  const orders = await openOrderList(db, store, query).read(null, limit)
  return orders.map((order) => ({
    ...{ id: order.id, number: String(order.number), status: order.status, paymentStatus: order.paymentStatus },
    ...{ paymentMethod: order.paymentMethod, deliveryStatus: order.deliveryStatus },
    ...{ needsAttention: order.needsAttention, total: toWire(order.totalMinor, order.currency) },
    ...{ currency: order.currency, customerId: order.customerId, customer: order.customer.name },
    createdAt: order.createdAt.toISOString(),
  }))
}

const refuseUnknown = (status: string | undefined, statuses: readonly string[]) => {
  if (status !== undefined && !statuses.includes(status)) throw refuse('ORDER_STATUS_UNKNOWN', { status, statuses })
}

/** All orders of a search that finds no more terms are read. */
const maxFound = 1_000

/** How many orders of the list are compared with a search, for each of a page: enough for what a tenth of all orders have. */
const comparedForOne = 15

/** How many terms are read to find a page of what fewer orders have. More only if the first block has more. */
const termsToRead = [2_500, 20_000]

/** How many of their orders are read. */
const maxCompared = 1_000

/** How the orders of a store that match a query are listed and counted, with the cost of every combination limited. */
export const openOrderList = (db: Queries, store: Store, query: OrderListQuery) => {
  const filter: sql.OrderListFilter = {
    facets: listFacets(query),
    outletId: query.outlet === undefined ? null : findOutlet(store, query.outlet),
    ...readPeriod(query, store.timezone),
  }
  const { status, payment, delivery, attention, outlet, from, to } = query
  const isUnfiltered = [status, payment, delivery, attention, outlet, from, to].every((value) => value === undefined)
  const wanted = new Set(filter.facets)
  const isOldestFirst = query.sort === 'createdAt'
  const text = (query.q ?? '').trim()
  const search = text === '' ? null : readSearch(text, store)
  const readPairs = async () =>
    (await sql.listPairs(db, store.id)).filter(
      (pair) => wanted.has(pair.facet) && (filter.outletId === null || filter.outletId === pair.outletId),
    )
  const browse = async (page: sql.OrderPage) => sql.browseOrders(db, store.id, await readPairs(), filter, page)
  // A page and its count are asked for together, and share what is read.
  let few: Promise<sql.FewOrders> | undefined
  let first: Promise<FirstMatches> | undefined
  let comparedOrders = 20 * comparedForOne

  let range: Promise<sql.SearchFilter> | undefined
  const withRange = () => {
    range ??=
      filter.from === null && filter.to === null
        ? Promise.resolve({ ...filter, range: { lowest: null, highest: null } })
        : sql.findNumberRange(db, store.id, filter).then((found) => ({ ...filter, range: found }))
    return range
  }
  const readFew = (search: sql.OrderSearch, after: sql.OrderKey | null) => {
    few = withRange().then((ranged) =>
      sql.findFewOrders(db, store.id, search, ranged, { after, isOldestFirst, maxFound }),
    )
    return few
  }
  const compareFirst = (search: sql.OrderSearch, after: sql.OrderKey | null) => {
    const compared = compareChunk(search, { after, isOldestFirst, limit: comparedOrders })
    if (after === null) first = compared
    return compared
  }
  const compareChunk = async (search: sql.OrderSearch, page: sql.OrderPage): Promise<FirstMatches> => {
    const chunk = await browse(page)
    return { numbers: await matching(search, chunk), isAll: chunk.length < page.limit }
  }

  const findKeys = async (after: sql.OrderKey | null, limit: number): Promise<readonly number[]> => {
    const page = { after, isOldestFirst, limit }
    if (search === null) return numbersOf(await browse(page))
    const { found, numbers, passed } = await readFew(search, after)
    if (found <= maxFound) return numbers.slice(passed, passed + limit)
    // Many orders match: those at the beginning of the list, or the first of all that match.
    comparedOrders = limit * comparedForOne
    const near = await compareFirst(search, after)
    if (near.isAll || near.numbers.length >= limit) return near.numbers.slice(0, limit)
    const ranged = await withRange()
    for (const maxRead of termsToRead) {
      const next = await sql.searchNextBlocks(db, store.id, search, ranged, { ...page, maxRead, maxCompared })
      if (next.isAll || next.numbers.length >= limit) return next.numbers
      if (next.compared > 0) break
    }
    return numbersOf(await sql.searchAllBlocks(db, store.id, search, await readPairs(), ranged, page))
  }

  const matching = async (search: sql.OrderSearch, keys: readonly sql.OrderKey[]) => {
    const matched = await sql.matchOrders(db, store.id, search, numbersOf(keys))
    const numbers = new Set(matched.map(({ number }) => number))
    return numbersOf(keys).filter((number) => numbers.has(number))
  }

  return {
    read: async (after: sql.OrderKey | null, limit: number): Promise<sql.ListedOrder[]> => {
      const numbers = await findKeys(after, limit)
      const rows = new Map((await sql.readListedOrders(db, store.id, numbers)).map((row) => [row.number, row]))
      return numbers.flatMap((number) => rows.get(number) ?? [])
    },
    /** Counts up to `limit`. Of a search that finds many orders, only matches at the beginning of the list. */
    count: async (limit: number): Promise<CountedMatches> => {
      if (search === null)
        return countUpTo(limit, await sql.countOrdersBrowsed(db, store.id, await readPairs(), filter, limit))
      const { found, orders, numbers } = await (few ?? readFew(search, null))
      if (found <= maxFound) return { found: numbers.length, isExact: true }
      if (isUnfiltered) return { found: Math.min(orders, maxFound), isExact: false }
      const near = await (first ?? compareFirst(search, null))
      return { found: near.numbers.length, isExact: near.isAll }
    },
  }
}

/** The orders that match among the first of the list. `isAll`: the list has no others. */
type FirstMatches = { numbers: readonly number[]; isAll: boolean }

const countUpTo = (limit: number, found: number): CountedMatches => ({
  found: Math.min(found, maxCounted),
  isExact: found < limit,
})

const numbersOf = (keys: readonly { number: number }[]) => keys.map(({ number }) => number)

const findOutlet = (store: Store, publicId: string) => {
  const outlet = store.outlets.find((one) => one.publicId === publicId)
  if (outlet === undefined) throw refuse('OUTLET_NOT_FOUND', { outletId: publicId })
  return outlet.id
}

const readSearch = (text: string, store: Store): sql.OrderSearch => ({
  texts: [...new Set([text, ...phonePrefixes(text, new Intl.Locale(store.locale).region)])],
  number: readOrderNumber(text),
})

export const showListedOrder = (ctx: Pick<StoreCtx, 'store' | 'publicUrl'>, row: sql.ListedOrder): OrderEventData => ({
  ...showOrder(ctx, row),
  needsAttention: row.needsAttention,
  customer: row.customer,
})
