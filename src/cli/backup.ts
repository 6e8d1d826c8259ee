import { existsSync } from 'node:fs'
import { link, open, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode, errorMessage, isSystemError } from '../core/thrown.ts'
import { takeSnapshot } from '../db/backup/dump.ts'
import { type BackupHead, type BackupPart, backupFormat, type OnProgress } from '../db/backup/format.ts'
import { addParts } from '../db/backup/parts.ts'
import { verifyArchive } from '../db/backup/read-archive.ts'
import { writeArchive } from '../db/backup/write-archive.ts'
import { inspectEmbedded } from '../db/embedded.ts'
import { openDatabase, printSecrets, secretFileIn } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { showProgress } from './show-progress.ts'

type BackupOptions = OutputOptions & { overwrite?: boolean }

export const addBackup = (program: Command) =>
  program
    .command('backup')
    .description('Save the database and the files of the data folder in one file, while the service runs')
    .argument('<file>', 'file to write, such as shop.tar.gz')
    .option('--overwrite', 'replace the file if it exists')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine backup /mnt/backups/shop.tar.gz')
    .action(async (file: string, options: BackupOptions) => {
      const startedAt = performance.now()
      const config = loadConfig(process.env)
      const path = resolve(file)
      if (!options.overwrite && existsSync(path)) throw exists(path)
      if (config.databaseUrl === null && (await inspectEmbedded(config.dataDir)).clusterMajor === undefined) {
        throw new OperatorError(`There is no database in ${config.dataDir} yet. "vitrine start" creates it.`)
      }
      const progress = showProgress(options)
      const draft = `${path}.${process.pid}.part`
      try {
        const made = await makeBackup(config, draft, progress.report('saving'))
        await verifyArchive(draft, progress.report('verifying'))
        await putInPlace(draft, path, options.overwrite ?? false)
        const { size } = await stat(path)
        const seconds = Math.round(performance.now() - startedAt) / 1000
        const result = { file: path, bytes: size, ...made, seconds }
        printResult(options, result, () => describe(result))
      } catch (error) {
        throw explainWriteError(error, path)
      } finally {
        progress.end()
        await rm(draft, { force: true })
      }
    })

type Made = { madeAt: string; rows: number; files: number }

const makeBackup = async (config: Config, path: string, onProgress: OnProgress): Promise<Made> => {
  const database = await openDatabase(config, { role: 'command' })
  try {
    const madeAt = new Date().toISOString()
    const { copyTables, close, ...saved } = await takeSnapshot(database.directConnection)
    try {
      const parts = chooseParts(config)
      const secretPrints = printSecrets(config)
      const head: BackupHead = {
        ...{ format: backupFormat, version: config.version, madeAt, parts, secretPrints },
        ...saved,
      }
      let files = 0
      const fill = async (archive: Parameters<typeof copyTables>[0]) => {
        const counts = await copyTables(archive)
        await close()
        files = await addParts(archive, config.dataDir, parts)
        return counts
      }
      const { rows } = await writeArchive({ path, head, fill, onProgress })
      return { madeAt, rows: Object.values(rows).reduce((sum, count) => sum + count, 0), files }
    } finally {
      await close()
    }
  } finally {
    await database.close()
  }
}

/** Pictures in a bucket, and a secret in the environment, are not in the data folder. */
const chooseParts = (config: Config): BackupPart[] => [
  'files',
  ...(config.media.bucket === null ? (['media'] as const) : []),
  ...(config.secrets === null && existsSync(secretFileIn(config)) ? (['secret'] as const) : []),
  ...(config.databaseUrl === null ? (['demo.json'] as const) : []),
]

/** A complete file or none: a link fails if the name was taken meanwhile, a rename replaces it at once. */
const putInPlace = async (draft: string, path: string, overwrite: boolean) => {
  if (overwrite) await rename(draft, path)
  else {
    try {
      await link(draft, path)
      await unlink(draft)
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw exists(path)
      // Some file systems have no links.
      if (existsSync(path)) throw exists(path)
      await rename(draft, path)
    }
  }
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const exists = (path: string) => new OperatorError(`${path} exists already. Choose another name, or add --overwrite.`)

const explainWriteError = (error: unknown, path: string) =>
  isSystemError(error)
    ? new OperatorError(`${path} cannot be written: ${errorMessage(error)}.`, { cause: error })
    : error

const describe = ({ file, bytes, rows, files, seconds }: Made & { file: string; bytes: number; seconds: number }) =>
  `Saved ${rows} rows and ${files} files in ${file} (${(bytes / 1e6).toFixed(1)} MB, ${seconds.toFixed(1)} s) and ` +
  'verified it. It holds personal data and secrets: keep it where only you can read it.'
