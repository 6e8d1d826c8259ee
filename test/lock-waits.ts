import type { Queries } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { onCluster } from './cluster.ts'

// On a cluster the lock is on the server of the store, so a session has a number that all servers know.
const session = onCluster ? sql`citus_backend_gpid()` : sql`pg_backend_pid()`
const waits = onCluster
  ? sql`select waiting_gpid as waiting, blocking_gpid as blocking from citus_lock_waits`
  : sql`select a.pid as waiting, b.pid as blocking
      from pg_stat_activity a cross join unnest(pg_blocking_pids(a.pid)) as b (pid)`

/** For `countWaiting`. */
export const sessionOf = async (tx: Queries) =>
  (await tx.one<{ session: string }>`select ${session}::text as session`).session

/** Sessions that wait for a lock of this one, directly or behind another waiter. */
export const countWaiting = async (db: Queries, blocking: string) => {
  const { waiting } = await db.one<{ waiting: number }>`
    with recursive w as materialized (${waits}), blocked (session) as (
      select ${blocking}::bigint
      union select w.waiting from blocked b join w on w.blocking = b.session)
    select count(*) - 1 as waiting from blocked`
  return waiting
}

/** Waits until a session waits for a lock of this one, or until the work that may do so has ended. */
export const waitsOrEnds = async (db: Queries, blocking: string, work: Promise<unknown>) => {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  work.then(end, end)
  while (!hasEnded && (await countWaiting(db, blocking)) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
