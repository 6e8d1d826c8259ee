import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { OperatorError } from '../core/operator-error.ts'

export type Migration = { number: number; name: string; text: string; checksum: string }

const folder = new URL('./migrations/', import.meta.url)

export const readMigrations = (): Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8')
      return { number: Number.parseInt(file, 10), name: file, text, checksum: hash('sha256', text, 'hex') }
    })

/** An arbitrary number that all instances share. */
const migrationLock = 7_150_421

/**
 * Applies the missing migrations, each in its own transaction. Instances that start together wait for the lock, and the
 * second finds nothing left to do. Returns the names of the applied migrations. With `upTo`, later ones are left out, for
 * the schema of a backup.
 */
export const migrate = async (
  connection: pg.ClientConfig,
  { upTo = Number.POSITIVE_INFINITY } = {},
): Promise<string[]> => {
  const client = await connectOrExplain({ application_name: 'vitrine migrate', ...connection })
  try {
    await checkServer(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    return await applyMissing(client, upTo)
  } finally {
    await client.end()
  }
}

/** `pending`: names of migrations that are not applied yet. `isEmpty`: none is applied, so the database is not in use. */
export type SchemaState = { isEmpty: boolean; pending: string[] }

/** Compares the database with this version and changes nothing. Throws when another version has changed it. */
export const examineSchema = async (client: pg.Client): Promise<SchemaState> => {
  const applied = await appliedMigrations(client)
  const known = readMigrations()
  refuseForeignHistory(known, applied)
  const pending = known.filter(({ number }) => !applied.has(number)).map(({ name }) => name)
  return { isEmpty: applied.size === 0, pending }
}

/** Like `examineSchema`, with its own connection, after any running migration has ended. */
export const readSchemaState = async (connection: pg.ClientConfig): Promise<SchemaState> => {
  const client = await connectOrExplain({ application_name: 'vitrine', ...connection })
  try {
    await checkServer(client)
    await holdMigrations(client)
    return await examineSchema(client)
  } finally {
    await client.end()
  }
}

/** Waits for a migration that another process is running. None begins until this connection ends. */
export const holdMigrations = (client: pg.Client) => client.query('select pg_advisory_lock_shared($1)', [migrationLock])

const applyMissing = async (client: pg.Client, upTo: number) => {
  await client.query(`create table if not exists vitrine_migration (
    number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  const applied = await appliedMigrations(client)
  const known = readMigrations()
  refuseForeignHistory(known, applied)
  const done: string[] = []
  for (const migration of known) {
    if (applied.has(migration.number) || migration.number > upTo) continue
    await applyOne(client, migration)
    done.push(migration.name)
  }
  return done
}

const applyOne = async (client: pg.Client, { number, name, text, checksum }: Migration) => {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('insert into vitrine_migration (number, name, checksum) values ($1, $2, $3)', [
      number,
      name,
      checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`The migration ${name} failed and was rolled back: ${reason}.`, { cause: error })
  }
}

const refuseForeignHistory = (known: Migration[], applied: Map<number, Applied>) => {
  const newest = known.at(-1)?.number ?? 0
  for (const { number, name, checksum } of applied.values()) {
    const mine = known.find((migration) => migration.number === number)
    if (mine === undefined && number > newest) {
      throw new OperatorError(
        `This database was migrated by a newer Vitrine: it has ${name}. Run that version or a later one.`,
      )
    }
    if (mine !== undefined && mine.checksum !== checksum) {
      throw new OperatorError(
        `The migration ${mine.name} was changed after it was applied to this database. Restore the original file.`,
      )
    }
  }
}

type Applied = { number: number; name: string; checksum: string }

const appliedMigrations = async (client: pg.Client) => {
  const exists = await client.query(`select to_regclass('vitrine_migration') is not null as yes`)
  if (!exists.rows[0].yes) return new Map<number, Applied>()
  const { rows } = await client.query<Applied>('select number, name, checksum from vitrine_migration')
  return new Map(rows.map((row) => [row.number, row]))
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
    const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...connection })
    // A connection that breaks fails its query. Without this listener it would also end the process.
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    throw new OperatorError(`${explainConnectError(error, describeServer(connection))} Check DATABASE_URL.`, {
      cause: error,
    })
  }
}

const describeServer = (connection: pg.ClientConfig) => {
  try {
    const url = new URL(connection.connectionString ?? '')
    return { host: url.host || 'localhost', database: url.pathname.slice(1) }
  } catch {
    return { host: connection.host ?? 'the given address', database: connection.database ?? '' }
  }
}

const explainConnectError = (error: unknown, { host, database }: { host: string; database: string }) => {
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
