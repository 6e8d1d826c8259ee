import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { type Config, loadConfig } from '../src/config.ts'
import { movableClock } from '../src/core/clock.ts'
import { createLogger } from '../src/logging.ts'
import { callUrl, databaseUrl } from './harness.ts'

/** A proxy to the database that a test can cut, silence and restore. */
export type Line = {
  url: string
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>
  /** Connections stay open and are accepted, but no data pass until it is restored. */
  silence(): void
  /** Data arrive later by this much, in both directions. */
  delay(ms: number): void
  /** Closes every connection, and answers new ones like a server that has no connection left. */
  exhaust(): void
  /** What is sent on open connections is answered like by a server that has just begun to shut down. */
  shutDown(): void
  mend(): Promise<void>
  /** Accepts connections again after a cut; a silenced proxy stays silent. */
  reopen(): Promise<void>
  /** The number of open connections. */
  connections(): number
}

export const openLine = async (t: TestContext, target = databaseUrl): Promise<Line> => {
  const ends = new Set<Socket>()
  const flows = new Set<Socket>()
  const waiting = new Set<() => void>()
  let silent = false
  let exhausted = false
  let stopping = false
  let delayMs = 0
  let server: Server

  const bridge = (near: Socket) => {
    const far = dialDatabase(target)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      flows.add(from)
      let delayed: Promise<void> | undefined
      from.on('data', (bytes) => {
        if (stopping && from === near) return near.end(shuttingDown)
        if (delayMs === 0 && delayed === undefined) return to.write(bytes)
        const dueAt = performance.now() + delayMs
        // In the order in which they came, also when the delay has changed.
        const mine: Promise<void> = (delayed ?? Promise.resolve()).then(async () => {
          await sleep(Math.max(0, dueAt - performance.now()))
          to.write(bytes)
          if (delayed === mine) delayed = undefined
        })
        delayed = mine
      })
      from.on('error', () => {})
      from.on('close', () => {
        flows.delete(from)
        to.destroy()
      })
    }
  }
  const accept = (near: Socket) => {
    ends.add(near)
    near.on('error', () => {})
    near.on('close', () => ends.delete(near))
    if (exhausted) near.once('data', () => near.end(tooManyConnections))
    else if (silent) waiting.add(() => bridge(near))
    else bridge(near)
  }
  const open = async (port: number) => {
    server = createServer(accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as { port: number }).port
  }
  const cut = async () => {
    for (const end of ends) end.destroy()
    waiting.clear()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }

  const port = await open(0)
  const reopen = async () => {
    if (!server.listening) await open(port)
  }
  t.after(cut)
  const url = new URL(target)
  const { username, password, pathname } = url
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`,
    cut,
    silence: () => {
      silent = true
      for (const flow of flows) flow.pause()
    },
    delay: (ms) => {
      delayMs = ms
    },
    exhaust: () => {
      exhausted = true
      for (const end of ends) end.destroy()
    },
    shutDown: () => {
      stopping = true
    },
    mend: async () => {
      silent = false
      stopping = false
      exhausted = false
      delayMs = 0
      for (const flow of flows) flow.resume()
      for (const start of waiting) start()
      waiting.clear()
      await reopen()
    },
    reopen,
    connections: () => ends.size,
  }
}

/** An error that ends a session, as PostgreSQL sends it. */
const fatalError = (state: string, message: string) => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${message}\0\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

const tooManyConnections = fatalError('53300', 'sorry, too many clients already')
const shuttingDown = fatalError('57P01', 'terminating connection due to administrator command')

/** The tests' database listens on a socket in a folder, or on a port when it was named by DATABASE_URL. */
const dialDatabase = (target: string) => {
  const { hostname, port } = new URL(target)
  const host = decodeURIComponent(hostname)
  return host.startsWith('/')
    ? connect(join(host, `.s.PGSQL.${port || 5432}`))
    : connect(Number(port || 5432), host.replace(/^\[|\]$/g, ''))
}

export type DistantOptions = Partial<Config> & {
  lines: { queries: Line; news?: Line }
  /** How long a query may take. */
  patienceMs?: number
  maxLoopDelayMs?: number
}

/** A service whose queries and listening connection use such a proxy. */
export const distantServiceFor = async (t: TestContext, options: DistantOptions) => {
  const { lines, patienceMs = 500, maxLoopDelayMs, ...settings } = options
  const logLines: string[] = []
  const config: Config = {
    ...loadConfig({ NODE_ENV: 'test', VITRINE_PUBLIC_URL: 'http://vitrine.test' }),
    port: 0,
    databasePoolSize: 3,
    logLevel: 'debug',
    ...settings,
  }
  const clock = movableClock()
  const app = await createApp({
    config,
    connection: { connectionString: lines.queries.url, query_timeout: patienceMs, connectionTimeoutMillis: patienceMs },
    directConnection: { connectionString: (lines.news ?? lines.queries).url },
    secrets: ['a secret for tests that is long enough to be one'],
    logger: createLogger(config, { write: (line) => void logLines.push(line) } as pino.DestinationStream),
    clock,
    ...(maxLoopDelayMs === undefined ? {} : { maxLoopDelayMs }),
  })
  let closing: Promise<void> | undefined
  /** A test may close it early. */
  const close = () => {
    closing ??= app.close()
    return closing
  }
  t.after(close)
  const url = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const call: typeof callUrl = (path, options) => callUrl(`${url}${path}`, options)
  return { app, db: app.db, url, clock, logLines, call, close }
}
