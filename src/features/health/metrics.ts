import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { Db } from '../../db/database.ts'
import type { AnswerCache } from '../../http/cached-answers.ts'

export type Metrics = {
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
  const durations = createDurations()
  registry.registerMetric(durations.metric)
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

  // Labels are looked up once for each route and status, not once for each request.
  type Known = { observe(seconds: number): void; byStatus: Map<number, { inc(): void }> }
  const known = new Map<string, Known>()
  return {
    observe: (method, route, status, seconds) => {
      const key = method + route
      let series = known.get(key)
      if (series === undefined) {
        series = { observe: durations.series(method, route), byStatus: new Map() }
        known.set(key, series)
      }
      series.observe(seconds)
      let counter = series.byStatus.get(status)
      if (counter === undefined) {
        counter = requests.labels(method, route, String(status))
        series.byStatus.set(status, counter)
      }
      counter.inc()
    },
    text: () => registry.metrics(),
  }
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/**
 * A histogram that counts in plain arrays and is turned into Prometheus' form when it is read: prom-client's own took
 * a twentieth of the time of a cached answer.
 */
const createDurations = () => {
  const name = 'vitrine_http_request_duration_seconds'
  const all: { labels: Record<string, string>; counts: Float64Array; sum: number }[] = []

  const readSeries = ({ labels, counts, sum }: (typeof all)[number]) => {
    let total = 0
    const buckets = [...bounds, '+Inf'].map((le, i) => {
      total += counts[i] ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ]
  }
  const metric = {
    name,
    help: 'Time from the headers of a request to the end of its answer',
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: all.flatMap(readSeries) }),
    reset: () => all.splice(0),
  }
  return {
    metric: metric as unknown as Metric<string>,
    series: (method: string, route: string) => {
      const own = { labels: { method, route }, counts: new Float64Array(bounds.length + 1), sum: 0 }
      all.push(own)
      return (seconds: number) => {
        let i = 0
        while (i < bounds.length && seconds > (bounds[i] as number)) i++
        own.counts[i] = (own.counts[i] ?? 0) + 1
        own.sum += seconds
      }
    },
  }
}
