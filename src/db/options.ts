import type pg from 'pg'
import type { Clock } from '../core/clock.ts'

export type DbConnection = pg.PoolConfig & {
  /**
   * False for a pooler that does not support named statements (DATABASE_PREPARE=off). The pooler may then run each
   * transaction in another session, so nothing is kept in a session: settings are sent with each transaction, and a
   * single statement becomes one.
   */
  prepare?: boolean
  /** A transaction pooler: each transaction may run in another session, in which another client has set nothing. */
  isPooler?: boolean
}

export type DbOptions = {
  connection: DbConnection
  poolSize: number
  clock: Clock
  /** Requests that may wait for a connection. Beyond that, they are refused with 503. */
  maxWaiting?: number
  /** How long a request waits for its turn in queues and for connections, in all; a job, each time. */
  maxWaitMs?: number
  statementTimeoutMs?: number
  lockTimeoutMs?: number
  /**
   * Plans each prepared statement once per connection, for any values. By default PostgreSQL plans a statement again and
   * again when it expects less work from knowing the values, and planning was more than half of its work in a search of
   * two words (decision 0035). A plan that was made while a table was small must also do when it is large, so reading a
   * whole table is the last resort, and compiling it (`jit`) would cost more than it saves. For the service; a command does
   * not run a statement often.
   */
  plansOnce?: boolean
  /** Statements of requests and jobs get a span (decision 0050). */
  traced?: boolean
  onIdleError?: (error: Error) => void
  /** Called after the commit for each job and store that a transaction has named with `signal`. */
  onSignal?: (job: string, storeId: number) => void
}
