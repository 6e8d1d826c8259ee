import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../core/operator-error.ts'
import { ensureCluster, readPassword } from './cluster.ts'
import { explainFileFault, explainServerFault, explainSessionFault } from './faults.ts'
import type { Account, Place } from './place.ts'
import { type Binaries, prepareRuntime, removeTemporaryRuntime } from './runtime.ts'
import {
  claimSocketDir,
  findPostmaster,
  type Postmaster,
  removeSocketDir,
  type Spawned,
  shutDown,
  spawnServer,
} from './server.ts'
import { ensureDatabase, isPassing, isUprooted, leaveSession, openSession, type Role, type Session } from './session.ts'

/** Whose server, where, and for whom. */
export type Host = {
  place: Place
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

/** Joins the live server or starts one, until our locks are held on one of them. Servers may come and go meanwhile. */
export const joinServer = async (host: Host, { socketDir, signal }: JoinOptions = {}): Promise<Joined> => {
  const { place } = host
  const deadline = Date.now() + startTimeoutMs
  let attempt: Attempt | undefined
  for (;;) {
    signal?.throwIfAborted()
    const server = existsSync(place.cluster) ? findPostmaster(place.cluster) : undefined
    if (server?.isReady) {
      const joined = await tryJoin(host, server, attempt?.spawned)
      if (joined && attempt && !joined.spawned) attempt.discard()
      if (joined) return announce(host, joined, attempt)
    } else if (!server && attempt?.spawned.exit !== undefined) {
      attempt.discard()
      const { fault, readOutput } = attempt.spawned
      if (fault || !hasLostRace(readOutput())) throw fault ?? explainServerFault(place, readOutput())
      // Another process is starting a server here. It shows up soon, or it fails and the turn is ours again.
      attempt = undefined
      await sleep(100)
    } else if (!server && !attempt) {
      attempt = await startServer(host, socketDir)
    }
    if (Date.now() > deadline) throw explainTimeout(place)
    await sleep(10)
  }
}

const startServer = async (host: Host, knownSocketDir: string | undefined): Promise<Attempt> => {
  const { place, account } = host
  try {
    const startedAt = performance.now()
    const runtime = prepareRuntime(place.dataDir, account, host.binaries)
    await ensureCluster(place, runtime, account)
    const socketDir = claimSocketDir(place.cluster, account, knownSocketDir)
    const spawned = spawnServer(place, runtime, account, socketDir.path)
    const discard = () => {
      if (socketDir.isFresh) removeSocketDir(socketDir.path)
      removeTemporaryRuntime(join(runtime.root, 'bin/postgres'))
    }
    return { spawned, discard, startedAt }
  } catch (error) {
    throw explainFileFault(error, place.dataDir)
  }
}

/** Undefined when the server went away under us or was not worth keeping; the caller looks again. */
const tryJoin = async (host: Host, server: Postmaster, candidate: Spawned | undefined): Promise<Joined | undefined> => {
  const { place, role } = host
  const spawned = candidate?.pid === server.pid ? candidate : undefined
  const password = await readPassword(place)
  let session: Session | undefined
  try {
    session = await openSession(place, server, password, role)
    if (role === 'service' && !spawned && (await isUprooted(session))) {
      host.log('the running PostgreSQL has lost its program files and is replaced as soon as nobody else uses it')
      if (!(await leaveSession(place, session)).isOff) await sleep(500)
      return undefined
    }
    await ensureDatabase(session)
    return { ...session, spawned, password }
  } catch (error) {
    if (isPassing(error)) {
      await session?.client.end().catch(() => {})
      return undefined
    }
    if (session) await leaveSession(place, session).catch(() => {})
    // A folder in use is an answer for the operator. On any other fault nobody can use what we have just started.
    else if (spawned && !(error instanceof OperatorError)) await shutDown(place.cluster, server)
    throw explainSessionFault(place, error)
  }
}

const announce = ({ log, place }: Host, joined: Joined, attempt: Attempt | undefined): Joined => {
  const { pid } = joined.server
  if (joined.spawned && attempt)
    log(
      `PostgreSQL (process ${pid}) started on ${place.cluster} in ${Math.round(performance.now() - attempt.startedAt)} ms`,
    )
  else log(`using PostgreSQL (process ${pid}) that already runs on ${place.cluster}`)
  return joined
}

/** The second complaint comes from backends that outlive a killed server for a moment. */
const hasLostRace = (output: string): boolean =>
  /lock file "[^"]+" already exists|pre-existing shared memory block|is being used by|lock file .* is empty/.test(
    output,
  )

/** The server is left alone, because a recovery that is cut short starts over. */
const explainTimeout = ({ logFile }: Place): OperatorError =>
  new OperatorError(
    `PostgreSQL was not ready after ${startTimeoutMs / 1000} s; a recovery after a crash goes on by itself, so start Vitrine again later or read its log ${logFile}.`,
  )
