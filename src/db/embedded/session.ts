import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode } from '../../core/thrown.ts'
import { databaseUser } from './cluster.ts'
import type { DataPaths } from './data-dir.ts'
import { isRunning, type Postmaster, shutDown } from './server.ts'

/** The database of Vitrine's tables. */
export const databaseName = 'vitrine'

/** There is at most one service per folder. Guests are commands that use the running server. */
export type Role = 'service' | 'command'

/**
 * A connection that holds our locks for as long as we use the server. The locks end with the connection, so none
 * outlives its process.
 */
export type Session = { client: Client; server: Postmaster; ended: Promise<void> }

/**
 * Two advisory locks in the database postgres (advisory locks are local to a database): all users share one, the service
 * owns the other.
 */
const lockClass = 0x76697472
const [inUse, hasService, isRestored] = [1, 2, 3]

export const openServerSession = async (
  paths: DataPaths,
  server: Postmaster,
  password: string,
  role: Role,
): Promise<Session> => {
  const client = new Client({
    ...{ host: server.socketDir, port: server.port, user: databaseUser, password, database: 'postgres' },
    application_name: `vitrine ${role === 'service' ? 'service' : 'cli'} ${process.pid}`,
    connectionTimeoutMillis: 10_000,
    // The process that shuts the server down may hang. Then we try again instead of waiting for it.
    lock_timeout: 20_000,
  })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // `end` is what we wait for. Without this listener, an error would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await takeLocks(client, paths, role)
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  return { client, server, ended }
}

/**
 * The lock of the service comes first and does not wait for a running one, so that a refused service has changed nothing.
 * The shared lock may wait for a process that shuts the server down. Then the connection is closed and the caller tries
 * again.
 */
const takeLocks = async (client: Client, paths: DataPaths, role: Role): Promise<void> => {
  if (role === 'service') await takeServiceLock(client, paths)
  await client.query('select pg_advisory_lock_shared($1, $2)', [lockClass, inUse])
}

/** PostgreSQL notices the end of a process when it next gets a processor. */
const noticeTimeoutMs = 30_000

/** A service that was killed keeps its lock until PostgreSQL notices, which its successor awaits on a busy machine. */
const takeServiceLock = async (client: Client, { dataDir }: DataPaths): Promise<void> => {
  const sql = 'select pg_try_advisory_lock($1, $2) as taken'
  for (const deadline = Date.now() + noticeTimeoutMs; ; await sleep(50)) {
    const { rows } = await client.query<{ taken: boolean }>(sql, [lockClass, hasService])
    if (rows[0]?.taken) return
    const pid = await findServicePid(client)
    const hasEnded = pid === undefined || !isRunning(Number(pid))
    if (hasEnded && Date.now() < deadline) continue
    throw new OperatorError(
      `The data folder ${dataDir} is in use by another Vitrine${pid ? ` (process ${pid})` : ''}. Stop it ` +
        'first, or give this one its own folder with VITRINE_DATA_DIR.',
    )
  }
}

/** Of the service that uses the server, if one does. */
export const findServicePid = async (client: Client): Promise<string | undefined> => {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [lockClass, hasService],
  )
  return rows[0]?.application_name.split(' ').at(-1)
}

/** Only one process at a time restores a backup. Ends with the connection. */
export const claimRestore = async (client: Client): Promise<boolean> => {
  const sql = 'select pg_try_advisory_lock($1, $2) as taken'
  const { rows } = await client.query<{ taken: boolean }>(sql, [lockClass, isRestored])
  return rows[0]?.taken ?? false
}

/**
 * The last user shuts the server down. We release our locks, and if we then get the shared lock exclusively, we are the
 * last. Of two that leave together exactly one gets it. A process that joins meanwhile either prevents that, or waits
 * and starts a new server.
 */
export const leaveSession = async (paths: DataPaths, { client, server }: Session): Promise<{ isOff: boolean }> => {
  try {
    await client.query('select pg_advisory_unlock_all()')
    const sql = 'select pg_try_advisory_lock($1, $2) as taken'
    const { rows } = await client.query<{ taken: boolean }>(sql, [lockClass, inUse])
    if (!rows[0]?.taken) return { isOff: false }
    await shutDown(paths.cluster, server)
    return { isOff: true }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Sets whether the connection keeps Node running. */
export const holdProcess = ({ client }: Session, isHeld: boolean): void => {
  if (isHeld) client.ref()
  else client.unref()
}

/**
 * Whether the server's program files are missing, as after the checkout was moved. Such a server still runs, but cannot
 * load extensions.
 */
export const hasLostFiles = async ({ client }: Session): Promise<boolean> => {
  const { rows } = await client.query<{ setting: string }>("select setting from pg_config where name = 'SHAREDIR'")
  return rows[0] !== undefined && !existsSync(rows[0].setting)
}

export const ensureDatabase = async ({ client }: Session): Promise<void> => {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
  if (rowCount) return
  try {
    await client.query(`create database ${client.escapeIdentifier(databaseName)}`)
  } catch (error) {
    // Another process has created it at the same time.
    const code = errorCode(error)
    if (code !== '42P04' && code !== '23505') throw error
  }
}

/**
 * Whether the error comes from a server that is starting or stopping. Connection errors of the driver itself have no
 * code. An OperatorError is never transient.
 */
export const isTransient = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof OperatorError || error instanceof TypeError) return false
  const code = errorCode(error)
  return code === undefined || /^(55P03|57P0[123]|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|EAGAIN|ENOTCONN)$/.test(code)
}
