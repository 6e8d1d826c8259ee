import pg from 'pg'
import type { Clock } from '../core/clock.ts'
import type { OnGone } from '../core/on-gone.ts'
import { isUniqueViolation, judgeFault, sqlState } from './faults.ts'
import { toStatement } from './sql.ts'
import { createLanes, createLines, type Lane, neverGone, shareOut, unavailable } from './turns.ts'

export { isUniqueViolation, sqlState }

type Run<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Promise<Result>

/** What a statement can be asked for: all rows, exactly one, one or none, or how many rows it touched. */
export type Queries = {
  many<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
  one<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row>
  maybeOne<Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row | undefined>
  run: Run<number>
}

declare const open: unique symbol
/**
 * A running transaction. Only `db.tx` makes one, so a function that asks for it cannot be called outside of one. Its
 * statements are done in the order in which they are sent, and may be sent before the ones ahead are answered: what is
 * sent in one go costs one trip to the database.
 */
export type Tx = Queries & {
  /** A statement whose answer nobody needs. The transaction waits for it before it ends, and fails when it fails. */
  later(answer: Promise<unknown>): void
  readonly [open]: true
}

export type Db = Queries & {
  /** Planned anew each time, for statements whose best plan depends on their values. */
  fresh: Queries
  tx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** The same database for the work of one store, which has a share of the connections and no more. */
  forStore(storeId: number, onGone?: OnGone): Db
  /** The same for work that belongs to no store. `health` and `keys` may use the connections that are kept back. */
  forWork(kind: Work): Db
  /** The same, where transactions under this name come one after another and wait without a connection. */
  inLine(name: string): Db
  /** Figures for /metrics. */
  poolState(): { total: number; idle: number; waiting: number; inLine: number }
  /** Counts statements as they are sent, for the tests that hold a budget. */
  onStatement(listener: (text: string) => void): () => void
  close(): Promise<void>
}

/** What an instance does besides the work of stores. `public`: routes on which nobody is known yet. */
export type Work = 'health' | 'keys' | 'public' | 'waits' | 'jobs' | 'cleanup'

export type DbOptions = {
  connection: pg.PoolConfig
  poolSize: number
  clock: Clock
  /** Requests that may queue for a connection before the next one is told to come back later. */
  maxWaiting?: number
  /** How long a request waits in line, and then for a connection. */
  patienceMs?: number
  statementTimeoutMs?: number
  lockTimeoutMs?: number
  onIdleError?: (error: Error) => void
}

export const connectDb = (options: DbOptions): Db => {
  const { clock, poolSize, maxWaiting = 500, patienceMs = 10_000 } = options
  const { statementTimeoutMs = 10_000, lockTimeoutMs = 3_000 } = options
  const pool = new pg.Pool({
    application_name: 'vitrine',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    // The server ends a slow statement; this ends the wait for a server that has gone silent.
    query_timeout: statementTimeoutMs + 5_000,
    ...options.connection,
    max: poolSize,
    types: wireTypes,
    pipeline: true,
  })
  pool.on('error', (error) => options.onIdleError?.(error))
  // The pool only listens to idle connections. One that breaks in use fails its query and says so here as well, and an
  // error that nobody listens to would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const listeners = new Set<(text: string) => void>()
  const lanes = createLanes({ size: poolSize, maxWaiting, patienceMs })
  const lines = createLines({ patienceMs })
  // Connections that cannot be used again.
  const lost = new WeakSet<pg.PoolClient>()
  // In the transaction and not for the session, since a pooler that gives sessions to others would drop it.
  const begin = `begin; set local lock_timeout = ${lockTimeoutMs}`

  const tell = (text: string) => {
    for (const listener of listeners) listener(text)
  }
  const ask = async (client: pg.PoolClient, query: pg.QueryConfig) => {
    try {
      return await client.query(query)
    } catch (error) {
      const { thrown, isLost } = judgeFault(error)
      if (isLost) lost.add(client)
      throw thrown
    }
  }
  const send = (client: pg.PoolClient, text: string, values: unknown[] = [], name?: string) => {
    tell(text)
    return ask(client, name === undefined ? { text, values } : { name, text, values })
  }

  const connect = async () => {
    try {
      return await pool.connect()
    } catch (error) {
      throw judgeFault(error).thrown
    }
  }

  const withClientIn =
    ({ lane, onGone }: Share): WithClient =>
    async (work) => {
      const entered = await lanes.enter(lane, onGone)
      let client: pg.PoolClient | undefined
      try {
        client = await connect()
        await alignClock(client, clock, ask)
        return await work(client)
      } finally {
        client?.release(lost.has(client))
        lanes.leave(entered)
      }
    }

  const queriesOn = (use: WithClient, prepared = true): Queries => {
    // The only place where rows get their type. test/statements compares it with the columns of each statement.
    const askFor = <Row>(strings: TemplateStringsArray, values: unknown[]): Promise<Result<Row>> => {
      const statement = toStatement(strings, values)
      return use((client) => send(client, statement.text, statement.values, prepared ? statement.name : undefined))
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
    }
  }

  const runTransaction = <Result>(withClient: WithClient, work: (tx: Tx) => Promise<Result>) =>
    withClient(async (client) => {
      const unawaited: Promise<unknown>[] = []
      let fault: unknown
      const later = (answer: Promise<unknown>) => {
        unawaited.push(answer)
        answer.catch((error) => {
          fault ??= error
        })
      }
      let isOver = false
      const together: WithClient = async (use) => {
        // By now the connection may be somebody else's.
        if (isOver) throw new Error('a statement was sent after its transaction had ended')
        gather(client)
        return use(client)
      }
      tell('begin')
      later(together((mine) => ask(mine, { text: begin })))
      try {
        const result = await work({ ...queriesOn(together), later } as Tx)
        const committed = together((mine) => send(mine, 'commit'))
        isOver = true
        // After a statement that failed this has undone the transaction, and then that statement is what is thrown.
        await Promise.all([...unawaited, committed])
        return result
      } catch (error) {
        isOver = true
        // What follows a statement that failed is only told that the transaction is lost, and not why.
        const reason = sqlState(error) === '25P02' ? (fault ?? error) : error
        if (!lost.has(client)) await send(client, 'rollback').catch(() => lost.add(client))
        throw reason
      }
    })

  const runWithRetries = async <Result>(withClient: WithClient, work: (tx: Tx) => Promise<Result>) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runTransaction(withClient, work)
      } catch (error) {
        // The database undid the whole transaction to break a deadlock, so it can simply be run again.
        if (!retryable.has(sqlState(error))) throw error
        if (attempt >= 3) throw unavailable(error)
      }
    }
  }

  const { share } = shareOut(poolSize)
  const laneOf: Record<Work, Lane> = {
    health: { name: 'health', most: 1, mayUseReserve: true },
    keys: { name: 'keys', most: share, mayUseReserve: true },
    public: { name: 'public', most: share, mayUseReserve: false },
    jobs: { name: 'jobs', most: Math.max(1, Math.floor(share / 2)), mayUseReserve: false },
    waits: { name: 'waits', most: 1, mayUseReserve: false },
    cleanup: { name: 'cleanup', most: Math.max(1, Math.floor(share / 2)), mayUseReserve: false },
  }
  const open = (place: Share): Db => {
    const withClient = withClientIn(place)
    return {
      ...queriesOn(withClient),
      get fresh() {
        return queriesOn(withClient, false)
      },
      tx: (work) => lines.inLines(place.lines, place.onGone, () => runWithRetries(withClient, work)),
      forStore: (storeId, onGone = neverGone) =>
        open({ lane: { name: `store ${storeId}`, most: share, mayUseReserve: false }, lines: [], onGone }),
      forWork: (kind) => open({ lane: laneOf[kind], lines: [], onGone: neverGone }),
      inLine: (name) => open({ ...place, lines: [...place.lines, `${place.lane.name} ${name}`] }),
      poolState: () => ({
        total: pool.totalCount,
        idle: pool.idleCount,
        waiting: lanes.waiting(),
        inLine: lines.waiting(),
      }),
      onStatement: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      close: () => pool.end(),
    }
  }
  // Commands and tests have the pool to themselves.
  return open({ lane: { name: 'all', most: poolSize, mayUseReserve: true }, lines: [], onGone: neverGone })
}

/** Whose work it is, and what it waits for. */
type Share = { lane: Lane; lines: readonly string[]; onGone: OnGone }

type Result<Row> = { rows: Row[]; rowCount: number | null }

type WithClient = <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>

/** Holds back what is written to a connection until the code that runs now has sent all that it has to send. */
const gather = (client: pg.PoolClient) => {
  if (gathering.has(client)) return
  gathering.add(client)
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => {
    gathering.delete(client)
    stream.uncork()
  })
}

const gathering = new WeakSet<pg.PoolClient>()

const retryable = new Set(['40001', '40P01'])

/** Tests move time; in production the offset never leaves zero and this costs a comparison. */
const alignClock = async (
  client: pg.PoolClient,
  clock: Clock,
  ask: (client: pg.PoolClient, query: pg.QueryConfig) => Promise<unknown>,
) => {
  const offset = clock.offsetMs()
  if (offset === (appliedOffsets.get(client) ?? 0)) return
  const values = ['vitrine.clock_offset', `${offset} milliseconds`]
  await ask(client, { text: 'select set_config($1, $2, false)', values })
  appliedOffsets.set(client, offset)
}

const appliedOffsets = new WeakMap<pg.PoolClient, number>()

/** Counts and minor units arrive as numbers: everything we store as bigint stays far below 2^53. */
export const wireTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
