import type pg from 'pg'
import type { OnDisconnect } from '../core/on-disconnect.ts'
import { type SentStatement, transactionIsAborted } from './batch.ts'
import { createConnections } from './connections.ts'
import { askOnce, isDistributed, storesAreSpread } from './distributed.ts'
import { isForeignKeyViolation, isUniqueViolation, RunAgain, sqlState } from './errors.ts'
import type { DbOptions } from './options.ts'
import {
  type Caller,
  type ConnectionShare,
  createPatience,
  createQueues,
  noCaller,
  shareConnections,
  sharesOfWork,
  splitPool,
  unavailable,
  type Work,
} from './queueing.ts'
import { always, type Fragment, nameText, toStatement } from './sql.ts'
import { inStatementSpan } from './statement-spans.ts'
import { clockSetting } from './wire.ts'

export { isForeignKeyViolation, isUniqueViolation, RunAgain, sqlState }

type Run<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Promise<Result>

/** `many`: all rows. `one`: exactly one row, or an error. `maybeOne`: one row or none. `run`: the number of rows. */
export type Queries = {
  many<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
  one<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row>
  maybeOne<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row | undefined>
  run: Run<number>
  /** Whether the rows of stores are on several servers (decision 0053). Asked once. */
  isDistributed(): Promise<boolean>
}

declare const open: unique symbol
/**
 * A running transaction. Only `db.tx` makes one, so a function that takes it cannot be called outside of a transaction.
 * Await each statement, or send several at once with `pipeline`.
 */
export type Tx = Queries & {
  readonly [open]: true
  /** Sends a statement in one packet with the commit, if the work succeeds. A failure undoes the transaction as usual. */
  withCommit(statement: () => Promise<number>): void
  /** Reports to `onSignal` after the commit that this transaction has left work for a job, such as `mail`. */
  signal(job: string, storeId: number): void
}

export type Db = Queries & {
  /** Planned on each call, for statements whose best plan depends on their values (see `plansOnce`). */
  fresh: Queries
  tx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /**
   * The same, after a statement that is a transaction of its own and is sent in one packet with the beginning of this one.
   * Both are repeated when the transaction must be run again.
   */
  txAfter<First, Result>(
    first: (db: Queries) => Promise<First>,
    work: (tx: Tx, first: Promise<First>) => Promise<Result>,
  ): Promise<Result>
  /**
   * A transaction whose work can usually be done by one statement, which is a transaction of its own and does all of it or
   * nothing. If it returns undefined, `work` runs. The statement does nothing unless `condition` is true (see `checkFirst`).
   */
  quickTx<Result>(
    statement: (db: Queries, condition: Fragment) => Promise<Result | undefined>,
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Result>
  /** Statements on one connection, each a transaction of its own. Those that are sent at once leave in one packet. */
  onOneConnection<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>
  /**
   * The same database for the work of one store, limited to the store's share of the connections. `onDisconnect` is that of
   * a request, which waits no longer than `maxWaitMs` in all.
   */
  forStore(storeId: number, onDisconnect?: OnDisconnect): Db
  /** Counts the waits of the request from here on, after a part of its answer was sent. */
  waitAnew(): void
  /** The same for work that belongs to no store. `health` and `keys` may use the reserved connections. */
  forWork(kind: Work): Db
  /** The same, but transactions with this name run one at a time, and wait without holding a connection. */
  inQueue(name: string): Db
  /** For /metrics. `waiting`: requests that wait for a connection. `queued`: transactions that wait in `inQueue`. */
  poolState(): { total: number; idle: number; waiting: number; queued: number }
  /** Reports each statement as it is sent, for tests that count statements. */
  onStatement(listener: (text: string) => void): () => void
  close(): Promise<void>
}

export const connectDb = (options: DbOptions): Db => {
  const { clock, poolSize, maxWaiting = 500, maxWaitMs = 10_000 } = options
  const { statementTimeoutMs = 10_000, lockTimeoutMs = 3_000, plansOnce = false } = options
  const { prepare = true, isPooler = false, ...connection } = options.connection
  const connections = createConnections({
    connection,
    size: poolSize,
    maxSilenceMs: connection.query_timeout ?? statementTimeoutMs + 5_000,
    onConnect: (client) => {
      // Without its limits it is not used again.
      if (prepare) client.query(ofSession).catch(() => connections.lose(client))
      if (plansOnce) spread.ask(() => askSpread({ client, end: true })).catch(() => {})
    },
    onIdleError: options.onIdleError,
  })
  const spread = askOnce()
  const listeners = new Set<(text: string) => void>()
  const shares = shareConnections({ size: poolSize, maxWaiting, maxWaitMs })
  const queues = createQueues({ maxWaitMs })
  // Not startup parameters, which PgBouncer refuses. Sent with the first statement, so they take no time of their own.
  // Behind a pooler that supports named statements they may reach sessions of other instances, which have the same.
  // Only the service keeps its limit of locks there, and only without a pooler: commands have others, and other servers of a
  // cluster get it by `set local`.
  const isService = plansOnce && prepare && !isPooler
  const ofSession = [
    `set statement_timeout = ${statementTimeoutMs}`,
    ...(isService ? [`set lock_timeout = ${lockTimeoutMs}`] : []),
    ...(plansOnce ? [planSettings] : []),
  ].join('; ')
  // Statements without a name are planned for their values each time, so only `jit` concerns them.
  const settingsOfTransaction = [
    `set local lock_timeout = ${lockTimeoutMs}`,
    // A pooler may run it in a session in which this was not set.
    ...(prepare && !isPooler ? [] : [`set local statement_timeout = ${statementTimeoutMs}`]),
    ...(plansOnce && !prepare ? ['set local jit = off'] : []),
  ]
  const begin = () => beginWith(isService && !spread.isKnown ? [] : settingsOfTransaction)
  const beginWith = (settings: readonly string[]): SentStatement[] => [
    ...['begin', ...settings].map(nameText),
    // Without a name, because it has a value.
    ...clockSetting(clock).map((text) => ({ text })),
  ]

  const notifyListeners = (text: string) => {
    for (const listener of listeners) listener(text)
  }
  const { ask } = connections
  const nameIt = (statement: SentStatement): SentStatement => (prepare ? statement : { ...statement, name: undefined })
  const sendPlain = ({ client, end }: Session, statement: SentStatement) => {
    notifyListeners(statement.text)
    return ask(client, nameIt(statement), end)
  }
  const send: typeof sendPlain = options.traced
    ? (session, statement) => inStatementSpan(statement.text, () => sendPlain(session, statement))
    : sendPlain

  const askSpread = ({ client, end }: Session) => isDistributed((text) => ask(client, { text }, end))

  const withClientIn =
    ({ share, caller }: DbScope): WithClient =>
    async (work) => {
      const entered = await shares.enter(share, caller)
      let client: pg.PoolClient | undefined
      try {
        client = await connections.take()
        return await work({ client, end: true })
      } finally {
        if (client !== undefined) connections.giveBack(client)
        shares.leave(entered)
      }
    }

  const queriesOn = (use: WithClient, prepared = true): Queries => {
    // The only place where rows get their type. test/statements compares it with the columns of each statement.
    const askFor = <Row>(strings: TemplateStringsArray, values: unknown[]): Promise<Result<Row>> => {
      const statement = toStatement(strings, values)
      return use((session) => send(session, prepared ? statement : { ...statement, name: undefined }))
    }
    return {
      many: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
        (await askFor<Row>(strings, values)).rows,
      one: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
        const { rows } = await askFor<Row>(strings, values)
        const [row] = rows
        if (row === undefined || rows.length > 1) throw new Error(`expected one row, got ${rows.length}`)
        return row
      },
      maybeOne: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
        (await askFor<Row>(strings, values)).rows[0],
      run: async (strings, ...values) => (await askFor(strings, values)).rowCount ?? 0,
      isDistributed: () => spread.ask(() => use(askSpread)),
    }
  }

  const askAll = (client: pg.PoolClient, statements: readonly SentStatement[]) =>
    Promise.all(statements.map((statement) => ask(client, nameIt(statement), false)))

  /** In a transaction, because its settings must end with the statement. All are sent at once. */
  const inTransaction =
    (withClient: WithClient, first: () => readonly SentStatement[]): WithClient =>
    (use) =>
      withClient(async ({ client }) => {
        const begun = askAll(client, first())
        // The commit is not skipped when the statement fails, and then undoes it.
        const answer = use({ client, end: true })
        const committed = ask(client, nameIt(nameText('commit')), true)
        await Promise.allSettled([begun, answer, committed])
        // If the beginning failed, such as on a server that shuts down, the statement was only skipped.
        await begun
        const result = await answer
        await committed
        return result
      })
  const single = (withClient: WithClient): WithClient => {
    const own = inTransaction(withClient, begin)
    return (use) => (prepare && clockSetting(clock).length === 0 ? withClient(use) : own(use))
  }
  /** A write of its own, with the limit of locks of a transaction. */
  const limited = (withClient: WithClient): WithClient => {
    const [alone, own] = [single(withClient), inTransaction(withClient, begin)]
    return (use) => (isService && !spread.isKnown ? alone(use) : own(use))
  }
  const plannedForValues = (withClient: WithClient): WithClient =>
    plansOnce && prepare
      ? inTransaction(withClient, () => beginWith(['set local plan_cache_mode = force_custom_plan']))
      : single(withClient)

  const runTransaction = <Result>(withClient: WithClient, work: (tx: Tx) => Promise<Result>, ahead?: Ahead) =>
    withClient(async ({ client }) => {
      let hasEnded = false
      /** The first failure: statements that were sent with it fail because of it. */
      let cause: unknown
      const last: (() => Promise<number>)[] = []
      const signals: [job: string, storeId: number][] = []
      const inOrder =
        (end: boolean): WithClient =>
        async (use) => {
          // Another transaction may be using this connection by now.
          if (hasEnded) throw new Error('a statement was sent after its transaction had ended')
          try {
            return await use({ client, end })
          } catch (error) {
            cause ??= error
            throw error
          }
        }
      const together = inOrder(false)
      ahead?.(queriesOn(single(inOrder(true))))
      notifyListeners('begin')
      // Not awaited here, so that it takes no round trip of its own: it leaves with the first statement.
      const begun = together(() => askAll(client, begin()))
      // Work that throws before it returns a promise leaves this unawaited, and an unhandled failure ends the process.
      begun.catch(() => {})
      const tx = {
        ...queriesOn(together),
        withCommit: (statement) => void last.push(statement),
        signal: (...named) => void signals.push(named),
      } as Tx
      try {
        const [result] = await Promise.all([work(tx), begun])
        // PostgreSQL would answer the commit with a rollback, and no error, if the work has caught the failure of a statement.
        if (cause !== undefined) throw cause
        const answers = last.map((statement) => statement())
        const committed = inOrder(true)((session) => send(session, nameText('commit')))
        hasEnded = true
        await Promise.all([...answers, committed])
        return { result, signals }
      } catch (error) {
        hasEnded = true
        if (!connections.isLost(client)) {
          // Work that has not heard of the failure may have sent a statement in this tick, which fails.
          connections.split(client)
          await send({ client, end: true }, nameText('rollback')).catch(() => connections.lose(client))
        }
        throw sqlState(error) === transactionIsAborted ? (cause ?? error) : error
      }
    })

  const runWithRetries = async <Result>(withClient: WithClient, work: (tx: Tx) => Promise<Result>, ahead?: Ahead) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { result, signals } = await runTransaction(withClient, work, ahead)
        for (const signal of signals) options.onSignal?.(...signal)
        return result
      } catch (error) {
        // Each rolls back the whole transaction, so it is safe to run again.
        if (!retryable.has(sqlState(error))) throw error
        if (attempt >= 3) throw unavailable(error)
      }
    }
  }

  const { maxPerStore } = splitPool(poolSize)
  const shareOf = sharesOfWork(maxPerStore)
  const open = (scope: DbScope): Db => {
    const withClient = withClientIn(scope)
    return {
      ...queriesOn(single(withClient)),
      get fresh() {
        return queriesOn(plannedForValues(withClient), false)
      },
      tx: (work) => queues.runInQueues(scope.queues, scope.caller, () => runWithRetries(withClient, work)),
      txAfter: <First, Result>(
        first: (db: Queries) => Promise<First>,
        work: (tx: Tx, first: Promise<First>) => Promise<Result>,
      ) => {
        let sent: Promise<First>
        const ahead = (db: Queries) => {
          sent = first(db)
          // The work may fail without having awaited it.
          sent.catch(() => {})
        }
        return queues.runInQueues(scope.queues, scope.caller, () =>
          runWithRetries(withClient, (tx) => work(tx, sent), ahead),
        )
      },
      quickTx: (statement, work) =>
        queues.runInQueues(scope.queues, scope.caller, async () => {
          const done = await statement(queriesOn(limited(withClient)), always).catch((error) => {
            if (retryable.has(sqlState(error))) return undefined
            throw error
          })
          return done ?? runWithRetries(withClient, work)
        }),
      onOneConnection: (work) => withClient((session) => work(queriesOn(single((use) => use(session))))),
      forStore: (storeId, onDisconnect) =>
        open({
          share: { name: `store ${storeId}`, max: maxPerStore, mayUseReserve: false },
          queues: [],
          caller: onDisconnect === undefined ? noCaller : { onDisconnect, patience: createPatience(maxWaitMs) },
        }),
      waitAnew: scope.caller.patience.renew,
      forWork: (kind) => open({ share: shareOf[kind], queues: [], caller: noCaller }),
      inQueue: (name) => open({ ...scope, queues: [...scope.queues, `${scope.share.name} ${name}`] }),
      poolState: () => ({
        ...connections.state(),
        waiting: shares.waiting(),
        queued: queues.waiting(),
      }),
      onStatement: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      close: connections.close,
    }
  }
  // Commands and tests use the whole pool.
  return open({
    share: { name: 'all', max: poolSize, mayUseReserve: true },
    queues: [],
    caller: noCaller,
  })
}

/** A distributed database has to know the store before it can plan a statement, so it plans each for its values. */
const planSettings = `
  select set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false),
    case when ${storesAreSpread} then null else set_config('plan_cache_mode', 'force_generic_plan', false) end`

/** The limits that apply to a `Db`. */
type DbScope = { share: ConnectionShare; queues: readonly string[]; caller: Caller }

type Result<Row> = { rows: Row[]; rowCount: number | null }

/** Sends statements before the transaction begins, in one packet with the beginning. */
type Ahead = (db: Queries) => void

/** `end`: what is sent next does not depend on this statement, or this is the end of the transaction. */
type Session = { client: pg.PoolClient; end: boolean }

type WithClient = <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>

/**
 * Serialization failures, deadlocks, and references to a row that was deleted in the meantime, such as an outlet. When the
 * caller tries again in a second, no cache has that row any more, and the answer says what is missing.
 */
const retryable = new Set(['40001', '40P01', '23503'])
