import { minutes } from '../core/clock.ts'
import type { Queries } from '../db/database.ts'
import { batchSize, type Sweep } from './batch.sql.ts'

export type SweepRun = {
  db: Queries
  sweeps: Readonly<Record<string, Sweep>>
  onTrouble(name: string, error: unknown): void
}

export const sweepEveryMs = minutes(1)

/** Sweeps again and again, on every instance: what is left to one would be left undone when that one is away. */
export const startSweeping = (run: SweepRun, everyMs: number = sweepEveryMs) => {
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> = Promise.resolve()
  const wait = () => {
    // Instances that were started together would otherwise sweep together for ever.
    timer = setTimeout(sweep, everyMs * (0.5 + Math.random()))
    timer.unref()
  }
  const sweep = () => {
    underWay = runSweeps(run, () => isStopping).then(() => {
      if (!isStopping) wait()
    })
  }
  wait()
  return {
    /** Ends when the batch under way does. */
    stop: async () => {
      isStopping = true
      clearTimeout(timer)
      await underWay
    },
  }
}

/** Each in turn, until nothing more is due for it. One that fails is told of and leaves the others alone. */
export const runSweeps = async ({ db, sweeps, onTrouble }: SweepRun, isStopping: () => boolean = () => false) => {
  for (const [name, sweep] of Object.entries(sweeps)) {
    try {
      let swept = batchSize
      while (swept >= batchSize && !isStopping()) swept = await sweep(db)
    } catch (error) {
      onTrouble(name, error)
    }
  }
}
