import { withTimeLimit } from '../core/time-limit.ts'
import type { JobFigures, JobKind, OnJobFailure } from './job-kind.ts'

/** Limit of a look and of a claim, which are single statements. */
const statementLimitMs = 15_000

/** Pause between two looks while there is work, so that a steady flow of it costs a few looks a second. */
const lookSpacingMs = 200

/** Stores that can be named by `runSoon` before they are looked up instead, to bound memory. */
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
  const mostOfStore = Math.max(1, Math.floor(kind.concurrency / 2))
  const stopping = new AbortController()
  /** Stores that may have due items, in the order of their turns. */
  const turns = new Set<number>()
  const runningByStore = new Map<number, number>()
  const units = new Set<Promise<void>>()
  const figures = { waiting: 0, oldestAt: null as Date | null, done: 0, failed: 0 }
  let isStarted = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let lookedAtMs = 0
  let isLookWanted = false
  let looking: Promise<void> | undefined
  let filling: Promise<void> | undefined
  let claimedSinceLook = 0

  const fail = (error: unknown, fields = {}) => {
    figures.failed++
    onFailure(kind.name, error, fields)
  }
  const limited = <Result>(step: string, work: () => Promise<Result>) =>
    withTimeLimit({ limitMs: statementLimitMs, name: `${step} of ${kind.name}`, signal: stopping.signal }, work)

  const lookIn = (ms: number) => {
    if (!isStarted || isStopped) return
    clearTimeout(timer)
    timer = setTimeout(() => look().then(fill), ms)
    timer.unref()
  }
  const lookSoon = () => {
    isLookWanted = true
    if (looking === undefined) lookIn(Math.max(0, lookedAtMs + lookSpacingMs - Date.now()))
  }
  const look = () => {
    looking ??= findStores().finally(() => {
      looking = undefined
      // Jitter, or instances that started together would always look together.
      lookIn(isLookWanted ? lookSpacingMs : everyMs * (0.5 + Math.random()))
    })
    return looking
  }
  const findStores = async () => {
    lookedAtMs = Date.now()
    isLookWanted = false
    claimedSinceLook = 0
    try {
      const due = await limited('look', () => kind.findDue())
      figures.waiting = due.reduce((sum, { waiting }) => sum + waiting, 0)
      figures.oldestAt = due.reduce<Date | null>(
        (oldest, { oldestAt }) => (oldest === null || oldestAt < oldest ? oldestAt : oldest),
        null,
      )
      for (const { storeId } of due) turns.add(storeId)
    } catch (error) {
      fail(error, { step: 'look' })
    }
  }

  /** Fills free slots, one claim at a time. Slots that become free during a claim are filled by the next one together. */
  const fill = (): Promise<void> => {
    filling ??= claimInTurn().finally(() => {
      filling = undefined
      if (turns.size === 0 && claimedSinceLook > 0) lookSoon()
      // A turn or a slot may have been added after the last claim.
      if (nextTurn() !== undefined) void fill()
    })
    return filling
  }
  const claimInTurn = async () => {
    for (let turn = nextTurn(); turn !== undefined; turn = nextTurn()) {
      const { storeId, most } = turn
      turns.delete(storeId)
      try {
        const items = await limited('claim', () => kind.claim(storeId, most))
        claimedSinceLook += items.length
        // The store goes to the end of the line, so that a backlog of one store delays no other.
        if (items.length >= most) turns.add(storeId)
        // After a stop they are due again when their claim ends.
        if (!isStopped) for (const item of items) begin(storeId, item)
      } catch (error) {
        fail(error, { step: 'claim', storeNumber: storeId })
      }
    }
  }
  const nextTurn = () => {
    const free = kind.concurrency - units.size
    if (free <= 0 || isStopped) return undefined
    for (const storeId of turns) {
      const left = mostOfStore - (runningByStore.get(storeId) ?? 0)
      if (left > 0) return { storeId, most: Math.min(left, Math.max(1, Math.floor(free / turns.size))) }
    }
    return undefined
  }

  const begin = (storeId: number, item: Item) => {
    runningByStore.set(storeId, (runningByStore.get(storeId) ?? 0) + 1)
    const unit = runUnit(item).finally(() => {
      units.delete(unit)
      const left = (runningByStore.get(storeId) ?? 1) - 1
      if (left > 0) runningByStore.set(storeId, left)
      else runningByStore.delete(storeId)
      if (!isStopped) void fill()
    })
    units.add(unit)
  }
  const runUnit = async (item: Item) => {
    try {
      const { limitMs } = kind
      await withTimeLimit({ limitMs, signal: stopping.signal, name: `${kind.name} job` }, (signal) =>
        kind.run(item, signal),
      )
      figures.done++
    } catch (error) {
      fail(error, kind.describe(item))
      await postpone(item, error)
    }
  }
  const postpone = async (item: Item, error: unknown) => {
    // A unit that a stop has cut off is due again when its claim ends.
    if (stopping.signal.aborted) return
    try {
      await limited('postponement', async () => kind.postpone?.(item, error))
    } catch (fault) {
      fail(fault, { step: 'postpone', ...kind.describe(item) })
    }
  }

  return {
    start: () => {
      isStarted = true
      lookIn(everyMs * Math.random())
    },
    runSoon: (storeId) => {
      if (isStopped) return
      if (storeId === undefined || turns.size >= mostStores) return lookSoon()
      turns.add(storeId)
      void fill()
    },
    runDue: async () => {
      do {
        await look()
        do {
          await fill()
          if (units.size > 0) await Promise.race(units)
        } while (!isStopped && (units.size > 0 || turns.size > 0))
      } while (!isStopped && claimedSinceLook > 0)
    },
    figures: () => ({ name: kind.name, running: units.size, ...figures }),
    stop: async (graceMs) => {
      isStopped = true
      clearTimeout(timer)
      const grace = setTimeout(
        () => stopping.abort(new Error(`the service stopped, and ${kind.name} did not end in time`)),
        graceMs,
      )
      await Promise.all([looking, filling, ...units])
      clearTimeout(grace)
      clearTimeout(timer)
    },
  }
}
