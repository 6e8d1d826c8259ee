import { withTimeLimit } from '../core/time-limit.ts'
import { inSpan, noParent, restoreTrace, SpanKind } from '../core/tracing.ts'
import { FollowedBy, type JobKind, type JobStats, type OnJobFailure } from './job-kind.ts'
import { createPoller } from './poller.ts'
import { createStoreRotation } from './store-rotation.ts'

/** Time limit of a poll, a claim or a postponement, each a single statement. */
const statementLimitMs = 15_000

/** Concurrent claims, so that they do not wait for each other's commit. */
const maxClaims = 4

/** Slots that become free and calls of `runSoon` within this time share a claim. For kinds with more slots than claims. */
const gatherMs = 5

/** With this many stores waiting, `runSoon` schedules a poll instead of adding a store. */
const maxStores = 10_000

export type KindLoop = {
  start(): void
  runSoon(storeId?: number): void
  /** Runs everything that is due now, and resolves when it is done. */
  runDue(): Promise<void>
  stats(): JobStats
  /** Starts no more items, waits `graceMs` for those that run, then aborts them. */
  stop(graceMs: number): Promise<void>
}

/** Runs one kind of job, independently of all others. */
export const createKindLoop = <Item>(
  kind: JobKind<Item>,
  onFailure: OnJobFailure,
  everyMs: number = kind.everyMs,
): KindLoop => {
  const steps = createSteps(kind, onFailure, () => isStopped)
  const rotation = createStoreRotation(kind.concurrency)
  const running = new Set<Promise<void>>()
  const claims = new Set<Promise<void>>()
  let isStarted = false
  let isStopped = false
  let claimedSincePoll = 0
  let filler: NodeJS.Timeout | undefined

  const poller = createPoller(everyMs, async () => {
    claimedSincePoll = 0
    for (const storeId of await steps.poll()) rotation.add(storeId)
    if (isStarted) fill()
  })
  const fill = () => {
    while (!isStopped && claims.size < maxClaims) {
      const grant = rotation.take()
      if (grant === undefined) break
      const claim = claimAndBegin(grant.storeId, grant.slots).finally(() => {
        claims.delete(claim)
        fill()
      })
      claims.add(claim)
    }
    const isDrained = rotation.waiting() === 0 && claims.size === 0
    if (isDrained && claimedSincePoll > 0) poller.soon()
  }
  const fillSoon = () => {
    if (kind.concurrency <= maxClaims) return fill()
    filler ??= setTimeout(() => {
      filler = undefined
      fill()
    }, gatherMs)
  }
  const claimAndBegin = async (storeId: number, slots: number) => {
    const items = await steps.claim(storeId, slots)
    claimedSincePoll += items.length
    if (items.length >= slots) rotation.add(storeId)
    // After a stop, the items become due again when their claim expires.
    const begun = isStopped ? [] : items
    rotation.release(storeId, slots - begun.length)
    for (const item of begun) begin(storeId, item)
  }
  const begin = (storeId: number, item: Item) => {
    const run = runInTurn(item).finally(() => {
      running.delete(run)
      rotation.release(storeId, 1)
      if (kind.claimsAgain) rotation.add(storeId)
      fillSoon()
    })
    running.add(run)
  }
  /** Runs an item, and those that follow it in its slot. */
  const runInTurn = async (first: Item) => {
    let next: Item | undefined = first
    while (next !== undefined) {
      const result = await steps.run(next)
      next = result instanceof FollowedBy && !isStopped ? result.next : undefined
    }
  }

  return {
    start: () => {
      isStarted = true
      poller.start()
    },
    runSoon: (storeId) => {
      if (!isStarted || isStopped) return
      if (storeId === undefined || rotation.waiting() >= maxStores) return poller.soon()
      rotation.add(storeId)
      fillSoon()
    },
    runDue: async () => {
      do {
        await poller.now()
        fill()
        while (running.size + claims.size > 0) {
          await Promise.race([...running, ...claims])
          fill()
        }
      } while (!isStopped && claimedSincePoll > 0)
    },
    stats: () => ({ name: kind.name, running: running.size, ...steps.stats }),
    stop: async (graceMs) => {
      isStopped = true
      const grace = setTimeout(steps.abort, graceMs)
      await Promise.all([poller.stop(), ...claims, ...running])
      clearTimeout(grace)
      clearTimeout(filler)
    },
  }
}

/** In the trace of the request that has left the item, if the kind knows it. */
const spanOf = <Item>(kind: JobKind<Item>, item: Item) => {
  const parent = restoreTrace(kind.traceOf?.(item) ?? null)
  const { storeId } = kind.describe(item)
  return {
    kind: SpanKind.CONSUMER,
    attributes: { 'vitrine.job': kind.name, ...(storeId === undefined ? {} : { 'vitrine.store.id': storeId }) },
    ...(parent === undefined ? { parent: noParent } : { parent }),
  }
}

/** The steps of a kind with their time limits. They never reject: failures are counted and reported. */
const createSteps = <Item>(kind: JobKind<Item>, onFailure: OnJobFailure, isStopping: () => boolean) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const stats: Omit<JobStats, 'name' | 'running'> = { waiting: 0, oldestAt: null, done: 0, failed: 0 }
  const fail = (error: unknown, fields = {}) => {
    stats.failed++
    onFailure(kind.name, error, fields)
  }
  const limited = <Result>(step: string, work: () => Promise<Result>) =>
    withTimeLimit({ limitMs: statementLimitMs, signal, name: `${step} of ${kind.name} job` }, work)

  const postpone = async (item: Item, error: unknown) => {
    // An item that a stop has aborted becomes due again when its claim expires.
    if (signal.aborted) return
    try {
      await limited('postponement', async () => kind.postpone?.(item, error))
    } catch (postponeError) {
      fail(postponeError, { step: 'postpone', ...kind.describe(item) })
    }
  }
  return {
    stats,
    abort: () => stopping.abort(new Error(`the service stopped before the ${kind.name} job ended`)),
    /** Stores with due items. */
    poll: async (): Promise<number[]> => {
      try {
        const due = await limited('poll', () => kind.findDue())
        stats.waiting = due.reduce((sum, { waiting }) => sum + waiting, 0)
        const oldestMs = Math.min(...due.map(({ oldestAt }) => oldestAt.getTime()))
        stats.oldestAt = due.length === 0 ? null : new Date(oldestMs)
        return due.map(({ storeId }) => storeId)
      } catch (error) {
        fail(error, { step: 'poll' })
        return []
      }
    },
    claim: async (storeId: number, max: number): Promise<readonly Item[]> => {
      try {
        return await limited('claim', () => kind.claim(storeId, max))
      } catch (error) {
        fail(error, { step: 'claim', storeNumber: storeId })
        return []
      }
    },
    run: async (item: Item): Promise<unknown> => {
      const limit = { limitMs: kind.limitMs, signal, name: `${kind.name} job` }
      try {
        const result = await inSpan(`job ${kind.name}`, spanOf(kind, item), () =>
          withTimeLimit(limit, (limited) => kind.run(item, limited, isStopping)),
        )
        stats.done++
        return result
      } catch (error) {
        fail(error, kind.describe(item))
        await postpone(item, error)
      }
    },
  }
}
