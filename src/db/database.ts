import type { Duplex } from 'node:stream'
import pg from 'pg'
import type { Clock } from '../core/clock.ts'
import { Failure, fail } from '../core/errors.ts'
import { toStatement } from './sql.ts'

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
  /** Figures for /metrics. */
  poolState(): { total: number; idle: number; waiting: number }
  /** Counts statements as they are sent, for the tests that hold a budget. */
  onStatement(listener: (text: string) => void): () => void
  close(): Promise<void>
}

export type DbOptions = {
  connection: pg.PoolConfig
  poolSize: number
  clock: Clock
  /** Requests that may queue for a connection before the next one is told to come back later. */
  maxWaiting?: number
  statementTimeoutMs?: number
  onIdleError?: (error: Error) => void
}

export const connectDb = (options: DbOptions): Db => {
  const { clock, maxWaiting = 500, statementTimeoutMs = 10_000 } = options
  const pool = new pg.Pool({
    application_name: 'vitrine',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    // The server ends a slow statement; this ends the wait for a server that has gone silent.
    query_timeout: statementTimeoutMs + 5_000,
    ...options.connection,
    max: options.poolSize,
    types: wireTypes,
    pipeline: true,
  })
  pool.on('error', (error) => options.onIdleError?.(error))
  // The pool only listens to idle connections. One that breaks in use fails its query and says so here as well, and an
  // error that nobody listens to would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const listeners = new Set<(text: string) => void>()

  const send = async (client: pg.PoolClient, text: string, values: unknown[] = [], name?: string) => {
    for (const listener of listeners) listener(text)
    return client.query(name === undefined ? { text, values } : { name, text, values })
  }

  const acquire = async () => {
    if (pool.waitingCount >= maxWaiting) throw unavailable(new Error('too many requests wait for a connection'))
    const client = await pool.connect()
    try {
      await alignClock(client, clock)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  const withClient = async <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> => {
    let client: pg.PoolClient | undefined
    let broken = false
    try {
      client = await acquire()
      return await work(client)
    } catch (error) {
      broken = isConnectionFault(error)
      throw broken ? unavailable(error) : error
    } finally {
      client?.release(broken)
    }
  }

  const queriesOn = (use: typeof withClient, prepared = true): Queries => {
    const rows = (strings: TemplateStringsArray, values: unknown[]) => {
      const statement = toStatement(strings, values)
      return use((client) => send(client, statement.text, statement.values, prepared ? statement.name : undefined))
    }
    return {
      many: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
        (await rows(strings, values)).rows as Row[],
      one: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
        const result = await rows(strings, values)
        if (result.rows.length !== 1) throw new Error(`expected one row, got ${result.rows.length}`)
        return result.rows[0] as Row
      },
      maybeOne: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
        (await rows(strings, values)).rows[0] as Row | undefined,
      run: async (strings, ...values) => (await rows(strings, values)).rowCount ?? 0,
    }
  }

  const runTransaction = <Result>(work: (tx: Tx) => Promise<Result>) =>
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
      const together: typeof withClient = async (use) => {
        // By now the connection may be somebody else's.
        if (isOver) throw new Error('a statement was sent after its transaction had ended')
        gather(client)
        return use(client)
      }
      later(together((mine) => send(mine, 'begin')))
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
        if (!isConnectionFault(reason)) await send(client, 'rollback')
        throw reason
      }
    })

  return {
    ...queriesOn(withClient),
    fresh: queriesOn(withClient, false),
    tx: async (work) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runTransaction(work)
        } catch (error) {
          // The database undid the whole transaction to break a deadlock, so it can simply be run again.
          if (!retryable.has(sqlState(error))) throw error
          if (attempt >= 3) throw unavailable(error)
        }
      }
    },
    poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    onStatement: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => pool.end(),
  }
}

/** Holds back what is written to a connection until the code that runs now has sent all that it has to send. */
const gather = (client: pg.PoolClient) => {
  if (gathering.has(client)) return
  gathering.add(client)
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  stream.cork()
  process.nextTick(() => {
    gathering.delete(client)
    stream.uncork()
  })
}

const gathering = new WeakSet<pg.PoolClient>()

const retryable = new Set(['40001', '40P01'])

/** The SQLSTATE of a database error, or the code of a network one. */
export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const unavailable = (cause: unknown) =>
  fail('SERVICE_UNAVAILABLE', undefined, { cause, headers: { 'retry-after': '1' } })

/** The database is away, full, shutting down or too slow: the caller may try again, and the connection is not reused. */
const isConnectionFault = (error: unknown) => {
  if (error instanceof Failure) return error.code === 'SERVICE_UNAVAILABLE'
  if (!(error instanceof Error)) return false
  const code = sqlState(error)
  if (/^(08|53|57P|57014|25P03|E(?!RR_)[A-Z]+)/.test(code)) return true
  return code === '' && /timeout|timed out|terminated|ended|not queryable/i.test(error.message)
}

/** Tests move time; in production the offset never leaves zero and this costs a comparison. */
const alignClock = async (client: pg.PoolClient, clock: Clock) => {
  const offset = clock.offsetMs()
  if (offset === (appliedOffsets.get(client) ?? 0)) return
  await client.query('select set_config($1, $2, false)', ['vitrine.clock_offset', `${offset} milliseconds`])
  appliedOffsets.set(client, offset)
}

const appliedOffsets = new WeakMap<pg.PoolClient, number>()

/** Counts and minor units arrive as numbers: everything we store as bigint stays far below 2^53. */
const wireTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
