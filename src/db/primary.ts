import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { splitServers } from '../core/database-url.ts'
import { toError } from '../core/thrown.ts'

/**
 * A URL may name several servers, a primary and its standbys (decision 0047). pg knows one host only, so the servers are
 * asked at the same time, and the first that accepts writes is used: one that hangs delays nothing.
 */
const serversOf = (connection: pg.ClientConfig): pg.ClientConfig[] =>
  connection.connectionString === undefined
    ? [connection]
    : splitServers(connection.connectionString).map((connectionString) => ({ ...connection, connectionString }))

/** None of several servers accepts writes. `reasons` are in the order of the URL. */
export class NoPrimary extends Error {
  readonly reasons: readonly Error[]

  constructor(reasons: readonly Error[]) {
    super(`no server accepts writes: ${reasons.map(({ message }) => message).join('; ')}`)
    this.reasons = reasons
  }
}

/** For one server of several. One that is alone may be far away, and is waited for longer. */
const serverTimeoutMs = 2_000
const aloneTimeoutMs = 5_000

/** A new connection to the server that accepts writes. */
export const connectToPrimary = async (connection: pg.ClientConfig): Promise<pg.Client> =>
  (await openPrimary(serversOf(connection))).client

type Opened = { client: pg.Client; server: pg.ClientConfig }

const openPrimary = async (servers: readonly pg.ClientConfig[]): Promise<Opened> => {
  const [only] = servers
  if (servers.length === 1 && only !== undefined) return { client: await open(only, aloneTimeoutMs), server: only }
  const opening = servers.map((server) => openIfPrimary(server))
  try {
    const first = await Promise.any(opening)
    for (const other of opening) other.then((late) => (late === first ? undefined : late.client.end())).catch(() => {})
    return first
  } catch (error) {
    throw error instanceof AggregateError ? new NoPrimary(error.errors.map(toError)) : error
  }
}

const open = async (server: pg.ClientConfig, connectionTimeoutMillis: number) => {
  const client = new pg.Client({ connectionTimeoutMillis, ...server })
  // A connection that breaks fails its query. Without this listener it would also end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}

const openIfPrimary = async (server: pg.ClientConfig): Promise<Opened> => {
  const client = await open(server, serverTimeoutMs)
  try {
    await refuseStandby(client)
    return { client, server }
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

export class StandbyServer extends Error {
  constructor() {
    super('the server is a standby')
  }
}

const askRole = { text: 'select pg_is_in_recovery() as "isStandby"', query_timeout: serverTimeoutMs }

export const refuseStandby = async (client: pg.ClientBase) => {
  const { rows } = await client.query<{ isStandby: boolean }>(askRole)
  if (rows[0]?.isStandby) throw new StandbyServer()
}

/** Requests that come while no server accepts writes do not each ask all of them. */
const pauseMs = 100

/** Tells a pool which server to connect to. With one server it does nothing. */
export const trackPrimary = (connection: pg.PoolConfig) => {
  const servers = serversOf(connection)
  const isAlone = servers.length === 1
  let primary: pg.ClientConfig | undefined = isAlone ? servers[0] : undefined
  let finding: Promise<void> | undefined
  const serverOf = new WeakMap<pg.ClientBase, pg.ClientConfig>()

  const find = async () => {
    const { client, server } = await openPrimary(servers)
    primary = server
    client.end().catch(() => {})
  }
  const findOnce = () => {
    finding ??= find().finally(async () => {
      if (primary === undefined) await sleep(pauseMs, undefined, { ref: false })
      finding = undefined
    })
    return finding
  }
  const poolConfig = (): pg.PoolConfig => ({
    connectionTimeoutMillis: serverTimeoutMs,
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        const server = primary ?? servers[0]
        super({ ...config, ...server })
        if (server !== undefined) serverOf.set(this, server)
      }
    },
    onConnect: refuseStandby,
  })
  return {
    isAlone,
    /** Options for the pool, so that it connects to the primary and to nothing else. */
    poolConfig: isAlone ? {} : poolConfig(),
    isKnown: () => primary !== undefined,
    /** Resolves when the primary is known. */
    find: findOnce,
    /** Whether a connection is one to the primary; the pool may keep others from before it changed. */
    isOf: (client: pg.ClientBase) => isAlone || serverOf.get(client) === primary,
    /** A connection was lost, or could not be made: any server may be the primary now. */
    forget: () => {
      if (!isAlone) primary = undefined
    },
  }
}
