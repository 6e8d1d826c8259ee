import type { JobKind, JobStats, OnJobFailure } from './job-kind.ts'
import { createKindLoop } from './kind-loop.ts'

export type JobRunner = {
  start(): void
  /** Starts work that this instance has just committed, of one store if `storeId` is given. */
  runSoon(name: string, storeId?: number): void
  /** Runs everything that is due, kind after kind, and resolves when it is done. For tests. */
  runDue(): Promise<void>
  stats(): JobStats[]
  /** Starts no more items, waits ten seconds for those that run, then aborts them. */
  stop(): Promise<void>
}

export type JobRunnerOptions = {
  kinds: readonly JobKind<unknown>[]
  onFailure: OnJobFailure
  /** Replaces the interval of each kind. */
  everyMs?: number | undefined
  graceMs?: number
}

const defaultGraceMs = 10_000

/** Runs every kind on every instance, independently: one that hangs or fails does not delay the others. */
export const createJobRunner = ({
  kinds,
  onFailure,
  everyMs,
  graceMs = defaultGraceMs,
}: JobRunnerOptions): JobRunner => {
  const loops = new Map(kinds.map((kind) => [kind.name, createKindLoop(kind, onFailure, everyMs)]))
  if (loops.size < kinds.length) throw new Error('two job kinds have the same name')
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
    stats: () => [...loops.values()].map((loop) => loop.stats()),
    stop: async () => {
      await Promise.all([...loops.values()].map((loop) => loop.stop(graceMs)))
    },
  }
}
