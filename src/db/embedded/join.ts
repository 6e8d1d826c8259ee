import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../core/operator-error.ts'
import { ensureCluster, readClusterMajor, readPassword } from './cluster.ts'
import type { Account, DataPaths } from './data-dir.ts'
import { explainFileError } from './file-errors.ts'
import { type Binaries, prepareRuntime, removeTemporaryRuntime } from './runtime.ts'
import {
  claimSocketDir,
  findPostmaster,
  type Postmaster,
  removeBrokenPidFile,
  removeSocketDir,
  type Spawned,
  shutDown,
  spawnServer,
} from './server.ts'
import { explainServerError, explainSessionError } from './server-errors.ts'
import {
  ensureDatabase,
  hasLostFiles,
  isTransient,
  leaveSession,
  openServerSession,
  type Role,
  type Session,
} from './session.ts'

/** The data folder, the user that runs the server, and the role of this process. */
export type Host = {
  paths: DataPaths
  account: Account | undefined
  role: Role
  binaries: Binaries
  log: (line: string) => void
}

/** A server that we use. `spawned` is absent when another process started it. */
export type Joined = Session & { spawned: Spawned | undefined; password: string }

type JoinOptions = { socketDir?: string; signal?: AbortSignal }
type Attempt = { spawned: Spawned; discard: () => void; startedAt: number }

const startTimeoutMs = 60_000

/** Joins the running server or starts one, until our locks are held. Other processes may start and stop servers meanwhile. */
export const joinServer = async (host: Host, { socketDir, signal }: JoinOptions = {}): Promise<Joined> => {
  const { paths } = host
  const deadline = Date.now() + startTimeoutMs
  let attempt: Attempt | undefined
  for (;;) {
    // After we have spawned a server, we must join it: only a process that has joined a server can shut it down.
    if (!attempt) signal?.throwIfAborted()
    const server = findPostmaster(paths.cluster)
    if (server && attempt && attempt.spawned.pid !== server.pid) {
      attempt.discard()
      attempt = undefined
    }
    if (server?.isReady) {
      const joined = await tryJoin(host, server, attempt?.spawned)
      if (joined) return announce(host, joined, attempt)
    } else if (!server && attempt?.spawned.exit !== undefined) {
      attempt.discard()
      const { error, readOutput } = attempt.spawned
      if (error || !hasLostRace(readOutput())) throw error ?? explainServerError(paths, readOutput())
      // Another process is starting a server here. It will appear soon, or fail, and then we try again.
      attempt = undefined
      await sleep(100)
    } else if (!server && !attempt) {
      attempt = await startServer(host, socketDir)
    }
    if (Date.now() > deadline) throw explainTimeout(paths)
    await sleep(10)
  }
}

/**
 * Undefined when another process was faster. A known socket folder means a restart, which never creates a new cluster.
 */
const startServer = async (host: Host, knownSocketDir: string | undefined): Promise<Attempt | undefined> => {
  const { paths, account } = host
  try {
    const startedAt = performance.now()
    if (knownSocketDir !== undefined && (await readClusterMajor(paths)) === undefined)
      throw new OperatorError(
        `The database in ${paths.cluster} has disappeared: restore the data folder from a backup.`,
      )
    const runtime = prepareRuntime(paths.dataDir, account, host.binaries)
    await ensureCluster(paths, runtime, account)
    const removeRuntime = () => removeTemporaryRuntime(join(runtime.root, 'bin/postgres'))
    if (findPostmaster(paths.cluster)) {
      removeRuntime()
      return undefined
    }
    removeBrokenPidFile(paths.cluster)
    const socketDir = claimSocketDir(paths.cluster, account, knownSocketDir)
    const spawned = spawnServer(paths, runtime, account, socketDir.path)
    const discard = () => {
      spawned.kill()
      if (socketDir.isFresh) removeSocketDir(socketDir.path)
      removeRuntime()
    }
    return { spawned, discard, startedAt }
  } catch (error) {
    throw explainFileError(error, paths.dataDir)
  }
}

/** Undefined when the server stopped meanwhile or has to be replaced. The caller tries again. */
const tryJoin = async (host: Host, server: Postmaster, candidate: Spawned | undefined): Promise<Joined | undefined> => {
  const { paths, role } = host
  const spawned = candidate?.pid === server.pid ? candidate : undefined
  const password = await readPassword(paths)
  let session: Session | undefined
  try {
    session = await openServerSession(paths, server, password, role)
    if (role === 'service' && !spawned && (await hasLostFiles(session))) {
      host.log('the program files of the running PostgreSQL are missing: it is replaced when no other process uses it')
      if (!(await leaveSession(paths, session)).isOff) await sleep(500)
      return undefined
    }
    await ensureDatabase(session)
    // A server that shuts down disconnects its users one by one, so we may get a lock in between. Its pid file shows
    // that it is stopping.
    const now = findPostmaster(paths.cluster)
    if (now?.pid !== server.pid || !now.isReady) {
      await session.client.end().catch(() => {})
      return undefined
    }
    return { ...session, spawned, password }
  } catch (error) {
    if (isTransient(error)) {
      await session?.client.end().catch(() => {})
      return undefined
    }
    if (session) await leaveSession(paths, session).catch(() => {})
    // An OperatorError means that the folder is in use. After any other error, no one can use the server we started.
    else if (spawned && !(error instanceof OperatorError)) await shutDown(paths.cluster, server)
    throw explainSessionError(paths, error)
  }
}

const announce = ({ log, paths }: Host, joined: Joined, attempt: Attempt | undefined): Joined => {
  const { pid } = joined.server
  if (joined.spawned && attempt)
    log(
      `PostgreSQL (process ${pid}) started on ${paths.cluster} in ` +
        `${Math.round(performance.now() - attempt.startedAt)} ms`,
    )
  else log(`using PostgreSQL (process ${pid}) that already runs on ${paths.cluster}`)
  return joined
}

/**
 * Whether a server exited because of another one that is starting or stopping: its pid file exists in any state, the
 * backends of a killed server are still running, or its socket folder was removed.
 */
const hasLostRace = (output: string): boolean =>
  [
    /lock file "[^"]+" (already exists|is empty)/,
    /bogus data in lock file/,
    /pre-existing shared memory block/,
    /could not create (lock file "[^"]+\.lock"|Unix socket).*: No such file or directory/,
  ].some((message) => message.test(output))

/** The server keeps running, because an interrupted recovery would start over. */
const explainTimeout = ({ logFile }: DataPaths): OperatorError =>
  new OperatorError(
    `PostgreSQL was not ready after ${startTimeoutMs / 1000} s. A crash recovery continues in the background: ` +
      `start Vitrine again later. The log of PostgreSQL is ${logFile}.`,
  )
