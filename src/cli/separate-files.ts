import type { Config } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage, isSystemError } from '../core/thrown.ts'
import { connectDb } from '../db/database.ts'
import { demoFilesFolder } from '../features/demo-store/demo-store.ts'
import { filesFolderIn } from '../features/downloads/files.ts'
import { type Separated, separateSharedFiles } from '../features/downloads/shared-files.ts'
import type { OpenDatabase } from './database.ts'

/** Copying takes as long as it takes, and another instance that starts at the same time waits for it. */
const longestWaitMs = 3_600_000

/** The files of a folder that all stores shared, into the folders of the stores; null when there is nothing to do. */
export const separateFiles = async (config: Config, database: OpenDatabase) => {
  const folder = filesFolderIn(config.dataDir)
  const db = connectDb({
    connection: database.connection,
    poolSize: 1,
    clock: systemClock,
    statementTimeoutMs: longestWaitMs,
    lockTimeoutMs: longestWaitMs,
  })
  try {
    const separated = await separateSharedFiles(db, folder, config.production ? [] : [demoFilesFolder])
    return separated && { ...separated, sentence: describe(folder, separated) }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new OperatorError(
      `The files in ${folder} cannot be copied into a folder for each store: ${errorMessage(error)}.`,
      { cause: error },
    )
  } finally {
    await db.close()
  }
}

const describe = (folder: string, { copied, missing }: Separated) =>
  `Copied ${copied === 1 ? '1 file' : `${copied} files`} of ${folder} into a folder for each store. ` +
  (missing > 0 ? `${missing} were not found: "vitrine doctor" names those that are still sold. ` : '') +
  'What lies directly in it is not read any more.'
