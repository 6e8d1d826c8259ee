import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { cpuSeconds, familyCpuSeconds } from './service.ts'

export type Load = {
  url: string
  headers: Record<string, string>
  pid: number
  /** Also measures the processor time of the processes that it has started. */
  withChildren?: boolean
  /** Gives every request its own address, so that no answer is cached. */
  uncached?: boolean
  /** Requested in turn instead of the address; only with `uncached`. */
  paths?: readonly string[]
}
export type Measured = {
  rate: number
  requests: number
  p50: number
  p99: number
  /** Only of requests of a file. */
  p999: number
  cpuMicros: number
  errors: number
}

const run = promisify(execFile)
export const connections = 16
const uncachedScript = new URL('./uncached.lua', import.meta.url).pathname
const requestsScript = new URL('./requests.lua', import.meta.url).pathname

export const requireWrk = () => {
  try {
    execFileSync('which', ['wrk'], { stdio: 'ignore' })
  } catch {
    throw new Error('The benchmarks send their load with wrk, which is not here: apt-get install wrk')
  }
}

/** One run of wrk, with the processor time that the server spent on each request. */
export const sendLoad = async (load: Load, seconds: number): Promise<Measured> => {
  const { url, headers, pid, withChildren, uncached, paths = [] } = load
  const args = uncached ? ['-s', uncachedScript] : []
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`)
  return runWrk({ url, pid, withChildren, seconds, args, env: { BENCH_PATHS: paths.join('\n') } })
}

/** One request as requests.lua reads it. */
export const requestLine = (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value};`)
  return [method, path, fields.join(''), body === undefined ? '' : JSON.stringify(body)].join('\t')
}

/** The requests of a file, one a line, in turn (see requests.lua). */
export const sendRequests = (
  load: { url: string; pid: number; file: string; clients?: number },
  seconds: number,
): Promise<Measured> => runWrk({ ...load, seconds, args: ['-s', requestsScript], env: { BENCH_REQUESTS: load.file } })

type Run = Pick<Load, 'url' | 'pid'> & {
  withChildren?: boolean | undefined
  clients?: number
  seconds: number
  args: string[]
  env: NodeJS.ProcessEnv
}

const runWrk = async ({
  url,
  pid,
  withChildren,
  clients = connections,
  seconds,
  args,
  env,
}: Run): Promise<Measured> => {
  const readCpu = withChildren ? familyCpuSeconds : cpuSeconds
  const before = readCpu(pid)
  const all = ['-t1', `-c${clients}`, `-d${seconds}s`, '--latency', ...args, url]
  const { stdout } = await run('wrk', all, { env: { ...process.env, ...env } })
  const spent = readCpu(pid) - before
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  return {
    requests,
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    // From the start of a line: a spread of 68.50% ends one further up.
    p50: milliseconds(/^\s+50%\s+(\S+)/m.exec(stdout)?.[1]),
    p99: milliseconds(/^\s+99%\s+(\S+)/m.exec(stdout)?.[1]),
    p999: Number(/^99\.9% (\d+) us$/m.exec(stdout)?.[1]) / 1000,
    cpuMicros: (spent / requests) * 1e6,
    errors: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
  }
}

const millisecondsIn: Record<string, number> = { us: 0.001, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

const milliseconds = (text = '') => {
  const [, value, unit = ''] = /^([\d.]+)([a-z]+)$/.exec(text) ?? []
  return Number(value) * (millisecondsIn[unit] ?? Number.NaN)
}

/** The median of several runs, figure by figure. */
export const median = (runs: readonly Measured[]): Measured => {
  const middle = (pick: (run: Measured) => number) =>
    runs.map(pick).sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0
  return {
    rate: middle((r) => r.rate),
    requests: middle((r) => r.requests),
    p50: middle((r) => r.p50),
    p99: middle((r) => r.p99),
    p999: middle((r) => r.p999),
    cpuMicros: middle((r) => r.cpuMicros),
    errors: Math.max(...runs.map((r) => r.errors)),
  }
}
