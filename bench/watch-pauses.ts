import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/** In milliseconds, since the last time that they were asked for. */
export type Pauses = { longestPause: number; longestCollection: number }

/**
 * Loaded before the service by `--import`: SIGUSR2 writes the longest time in which the process did nothing else, and the
 * longest collection of garbage, to the file of BENCH_PAUSES.
 */
const loop = monitorEventLoopDelay({ resolution: 2 })
loop.enable()

let longestCollection = 0
const collections = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longestCollection = Math.max(longestCollection, duration)
})
collections.observe({ entryTypes: ['gc'] })

process.on('SIGUSR2', () => {
  const pauses: Pauses = { longestPause: loop.max / 1e6, longestCollection }
  writeFileSync(process.env.BENCH_PAUSES ?? '', JSON.stringify(pauses))
  loop.reset()
  longestCollection = 0
})
