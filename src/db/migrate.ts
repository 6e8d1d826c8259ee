import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { splitServers } from '../core/database-url.ts'
import { OperatorError } from '../core/operator-error.ts'
import { isOlderVersion, packageVersion } from '../core/version.ts'
import { type ApplyOptions, applyMigration } from './apply-migration.ts'
import { changeShardsInTurn, distributeNewTables } from './distribute.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { connectToPrimary, NoPrimary, StandbyServer } from './primary.ts'

/** An arbitrary number that all instances share. */
const migrationLock = 7_150_421

/** `migrations` and `version` replace those of this code, for tests. */
type Ours = { migrations?: readonly Migration[]; version?: string }

export type MigrateOptions = Ours & Partial<Omit<ApplyOptions, 'connection'>>

/**
 * Applies the missing migrations. Instances that start together take turns, and the second finds nothing left to do. With
 * nothing to do there is no turn to wait for: an instance of an older version can start during a long migration of a newer
 * one. Returns the names of the applied migrations.
 */
export const migrate = async (connection: pg.ClientConfig, options: MigrateOptions = {}): Promise<string[]> => {
  const { onProgress = () => {} } = options
  const client = await connectOrExplain({ application_name: 'vitrine migrate', ...connection })
  try {
    await checkServer(client)
    const { pending, isDeclared } = await examineSchema(client, options)
    if (pending.length === 0 && isDeclared) return []
    await client.query(changeShardsInTurn)
    const release = await takeLock(connection, 'pg_try_advisory_xact_lock', onProgress)
    try {
      return await applyMissing(client, { ...options, connection, onProgress })
    } finally {
      await release()
    }
  } finally {
    await client.end()
  }
}

export type SchemaState = {
  /** None is applied, so the database is not in use. */
  isEmpty: boolean
  /** Names of migrations of this version that are not applied yet, or not completely. */
  pending: string[]
  /** Names of applied migrations of a newer version, beside which this one works. */
  newer: string[]
  /** The newest version that the pending migrations ask for: older instances must be stopped first. */
  oldestVersion: string | null
  /** Every row says beside which versions it works. */
  isDeclared: boolean
}

/** Compares the database with this version and changes nothing. Throws when this version cannot work with it. */
export const examineSchema = async (client: pg.Client, { migrations, version }: Ours = {}): Promise<SchemaState> => {
  const applied = await appliedMigrations(client)
  const known = migrations ?? readMigrations()
  refuseForeignHistory(known, applied, version ?? packageVersion)
  const pending = known.filter(({ number }) => !applied.get(number)?.isFinished)
  const rows = [...applied.values()]
  return {
    isEmpty: applied.size === 0,
    pending: pending.map(({ name }) => name),
    newer: rows.filter(({ number }) => known.every((mine) => mine.number !== number)).map(({ name }) => name),
    oldestVersion: pending.map(({ oldestVersion = packageVersion }) => oldestVersion).reduce(newerOf, null),
    isDeclared: rows.every(({ oldestVersion }) => oldestVersion !== null),
  }
}

const newerOf = (a: string | null, b: string) => (a === null || isOlderVersion(a, b) ? b : a)

/** Like `examineSchema`, with its own connection. If migrations are missing, it waits for one that is running. */
export const readSchemaState = async (connection: pg.ClientConfig): Promise<SchemaState> => {
  const client = await connectOrExplain({ application_name: 'vitrine', ...connection })
  try {
    await checkServer(client)
    const state = await examineSchema(client)
    if (state.pending.length === 0) return state
    const release = await holdMigrations(connection)
    return await examineSchema(client).finally(release)
  } finally {
    await client.end()
  }
}

/** Waits for a migration that another process is running. None begins until the returned function is called. */
export const holdMigrations = (connection: pg.ClientConfig) =>
  takeLock(connection, 'pg_try_advisory_xact_lock_shared', () => {})

const pollMs = 50
const toldAfterTries = 40

/**
 * The lock belongs to a transaction of a connection of its own, which stays open until the returned function is called: a
 * lock of a session would stay behind in a transaction pooler, and the next start would wait for it forever. It is asked
 * for until it is free, each time in a new transaction. Building an index concurrently waits for the end of every
 * transaction that has a snapshot at that moment. So it would wait for a statement that waits for the lock, and also for a
 * transaction that it finds while this asks for the lock and fails, if that went on until it has the lock.
 */
const takeLock = async (
  connection: pg.ClientConfig,
  kind: 'pg_try_advisory_xact_lock' | 'pg_try_advisory_xact_lock_shared',
  onProgress: (line: string) => void,
) => {
  const holder = await connectOrExplain({ application_name: 'vitrine migrate lock', ...connection })
  try {
    for (let tries = 1; ; tries++) {
      await holder.query('begin; set local idle_in_transaction_session_timeout = 0')
      // Without parameters: a statement with them leaves a portal open, and with it a snapshot.
      const { rows } = await holder.query(`select ${kind}(${migrationLock}) as taken`)
      if (rows[0].taken) return () => holder.end()
      await holder.query('rollback')
      if (tries === toldAfterTries) onProgress('Waiting for another process that migrates this database')
      await setTimeout(pollMs)
    }
  } catch (error) {
    await holder.end()
    throw error
  }
}

const applyMissing = async (client: pg.Client, { migrations, version, ...options }: Ours & ApplyOptions) => {
  await endWithTheClient(client)
  await prepareTable(client)
  const applied = await appliedMigrations(client)
  const known = migrations ?? readMigrations()
  refuseForeignHistory(known, applied, version ?? packageVersion)
  const done: string[] = []
  for (const migration of known) {
    if (applied.get(migration.number)?.isFinished) {
      await declare(client, migration)
      continue
    }
    await applyMigration(client, migration, options)
    // The next one may refer to them.
    await distributeNewTables(client)
    done.push(migration.name)
  }
  return done
}

/** PostgreSQL stops a long statement when the process that asked for it was killed, and so releases the lock. */
const endWithTheClient = async (client: pg.Client) => {
  await client.query('set statement_timeout = 0')
  // Not available on every platform.
  await client.query(`set client_connection_check_interval = '2s'`).catch(() => {})
}

/** The first released version wrote four columns. */
const prepareTable = async (client: pg.Client) => {
  await client.query(`create table if not exists vitrine_migration (
    number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  await client.query(`alter table vitrine_migration add column if not exists oldest_version text,
    add column if not exists is_finished boolean not null default true,
    add column if not exists cursor text,
    add column if not exists rows_done bigint not null default 0`)
}

/** For rows that an older version has written. */
const declare = (client: pg.Client, { number, oldestVersion }: Migration) =>
  client.query('update vitrine_migration set oldest_version = $2 where number = $1 and oldest_version is null', [
    number,
    oldestVersion,
  ])

const refuseForeignHistory = (known: readonly Migration[], applied: Map<number, Applied>, version: string) => {
  const newest = known.at(-1)?.number ?? 0
  for (const { number, name, checksum, oldestVersion } of applied.values()) {
    const mine = known.find((migration) => migration.number === number)
    if (mine === undefined && number > newest) refuseIfTooOld({ name, oldestVersion }, version)
    if (mine !== undefined && mine.checksum !== checksum) {
      throw new OperatorError(
        `The migration ${mine.name} was changed after it was applied to this database. Restore the original file.`,
      )
    }
  }
}

const refuseIfTooOld = ({ name, oldestVersion }: Pick<Applied, 'name' | 'oldestVersion'>, version: string) => {
  if (oldestVersion === null) {
    throw new OperatorError(
      `This database was migrated by a newer Vitrine: it has ${name}. Run that version or a later one.`,
    )
  }
  if (isOlderVersion(version, oldestVersion)) {
    throw new OperatorError(
      `This database was migrated by a newer Vitrine: ${name} needs version ${oldestVersion} or newer, and this is ${version}.`,
    )
  }
}

type Applied = { number: number; name: string; checksum: string; oldestVersion: string | null; isFinished: boolean }

/** As JSON, because a table that an older version made lacks columns. */
const appliedMigrations = async (client: pg.Client) => {
  const exists = await client.query(`select to_regclass('vitrine_migration') is not null as yes`)
  if (!exists.rows[0].yes) return new Map<number, Applied>()
  const { rows } = await client.query('select to_jsonb(m) as row from vitrine_migration m order by number')
  const applied = rows.map(
    ({ row: { number, name, checksum, oldest_version, is_finished } }): Applied => ({
      ...{ number, name, checksum, oldestVersion: oldest_version ?? null, isFinished: is_finished ?? true },
    }),
  )
  return new Map(applied.map((row) => [row.number, row]))
}

const minMajor = 15

const checkServer = async (client: pg.Client) => {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  )
  const major = Math.floor(rows[0].version / 10_000)
  if (major < minMajor) {
    throw new OperatorError(`Vitrine needs PostgreSQL ${minMajor} or newer, but this server is version ${major}.`)
  }
  if (rows[0].encoding !== 'UTF8') {
    throw new OperatorError(`The database encoding must be UTF8, not ${rows[0].encoding}.`)
  }
}

/** Connects, or throws one sentence that says why not. It never contains a password. */
export const connectOrExplain = async (connection: pg.ClientConfig): Promise<pg.Client> => {
  try {
    return await connectToPrimary(connection)
  } catch (error) {
    throw new OperatorError(`${explainAll(error, connection)} Check DATABASE_URL.`, { cause: error })
  }
}

const explainAll = (error: unknown, connection: pg.ClientConfig) => {
  const urls = splitServers(connection.connectionString ?? '')
  const reasons = error instanceof NoPrimary ? error.reasons : [error]
  return reasons.map((reason, i) => explainConnectError(reason, describeServer(urls[i], connection))).join(' ')
}

const describeServer = (text: string | undefined, connection: pg.ClientConfig) => {
  try {
    const url = new URL(text ?? '')
    return { host: url.host || 'localhost', database: url.pathname.slice(1) }
  } catch {
    return { host: connection.host ?? 'the given address', database: connection.database ?? '' }
  }
}

const explainConnectError = (error: unknown, { host, database }: { host: string; database: string }) => {
  if (error instanceof StandbyServer) return `PostgreSQL at ${host} is a standby.`
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_INVALID_URL') return 'The address of PostgreSQL is not a valid URL.'
  if (code === '28P01' || code === '28000') return `PostgreSQL at ${host} refused the user or the password.`
  if (code === '3D000') return `PostgreSQL at ${host} has no database "${database}".`
  if (code === '53300') return `PostgreSQL at ${host} has no free connection.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host of PostgreSQL, ${host}, was not found.`
  if (code === 'ECONNREFUSED') return `PostgreSQL is not listening at ${host} (connection refused).`
  const reason = error instanceof Error ? error.message || code : String(error)
  return `PostgreSQL at ${host} cannot be reached (${reason}).`
}
