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

/** A search that finds more in one index is answered by reading orders in the sequence of the list. */
const maxFound = 10_000

/** How many orders are compared with a search at once: the first few are enough for what a tenth of all orders have. */
const chunkSizes = [300, 2_000]

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
  // Read once for the page and its count.
  let common: Promise<boolean> | undefined
  const isCommon = (search: sql.OrderSearch) => {
    common ??= sql.countFound(db, store.id, search, maxFound + 1).then((found) => found > maxFound)
    return common
  }

  const findKeys = async (after: sql.OrderKey | null, limit: number): Promise<readonly number[]> => {
    const page = { after, isOldestFirst, limit }
    if (search === null) return numbersOf(await browse(page))
    if (!(await isCommon(search))) {
      return numbersOf(await sql.searchOrders(db, store.id, search, filter, { ...page, maxFound: maxFound + 1 }))
    }
    for (const size of chunkSizes) {
      const { found, isExact } = await searchFirst(search, page, size)
      if (isExact || found.length >= limit) return found.slice(0, limit)
    }
    // Many orders match, and few of them are near.
    return numbersOf(await sql.searchByNumber(db, store.id, search, filter, page))
  }

  /** The matches among the first orders of the list. `isExact`: there are no further orders. */
  const searchFirst = async (search: sql.OrderSearch, page: sql.OrderPage, size: number) => {
    const chunk = await browse({ ...page, limit: size })
    return { found: await matching(search, chunk), isExact: chunk.length < size }
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
    /** Counts up to `limit`. Of a common search with filters, only matches among the newest orders. */
    count: async (limit: number): Promise<CountedMatches> => {
      if (search === null)
        return countUpTo(limit, await sql.countOrdersBrowsed(db, store.id, await readPairs(), filter, limit))
      if (!(await isCommon(search))) {
        return countUpTo(limit, await sql.countOrdersFound(db, store.id, search, filter, maxFound + 1))
      }
      if (isUnfiltered) return { found: maxCounted, isExact: false }
      const [size = 0] = chunkSizes
      const { found, isExact } = await searchFirst(search, { after: null, isOldestFirst: false, limit: size }, size)
      return { found: found.length, isExact }
    },
  }
}

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
