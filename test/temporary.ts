import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux keeps the files of this folder in memory. */
const folder = '/dev/shm'

/** Ten times what the tests of features, or those in a browser, have needed at once. */
const neededBytes = 4 * 1024 ** 3

/**
 * From now on, temporary files of this process and its children are in memory, if there is room. A run makes and drops
 * hundreds of databases and data folders with hundreds of files each. Before it makes a file, ext4 looks at those that
 * were deleted lately, which took an eighth of the processor time of tests of features. TMPDIR chooses another folder.
 */
export const keepTemporaryFilesInMemory = () => {
  if (process.env.TMPDIR === undefined && hasRoom()) process.env.TMPDIR = folder
}

const hasRoom = () => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return Math.min(bavail * bsize, freemem()) >= neededBytes && runsPrograms()
  } catch {
    // On macOS there is no such folder.
    return false
  }
}

/** Tests make programs in temporary folders. A container may forbid to run them there. */
const runsPrograms = () => {
  const own = mkdtempSync(join(folder, 'vitrine-'))
  try {
    const program = join(own, 'program')
    writeFileSync(program, '', { mode: 0o700 })
    accessSync(program, constants.X_OK)
    return true
  } finally {
    rmSync(own, { recursive: true })
  }
}

// For .ci/run, which starts a PostgreSQL of its own.
if (import.meta.main) {
  keepTemporaryFilesInMemory()
  process.stdout.write(`${tmpdir()}\n`)
}
