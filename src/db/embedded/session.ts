import { existsSync } from 'node:fs'
import { Client } from 'pg'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode } from '../../core/thrown.ts'
import { databaseUser } from './cluster.ts'
import type { DataPaths } from './data-dir.ts'
import { type Postmaster, shutDown } from './server.ts'

/** The database that Vitrine keeps its tables in. */
export const databaseName = 'vitrine'

/** The service has the folder to itself; guests are commands that use whatever server runs. */
export type Role = 'service' | 'guest'

/**
 * A connection that holds our locks for as long as we use the server. The locks die with it, so none outlives its
 * process.
 */
export type Session = { client: Client; server: Postmaster; ended: Promise<void> }

/**
 * Two advisory locks in the database postgres (they are local to a database): everyone shares one, the service owns the
 * other.
 */
const lockClass = 0x76697472
const [inUse, hasService] = [1, 2]

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
    // Whoever turns the server off may be stuck; then we look again instead of waiting with it.
    lock_timeout: 20_000,
  })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // The end of the connection is what matters, and an error without a listener would end the process.
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
 * The service's lock comes first and never waits, so that a refused service has touched nothing. The shared one may
 * wait for someone who turns the server off; then the connection is cut and the caller tries again.
 */
const takeLocks = async (client: Client, { dataDir }: DataPaths, role: Role): Promise<void> => {
  if (role === 'service') {
    const sql = 'select pg_try_advisory_lock($1, $2) as taken'
    const { rows } = await client.query<{ taken: boolean }>(sql, [lockClass, hasService])
    if (!rows[0]?.taken) {
      const pid = await findServicePid(client)
      throw new OperatorError(
        `The data folder ${dataDir} is in use by another Vitrine${pid ? ` (process ${pid})` : ''}. Stop it ` +
          'first, or give this one its own folder with VITRINE_DATA_DIR.',
      )
    }
  }
  await client.query('select pg_advisory_lock_shared($1, $2)', [lockClass, inUse])
}

const findServicePid = async (client: Client): Promise<string | undefined> => {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [lockClass, hasService],
  )
  return rows[0]?.application_name.split(' ').at(-1)
}

/**
 * The last user turns the server off. Our locks go first, and whoever then gets the shared one exclusively is alone: of
 * two that leave together exactly one does, and a newcomer either prevents it or waits and starts a server of its own.
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

/** Whether the connection alone keeps Node running. */
export const holdProcess = ({ client }: Session, isHeld: boolean): void => {
  if (isHeld) client.ref()
  else client.unref()
}

/**
 * True when the server's files are gone, as after the checkout was moved: it runs on, but can load no extension any
 * more.
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
    // Someone who opened the server at the same time was faster.
    const code = errorCode(error)
    if (code !== '42P04' && code !== '23505') throw error
  }
}

/**
 * Faults of a server that is just coming or going. What the driver itself finds wrong with a connection has no code;
 * what we tell the operator is no such fault, whatever folder it names.
 */
export const isTransient = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof OperatorError || error instanceof TypeError) return false
  const code = errorCode(error)
  return code === undefined || /^(55P03|57P0[123]|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|EAGAIN|ENOTCONN)$/.test(code)
}
