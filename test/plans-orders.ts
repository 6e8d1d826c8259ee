import type { Db } from '../src/db/database.ts'
import type { Store } from '../src/features/context.ts'
import { listFacets } from '../src/features/orders/order-facets.ts'
import { findNextMatch, findNumberRange, intersectNext } from '../src/features/orders/order-list.sql.ts'
import type { OrderListQuery } from '../src/features/orders/order-list.ts'

/** What is read if many orders match a search, and few of them are at the beginning of the list. */
export const searchDeeper = async (db: Db, store: Store, query: OrderListQuery) => {
  const outletId = store.defaultOutlet.id
  const period = { from: query.from === undefined ? null : new Date(query.from), to: null }
  const toShip = query.toShip === true
  const filter = {
    facets: listFacets(query),
    toShip,
    outletId: query.outlet === undefined ? null : outletId,
    ...period,
  }
  const ranged = { ...filter, range: await findNumberRange(db, store.id, filter) }
  const search = { texts: ['customer'], number: null }
  const page = { after: { createdAt: '2999-01-01', number: 1 }, isOldestFirst: query.sort === 'createdAt', limit: 21 }
  await findNextMatch(db, store.id, search, ranged, page)
  const pairs = filter.facets.map((facet) => ({ facet, outletId }))
  await intersectNext(db, store.id, search, pairs, ranged, { ...page, maxTerms: 2_000 })
}
