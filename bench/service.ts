import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As `npm start` and `vitrine` run it. */
export const program = new URL('../bin/vitrine.js', import.meta.url).pathname

/** A service started with `vitrine start` in its own folder. */
export type Service = {
  url: string
  dataDir: string
  pid: number
  env: NodeJS.ProcessEnv
  /** Milliseconds from the command to the first healthy answer. */
  startMs: number
  vitrine(...args: string[]): unknown
  stop(): Promise<void>
}

export const newEmptyDir = () => mkdtempSync(join(tmpdir(), 'vitrine-bench-'))

/**
 * For the data of a service. `bench:smoke` names a folder in which a service has run before, and its benches begin with
 * copies of it: a first start takes four times the processor time of a later one.
 */
export const newDataDir = () => {
  const folder = newEmptyDir()
  const { BENCH_STARTED_DATA: started } = process.env
  if (started) execFileSync('cp', ['-Rp', `${started}/.`, folder])
  return folder
}
export const removeDataDir = (dataDir: string) => rmSync(dataDir, { recursive: true, force: true })

/** With it, a second copy of a service accepts the tokens and cursors of the first. */
export const readSecret = ({ dataDir }: Service) => readFileSync(join(dataDir, 'secret'), 'utf8').trim()

/** `from` is the program of another checkout, to compare with. */
export const startService = async (
  dataDir: string,
  extra: NodeJS.ProcessEnv = {},
  from = program,
): Promise<Service> => {
  const port = await freePort()
  const env = { ...process.env, VITRINE_DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', ...extra }
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const child = spawn(process.execPath, [from, 'start'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  await untilHealthy(url, child)
  return {
    url,
    dataDir,
    env,
    pid: child.pid as number,
    startMs: performance.now() - began,
    vitrine: (...args) =>
      JSON.parse(execFileSync(process.execPath, [from, ...args, '--json'], { env, encoding: 'utf8' })),
    stop: () => endChild(child),
  }
}

/** A new store, with a key without a practical rate limit. Production requires a payment provider. */
export const createStore = (service: Service, name: string, paymentProvider: 'sandbox' | 'cod') => {
  // No two stores have one domain.
  const domain = `${randomUUID()}.example`
  const settings = ['--name', name, '--domain', domain, '--currency', 'INR']
  const store = service.vitrine('store', 'create', ...settings, '--payment-provider', paymentProvider) as {
    storeId: string
    paymentWebhook: { username: string; password: string }
  }
  const limit = ['--rate-limit', '1000000000']
  const { key } = service.vitrine('key', 'create', '--store', store.storeId, ...limit) as { key: string }
  return { ...store, key }
}

export const endChild = async (child: ChildProcess) => {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

const untilHealthy = async (url: string, child: ChildProcess) => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    const healthy = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (healthy) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

/** Seconds of processor time that a process has used so far. */
export const cpuSeconds = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The same for a process and all that it has started. */
export const familyCpuSeconds = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return children.reduce((sum, child) => sum + familyCpuSeconds(Number(child)), cpuSeconds(pid))
}

export const residentMegabytes = (pid: number) => memoryOf(pid, /VmRSS:\s+(\d+)/)

/** The peak memory of a process; 0 after it has ended. */
export const peakMegabytes = (pid: number) => memoryOf(pid, /VmHWM:\s+(\d+)/)

const memoryOf = (pid: number, pattern: RegExp) => {
  try {
    return Number(pattern.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
