import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { dirname, extname, join } from 'node:path'
import type { Config } from '../config.ts'
import { seconds } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { ShopState, ToMain, ToWorker, WorkerRole } from './messages.ts'
import type { Prepared } from './open-service.ts'
import { createPermitKeeper } from './permit-keeper.ts'
import { createCountKeeper } from './shared-counter.ts'

export type Supervised = { port: number; shop: ShopState | null; close(): Promise<void> }

/** The number of the worker that does the background work. */
const backgroundNumber = 0

/** Longer than a worker takes to finish its requests after the delay. */
const finishMs = seconds(15)

/** A worker that ends sooner after its start counts as a failure. Each one doubles the pause before the next start. */
const steadyAfterMs = seconds(10)
const firstPauseMs = 100
const maxPauseMs = seconds(30)

/** A worker that does not answer in this time is left out of the metrics. */
const metricsMs = seconds(1)

/** Beside the program that runs, be it source, a bundle or the package. */
const workerProgram = () => {
  const [, program = ''] = process.argv
  return join(dirname(program), `worker${extname(program)}`)
}

/**
 * Starts the workers, replaces those that end, and keeps what they share: the counts of rate limits, and messages to the
 * background work. It does nothing else, so that nothing delays it.
 */
export const superviseWorkers = async ({ config, logger, ...given }: Prepared): Promise<Supervised> => {
  const { workers } = config
  const setup = {
    ...given,
    databasePoolSize: connectionsPerWorker(config),
    maxUploads: Math.ceil(config.maxUploads / workers),
  }
  cluster.setupPrimary({ exec: workerProgram(), args: [] })
  const running = new Map<number, Worker>()
  const counts = createCountKeeper()
  const permits = createPermitKeeper(workers, {
    answer: (id, answers) => tell(cluster.workers?.[id], { kind: 'permits', answers }),
    recall: (id, place) => tell(cluster.workers?.[id], { kind: 'recall permits', place }),
  })
  const metrics = createMetricsReader(running)
  let isStarted = false
  let isStopping = false

  const background = () => running.get(backgroundNumber)
  const handle = (worker: Worker, message: ToMain) => {
    switch (message.kind) {
      case 'count':
        return tell(worker, { kind: 'counts', batch: message.batch, counts: message.calls.map(counts.count) })
      case 'uncount':
        return counts.uncount(message.call)
      case 'ask permits':
        return permits.receive(worker.id, message.asks)
      case 'return permits':
        return permits.takeBack(worker.id, message.returned)
      case 'run soon':
      case 'code':
        return tell(background(), message)
      case 'gather metrics':
        return void metrics.gatherFor(worker, message.reading)
      case 'metrics':
        return metrics.receive(message.reading, message.metrics)
    }
  }
  const launch = (number: number) => {
    const role: WorkerRole = number === backgroundNumber ? 'background' : 'serve'
    const worker = cluster.fork()
    const startedAt = performance.now()
    running.set(number, worker)
    worker.once('exit', () => permits.forget(worker.id))
    worker.on('message', (message: ToMain) => {
      if (message.kind === 'loaded') tell(worker, { kind: 'begin', setup: { ...setup, role, number } })
      else if (message.kind !== 'failed') handle(worker, message)
      // A failure of the first start is told by the command itself.
      else if (isStarted) logger.error({ worker: number }, `a worker cannot start: ${message.message}`)
    })
    return { worker, startedAt }
  }
  const keepUp = (number: number, { worker, startedAt }: ReturnType<typeof launch>, failures: number) => {
    worker.once('exit', (code, signal) => {
      if (isStopping) return
      const failed = performance.now() - startedAt < steadyAfterMs ? failures + 1 : 0
      const pauseMs = Math.min(firstPauseMs * 2 ** failed, maxPauseMs)
      logger.warn({ worker: number, code, signal, pauseMs }, 'a worker ended unexpectedly and is replaced')
      setTimeout(() => {
        if (!isStopping) keepUp(number, launch(number), failed)
      }, pauseMs)
    })
  }
  const close = async () => {
    isStopping = true
    const serving = [...running].filter(([number]) => number !== backgroundNumber)
    await Promise.all(serving.map(([, worker]) => end(worker, config.stopDelayMs + finishMs)))
    const last = background()
    if (last !== undefined) await end(last, finishMs)
  }

  const start = async (number: number) => {
    const launched = launch(number)
    const ready = await readiness(launched.worker)
    keepUp(number, launched, 0)
    return ready
  }
  try {
    // One of them first, so that a port that is in use is found once.
    const [{ port }, { shop }] = await Promise.all([start(1), start(backgroundNumber)])
    await Promise.all(Array.from({ length: workers - 1 }, (_, i) => start(i + 2)))
    isStarted = true
    return { port, shop, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Fewer would let a few slow statements stop a worker. */
const minConnections = 4

const connectionsPerWorker = ({ databasePoolSize, workers }: Config) =>
  Math.min(databasePoolSize, Math.max(minConnections, Math.ceil(databasePoolSize / workers)))

/** A message to a worker that has ended is lost, which is what happens to its requests too. */
const tell = (worker: Worker | undefined, message: ToWorker) => {
  if (worker?.isConnected()) worker.send(message, () => {})
}

const readiness = (worker: Worker) =>
  new Promise<Extract<ToMain, { kind: 'ready' }>>((resolve, reject) => {
    worker.on('message', (message: ToMain) => {
      if (message.kind === 'ready') resolve(message)
      if (message.kind !== 'failed') return
      reject(message.isForOperator ? new OperatorError(message.message) : new Error(message.message))
    })
    worker.once('exit', (code, signal) => reject(new Error(`a worker ended while it started: ${signal ?? code}`)))
  })

const end = async (worker: Worker, maxMs: number) => {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  tell(worker, { kind: 'stop' })
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), maxMs)
  await ended
  clearTimeout(timer)
}

/** Asks all workers for their metrics, for the one that was asked by a caller. */
const createMetricsReader = (running: ReadonlyMap<number, Worker>) => {
  const readings = new Map<number, (metrics: object[]) => void>()
  let last = 0
  const read = (worker: Worker) =>
    new Promise<object[]>((resolve) => {
      const reading = ++last
      const answer = (metrics: object[]) => {
        clearTimeout(timer)
        readings.delete(reading)
        resolve(metrics)
      }
      const timer = setTimeout(answer, metricsMs, [])
      readings.set(reading, answer)
      tell(worker, { kind: 'read metrics', reading })
    })
  return {
    gatherFor: async (worker: Worker, reading: number) => {
      const workers = [...running.values()].filter((each) => each.isConnected())
      const metrics = await Promise.all(workers.map(read))
      tell(worker, { kind: 'metrics', reading, metrics: metrics.filter(({ length }) => length > 0) })
    },
    receive: (reading: number, metrics: object[]) => readings.get(reading)?.(metrics),
  }
}
