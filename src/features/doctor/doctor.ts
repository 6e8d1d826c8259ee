import type { Db, Queries } from '../../db/database.ts'
import { explainUnpayable } from '../catalog/payment-methods.ts'
import type { Payments } from '../context.ts'
import {
  countStaleListings,
  listDuplicateDomains,
  listSlowBrowserKeys,
  listStoresWithOpenCodes,
  listStoresWithoutPayment,
  raiseWorkMem,
  readServerFacts,
} from './doctor.sql.ts'
import { checkInvariants, countOrders } from './invariants.ts'

/** The checks of `doctor` that need an up-to-date schema. */
export const examineData = async (db: Queries) => ({
  duplicateDomains: await listDuplicateDomains(db),
  facts: await readServerFacts(db),
  staleListings: await countStaleListings(db),
  // Anyone can make such a store send any number of messages to expensive countries.
  openForCodes: (await listStoresWithOpenCodes(db)).map(({ publicId, count }) => ({ id: publicId, count })),
  slowKeys: await listSlowBrowserKeys(db),
})

/** Checks the invariants of stock, orders, payments and deliveries in all stores. */
export const examineInvariants = (db: Db) =>
  db.tx(async (tx) => {
    await raiseWorkMem(tx)
    return { orders: await countOrders(tx), findings: await checkInvariants(tx) }
  })

/** Stores that cannot take orders, because none of their payment methods works in this service. */
export const findUnpayableStores = (db: Queries, payments: Pick<Payments, 'providers' | 'production'>) => {
  const working = [...payments.providers.keys()].filter((name) => explainUnpayable(payments, name) === null)
  return listStoresWithoutPayment(db, working)
}
