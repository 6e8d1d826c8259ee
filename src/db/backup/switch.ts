import { existsSync } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { OperatorError } from '../../core/operator-error.ts'
import { databaseName } from '../embedded/session.ts'
import { type BackupPart, backupParts } from './format.ts'

// A restore prepares a database and a folder beside the present ones, and then exchanges them. The exchange of the
// databases is one transaction; it decides whether an interrupted restore is completed or undone.

/** The database that is being filled, and the folder with the files beside it. */
export const stagedDatabase = `${databaseName}_restoring`
export const stagedFolder = (dataDir: string) => join(dataDir, 'restoring')

const keptDatabase = (stamp: string) => `${databaseName}_before_${stamp}`
const keptFolder = (dataDir: string, stamp: string) => join(dataDir, `before-${stamp}`)
const journalIn = (dataDir: string) => join(stagedFolder(dataDir), 'journal.json')

/** A connection to the embedded server that does not use the database of Vitrine, and how to make another. */
export type Cluster = { client: pg.Client; connection: pg.ClientConfig }

export const openCluster = async (connection: pg.ClientConfig): Promise<Cluster> => {
  const besides = { ...connection, database: 'postgres', application_name: 'vitrine restore' }
  const client = new pg.Client(besides)
  client.on('error', () => {})
  await client.connect()
  return { client, connection: besides }
}

type Journal = {
  /** The name under which the present data will be kept. */
  stamp: string
  /** The kept data that is put back, or null for a backup. */
  from: string | null
}

/** `20261118_031415`, in UTC. Names sort by time. */
export const makeStamp = (now: Date) => now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')

/** What earlier restores have replaced, oldest first. */
export const listKept = async (cluster: Cluster): Promise<string[]> => {
  const { rows } = await cluster.client.query<{ stamp: string }>(
    `select substring(datname from '^${databaseName}_before_(\\d{8}_\\d{6})$') as stamp from pg_database
     where datname ~ '^${databaseName}_before_\\d{8}_\\d{6}$' order by 1`,
  )
  return rows.map(({ stamp }) => stamp)
}

/** An empty folder for the files. Call `settleRestore` first, which removes an older one. */
export const stageFolder = async (dataDir: string) => {
  for (const part of backupParts) {
    const [home, place] = [await lstat(dataDir), await lstat(join(dataDir, part)).catch(() => null)]
    if (place === null || place.dev === home.dev) continue
    throw new OperatorError(`${join(dataDir, part)} is on another disk than its folder, so it cannot be exchanged.`)
  }
  await mkdir(stagedFolder(dataDir), { mode: 0o700 })
}

export const stageDatabase = (cluster: Cluster) => cluster.client.query(`create database ${stagedDatabase}`)

/** Exchanges the staged data with the present data, which is kept under the stamp. */
export const switchToStaged = async (cluster: Cluster, dataDir: string, stamp: string) => {
  await writeJournal(dataDir, { stamp, from: null })
  await exchangeDatabases(cluster, { keepAs: keptDatabase(stamp), use: stagedDatabase })
  await settleRestore(cluster, dataDir)
}

/** The same with data that an earlier restore has kept. */
export const switchToKept = async (cluster: Cluster, dataDir: string, from: string, stamp: string) => {
  await mkdir(keptFolder(dataDir, from), { recursive: true, mode: 0o700 })
  await rename(keptFolder(dataDir, from), stagedFolder(dataDir))
  await writeJournal(dataDir, { stamp, from })
  await exchangeDatabases(cluster, { keepAs: keptDatabase(stamp), use: keptDatabase(from) })
  await settleRestore(cluster, dataDir)
}

export const deleteKept = async (cluster: Cluster, dataDir: string, stamp: string) => {
  await rm(keptFolder(dataDir, stamp), { recursive: true, force: true })
  await cluster.client.query(`drop database if exists ${keptDatabase(stamp)} with (force)`)
}

/** Whether the kept data has another secret than the present data. */
export const hasOtherSecret = async (dataDir: string, stamp: string) => {
  const there = await readOrNull(join(keptFolder(dataDir, stamp), 'secret'))
  return there !== null && there !== (await readOrNull(join(dataDir, 'secret')))
}

const readOrNull = (path: string) => readFile(path, 'utf8').catch(() => null)

/**
 * Completes a restore that was interrupted after the exchange of the databases, and removes one that was interrupted
 * before. Does nothing if there is none. A service calls it when it starts.
 */
export const settleRestore = async (cluster: Cluster, dataDir: string) => {
  const journal = await readJournal(dataDir)
  const isSwitched = journal !== null && (await listKept(cluster)).includes(journal.stamp)
  if (journal !== null && isSwitched) await moveParts(dataDir, journal.stamp)
  else if (journal !== null && journal.from !== null) {
    await rm(journalIn(dataDir))
    await rename(stagedFolder(dataDir), keptFolder(dataDir, journal.from))
  }
  await rm(stagedFolder(dataDir), { recursive: true, force: true })
  await cluster.client.query(`drop database if exists ${stagedDatabase} with (force)`)
}

/** Each step can be repeated: what is no longer staged was moved already. */
export const moveParts = async (dataDir: string, stamp: string) => {
  const kept = keptFolder(dataDir, stamp)
  await mkdir(kept, { recursive: true, mode: 0o700 })
  const staged = await readdir(stagedFolder(dataDir))
  for (const part of backupParts.filter((each: BackupPart) => staged.includes(each))) {
    const present = join(dataDir, part)
    // A running service may have made a new folder since an interruption.
    const target = existsSync(join(kept, part)) ? join(kept, `${part}.later`) : join(kept, part)
    if (existsSync(present)) await rename(present, target)
    await rename(join(stagedFolder(dataDir), part), present)
  }
  await rmdir(kept).catch(() => {})
}

const writeJournal = async (dataDir: string, journal: Journal) => {
  const file = await open(journalIn(dataDir), 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(journal))
    await file.sync()
  } finally {
    await file.close()
  }
}

const readJournal = async (dataDir: string): Promise<Journal | null> => {
  const text = await readOrNull(journalIn(dataDir))
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    // Interrupted while it was written, so before the exchange.
    return null
  }
}

const exchangeMs = 60_000

/**
 * Renaming locks a database against new connections and then waits some seconds for the others, which are ended here.
 * Services connect again and find the other database.
 */
const exchangeDatabases = async (cluster: Cluster, { keepAs, use }: { keepAs: string; use: string }) => {
  const ending = new pg.Client(cluster.connection)
  await ending.connect()
  const sql =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1) and pid <> pg_backend_pid()'
  let isDone = false
  const exchanged = (async () => {
    try {
      await cluster.client.query('begin')
      await cluster.client.query(`alter database ${databaseName} rename to ${keepAs}`)
      await cluster.client.query(`alter database ${use} rename to ${databaseName}`)
      await cluster.client.query('commit')
    } catch (error) {
      await cluster.client.query('rollback')
      throw error
    } finally {
      isDone = true
    }
  })()
  exchanged.catch(() => {})
  try {
    for (const deadline = Date.now() + exchangeMs; !isDone && Date.now() < deadline; await sleep(50)) {
      await ending.query(sql, [[databaseName, use]])
    }
    await exchanged
  } catch (error) {
    throw new OperatorError('The databases could not be exchanged, and nothing was changed. Try again.', {
      cause: error,
    })
  } finally {
    await ending.end()
  }
}
