import type { Db, Queries } from '../../db/database.ts'
import { defaultLimit } from '../access/rate-limit.ts'
import { explainUnpayable } from '../catalog/payment-methods.ts'
import type { Payments } from '../context.ts'
import { listDuplicateDomains, listStoresWithoutPayment } from './admin.sql.ts'
import {
  countStaleListings,
  listSlowBrowserKeys,
  listStoresWithOpenCodes,
  readServerFacts,
  takeMemory,
} from './doctor.sql.ts'
import { checkInvariants, countOrders } from './invariants.ts'
import { browserKeyLimit } from './stores.ts'

/** What `doctor` looks at once the schema is up to date. */
export const examineData = async (db: Queries) => ({
  duplicateDomains: await listDuplicateDomains(db),
  facts: await readServerFacts(db),
  staleListings: await countStaleListings(db),
  openForCodes: tellOpenForCodes(await listStoresWithOpenCodes(db)),
  slowKeys: tellSlowKeys(await listSlowBrowserKeys(db)),
})

/** Anybody can make such a store send messages to costly countries, as many as they like. */
const tellOpenForCodes = (stores: readonly { publicId: string; count: number }[]): string | null => {
  const names = nameSome(
    stores.map(({ publicId }) => publicId),
    stores[0]?.count,
  )
  return names === null
    ? null
    : `${names}: one-time passwords go to all countries, in any number; set --otp-countries or --otp-hourly-cap with "vitrine store set"`
}

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

const tellSlowKeys = (keys: readonly { id: string; count: number }[]): string | null => {
  const names = nameSome(
    keys.map(({ id }) => id),
    keys[0]?.count,
  )
  return names === null
    ? null
    : `${names}: ${defaultLimit} requests a minute for all shoppers together; raise it with "vitrine key set ID --rate-limit ${browserKeyLimit}"`
}

/** The first few by name, and how many more there are. */
const nameSome = (names: readonly string[], count = 0): string | null => {
  if (names.length === 0) return null
  const more = count - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
