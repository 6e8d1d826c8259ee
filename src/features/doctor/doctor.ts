import type { Db, Queries } from '../../db/database.ts'
import { explainUnpayable } from '../catalog/payment-methods.ts'
import type { Payments } from '../context.ts'
import {
  countStaleListings,
  listDuplicateDomains,
  listSlowBrowserKeys,
  listStoresWithOpenCodes,
  listStoresWithoutPayment,
  readServerFacts,
  takeMemory,
} from './doctor.sql.ts'
import { checkInvariants, countOrders } from './invariants.ts'

/** What `doctor` looks at once the schema is up to date. */
export const examineData = async (db: Queries) => ({
  duplicateDomains: await listDuplicateDomains(db),
  facts: await readServerFacts(db),
  staleListings: await countStaleListings(db),
  // Anybody can make such a store send messages to costly countries, as many as they like.
  openForCodes: (await listStoresWithOpenCodes(db)).map(({ publicId, count }) => ({ id: publicId, count })),
  slowKeys: await listSlowBrowserKeys(db),
})

/** Whether what was sold, reserved, paid and sent fits together, in all stores. */
export const examineBooks = (db: Db) =>
  db.tx(async (tx) => {
    await takeMemory(tx)
    return { orders: await countOrders(tx), findings: await checkInvariants(tx) }
  })

/** Stores that no order can be placed in, because none of their payment methods works in this service. */
export const findUnpayableStores = (db: Queries, payments: Pick<Payments, 'providers' | 'production'>) => {
  const working = [...payments.providers.keys()].filter((name) => explainUnpayable(payments, name) === null)
  return listStoresWithoutPayment(db, working)
}
