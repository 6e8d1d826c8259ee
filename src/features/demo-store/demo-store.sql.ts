import type { Tx } from '../../db/database.ts'

/** Two first starts at once make one demo store. */
export const lockDemo = (tx: Tx) => tx.run`select pg_advisory_xact_lock(7150422)`
