import pg from 'pg'
import { toError } from '../core/thrown.ts'

export type Listener = { healthy(): boolean; close(): Promise<void> }

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
const maxRetryMs = 5_000

/** Keeps one connection that listens, and reconnects when it breaks. */
export const listen = async (options: ListenOptions): Promise<Listener> => {
  let client: pg.Client | undefined
  let closing = false
  let connectedBefore = false
  let retryMs = firstRetryMs
  let retry: NodeJS.Timeout | undefined

  const connect = async () => {
    const next = new pg.Client({
      application_name: 'vitrine listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      ...options.connection,
    })
    let lost = false
    const drop = (error: Error) => {
      if (lost || closing) return void next.end().catch(() => {})
      lost = true
      client = undefined
      options.onLost(error)
      next.end().catch(() => {})
      retry = setTimeout(() => connect().catch(() => {}), retryMs)
      retryMs = Math.min(retryMs * 2, maxRetryMs)
    }
    next.on('error', drop)
    next.on('end', () => drop(new Error('the connection ended')))
    next.on('notification', (message) => options.onMessage(message.payload ?? ''))
    try {
      await next.connect()
      await next.query(`listen ${pg.escapeIdentifier(options.channel)}`)
      if (closing) return await next.end()
    } catch (error) {
      drop(toError(error))
      throw error
    }
    retryMs = firstRetryMs
    client = next
    if (connectedBefore) options.onReconnect()
    connectedBefore = true
  }

  try {
    await connect()
  } catch (error) {
    closing = true
    clearTimeout(retry)
    throw error
  }
  return {
    healthy: () => client !== undefined,
    close: async () => {
      closing = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
