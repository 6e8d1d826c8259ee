import { statfsSync } from 'node:fs'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode } from '../../core/thrown.ts'
import type { DataPaths } from './data-dir.ts'
import { explainFullDisk } from './file-errors.ts'

const damage =
  /could not (read|locate|find|open (file|directory))|invalid|corrupt|checksum|missing|does not exist|incorrect/i

/** Explains to the operator why initdb or the server exited with this output. */
export const explainServerError = (paths: DataPaths, output: string): OperatorError => {
  const seeLog = `Its log is ${paths.logFile}.`
  const reason = firstErrorLine(output)

  const library =
    /error while loading shared libraries: ([^:\s]+)/.exec(output)?.[1] ??
    /Library not loaded: (\S+)/.exec(output)?.[1] ??
    /version `(GLIBC\S+)' not found/.exec(output)?.[1]
  if (library)
    return new OperatorError(
      `PostgreSQL cannot run here because the system library ${library} is missing: install it, or set ` +
        'DATABASE_URL to a PostgreSQL of your own.',
    )

  // A full /dev/shm reports the same error number as a full disk, but freeing disk space would not help.
  if (/shared memory/.test(reason) && /No space left|Cannot allocate|allocate memory/.test(output))
    return new OperatorError(
      `PostgreSQL could not allocate shared memory (${reason}): give this machine or container more. ${seeLog}`,
    )

  // On a full disk, the log line about it is lost too, so the free space is checked directly.
  if (/No space left on device|Disk quota exceeded/.test(output) || isDiskFull(paths.dataDir))
    return explainFullDisk(paths.dataDir, reason)

  if (/Permission denied/.test(reason))
    return new OperatorError(
      `PostgreSQL cannot access its own files (${reason}): make one user the owner of ${paths.cluster} and everything in it. ${seeLog}`,
    )

  if (damage.test(reason))
    return new OperatorError(
      `The database in ${paths.cluster} is damaged (${reason}): restore the data folder from a backup. ${seeLog}`,
    )
  return new OperatorError(`PostgreSQL could not start (${reason}). ${seeLog}`)
}

/** Explains to the operator why the binary could not be run. */
export const explainSpawnError = (error: NodeJS.ErrnoException, file: string): OperatorError => {
  const because = { cause: error }
  if (error.code === 'ENOENT')
    return new OperatorError(
      `PostgreSQL cannot run here because ${file} or the C library it needs (glibc) is missing: run npm ` +
        'install again, or set DATABASE_URL to a PostgreSQL of your own.',
      because,
    )
  if (error.code === 'EPERM')
    return new OperatorError(
      'PostgreSQL refuses to run as root and Vitrine cannot switch to another user here: start Vitrine as an ' +
        'ordinary user, or allow SETUID and SETGID.',
      because,
    )
  return new OperatorError(`PostgreSQL cannot be run from ${file} (${error.code ?? error.message}).`, because)
}

/** Explains to the operator why a running server refused the connection. */
export const explainSessionError = (paths: DataPaths, error: unknown): unknown => {
  const code = errorCode(error)
  if (code === '53100') return explainFullDisk(paths.dataDir, error)
  if (code === '28P01')
    return new OperatorError(
      `The password in ${paths.passwordFile} is wrong for ${paths.cluster}: restore both from the same backup.`,
      { cause: error },
    )
  if (code === '53300')
    return new OperatorError(`PostgreSQL on ${paths.cluster} has no free connection: try again later.`, {
      cause: error,
    })
  return error
}

/** The server needs space for one WAL segment to start. Only bavail counts, because the rest is reserved for root. */
const isDiskFull = (dataDir: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    return bavail * bsize < 16 * 1024 * 1024
  } catch {
    return false
  }
}

const firstErrorLine = (output: string): string => {
  const lines = output.split('\n').map((line) => line.trim())
  const found =
    lines.find((line) => /\b(FATAL|PANIC): /.test(line)) ??
    lines.find((line) => /\berror: /.test(line)) ??
    lines.findLast((line) => line !== '')
  return found?.replace(/^.*?\b(FATAL|PANIC|error): +/, '').replace(/\.$/, '') ?? 'no output'
}
