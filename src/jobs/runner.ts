import type { JobFigures, JobKind, OnJobFailure } from './job-kind.ts'
import { createKindLoop } from './kind-loop.ts'

export type JobRunner = {
  start(): void
  /** Starts work that this instance has just written, of one store if it is named. Call it after the commit. */
  runSoon(name: string, storeId?: number): void
  /** Runs everything that is due, kind after kind, and resolves when it is done. For tests. */
  runDue(): Promise<void>
  figures(): JobFigures[]
  /** Begins nothing new, gives running units ten seconds, then aborts them. */
  stop(): Promise<void>
}

export type JobRunnerOptions = {
  kinds: readonly JobKind<unknown>[]
  onFailure: OnJobFailure
  /** In place of the interval of each kind. */
  everyMs?: number | undefined
  graceMs?: number
}

const usualGraceMs = 10_000

/** Runs every kind on every instance, each apart from the others: one that hangs or fails holds up no other. */
export const createJobRunner = ({ kinds, onFailure, everyMs, graceMs = usualGraceMs }: JobRunnerOptions): JobRunner => {
  const loops = new Map(kinds.map((kind) => [kind.name, createKindLoop(kind, onFailure, everyMs)]))
  if (loops.size < kinds.length) throw new Error('two kinds of job have the same name')
  return {
    start: () => {
      for (const loop of loops.values()) loop.start()
    },
    runSoon: (name, storeId) => {
      const loop = loops.get(name)
      if (loop === undefined) throw new Error(`there is no job ${name}`)
      loop.runSoon(storeId)
    },
    runDue: async () => {
      for (const loop of loops.values()) await loop.runDue()
    },
    figures: () => [...loops.values()].map((loop) => loop.figures()),
    stop: async () => {
      await Promise.all([...loops.values()].map((loop) => loop.stop(graceMs)))
    },
  }
}
