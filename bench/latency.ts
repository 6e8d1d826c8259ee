import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './service.ts'

/** In milliseconds. `unhealthy` counts failed health checks. */
export type Latency = { p50: number; p99: number; reads: number; faults: number; unhealthy: number }

const pauseMs = 5
const checkHealthEveryMs = 100

const agent = new Agent({ keepAlive: true })
let asked = 0

/** Reads for some seconds, or until `end`. */
type Length = number | { hasEnded(): boolean }

type Reads = {
  /** Read in turn. */
  paths?: readonly string[]
  /** Else a parameter that changes with each read keeps the answers out of the cache. */
  mayBeCached?: boolean
}

/** Reads one after another, as a shopper would, and checks the health of the service meanwhile. */
export const readFor = async (
  { url }: Pick<Service, 'url'>,
  key: string,
  length: Length,
  { paths = ['/v1/products?limit=20'], mayBeCached = false }: Reads = {},
): Promise<Latency> => {
  const tookMs: number[] = []
  let faults = 0
  let unhealthy = 0
  const read = async () => {
    const began = performance.now()
    const path = paths[++asked % paths.length] ?? ''
    const address = mayBeCached ? path : `${path}${path.includes('?') ? '&' : '?'}_=${asked}`
    const ok = await isOk(`${url}${address}`, { 'x-store-key': key })
    tookMs.push(performance.now() - began)
    if (!ok) faults++
  }
  const checkHealth = async () => {
    if (!(await isOk(`${url}/health`, {}))) unhealthy++
  }
  const endMs = typeof length === 'number' ? performance.now() + length * 1000 : Number.POSITIVE_INFINITY
  const hasEnded = typeof length === 'number' ? () => performance.now() >= endMs : length.hasEnded
  const repeat = async (work: () => Promise<void>, pause: number) => {
    while (!hasEnded()) {
      await work()
      await sleep(pause)
    }
  }
  await Promise.all([repeat(read, pauseMs), repeat(checkHealth, checkHealthEveryMs)])
  tookMs.sort((a, b) => a - b)
  const at = (part: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * part))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), reads: tookMs.length, faults, unhealthy }
}

const isOk = (url: string, headers: Record<string, string>): Promise<boolean> =>
  new Promise((resolve) => {
    get(url, { headers, agent }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode === 200))
    }).on('error', () => resolve(false))
  })

/** The median of several runs. */
export const middle = (runs: readonly Latency[]): Latency => {
  const pick = (figure: (run: Latency) => number) => runs.map(figure).sort((a, b) => a - b)[runs.length >> 1] ?? 0
  return {
    p50: pick((run) => run.p50),
    p99: pick((run) => run.p99),
    reads: runs.reduce((sum, run) => sum + run.reads, 0),
    faults: runs.reduce((sum, run) => sum + run.faults, 0),
    unhealthy: runs.reduce((sum, run) => sum + run.unhealthy, 0),
  }
}
