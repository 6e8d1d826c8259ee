import type { Tx } from '../../db/database.ts'

/** Concurrent first starts create only one demo store. */
export const lockDemo = (tx: Tx) => tx.run`select pg_advisory_xact_lock(7150422)`
