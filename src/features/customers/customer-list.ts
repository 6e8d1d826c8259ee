import { readPeriod } from '../../core/period.ts'
import type { Queries } from '../../db/database.ts'
import { phonePrefixes } from '../accounts/phone.ts'
import type { CountedMatches } from '../admin-list.ts'
import type { Store } from '../context.ts'
import { openSearch } from '../searched-list.ts'
import * as sql from './customer-list.sql.ts'

export type CustomerQuery = {
  q?: string
  from?: string
  to?: string
  hasOrders?: boolean
  erased?: boolean
  sort?: string
}

/** All customers who begin with a prefix that no more have are read. */
const maxFound = 2_000

/** How many customers are compared with a prefix that more have: enough for what one of 200 has. */
const maxCompared = 5_000

/** How the customers of a store that match a query are listed and counted, with the cost of every combination limited. */
export const openCustomerList = (db: Queries, store: Store, query: CustomerQuery) => {
  const filter: sql.CustomerFilter = {
    ...readPeriod(query, store.timezone),
    hasOrders: query.hasOrders ?? null,
    isErased: query.erased ?? false,
  }
  const isOldestFirst = query.sort === 'oldest'
  const text = query.q?.trim() ?? ''
  const search = text === '' ? null : openPrefix(db, store, text, { filter, isOldestFirst })
  return {
    /** `reached`: where a search has stopped before it found `limit` customers. Null: it has, or there are no others. */
    read: async (after: sql.CustomerKey | null, limit: number) => {
      if (search === null) {
        return { rows: await sql.listCustomers(db, store.id, filter, { after, isOldestFirst, limit }), reached: null }
      }
      const { ids, reached } = await search.find(after, limit)
      return { rows: await sql.readListedCustomers(db, store.id, ids), reached }
    },
    count: (limit: number): Promise<number | CountedMatches> =>
      search === null ? sql.countCustomers(db, store.id, filter, limit) : search.count(),
  }
}

type Listing = { filter: sql.CustomerFilter; isOldestFirst: boolean }

const openPrefix = (db: Queries, store: Store, text: string, { filter, isOldestFirst }: Listing) => {
  const prefix: sql.Prefix = { text: text.toLowerCase(), digits: phonePrefixes(text, countryOf(store)) }
  const compare = (after: sql.CustomerKey | null, limit: number) =>
    sql.compareCustomers(db, store.id, prefix, filter, { after, isOldestFirst, limit })
  return openSearch<string, sql.CustomerKey>({
    maxFound,
    readFew: (after) => sql.findFewCustomers(db, store.id, prefix, filter, { after, isOldestFirst, maxFound }),
    compareFirst: compare,
    compareNext: (after) => compare(after, maxCompared),
  })
}

/** Numbers without a country are those of the store's own. */
const countryOf = ({ address, locale }: Store) => address?.country ?? new Intl.Locale(locale).region
