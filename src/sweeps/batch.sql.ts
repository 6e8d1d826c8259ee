import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/**
 * Deletes what is due, one batch at most, and tells how many rows that were; fewer than a batch means that nothing more
 * is due. Rows that somebody uses at this moment are passed over, so sweeps wait for nobody and nobody waits long for
 * them, and instances that sweep at the same time share the work.
 */
export type Sweep = (db: Queries) => Promise<number>

export const batchSize = 500

/** The same, where the planner can see it. */
export const batch = sql`500`
