import type { Queries } from '../../db/database.ts'
import { countStaleListings, readServerFacts } from './doctor.sql.ts'

/** What `doctor` looks at once the schema is up to date. */
export const examineData = async (db: Queries) => ({
  facts: await readServerFacts(db),
  staleListings: await countStaleListings(db),
})
