import type { Db, Queries } from '../../db/database.ts'
import { listPaymentMethods } from '../catalog/payment-methods.ts'
import type { Payments } from '../context.ts'
import { listDuplicateDomains, listPayments } from './admin.sql.ts'
import { countStaleListings, listStoresWithOpenCodes, readServerFacts, takeMemory } from './doctor.sql.ts'
import { checkInvariants, countOrders } from './invariants.ts'

/** What `doctor` looks at once the schema is up to date. */
export const examineData = async (db: Queries) => ({
  duplicateDomains: await listDuplicateDomains(db),
  facts: await readServerFacts(db),
  staleListings: await countStaleListings(db),
  openForCodes: tellOpenForCodes(await listStoresWithOpenCodes(db)),
})

/** Anybody can make such a store send messages to costly countries, as many as they like. */
const tellOpenForCodes = (stores: readonly { publicId: string; count: number }[]): string | null => {
  const [first] = stores
  if (first === undefined) return null
  const more = first.count - stores.length
  const names = stores.map(({ publicId }) => publicId).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return `${names}: one-time passwords go to all countries, in any number; set --otp-countries or --otp-hourly-cap with "vitrine store set"`
}

/** Whether what was sold, reserved, paid and sent fits together, in all stores. */
export const examineBooks = (db: Db) =>
  db.tx(async (tx) => {
    await takeMemory(tx)
    return { orders: await countOrders(tx), findings: await checkInvariants(tx) }
  })

/** Stores that no order can be placed in, because none of their payment methods works in this service. */
export const findUnpayableStores = async (db: Queries, payments: Pick<Payments, 'providers' | 'production'>) =>
  (await listPayments(db)).filter((store) => listPaymentMethods(payments, store).length === 0)
