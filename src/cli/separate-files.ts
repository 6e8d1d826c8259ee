import type { Config } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage, isSystemError } from '../core/thrown.ts'
import { connectDb } from '../db/database.ts'
import { demoFilesFolder } from '../features/demo-store/demo-store.ts'
import { filesFolderIn } from '../features/downloads/files.ts'
import { type Separated, separateSharedFiles } from '../features/downloads/shared-files.ts'
import type { OpenDatabase } from './database.ts'

/** Copying can take long, and another instance that starts at the same time waits for it. */
const maxWaitMs = 3_600_000

/** Copies the files of a folder that all stores shared to a folder for each store; null when there are none to copy. */
export const separateFiles = async (config: Config, database: OpenDatabase) => {
  const folder = filesFolderIn(config.dataDir)
  const db = connectDb({
    connection: database.directConnection,
    poolSize: 1,
    clock: systemClock,
    statementTimeoutMs: maxWaitMs,
    lockTimeoutMs: maxWaitMs,
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
  (missing > 0 ? `${missing} were not found: "vitrine doctor" lists those that are still on sale. ` : '') +
  'Files directly in it are no longer used.'
