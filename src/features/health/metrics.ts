import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Db } from '../../db/database.ts'
import type { AnswerCache } from '../../http/cached-answers.ts'

export type Metrics = {
  /** Called once a request, so the lookup by route is done once a route. */
  observe(method: string, route: string, status: number, seconds: number): void
  text(): Promise<string>
}

export const createMetrics = (sources: { db: Db; answers: AnswerCache }): Metrics => {
  const registry = new Registry()
  // Includes the lag of the event loop, memory and garbage collection.
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Counter({
    name: 'vitrine_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'vitrine_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  new Gauge({
    name: 'vitrine_db_connections',
    help: 'Database connections of this instance, and requests that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, value] of Object.entries(sources.db.poolState())) this.set({ state }, value)
    },
  })
  new Gauge({
    name: 'vitrine_answer_cache',
    help: 'Catalog answers kept in memory: entries, bytes, and hits and misses since the start',
    labelNames: ['figure'],
    registers,
    collect() {
      for (const [figure, value] of Object.entries(sources.answers.stats())) this.set({ figure }, value)
    },
  })

  type Bound = { duration: { observe(seconds: number): void }; byStatus: Map<number, { inc(): void }> }
  const bound = new Map<string, Bound>()
  return {
    observe: (method, route, status, seconds) => {
      const key = `${method} ${route}`
      let known = bound.get(key)
      if (known === undefined) {
        known = { duration: durations.labels(method, route), byStatus: new Map() }
        bound.set(key, known)
      }
      known.duration.observe(seconds)
      let counter = known.byStatus.get(status)
      if (counter === undefined) {
        counter = requests.labels(method, route, String(status))
        known.byStatus.set(status, counter)
      }
      counter.inc()
    },
    text: () => registry.metrics(),
  }
}
