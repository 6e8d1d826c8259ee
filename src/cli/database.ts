import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { type Config, loadConfig } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { namesOfServers, splitServers } from '../core/database-url.ts'
import { OperatorError } from '../core/operator-error.ts'
import { deriveSigner } from '../core/secrets.ts'
import { errorCode, errorMessage } from '../core/thrown.ts'
import { connectDb, type Db } from '../db/database.ts'
import { explainFileError } from '../db/embedded/file-errors.ts'
import { inspectEmbedded, openEmbedded } from '../db/embedded.ts'
import { connectOrExplain, migrate, readSchemaState, type SchemaState } from '../db/migrate.ts'
import type { DbConnection } from '../db/options.ts'

export type OpenDatabase = {
  connection: DbConnection
  /** Without the pooler, for sessions and for statements that take longer than a pooler may allow. */
  directConnection: DbConnection
  /** Where the data is, for people to read. */
  description: string
  close(): Promise<void>
}

export type OpenOptions = { role: 'service' | 'command'; onUnexpectedExit?: (message: string) => void }

/** Opens the database of DATABASE_URL, or else the embedded one, which it starts if it is not running. */
export const openDatabase = async (config: Config, { role, onUnexpectedExit }: OpenOptions): Promise<OpenDatabase> => {
  if (config.databaseUrl !== null) {
    const { databaseUrl, databaseDirectUrl, databasePrepare: prepare } = config
    const isPooler = databaseDirectUrl !== null && databaseDirectUrl !== databaseUrl
    const connection = { connectionString: databaseUrl, prepare, isPooler }
    const directConnection = isPooler ? { connectionString: databaseDirectUrl } : connection
    await tryConnection(connection)
    return { connection, directConnection, description: describeUrl(databaseUrl), close: async () => {} }
  }
  const server = await openEmbedded({
    dataDir: config.dataDir,
    role,
    ...(onUnexpectedExit === undefined ? {} : { onUnexpectedExit }),
  })
  return {
    connection: server.connection,
    directConnection: server.connection,
    description: `embedded PostgreSQL in ${config.dataDir}`,
    close: server.stop,
  }
}

const tryConnection = async (connection: pg.ClientConfig) => {
  const client = await connectOrExplain(connection)
  await client.end()
}

const describeUrl = (text: string) => {
  const [first = text] = splitServers(text)
  return `PostgreSQL at ${namesOfServers(text) || 'a local socket'}, database ${new URL(first).pathname.slice(1) || '(default)'}`
}

type Work<Result> = (db: Db, config: Config) => Promise<Result>

/**
 * For commands that write. An empty database is migrated, because no service can be using it. One with pending
 * migrations is refused: the version that runs on it may not work with the new tables (decision 0025).
 */
export const withDatabase = <Result>(work: Work<Result>): Promise<Result> =>
  onDatabase(work, async ({ directConnection }) => {
    const schema = await readSchemaState(directConnection)
    if (schema.isEmpty) await migrate(directConnection)
    else refusePending(schema)
  })

/** For commands that only read: they never change the schema and never create a database. */
export const withReadableDatabase = async <Result>(work: Work<Result>): Promise<Result> => {
  const config = loadConfig(process.env)
  if (config.databaseUrl === null && (await inspectEmbedded(config.dataDir)).clusterMajor === undefined) {
    throw new OperatorError(`There is no database in ${config.dataDir} yet. "vitrine start" creates it.`)
  }
  return onDatabase(work, async ({ directConnection }) => {
    const schema = await readSchemaState(directConnection)
    if (schema.isEmpty) {
      throw new OperatorError(
        'There are no tables in this database yet. "vitrine start" or "vitrine migrate" creates them.',
      )
    }
    refusePending(schema)
  })
}

const refusePending = ({ pending, oldestVersion }: SchemaState) => {
  if (pending.length === 0) return
  throw new OperatorError(
    `This version needs migrations that the database does not have: ${pending.join(', ')}. Stop instances older than ${oldestVersion}, then run "vitrine migrate".`,
  )
}

const onDatabase = async <Result>(work: Work<Result>, prepare: (database: OpenDatabase) => Promise<void>) => {
  const config = loadConfig(process.env)
  const database = await openDatabase(config, { role: 'command' })
  try {
    await prepare(database)
    // As long as the statement timeout, because two imports at once wait for each other.
    const db = connectDb({ connection: database.connection, poolSize: 2, clock: systemClock, lockTimeoutMs: 10_000 })
    try {
      return await work(db, config)
    } finally {
      await db.close()
    }
  } finally {
    await database.close()
  }
}

/** The secret that the first start generates if VITRINE_SECRET is not set. */
export const secretFileIn = ({ dataDir }: Config) => join(dataDir, 'secret')

/** The secrets that sign cursors and tokens: from the environment, or from a file that the first start writes. */
export const loadSecrets = (config: Config): readonly string[] => {
  if (config.secrets !== null) return config.secrets
  const file = secretFileIn(config)
  const secret = readOrMakeSecret(file)
  if (secret.length < 32)
    throw new OperatorError(
      `The file ${file} is damaged. Set VITRINE_SECRET, or delete the file to create a new secret.`,
    )
  return [secret]
}

/** Recognises each secret in a backup without showing it. Never makes one. */
export const printSecrets = (config: Config): string[] => {
  const secrets = config.secrets ?? (existsSync(secretFileIn(config)) ? loadSecrets(config) : [])
  return secrets.map((secret) => deriveSigner([secret], 'backup').sign('secret'))
}

const readOrMakeSecret = (file: string) => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if (!existsSync(file)) makeSecret(file)
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const explained = explainFileError(error, dirname(file))
    if (explained instanceof OperatorError) throw explained
    throw new OperatorError(`Cannot read or write the secret in ${file}: ${errorMessage(error)}.`, { cause: error })
  }
}

/** A hard link is created atomically, so that concurrent first starts agree on one secret and none reads half of it. */
const makeSecret = (file: string) => {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, randomBytes(48).toString('base64url'), { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}
