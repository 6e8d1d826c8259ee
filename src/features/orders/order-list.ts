import { refuse } from '../../core/domain-errors.ts'
import { toWire } from '../../core/money.ts'
import { readPeriod } from '../../core/period.ts'
import type { Queries } from '../../db/database.ts'
import { phonePrefixes } from '../accounts/phone.ts'
import { type CountedMatches, readAtOnce } from '../admin-list.ts'
import type { Store, StoreCtx } from '../context.ts'
import { openSearch } from '../searched-list.ts'
import { deliveryFilters, orderStatuses, paymentStatuses } from './order.contract.ts'
import type { OrderEventData } from './order-events.contract.ts'
import { listFacets, type OrderFacetFilter } from './order-facets.ts'
import * as sql from './order-list.sql.ts'
import { showOrder } from './show-order.ts'
import { readOrderNumber } from './store-orders.ts'

export type OrderListQuery = OrderFacetFilter & {
  toShip?: true
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
  const orders = await readAtOnce(openOrderList(db, store, query), limit)
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
const maxFound = 2_000

/** How many orders are compared with how many terms of a search that finds more: enough for one of 200 of either. */
const maxCompared = 5_000
const maxTerms = 5_000

/** How the orders of a store that match a query are listed and counted, with the cost of every combination limited. */
export const openOrderList = (db: Queries, store: Store, query: OrderListQuery) => {
  const filter: sql.OrderListFilter = {
    facets: listFacets(query),
    toShip: query.toShip === true,
    outletId: query.outlet === undefined ? null : findOutlet(store, query.outlet),
    ...readPeriod(query, store.timezone),
  }
  const wanted = new Set(filter.facets)
  const isOldestFirst = query.sort === 'createdAt'
  const text = (query.q ?? '').trim()
  const readPairs = async () =>
    (await sql.listPairs(db, store.id, filter)).filter(
      (pair) => wanted.has(pair.facet) && (filter.outletId === null || filter.outletId === pair.outletId),
    )
  const browse = async (after: sql.OrderKey | null, limit: number) =>
    sql.browseOrders(db, store.id, await readPairs(), filter, { after, isOldestFirst, limit })
  const search =
    text === ''
      ? null
      : openTerms(db, store, text, { filter, isOldestFirst, readPairs, browse, isUnfiltered: isWithoutFilter(query) })

  return {
    /** `reached`: where a search has stopped before it found `limit` orders. Null: it has, or there are no others. */
    read: async (after: sql.OrderKey | null, limit: number) => {
      const { ids: numbers, reached } =
        search === null
          ? { ids: numbersOf(await browse(after, limit)), reached: null }
          : await search.find(after, limit)
      const rows = new Map((await sql.readListedOrders(db, store.id, numbers)).map((row) => [row.number, row]))
      return { rows: numbers.flatMap((number) => rows.get(number) ?? []), reached }
    },
    count: async (limit: number): Promise<number | CountedMatches> =>
      search === null ? sql.countOrdersBrowsed(db, store.id, await readPairs(), filter, limit) : search.count(),
  }
}

/** What there is to do with the orders of a store. Each is counted up to `limit`. */
export const countOrdersToDo = (db: Queries, store: Pick<Store, 'id'>, limit: number): Promise<sql.OrdersToDo> =>
  sql.countOrdersToDo(
    db,
    store.id,
    { unpaid: listFacets({ status: 'pending' }), attention: listFacets({ attention: true }) },
    limit,
  )

const isWithoutFilter = ({ status, payment, delivery, attention, toShip, outlet, from, to }: OrderListQuery) =>
  [status, payment, delivery, attention, toShip, outlet, from, to].every((value) => value === undefined)

type Listing = {
  filter: sql.OrderListFilter
  isOldestFirst: boolean
  isUnfiltered: boolean
  readPairs: () => Promise<sql.OrderPair[]>
  browse: (after: sql.OrderKey | null, limit: number) => Promise<sql.OrderKey[]>
}

const openTerms = (db: Queries, store: Store, text: string, listing: Listing) => {
  const { filter, isOldestFirst, isUnfiltered, readPairs, browse } = listing
  const search = readSearch(text, store)
  let range: Promise<sql.NumberRange> | undefined
  const inRange = async (): Promise<sql.SearchFilter> => {
    range ??= sql.findNumberRange(db, store.id, filter)
    return { ...filter, range: await range }
  }
  /** From where on orders can match; undefined if no others do. */
  const skip = async <After extends sql.OrderKey | null>(after: After) => {
    const next = await sql.findNextMatch(db, store.id, search, await inRange(), { after, isOldestFirst })
    return next && (next.start ?? after)
  }
  const matching = async (keys: readonly sql.OrderKey[]) => {
    const matched = await sql.matchOrders(db, store.id, search, numbersOf(keys))
    const numbers = new Set(matched.map(({ number }) => number))
    return numbersOf(keys).filter((number) => numbers.has(number))
  }
  return openSearch<number, sql.OrderKey>({
    maxFound,
    readFew: async (after) => {
      const page = { after, isOldestFirst, maxFound }
      const { orders, ...few } = await sql.findFewOrders(db, store.id, search, await inRange(), page)
      return { ...few, atLeast: isUnfiltered ? orders : 0 }
    },
    compareFirst: async (after, limit) => {
      const start = await skip(after)
      if (start === undefined) return noMore
      const chunk = await browse(start, limit)
      return { ids: await matching(chunk), reached: chunk.length < limit ? null : (chunk.at(-1) ?? null) }
    },
    compareNext: async (after) => {
      const start = await skip(after)
      if (start === undefined) return noMore
      const page = { after: start, isOldestFirst, limit: maxCompared, maxTerms }
      const next = await sql.intersectNext(db, store.id, search, await readPairs(), filter, page)
      return { ids: next.ids, reached: next.isEnd ? null : (next.reached ?? start) }
    },
  })
}

const noMore = { ids: [], reached: null }

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
