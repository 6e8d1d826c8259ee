import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../../core/thrown.ts'
import { type Host, type Joined, joinServer } from './join.ts'
import { findPostmaster } from './server.ts'
import { holdProcess, isTransient, leaveSession, openServerSession } from './session.ts'

const maxCrashesPerMinute = 5
/** Between restarts of a server that crashes more often, so that it does not keep the machine busy. */
const pauseMs = 5_000
const leaveTimeoutMs = 20_000

/**
 * Keeps the server running until the returned function is called. A crash ends the connection that holds our locks,
 * whether we spawned the server or not. It is then restarted with the same socket folder, where the pool expects it.
 */
export const superviseServer = (
  host: Host,
  first: Joined,
  onUnexpectedExit: (message: string) => void,
): (() => Promise<void>) => {
  const stopping = new AbortController()
  let crashes: number[] = []
  let current: Joined = first
  let recovery: Promise<void> = Promise.resolve()
  let stopped: Promise<void> | undefined

  const watch = () => {
    // Neither the server nor this connection keeps Node running.
    holdProcess(current, false)
    current.ended.then(() => {
      if (!stopping.signal.aborted) recovery = recover().catch(() => {})
    })
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})

  const recover = async (): Promise<void> => {
    const lost = current
    // The exit of the child process and the end of its connections are separate events.
    await sleep(20)
    let reason = lost.spawned?.exit ?? 'its connections ended'
    while (!stopping.signal.aborted) {
      const isSame = findPostmaster(host.paths.cluster)?.pid === lost.server.pid
      if (!isSame) crashes.push(Date.now())
      crashes = crashes.filter((at) => at > Date.now() - 60_000)
      const isOften = crashes.length > maxCrashesPerMinute
      if (isOften)
        onUnexpectedExit(
          `PostgreSQL crashes often and is restarted in ${pauseMs / 1000} s (${reason}). Its log is ${host.paths.logFile}.`,
        )
      await pause(isOften ? pauseMs : Math.min(2000, 50 * 2 ** crashes.length))
      if (stopping.signal.aborted) return
      try {
        current = await rejoin(lost)
        watch()
        const { pid } = current.server
        if (pid === lost.server.pid)
          return host.log(`PostgreSQL (process ${pid}) recovered from the crash of a backend`)
        return onUnexpectedExit(
          `PostgreSQL crashed (${reason}) and was restarted as process ${pid}. Its log is ${host.paths.logFile}.`,
        )
      } catch (error) {
        reason = errorMessage(error)
        if (isSame) crashes.push(Date.now())
      }
    }
  }

  const rejoin = async (lost: Joined): Promise<Joined> => {
    const { socketDir } = lost.server
    const joined = await joinServer(host, { socketDir, signal: stopping.signal })
    if (joined.server.socketDir === socketDir) return joined
    // Other processes stopped and started it while our locks were lost. Our pool could not find this server.
    await leaveSession(host.paths, joined)
    throw new Error('another process started the server in another socket folder')
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
  // The server crashed or was stopping. If it comes back, we may be the only one left to shut it down.
  for (const deadline = Date.now() + leaveTimeoutMs; Date.now() < deadline; await sleep(50)) {
    const server = findPostmaster(paths.cluster)
    if (!server) return
    if (!server.isReady) continue
    try {
      await leaveSession(paths, await openServerSession(paths, server, joined.password, 'command'))
      return
    } catch (error) {
      if (!isTransient(error)) throw error
    }
  }
}
