import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

/** A Redis for one test, which can stop it and start it again at the same address. */
export type TestRedis = {
  url: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Keeps its connections open and never answers, like a hanging machine. */
  freeze(): void
  thaw(): void
}

export const lacksRedis = () => spawnSync('redis-server', ['--version']).error !== undefined

export const redisFor = async (t: TestContext): Promise<TestRedis> => {
  const port = await sparePort()
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-redis-'))
  let child: ChildProcess | undefined
  const start = async () => {
    const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    child = spawn('redis-server', settings, { stdio: 'ignore' })
    while (!(await takesConnections(port))) await pause(10)
  }
  const stop = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  t.after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
  }
}

/** A port where nothing listens. */
export const sparePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

const takesConnections = async (port: number) => {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
