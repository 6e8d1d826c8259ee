import { mkdir, rm } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { examineContent } from '../db/backup/catalog.ts'
import type { OnProgress } from '../db/backup/format.ts'
import { loadBackup, refuseForeignBackup } from '../db/backup/load.ts'
import { unpackParts } from '../db/backup/parts.ts'
import { type VerifiedBackup, verifyArchive } from '../db/backup/read-archive.ts'
import {
  type Cluster,
  deleteKept,
  hasOtherSecret,
  listKept,
  makeStamp,
  moveParts,
  openCluster,
  settleRestore,
  stageDatabase,
  stagedDatabase,
  stagedFolder,
  stageFolder,
  switchToKept,
  switchToStaged,
} from '../db/backup/switch.ts'
import { claimRestore, findServicePid } from '../db/embedded/session.ts'
import { type OpenDatabase, openDatabase, printSecrets } from './database.ts'
import { separateFiles } from './separate-files.ts'

export type Restored = {
  file: string
  madeAt: string
  version: string
  rows: number
  files: number
  /** Migrations that came after the backup. */
  applied: string[]
  /** The name of what was replaced; null when there was nothing. */
  kept: string | null
  warnings: string[]
}

type Report = (phase: string) => OnProgress

/** Nothing is changed before the file was read to its end, and the present data stays in use until all is loaded. */
export const restoreFile = async (config: Config, file: string, yes: boolean, report: Report): Promise<Restored> => {
  const backup = await verifyArchive(file, report('verifying'))
  refuseForeignBackup(backup.head, file)
  const database = await openDatabase(config, { role: 'command' })
  try {
    const restore = config.databaseUrl === null ? restoreEmbedded : restoreIntoEmpty
    const done = await restore(config, database, backup, yes, report)
    await separateFiles(config, database)
    const { madeAt, version } = backup.head
    const rows = Object.values(backup.index.rows).reduce((sum, count) => sum + count, 0)
    return { file, madeAt, version, rows, ...done, warnings: warnAboutSecrets(config, backup) }
  } finally {
    await database.close()
  }
}

type Done = Pick<Restored, 'files' | 'applied' | 'kept'>
type Restore = (c: Config, d: OpenDatabase, b: VerifiedBackup, yes: boolean, report: Report) => Promise<Done>

const restoreEmbedded: Restore = async (config, database, backup, yes, report) =>
  withCluster(config, database, async (cluster) => {
    const { dataDir } = config
    const present = await examineContent(database.connection)
    if (present.hasRows && !yes) {
      throw new OperatorError(
        `The database in ${dataDir} has data. Add --yes to replace it; it is kept under another name.`,
      )
    }
    const hasSecret = partsFor(config, backup).includes('secret') && isOtherSecret(config, backup)
    if (hasSecret) await refuseWhileServing(cluster, dataDir)
    await stageFolder(dataDir)
    try {
      const files = await unpackParts(backup.path, partsFor(config, backup), stagedFolder(dataDir), report('unpacking'))
      await stageDatabase(cluster)
      const staged = { ...database.connection, database: stagedDatabase }
      const applied = await loadBackup(staged, backup, report('loading'))
      const stamp = makeStamp(new Date())
      await switchToStaged(cluster, dataDir, stamp)
      if (present.isEmpty) await deleteKept(cluster, dataDir, stamp)
      return { files, applied, kept: present.isEmpty ? null : stamp }
    } finally {
      await settleRestore(cluster, dataDir)
    }
  })

/** A database of one's own has no others beside it that could be exchanged. */
const restoreIntoEmpty: Restore = async (config, database, backup, _yes, report) => {
  if (!(await examineContent(database.directConnection)).isEmpty) {
    throw new OperatorError(
      'The database of DATABASE_URL is not empty. Create a new one, restore into it, and then start the service with it.',
    )
  }
  const folder = stagedFolder(config.dataDir)
  await rm(folder, { recursive: true, force: true })
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  await stageFolder(config.dataDir)
  try {
    const files = await unpackParts(backup.path, partsFor(config, backup), folder, report('unpacking'))
    const applied = await loadBackup(database.directConnection, backup, report('loading'))
    await moveParts(config.dataDir, makeStamp(new Date()))
    return { files, applied, kept: null }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const putBackKept = (config: Config) =>
  onEmbedded(config, async (cluster) => {
    const from = (await listKept(cluster)).at(-1)
    if (from === undefined) throw new OperatorError('No replaced data is kept.')
    if (await hasOtherSecret(config.dataDir, from)) await refuseWhileServing(cluster, config.dataDir)
    const kept = makeStamp(new Date())
    await switchToKept(cluster, config.dataDir, from, kept)
    return { from, kept }
  })

export const deleteAllKept = (config: Config) =>
  onEmbedded(config, async (cluster) => {
    const stamps = await listKept(cluster)
    for (const stamp of stamps) await deleteKept(cluster, config.dataDir, stamp)
    return stamps
  })

/** For `start`: completes or removes what an interrupted restore has left. One that is running now is left alone. */
export const completeRestore = async ({ databaseUrl, dataDir }: Config, { connection }: OpenDatabase) => {
  if (databaseUrl !== null) return
  const cluster = await openCluster(connection)
  try {
    if (await claimRestore(cluster.client)) await settleRestore(cluster, dataDir)
  } finally {
    await cluster.client.end()
  }
}

const onEmbedded = async <Result>(config: Config, work: (cluster: Cluster) => Promise<Result>) => {
  if (config.databaseUrl !== null)
    throw new OperatorError('Only restores of the embedded database keep what was there.')
  const database = await openDatabase(config, { role: 'command' })
  try {
    return await withCluster(config, database, work)
  } finally {
    await database.close()
  }
}

const withCluster = async <Result>(
  { dataDir }: Config,
  { connection }: OpenDatabase,
  work: (cluster: Cluster) => Promise<Result>,
) => {
  const cluster = await openCluster(connection)
  try {
    if (!(await claimRestore(cluster.client))) throw new OperatorError('Another restore is running.')
    await settleRestore(cluster, dataDir)
    return await work(cluster)
  } finally {
    await cluster.client.end()
  }
}

const partsFor = (config: Config, { head }: VerifiedBackup) =>
  head.parts.filter((part) => part !== 'secret' || config.secrets === null)

const isOtherSecret = (config: Config, { head }: VerifiedBackup) => {
  const present = printSecrets(config)
  return present.length > 0 && !present.some((print) => head.secretPrints.includes(print))
}

/** A service reads its secret when it starts. */
const refuseWhileServing = async ({ client }: Cluster, dataDir: string) => {
  const pid = await findServicePid(client)
  if (pid === undefined) return
  throw new OperatorError(
    `The secret that is restored differs from the one in ${dataDir}, which a running service uses (process ${pid}). Stop it, restore, and start it again.`,
  )
}

const warnAboutSecrets = (config: Config, backup: VerifiedBackup) =>
  isOtherSecret(config, backup)
    ? [
        'VITRINE_SECRET is not the one that the backup was made with: payment credentials in it cannot be read. Add the old one after a comma.',
      ]
    : []
