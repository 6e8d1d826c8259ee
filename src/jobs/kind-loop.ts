import { withTimeLimit } from '../core/time-limit.ts'
import type { JobFigures, JobKind, OnJobFailure } from './job-kind.ts'
import { createLooks } from './looks.ts'
import { createStoreTurns } from './store-turns.ts'

/** Limit of a look and of a claim, which are single statements. */
const statementLimitMs = 15_000

/** Claims under way at once, so that they do not wait for each other's commit. */
const mostClaims = 4

/** Slots that become free within this time are filled by one claim, where there are more slots than claims. */
const gatherMs = 5

/** With this many stores waiting, `runSoon` schedules a look instead of remembering another store. */
const mostStores = 10_000

export type KindLoop = {
  start(): void
  runSoon(storeId?: number): void
  /** Runs everything that is due now, and resolves when it is done. */
  runDue(): Promise<void>
  figures(): JobFigures
  /** Begins nothing new, gives running units `graceMs`, then aborts them. */
  stop(graceMs: number): Promise<void>
}

/** Runs one kind of job, apart from all others. */
export const createKindLoop = <Item>(
  kind: JobKind<Item>,
  onFailure: OnJobFailure,
  everyMs: number = kind.everyMs,
): KindLoop => {
  const steps = createSteps(kind, onFailure)
  const turns = createStoreTurns(kind.concurrency)
  const units = new Set<Promise<void>>()
  const claims = new Set<Promise<void>>()
  let isStarted = false
  let isStopped = false
  let claimedSinceLook = 0
  let filler: NodeJS.Timeout | undefined

  const looks = createLooks(everyMs, async () => {
    claimedSinceLook = 0
    for (const storeId of await steps.look()) turns.add(storeId)
    if (isStarted) fill()
  })
  const fill = () => {
    while (!isStopped && claims.size < mostClaims) {
      const turn = turns.take()
      if (turn === undefined) break
      const claim = claimAndBegin(turn.storeId, turn.most).finally(() => {
        claims.delete(claim)
        fill()
      })
      claims.add(claim)
    }
    const isDrained = turns.waiting() === 0 && claims.size === 0
    if (isDrained && claimedSinceLook > 0) looks.soon()
  }
  const fillSoon = () => {
    if (kind.concurrency <= mostClaims) return fill()
    filler ??= setTimeout(() => {
      filler = undefined
      fill()
    }, gatherMs)
  }
  const claimAndBegin = async (storeId: number, most: number) => {
    const items = await steps.claim(storeId, most)
    claimedSinceLook += items.length
    if (items.length >= most) turns.add(storeId)
    // After a stop the items are due again when their claim ends.
    const begun = isStopped ? [] : items
    turns.release(storeId, most - begun.length)
    for (const item of begun) begin(storeId, item)
  }
  const begin = (storeId: number, item: Item) => {
    const unit = steps.run(item).finally(() => {
      units.delete(unit)
      turns.release(storeId, 1)
      fillSoon()
    })
    units.add(unit)
  }

  return {
    start: () => {
      isStarted = true
      looks.start()
    },
    runSoon: (storeId) => {
      if (!isStarted || isStopped) return
      if (storeId === undefined || turns.waiting() >= mostStores) return looks.soon()
      turns.add(storeId)
      fill()
    },
    runDue: async () => {
      do {
        await looks.now()
        fill()
        while (units.size + claims.size > 0) {
          await Promise.race([...units, ...claims])
          fill()
        }
      } while (!isStopped && claimedSinceLook > 0)
    },
    figures: () => ({ name: kind.name, running: units.size, ...steps.figures }),
    stop: async (graceMs) => {
      isStopped = true
      const grace = setTimeout(steps.abort, graceMs)
      await Promise.all([looks.stop(), ...claims, ...units])
      clearTimeout(grace)
      clearTimeout(filler)
    },
  }
}

/** The steps of a kind with their time limits. None of them rejects: a failure is counted and reported. */
const createSteps = <Item>(kind: JobKind<Item>, onFailure: OnJobFailure) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const figures: Omit<JobFigures, 'name' | 'running'> = { waiting: 0, oldestAt: null, done: 0, failed: 0 }
  const fail = (error: unknown, fields = {}) => {
    figures.failed++
    onFailure(kind.name, error, fields)
  }
  const limited = <Result>(step: string, work: () => Promise<Result>) =>
    withTimeLimit({ limitMs: statementLimitMs, signal, name: `${step} of ${kind.name}` }, work)

  const postpone = async (item: Item, error: unknown) => {
    // A unit that a stop has cut off is due again when its claim ends.
    if (signal.aborted) return
    try {
      await limited('postponement', async () => kind.postpone?.(item, error))
    } catch (fault) {
      fail(fault, { step: 'postpone', ...kind.describe(item) })
    }
  }
  return {
    figures,
    abort: () => stopping.abort(new Error(`the service stopped, and ${kind.name} did not end in time`)),
    /** Stores with due items. */
    look: async (): Promise<number[]> => {
      try {
        const due = await limited('look', () => kind.findDue())
        figures.waiting = due.reduce((sum, { waiting }) => sum + waiting, 0)
        const oldestMs = Math.min(...due.map(({ oldestAt }) => oldestAt.getTime()))
        figures.oldestAt = due.length === 0 ? null : new Date(oldestMs)
        return due.map(({ storeId }) => storeId)
      } catch (error) {
        fail(error, { step: 'look' })
        return []
      }
    },
    claim: async (storeId: number, most: number): Promise<readonly Item[]> => {
      try {
        return await limited('claim', () => kind.claim(storeId, most))
      } catch (error) {
        fail(error, { step: 'claim', storeNumber: storeId })
        return []
      }
    },
    run: async (item: Item) => {
      const limit = { limitMs: kind.limitMs, signal, name: `${kind.name} job` }
      try {
        await withTimeLimit(limit, (limited) => kind.run(item, limited))
        figures.done++
      } catch (error) {
        fail(error, kind.describe(item))
        await postpone(item, error)
      }
    },
  }
}
