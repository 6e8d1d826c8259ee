import type { Queries } from '../../db/database.ts'
import { countStaleListings, readServerFacts } from './doctor.sql.ts'
import { checkInvariants, countOrders } from './invariants.ts'

/** What `doctor` looks at once the schema is up to date. */
export const examineData = async (db: Queries) => ({
  facts: await readServerFacts(db),
  staleListings: await countStaleListings(db),
})

/** Whether what was sold, reserved, paid and sent fits together, in all stores. */
export const examineBooks = async (db: Queries) => ({
  orders: await countOrders(db),
  findings: await checkInvariants(db),
})
