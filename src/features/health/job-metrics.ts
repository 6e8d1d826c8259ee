import { Counter, Gauge, type Registry } from 'prom-client'
import type { JobStats } from '../../jobs/job-kind.ts'

export type JobSource = { stats(): readonly JobStats[]; now(): number }

/** Read at scrape time from the in-memory statistics of each job, without a query. */
export const addJobMetrics = (registry: Registry, { stats, now }: JobSource) => {
  const registers = [registry]
  const labelNames = ['job'] as const
  const gauge = (name: string, help: string, read: (kind: JobStats) => number) =>
    new Gauge({
      // Of several workers only one runs jobs.
      ...{ name, help, labelNames, registers, aggregator: 'max' as const },
      collect() {
        for (const kind of stats()) this.set({ job: kind.name }, read(kind))
      },
    })
  const counter = (name: string, help: string, read: (kind: JobStats) => number) =>
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset()
        for (const kind of stats()) this.inc({ job: kind.name }, read(kind))
      },
    })
  gauge('vitrine_jobs_waiting', 'Due items found by the last poll, for all instances', ({ waiting }) => waiting)
  gauge('vitrine_jobs_running', 'Items running on this instance', ({ running }) => running)
  gauge('vitrine_jobs_oldest_seconds', 'Seconds since the oldest item of the last poll became due', ({ oldestAt }) =>
    oldestAt === null ? 0 : Math.max(0, (now() - oldestAt.getTime()) / 1000),
  )
  counter('vitrine_jobs_done_total', 'Items that succeeded on this instance', ({ done }) => done)
  counter('vitrine_jobs_failed_total', 'Items, polls and claims that failed on this instance', ({ failed }) => failed)
}
