import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { CallCount } from '../../core/circuit.ts'
import type { Db } from '../../db/database.ts'
import type { AnswerCache } from '../../http/cached-answers.ts'
import { addJobMetrics, type JobSource } from './job-metrics.ts'

/** Records one answered request of a route. */
export type Observe = (status: number, seconds: number) => void

export type Metrics = {
  seriesOf(method: string, route: string): Observe
  /** Of this process. */
  read(): Promise<object[]>
  /** Of all processes of this instance. */
  text(): Promise<string>
}

export type MetricSources = {
  db: Db
  answers: AnswerCache
  jobs: JobSource
  /** Webhook deliveries and mails that this instance has given up. */
  webhooksGivenUp: () => number
  mailsGivenUp: () => number
  listenerIsHealthy: () => boolean
  /** Calls to payment providers and carriers. */
  providerCalls: () => readonly CallCount[]
  /** The metrics of all workers. Undefined without workers. */
  gather: (() => Promise<readonly object[][]>) | undefined
}

export const createMetrics = (sources: MetricSources): Metrics => {
  const registry = new Registry()
  // Includes the lag of the event loop, memory and garbage collection.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  const registers = [registry]
  const requests = createRequestFigures()
  for (const metric of requests.metrics) registry.registerMetric(metric)
  new Gauge({
    name: 'vitrine_db_connections',
    help: 'Database connections of this instance, requests that wait for one, and transactions queued before that',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, value] of Object.entries(sources.db.poolState())) this.set({ state }, value)
    },
  })
  new Gauge({
    name: 'vitrine_answer_cache',
    help: 'Cached catalog answers: entries, bytes, and hits and misses since the start',
    labelNames: ['figure'],
    registers,
    collect() {
      for (const [figure, value] of Object.entries(sources.answers.stats())) this.set({ figure }, value)
    },
  })

  new Gauge({
    name: 'vitrine_listener_connected',
    help: '1 while changes of other instances are received, 0 while the listening connection is lost',
    registers,
    aggregator: 'min',
    collect() {
      this.set(sources.listenerIsHealthy() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'vitrine_processes',
    help: 'Processes of this instance: one, or all workers',
    registers,
    collect() {
      this.set(1)
    },
  })
  new Counter({
    name: 'vitrine_provider_calls_total',
    help: 'Calls to payment providers and carriers of this instance, by outcome: done, refused, failed, skipped',
    labelNames: ['provider', 'outcome'],
    registers,
    collect() {
      this.reset()
      for (const { name, outcome, count } of sources.providerCalls()) this.inc({ provider: name, outcome }, count)
    },
  })

  addCounter(registry, {
    name: 'vitrine_webhooks_given_up_total',
    help: 'Webhook deliveries that failed for good on this instance',
    count: sources.webhooksGivenUp,
  })
  addCounter(registry, {
    name: 'vitrine_mails_given_up_total',
    help: 'Mails that failed for good on this instance',
    count: sources.mailsGivenUp,
  })
  addJobMetrics(registry, sources.jobs)

  return {
    seriesOf: requests.seriesOf,
    read: () => registry.getMetricsAsJSON(),
    text: async () => {
      if (sources.gather === undefined) return registry.metrics()
      return AggregatorRegistry.aggregate([...(await sources.gather())]).metrics()
    },
  }
}

const addCounter = (registry: Registry, { count, ...named }: { name: string; help: string; count: () => number }) =>
  new Counter({
    ...named,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(count())
    },
  })

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Series = {
  method: string
  route: string
  buckets: Float64Array
  seconds: number
  byStatus: Float64Array
  observe: Observe
}

/**
 * Counts and durations of requests by route and status. Counted in plain arrays and converted when they are scraped:
 * prom-client hashes the labels on every observation, which raised a cached read from 67 to 78 µs of CPU time.
 */
const createRequestFigures = () => {
  const all = new Map<string, Series>()

  const newSeries = (method: string, route: string): Series => {
    const series: Series = {
      method,
      route,
      buckets: new Float64Array(bounds.length + 1),
      seconds: 0,
      byStatus: new Float64Array(600),
      observe: (status, seconds) => {
        let i = 0
        while (i < bounds.length && seconds > (bounds[i] as number)) i++
        series.buckets[i] = (series.buckets[i] as number) + 1
        series.seconds += seconds
        series.byStatus[status] = (series.byStatus[status] ?? 0) + 1
      },
    }
    return series
  }
  const seriesOf = (method: string, route: string) => {
    let series = all.get(method + route)
    if (series === undefined) {
      series = newSeries(method, route)
      all.set(method + route, series)
    }
    return series.observe
  }

  const durationName = 'vitrine_http_request_duration_seconds'
  const durationsOf = ({ method, route, buckets, seconds }: Series) => {
    let total = 0
    const values = [...bounds, '+Inf'].map((le, i) => {
      total += buckets[i] ?? 0
      return { metricName: `${durationName}_bucket`, labels: { le, method, route }, value: total }
    })
    return [
      ...values,
      { metricName: `${durationName}_sum`, labels: { method, route }, value: seconds },
      { metricName: `${durationName}_count`, labels: { method, route }, value: total },
    ]
  }
  const countsOf = ({ method, route, byStatus }: Series) =>
    [...byStatus.entries()]
      .filter(([, value]) => value > 0)
      .map(([status, value]) => ({ labels: { method, route, status }, value }))

  const metricOf = (name: string, type: string, help: string, read: (series: Series) => object[]) => {
    const described = { name, help, type, aggregator: 'sum' }
    const get = async () => ({ ...described, values: [...all.values()].flatMap(read) })
    return { ...described, get, reset: () => all.clear() } as unknown as Metric<string>
  }
  return {
    seriesOf,
    metrics: [
      metricOf('vitrine_http_requests_total', 'counter', 'Requests answered', countsOf),
      metricOf(
        durationName,
        'histogram',
        'Seconds from the headers of a request to the end of its response',
        durationsOf,
      ),
    ],
  }
}
