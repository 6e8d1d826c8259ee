import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode } from '../../core/thrown.ts'
import { childEnvironment, inheritedDir } from './cluster.ts'
import { type Account, type DataPaths, makePrivateDir, permits } from './data-dir.ts'
import { explainFileError } from './file-errors.ts'
import { type Runtime, removeTemporaryRuntime } from './runtime.ts'
import { explainSpawnError } from './server-errors.ts'

/** The content of postmaster.pid. */
export type Postmaster = { pid: number; port: number; socketDir: string; isReady: boolean }

/** A server that this process spawned. `exit` is set when it has exited. */
export type Spawned = {
  pid: number | undefined
  exit: string | undefined
  error: OperatorError | undefined
  readOutput(): string
  kill(): void
}

const port = 5432
const socketDirName = /^vitrine-\w{6}$/
const maxLogBytes = 10 * 1024 * 1024
const fastShutdownMs = 60_000

const settings = (cluster: string, socketDir: string): Record<string, string | number> => ({
  cluster_name: nameCluster(cluster),
  listen_addresses: '',
  port,
  unix_socket_directories: socketDir,
  unix_socket_permissions: '0700',
  max_connections: 300,
  shared_buffers: '128MB',
  // Most reads hit the page cache, where a worker process costs more than the read itself: a search with 6,000 matches
  // took 62 ms at best, and 83 ms with the default (worker) on a busy machine.
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  // Failed statements reach Node as errors. In this log they would fill the disk and expose the data of shoppers.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
})

/**
 * Starts the server in its own session, so that Ctrl-C in a terminal reaches only Node, which decides when the server
 * stops.
 */
export const spawnServer = (
  paths: DataPaths,
  runtime: Runtime,
  account: Account | undefined,
  socketDir: string,
): Spawned => {
  const file = join(runtime.root, 'bin/postgres')
  const log = openLog(paths.logFile)
  const folder = openSync(paths.cluster, 'r')
  const logStart = fstatSync(log).size
  const options = Object.entries(settings(paths.cluster, socketDir)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  try {
    const child = spawn(file, ['-D', account ? inheritedDir : paths.cluster, ...options], {
      ...{ cwd: '/', detached: true, env: { ...childEnvironment(), ...excuseStalePid(paths.cluster) }, ...account },
      stdio: ['ignore', log, log, folder],
    })
    child.unref()
    return watchChild(child, file, () => readFrom(paths.logFile, logStart))
  } finally {
    closeSync(folder)
    closeSync(log)
  }
}

/** The running server of this cluster, whichever process spawned it. */
export const findPostmaster = (cluster: string): Postmaster | undefined => {
  const named = readPostmaster(cluster)
  return named && isServerOf(cluster, named.pid) ? named : undefined
}

/** Reads postmaster.pid. After a power failure, its pid may belong to no process or to an unrelated one. */
export const readPostmaster = (cluster: string): Postmaster | undefined => {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8')
      .split('\n')
      .map((line) => line.trim())
    const [pid, , , portLine, socketDir = '', , , status] = lines
    if (!/^\d+$/.test(pid ?? '')) return undefined
    return { pid: Number(pid), port: Number(portLine), socketDir, isReady: status === 'ready' }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw explainFileError(error, cluster)
  }
}

/**
 * Shuts the server down, waits until it has exited, and removes its files outside the data folder. A fast shutdown comes
 * first, so that the server can write its checkpoint. An immediate one is safe too, because the next start replays the
 * WAL.
 */
export const shutDown = async (cluster: string, server: Postmaster): Promise<void> => {
  const file = readCommand(server.pid)[0] ?? ''
  const isUp = () => isServerOf(cluster, server.pid)
  for (const [signal, timeoutMs] of [
    ['SIGINT', fastShutdownMs],
    ['SIGQUIT', 15_000],
  ] as const) {
    if (isUp()) attempt(() => process.kill(server.pid, signal))
    for (const deadline = Date.now() + timeoutMs; isUp() && Date.now() < deadline; ) await sleep(10)
  }
  if (isUp())
    throw new OperatorError(`PostgreSQL (process ${server.pid}) on ${cluster} did not stop after SIGINT and SIGQUIT.`)
  removeSocketDir(server.socketDir)
  removeTemporaryRuntime(file)
}

/**
 * A new folder that only the server's user may enter, so no other user of the machine can even try a password. It is
 * outside the data folder, because the path of a socket is limited to about 100 bytes. PostgreSQL touches its socket
 * every hour, so cleaners of temporary folders leave it alone.
 */
const makeSocketDir = (account: Account | undefined): string => {
  for (const base of new Set([tmpdir(), '/tmp', '/var/tmp', '/run']))
    try {
      // The setting is a list, so commas, quotes and spaces would be interpreted.
      if (!/^[\w./@+-]{1,70}$/.test(base) || (account && !isOpenTo(base, account))) continue
      const path = mkdtempSync(join(base, 'vitrine-'))
      if (account) lchownSync(path, account.uid, account.gid)
      return path
    } catch {
      // The next one may be writable.
    }
  throw new OperatorError(
    `There is no temporary folder for the socket of PostgreSQL: make ${tmpdir()} or /tmp writable.`,
  )
}

/**
 * A restart after a crash reuses the socket folder, because clients still connect to it. A folder of that name that
 * belongs to another user is not used.
 */
export const claimSocketDir = (cluster: string, account: Account | undefined, known: string | undefined) => {
  const path = known ?? readPostmaster(cluster)?.socketDir ?? ''
  if (isOurSocketDir(path, account)) return { path, isFresh: false }
  if (known === undefined) return { path: makeSocketDir(account), isFresh: true }
  makePrivateDir(known, account)
  return { path: known, isFresh: false }
}

const isOurSocketDir = (path: string, account: Account | undefined): boolean => {
  const stats = socketDirName.test(basename(path)) ? lstatSync(path, { throwIfNoEntry: false }) : undefined
  return stats?.uid === (account?.uid ?? process.geteuid?.()) && ((stats?.mode ?? 0) & 0o170777) === 0o040700
}

/** Not recursive, because the path comes from a file. Only the two known files are removed. */
export const removeSocketDir = (path: string): void => {
  if (!socketDirName.test(basename(path))) return
  for (const name of [`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]) attempt(() => unlinkSync(join(path, name)))
  attempt(() => rmdirSync(path))
}

/**
 * A name that stays the same while a server runs, even if the folder is moved. It is in the server's command line, which
 * every process can read. In a container, root may not read the working directory of another user's process.
 */
const nameCluster = (cluster: string): string => {
  const folder = statSync(cluster, { bigint: true, throwIfNoEntry: false })
  return folder ? `vitrine-${folder.dev.toString(16)}-${folder.ino.toString(16)}` : 'vitrine-missing'
}

/** A zombie has no command line, and counts neither as running nor as a server. */
export const isRunning = (pid: number): boolean => readCommand(pid).some((word) => word !== '')

const isServerOf = (cluster: string, pid: number): boolean => readClusterName(readCommand(pid)) === nameCluster(cluster)

const readClusterName = (command: string[]): string | undefined =>
  command.find((word) => word.startsWith('cluster_name='))?.slice('cluster_name='.length)

/**
 * PostgreSQL does not start while the pid in postmaster.pid belongs to any process of its user: after a power failure,
 * an unrelated process may have that pid, or in a container a thread of our own Node. PostgreSQL ignores the pid in this
 * variable. That is safer than removing the file, which may belong to a server that has just started.
 */
const excuseStalePid = (cluster: string): NodeJS.ProcessEnv => {
  const pid = readPostmaster(cluster)?.pid
  return pid !== undefined && isSurelyNotServerOf(cluster, pid) ? { PG_GRANDPARENT_PID: String(pid) } : {}
}

/**
 * A power failure can leave an empty pid file, with which PostgreSQL does not start. A server that is just starting has
 * an empty one too, but only for an instant.
 */
export const removeBrokenPidFile = (cluster: string): void => {
  const path = join(cluster, 'postmaster.pid')
  const file = statSync(path, { throwIfNoEntry: false })
  if (file && !readPostmaster(cluster) && Date.now() - file.mtimeMs > 5000) unlinkSync(path)
}

const isSurelyNotServerOf = (cluster: string, pid: number): boolean => {
  const command = readCommand(pid)
  if (!command.some((word) => word.includes('postgres'))) return true
  const name = readClusterName(command)
  if (name?.startsWith('vitrine-')) return name !== nameCluster(cluster)
  try {
    // A PostgreSQL that we did not start. If it was started by hand on this folder, it must keep it.
    const [there, here] = [statSync(readlinkSync(`/proc/${pid}/cwd`)), statSync(cluster)]
    return there.dev !== here.dev || there.ino !== here.ino
  } catch {
    return false
  }
}

const readCommand = (pid: number): string[] => {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(' ')
  } catch {
    return []
  }
}

const watchChild = (child: ChildProcess, file: string, readOutput: () => string): Spawned => {
  const kill = () => void child.kill('SIGINT')
  const spawned: Spawned = { pid: child.pid, exit: undefined, error: undefined, readOutput, kill }
  child.on('error', (error) => {
    spawned.error = explainSpawnError(error, file)
    spawned.exit = error.message
  })
  child.on('exit', (code, signal) => {
    spawned.exit = signal ? `ended by ${signal}` : `ended with status ${code}`
  })
  return spawned
}

const openLog = (path: string): number => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}

const readFrom = (path: string, start: number): string => {
  const log = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(64 * 1024)
    return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, start))
  } finally {
    closeSync(log)
  }
}

const isOpenTo = (path: string, account: Account): boolean =>
  permits(statSync(path), account, 1) && (path === dirname(path) || isOpenTo(dirname(path), account))

const attempt = (action: () => unknown): void => {
  try {
    action()
  } catch {
    // Already removed or exited.
  }
}
