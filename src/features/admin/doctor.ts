import type { Db, Queries } from '../../db/database.ts'
import { countStaleListings, readServerFacts, takeMemory } from './doctor.sql.ts'
import { checkInvariants, countOrders } from './invariants.ts'

/** What `doctor` looks at once the schema is up to date. */
export const examineData = async (db: Queries) => ({
  facts: await readServerFacts(db),
  staleListings: await countStaleListings(db),
})

/** Whether what was sold, reserved, paid and sent fits together, in all stores. */
export const examineBooks = (db: Db) =>
  db.tx(async (tx) => {
    await takeMemory(tx)
    return { orders: await countOrders(tx), findings: await checkInvariants(tx) }
  })
