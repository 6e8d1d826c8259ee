import { Socket } from 'node:net'
import pg from 'pg'
import { type QueryAnswer, Sending, type SentStatement, StatementBatch } from './batch.ts'
import { classifyError } from './errors.ts'
import { trackPrimary } from './primary.ts'
import { wireTypes } from './wire.ts'

export type Connections = {
  take(): Promise<pg.PoolClient>
  giveBack(client: pg.PoolClient): void
  /**
   * Runs a statement. What it throws says whether the caller may try again. Statements that are sent in one go leave in one
   * packet, and if one fails, PostgreSQL skips those behind it up to the next with `end`.
   */
  ask(client: pg.PoolClient, statement: SentStatement, end: boolean): Promise<QueryAnswer>
  /** What is sent next runs whatever happens to what was sent before. */
  split(client: pg.PoolClient): void
  /** It cannot be used again, and another server may be the primary now. */
  lose(client: pg.PoolClient): void
  isLost(client: pg.PoolClient): boolean
  state(): { total: number; idle: number }
  close(): Promise<void>
}

export type ConnectionOptions = {
  connection: pg.PoolConfig
  size: number
  /** A connection on which no answer arrives for so long is lost. */
  maxSilenceMs: number
  onConnect(client: pg.PoolClient): void
  onIdleError?: ((error: Error) => void) | undefined
}

/** How often connections that were not needed are handed back to the pool. The pool closes them after `idleTimeoutMillis`. */
const returnEveryMs = 30_000

/**
 * Connections to the primary. The pool of pg opens and closes them. While they are in use again and again they stay here in
 * between, because each time that the pool hands one out takes two timers, two listeners and a turn of the event loop: a
 * quarter of the processor time of a short statement.
 */
export const createConnections = (options: ConnectionOptions): Connections => {
  const { size, maxSilenceMs, onIdleError } = options
  const { query_timeout: _, ...connection } = options.connection
  const primary = trackPrimary(connection)
  const pool = new pg.Pool({
    application_name: 'vitrine',
    connectionTimeoutMillis: 5_000,
    ...primary.poolConfig,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ...connection,
    max: size,
    types: wireTypes,
    pipeline: true,
  })
  // The one that was used last is used next.
  const ready: pg.PoolClient[] = []
  // Connections that cannot be used again.
  const lost = new WeakSet<pg.PoolClient>()
  const lines = new WeakMap<pg.PoolClient, Line>()
  const lineOf = (client: pg.PoolClient) => {
    let line = lines.get(client)
    if (line === undefined) {
      line = openLine(client)
      lines.set(client, line)
    }
    return line
  }
  // How many have been ready without a break since some were last handed back.
  let spare = 0
  let isClosed = false

  const onError = (error: Error) => {
    primary.forget()
    onIdleError?.(error)
  }
  pool.on('error', onError)
  pool.on('connect', (client) => {
    // A connection that breaks in use fails its query and also emits `error`, which without a listener would end the
    // process.
    client.on('error', (error) => {
      const place = ready.indexOf(client)
      if (place === -1) return
      ready.splice(place, 1)
      client.release(true)
      onError(error)
    })
    // The server cancels a slow statement. This is for a server that does not answer at all.
    const { stream } = client.connection
    if (stream instanceof Socket) {
      stream.setTimeout(maxSilenceMs, () => {
        if (lineOf(client).isBusy()) stream.destroy()
      })
    }
    options.onConnect(client)
  })
  const returnSpare = () => {
    for (const client of ready.splice(0, Math.min(spare, ready.length))) client.release()
    spare = ready.length
  }
  const returning = setInterval(returnSpare, returnEveryMs).unref()

  /** The second attempt is for a server that was the primary and is not any more. */
  const take = async (attempt = 1): Promise<pg.PoolClient> => {
    try {
      if (!primary.isKnown()) await primary.find()
      const client = ready.pop() ?? (await pool.connect())
      spare = Math.min(spare, ready.length)
      if (primary.isOf(client)) return client
      client.release(true)
    } catch (error) {
      primary.forget()
      if (primary.isAlone || attempt > 1) throw classifyError(error).thrown
      return take(attempt + 1)
    }
    return take(attempt)
  }

  const lose = (client: pg.PoolClient) => {
    lost.add(client)
    primary.forget()
  }
  const ask = async (client: pg.PoolClient, statement: SentStatement, end: boolean) => {
    try {
      return await lineOf(client).send(new Sending(statement), end)
    } catch (error) {
      // The driver's own leads to the socket and not to the caller.
      if (error instanceof Error) Error.captureStackTrace(error)
      const { thrown, isLost } = classifyError(error)
      if (isLost) lose(client)
      throw thrown
    }
  }

  return {
    ask,
    split: (client) => lineOf(client).split(),
    take: () => take(),
    giveBack: (client) => {
      if (lost.has(client)) client.release(true)
      else if (isClosed) client.release()
      else ready.push(client)
    },
    lose,
    isLost: (client) => lost.has(client),
    state: () => ({ total: pool.totalCount, idle: pool.idleCount + ready.length }),
    close: () => {
      isClosed = true
      clearInterval(returning)
      for (const client of ready.splice(0)) client.release()
      return pool.end()
    },
  }
}

/** What is sent on one connection. */
type Line = { send(sending: Sending, end: boolean): Promise<QueryAnswer>; split(): void; isBusy(): boolean }

const openLine = (client: pg.PoolClient): Line => {
  /** What leaves in the next tick. PostgreSQL answers each of these batches at its end. */
  let next: Sending[][] = []
  let isOpen = false
  let unanswered = 0

  const leave = () => {
    const batches = next
    next = []
    isOpen = false
    const { stream } = client.connection
    // A batch is one write by itself.
    if (batches.length > 1) stream.cork()
    for (const batch of batches) client.query(new StatementBatch(batch))
    if (batches.length > 1) stream.uncork()
  }
  return {
    send: async (sending, end) => {
      if (next.length === 0) process.nextTick(leave)
      const last = next.at(-1)
      if (isOpen && last !== undefined) last.push(sending)
      else next.push([sending])
      isOpen = !end
      unanswered++
      try {
        return await sending.answered
      } finally {
        unanswered--
      }
    },
    split: () => {
      isOpen = false
    },
    isBusy: () => unanswered > 0,
  }
}
