import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../../core/thrown.ts'
import { type Host, type Joined, joinServer } from './join.ts'
import { findPostmaster } from './server.ts'
import { holdProcess, isTransient, leaveSession, openServerSession } from './session.ts'

const maxDeathsPerMinute = 5
const leaveTimeoutMs = 20_000

/**
 * Keeps a server under us until the returned function is called. Whether we spawned it or not, its death shows as the
 * end of the connection that holds our locks, and then the server is started again where the pool of the application
 * looks for it.
 */
export const keepServer = (
  host: Host,
  first: Joined,
  onUnexpectedExit: (message: string) => void,
): (() => Promise<void>) => {
  const stopping = new AbortController()
  const deaths: number[] = []
  let current: Joined = first
  let recovery: Promise<void> = Promise.resolve()
  let stopped: Promise<void> | undefined

  const watch = () => {
    // Neither the server nor this connection is a reason for Node to live on.
    holdProcess(current, false)
    current.ended.then(() => {
      if (!stopping.signal.aborted) recovery = recover().catch(() => {})
    })
  }

  const recover = async (): Promise<void> => {
    const lost = current
    // The exit of a child is reported apart from the end of its connections.
    await sleep(20)
    let reason = lost.spawned?.exit ?? 'its connections ended'
    while (!stopping.signal.aborted) {
      const isSame = findPostmaster(host.paths.cluster)?.pid === lost.server.pid
      if (!isSame) deaths.push(Date.now())
      const recent = deaths.filter((at) => at > Date.now() - 60_000)
      if (recent.length > maxDeathsPerMinute)
        return onUnexpectedExit(
          `PostgreSQL died too often and is not started again (${reason}); its log is ${host.paths.logFile}.`,
        )
      await sleep(Math.min(2000, 50 * 2 ** recent.length))
      try {
        current = await rejoin(lost)
        watch()
        const { pid } = current.server
        if (pid === lost.server.pid)
          return host.log(`PostgreSQL (process ${pid}) recovered from the crash of a backend`)
        return onUnexpectedExit(
          `PostgreSQL died (${reason}) and runs again as process ${pid}; its log is ${host.paths.logFile}.`,
        )
      } catch (error) {
        reason = errorMessage(error)
        if (isSame) deaths.push(Date.now())
      }
    }
  }

  const rejoin = async (lost: Joined): Promise<Joined> => {
    const { socketDir } = lost.server
    const joined = await joinServer(host, { socketDir, signal: stopping.signal })
    if (joined.server.socketDir === socketDir) return joined
    // Possible only when others stopped and started it while our locks were lost. Our pool could not find this one.
    await leaveSession(host.paths, joined)
    throw new Error('another process started it elsewhere')
  }

  watch()
  return () => {
    stopped ??= (async () => {
      stopping.abort()
      await recovery
      await leaveServer(host, current)
    })()
    return stopped
  }
}

const leaveServer = async ({ paths }: Host, joined: Joined): Promise<void> => {
  holdProcess(joined, true)
  try {
    await leaveSession(paths, joined)
    return
  } catch (error) {
    if (!isTransient(error)) throw error
  }
  // The server crashed or was going down just now. If it comes back, nobody else may be there to turn it off.
  for (const deadline = Date.now() + leaveTimeoutMs; Date.now() < deadline; await sleep(50)) {
    const server = findPostmaster(paths.cluster)
    if (!server) return
    if (!server.isReady) continue
    try {
      await leaveSession(paths, await openServerSession(paths, server, joined.password, 'guest'))
      return
    } catch (error) {
      if (!isTransient(error)) throw error
    }
  }
}
