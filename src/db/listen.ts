import pg from 'pg'
import { toError } from '../core/thrown.ts'
import { connectToPrimary, refuseStandby } from './primary.ts'

export type Listener = {
  healthy(): boolean
  /** Resolves when the server has answered on the connection: earlier messages have arrived. */
  confirm(): Promise<void>
  close(): Promise<void>
}

export type ListenOptions = {
  connection: pg.ClientConfig
  channel: string
  onMessage: (payload: string) => void
  /** The connection was lost, and messages may have been missed. Caches that depend on messages must be cleared. */
  onLost: (error: Error) => void
  /** Listening again. Entries cached in the meantime may be stale too. */
  onReconnect: () => void
}

const firstRetryMs = 100
const maxRetryMs = 1_000
/** How often the connection is tried, because a server that hangs would not be noticed otherwise. */
const checkMs = 5_000

/** Keeps one connection that listens, and reconnects when it breaks. */
export const listen = async (options: ListenOptions): Promise<Listener> => {
  let client: pg.Client | undefined
  let isHeard = false
  let closing = false
  let connectedBefore = false
  let retryMs = firstRetryMs
  /** Of the next attempt to connect, or the next check of the connection. */
  let timer: NodeJS.Timeout | undefined

  const connect = async () => {
    let next: pg.Client | undefined
    let lost = false
    const drop = (error: Error) => {
      const isNew = !lost && !closing
      lost = true
      next?.end().catch(() => {})
      if (!isNew) return
      client = undefined
      clearTimeout(timer)
      options.onLost(error)
      timer = setTimeout(() => connect().catch(() => {}), retryMs)
      retryMs = Math.min(retryMs * 2, maxRetryMs)
    }
    const check = async (tried: pg.Client) => {
      try {
        await refuseStandby(tried)
        if (client === tried) timer = setTimeout(check, checkMs, tried)
      } catch (error) {
        // A server that hangs would not answer to the end of the connection either.
        tried.connection.stream.destroy()
        drop(toError(error))
      }
    }
    try {
      next = await connectToPrimary({ application_name: 'vitrine listen', keepAlive: true, ...options.connection })
      next.on('error', drop)
      next.on('end', () => drop(new Error('the connection ended')))
      next.on('notification', (message) => options.onMessage(message.payload ?? ''))
      await next.query(`listen ${pg.escapeIdentifier(options.channel)}`)
      isHeard = await isOwnSession(next)
      if (closing) return await next.end()
    } catch (error) {
      drop(toError(error))
      throw error
    }
    // It may have been lost since.
    if (lost) return
    retryMs = firstRetryMs
    client = next
    timer = setTimeout(check, checkMs, next)
    if (connectedBefore) options.onReconnect()
    connectedBefore = true
  }

  try {
    await connect()
  } catch (error) {
    closing = true
    clearTimeout(timer)
    throw error
  }
  return {
    healthy: () => client !== undefined,
    confirm: async () => {
      if (client === undefined) throw new Error('not connected')
      if (!isHeard) throw new Error('behind a pooler no change is announced: set DATABASE_DIRECT_URL')
      await client.query('')
    },
    close: async () => {
      closing = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}

/** A pooler that lends its sessions answers with the number of one of them. Messages arrive in that one, or not at all. */
const isOwnSession = async (client: pg.Client) => {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return rows[0]?.pid === client.processID
}
