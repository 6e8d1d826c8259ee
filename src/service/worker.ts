import { pino } from 'pino'
import { loadConfig } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { toError } from '../core/thrown.ts'
import { createLogger } from '../logging.ts'
import type { CountedCall, SentCode, ToMain, ToWorker, WorkerSetup } from './messages.ts'
import { type OpenedService, openBackground, openServing } from './open-service.ts'
import { createPermits } from './permits.ts'
import { releaseMemory } from './release-memory.ts'
import { createSharedCounter } from './shared-counter.ts'
import { createSharedLookups } from './shared-lookups.ts'

/** One worker of an instance: it does what the main process (supervisor.ts) says, and ends with it. */
export const runWorker = () => {
  const line = createLine()
  let opening: Promise<OpenedService> | undefined
  let isStopping = false
  const begin = async (setup: WorkerSetup) => {
    try {
      opening = open(setup, line)
      const { port, shop } = await opening
      // Before it is ready, because a worker must answer the recall of permits at once.
      releaseMemory()
      tellMain({ kind: 'ready', port, shop })
    } catch (error) {
      const { message, stack = message } = toError(error)
      const isForOperator = error instanceof OperatorError
      const failure = { kind: 'failed', message: isForOperator ? message : stack, isForOperator } satisfies ToMain
      process.send?.(failure, () => process.exit(1))
    }
  }
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    try {
      await (await opening)?.close()
      process.exit(0)
    } catch (error) {
      process.stderr.write(`${toError(error).stack}\n`)
      process.exit(1)
    }
  }
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'begin') void begin(message.setup)
    else if (message.kind === 'stop') void stop()
    else void line.receive(message)
  })
  process.on('SIGTERM', stop)
  // Ctrl+C reaches all processes of a terminal. The main process tells each when to stop.
  process.on('SIGINT', () => {})
  tellMain({ kind: 'loaded' })
}

const tellMain = (message: ToMain) => void process.send?.(message)

const open = async (setup: WorkerSetup, line: Line): Promise<OpenedService> => {
  const { databasePoolSize, maxUploads, role, number, ...given } = setup
  const config = { ...loadConfig(process.env), databasePoolSize, maxUploads }
  const logger = createLogger(config, pino.destination({ sync: false })).child({ worker: number })
  const openRole = role === 'serve' ? openServing : openBackground
  const opened = await openRole({ ...given, config, logger }, line.shared)
  line.join(opened)
  return opened
}

/** What a worker shares with the others, through the main process. */
const createLine = () => {
  const permits = createPermits({
    ask: (asks) => tellMain({ kind: 'ask permits', asks }),
    giveBack: (returned) => tellMain({ kind: 'return permits', returned }),
  })
  const counting = {
    count: (batch: number, calls: readonly CountedCall[]) => tellMain({ kind: 'count', batch, calls }),
    uncount: (call: CountedCall) => tellMain({ kind: 'uncount', call }),
  }
  const counter = createSharedCounter(counting, permits)
  const readings = new Map<number, (metrics: readonly object[][]) => void>()
  let lastReading = 0
  let own: OpenedService | undefined
  return {
    shared: {
      counter,
      lookups: createSharedLookups(permits),
      runSoon: (job: string, storeId: number | undefined) => tellMain({ kind: 'run soon', job, storeId }),
      gatherMetrics: () =>
        new Promise<readonly object[][]>((resolve) => {
          readings.set(++lastReading, resolve)
          tellMain({ kind: 'gather metrics', reading: lastReading })
        }),
      tellCode: (code: SentCode) => tellMain({ kind: 'code', ...code }),
    },
    join: (opened: OpenedService) => {
      own = opened
    },
    receive: async (message: ToWorker) => {
      switch (message.kind) {
        case 'counts':
          return counter.receive(message.batch, message.counts)
        case 'permits':
          return permits.receive(message.answers)
        case 'recall permits':
          return permits.recall(message.place)
        case 'run soon':
          return own?.app.jobs.runSoon(message.job, message.storeId)
        case 'code':
          return own?.rememberCode(message)
        case 'read metrics': {
          const metrics = (await own?.app.metrics.read()) ?? []
          return tellMain({ kind: 'metrics', reading: message.reading, metrics })
        }
        case 'metrics':
          readings.get(message.reading)?.(message.metrics)
          readings.delete(message.reading)
      }
    },
  }
}

type Line = ReturnType<typeof createLine>
