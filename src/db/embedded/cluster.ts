import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, chownSync, closeSync, fsyncSync, openSync } from 'node:fs'
import { link, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode } from '../../core/thrown.ts'
import { type Account, type DataPaths, makePrivateDir, repairOwnership } from './data-dir.ts'
import { explainFileError } from './file-errors.ts'
import type { Runtime } from './runtime.ts'
import { explainServerError, explainSpawnError } from './server-errors.ts'

/** The superuser that initdb creates. Only Vitrine connects as this user. */
export const databaseUser = 'vitrine'

const initdbTimeoutMs = 180_000

/** Creates the cluster on the first start. On later starts, checks that this version of PostgreSQL can run it. */
export const ensureCluster = async (
  paths: DataPaths,
  runtime: Runtime,
  account: Account | undefined,
): Promise<void> => {
  try {
    await removeLeftovers(paths)
    const major = await readClusterMajor(paths)
    if (major === undefined) return await createCluster(paths, runtime, account)
    if (major !== runtime.major)
      throw new OperatorError(
        `The database in ${paths.cluster} was created by PostgreSQL ${major}, but this Vitrine includes PostgreSQL ` +
          `${runtime.major}: migrate the data with pg_dump, or set VITRINE_DATA_DIR to a new folder.`,
      )
    await readPassword(paths)
    repairOwnership(paths.cluster, account)
  } catch (error) {
    throw explainFileError(error, paths.cluster)
  }
}

/** The major version that created the cluster. Undefined when there is none yet. */
export const readClusterMajor = async ({ cluster }: DataPaths): Promise<string | undefined> => {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw explainFileError(error, cluster)
    const names = await readdir(cluster).catch(() => [])
    if (names.length === 0) return undefined
    throw new OperatorError(
      `The database in ${cluster} is damaged (PG_VERSION is missing): restore the data folder from a backup.`,
    )
  }
}

export const readPassword = async ({ passwordFile, cluster }: DataPaths): Promise<string> => {
  try {
    return (await readFile(passwordFile, 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw explainFileError(error, passwordFile)
    throw new OperatorError(
      `The password of the database in ${cluster} is missing: restore ${passwordFile} from a backup of the ` +
        'data folder.',
    )
  }
}

/**
 * The cluster is created under a temporary name and renamed, so a folder named postgres is always complete. Of two
 * concurrent first starts, the first rename wins and the other discards its cluster.
 */
const createCluster = async (paths: DataPaths, runtime: Runtime, account: Account | undefined): Promise<void> => {
  const password = await claimPassword(paths)
  const fresh = join(paths.dataDir, `postgres.new-${process.pid}-${randomBytes(6).toString('hex')}`)
  const passwordCopy = `${fresh}.pw`
  try {
    makePrivateDir(fresh, account)
    await writeSecret(passwordCopy, password)
    if (account) chownSync(passwordCopy, account.uid, account.gid)
    await runInitdb(paths, runtime, account, fresh, passwordCopy)
    await rename(fresh, paths.cluster)
    syncDir(paths.dataDir)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  } finally {
    await rm(passwordCopy, { force: true })
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Concurrent first starts agree on one password before they create a cluster, so it is valid whichever wins. */
const claimPassword = async (paths: DataPaths): Promise<string> => {
  const draft = join(paths.dataDir, `postgres.new-${process.pid}-${randomBytes(6).toString('hex')}.password`)
  try {
    await writeSecret(draft, randomBytes(32).toString('hex'))
    // A link, unlike a rename, fails if the file already exists.
    await link(draft, paths.passwordFile)
    syncDir(paths.dataDir)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    await unlink(draft).catch(() => {})
  }
  return await readPassword(paths)
}

const writeSecret = async (path: string, secret: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(`${secret}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

const runInitdb = async (
  paths: DataPaths,
  runtime: Runtime,
  account: Account | undefined,
  folder: string,
  passwordFile: string,
): Promise<void> => {
  const folderFd = openSync(folder, 'r')
  const passwordFd = openSync(passwordFile, 'r')
  const file = join(runtime.root, 'bin/initdb')
  try {
    const args = [
      ...(account ? ['-D', inheritedDir, '--pwfile=/proc/self/fd/4'] : ['-D', folder, `--pwfile=${passwordFile}`]),
      ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', ...libcLocale],
      ...['--auth=scram-sha-256', `--username=${databaseUser}`],
    ]
    const child = spawn(file, args, {
      ...{ cwd: '/', env: childEnvironment(), timeout: initdbTimeoutMs, killSignal: 'SIGKILL', ...account },
      stdio: ['ignore', 'pipe', 'pipe', folderFd, passwordFd],
    })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => (output += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (output += text))
    const code = await new Promise<number | string | null>((resolve, reject) => {
      child.on('error', (error) => reject(explainSpawnError(error, file)))
      child.on('close', (status, signal) => resolve(status ?? signal))
    })
    if (code === 0) return
    appendToLog(paths, output)
    throw explainServerError(paths, output)
  } finally {
    closeSync(folderFd)
    closeSync(passwordFd)
  }
}

/**
 * Root opens the folder and the child inherits it as descriptor 3. This path reaches it without passing through parent
 * folders that the server's user may not enter. Tested with initdb, reload, checkpoint, crash restart of all backends,
 * and shutdown.
 */
export const inheritedDir = '/proc/self/fd/3'

/**
 * PostgreSQL's builtin C.UTF-8 is the same on every system. Compared with libc, it sorts text in a quarter of the time
 * and lets a plain index serve `like 'x%'`. pg_trgm still uses the character classes of libc, and macOS may lack
 * C.UTF-8, hence the second locale.
 */
const libcLocale = process.platform === 'darwin' ? ['--locale=C', '--lc-ctype=en_US.UTF-8'] : ['--locale=C.UTF-8']

/** A minimal environment: inherited variables such as PGDATA, PGOPTIONS and LD_PRELOAD would affect the server. */
export const childEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
})

/** Removes files of a killed first start. The pid may have been reused by another process, so age counts as well. */
const removeLeftovers = async ({ dataDir }: DataPaths): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    const pid = /^postgres\.new-(\d+)-[0-9a-f]{12}(\.pw|\.password)?$/.exec(name)?.[1]
    if (pid === undefined) continue
    const path = join(dataDir, name)
    const ageMs = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now())
    // An initdb that outlives its killed parent may still write here. The next start removes the rest.
    if (ageMs > 2 * initdbTimeoutMs || !isAlive(Number(pid)))
      await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

const appendToLog = (paths: DataPaths, output: string): void => {
  try {
    appendFileSync(paths.logFile, output, { mode: 0o600 })
  } catch {
    // Usually the disk is full, which the caller is about to report.
  }
}

const syncDir = (path: string): void => {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
