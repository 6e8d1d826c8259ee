import { withTimeLimit } from '../core/time-limit.ts'
import type { JobFigures, JobKind, OnJobFailure } from './job-kind.ts'

/** Limit of a look and of a claim, which are single statements. */
const statementLimitMs = 15_000

/** Pause between two looks while there is work, so that a steady flow of it costs a few looks a second. */
const lookSpacingMs = 200

/** Claims under way at once, so that they do not wait for each other's commit. */
const mostClaims = 4

/** Slots that become free within this time are filled by one claim. */
const gatherMs = 5

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
  /** Items that a claim may take while other stores wait: one item a claim would cost a commit for each. */
  const quantum = Math.ceil(kind.concurrency / 8)
  const stopping = new AbortController()
  /** Stores that may have due items, in the order of their turns. */
  const turns = new Set<number>()
  const units = new Set<Promise<void>>()
  const claims = new Set<Promise<void>>()
  const slotsByStore = new Map<number, number>()
  let slotsTaken = 0
  const figures = { waiting: 0, oldestAt: null as Date | null, done: 0, failed: 0 }
  let isStarted = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let lookedAtMs = 0
  let isLookWanted = false
  let looking: Promise<void> | undefined
  let filler: NodeJS.Timeout | undefined
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

  /** Gives free slots to stores in turn. A claim takes its slots before it is sent. */
  const fill = () => {
    for (let turn = nextTurn(); turn !== undefined; turn = nextTurn()) {
      const { storeId, most } = turn
      turns.delete(storeId)
      takeSlots(storeId, most)
      const claim = claimAndBegin(storeId, most).finally(() => {
        claims.delete(claim)
        fill()
      })
      claims.add(claim)
    }
    const isDrained = turns.size === 0 && claims.size === 0
    if (isDrained && claimedSinceLook > 0) lookSoon()
  }
  const fillSoon = () => {
    filler ??= setTimeout(() => {
      filler = undefined
      fill()
    }, gatherMs)
  }
  const nextTurn = () => {
    const free = kind.concurrency - slotsTaken
    if (free <= 0 || claims.size >= mostClaims || isStopped) return undefined
    for (const storeId of turns) {
      const left = mostOfStore - (slotsByStore.get(storeId) ?? 0)
      const share = Math.max(quantum, Math.floor(free / turns.size))
      if (left > 0) return { storeId, most: Math.min(left, free, share) }
    }
    return undefined
  }
  const takeSlots = (storeId: number, count: number) => {
    slotsTaken += count
    const ofStore = (slotsByStore.get(storeId) ?? 0) + count
    if (ofStore > 0) slotsByStore.set(storeId, ofStore)
    else slotsByStore.delete(storeId)
  }
  const claimAndBegin = async (storeId: number, most: number) => {
    let begun = 0
    try {
      const items = await limited('claim', () => kind.claim(storeId, most))
      claimedSinceLook += items.length
      // The store goes to the end of the line, so that a backlog of one store delays no other.
      if (items.length >= most) turns.add(storeId)
      // After a stop they are due again when their claim ends.
      if (isStopped) return
      for (const item of items) begin(storeId, item)
      begun = items.length
    } catch (error) {
      fail(error, { step: 'claim', storeNumber: storeId })
    } finally {
      takeSlots(storeId, begun - most)
    }
  }

  const begin = (storeId: number, item: Item) => {
    const unit = runUnit(item).finally(() => {
      units.delete(unit)
      takeSlots(storeId, -1)
      fillSoon()
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
      if (!isStarted || isStopped) return
      if (storeId === undefined || turns.size >= mostStores) return lookSoon()
      turns.add(storeId)
      fill()
    },
    runDue: async () => {
      do {
        await look()
        fill()
        while (!isStopped && units.size + claims.size > 0) {
          await Promise.race([...units, ...claims])
          fill()
        }
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
      await Promise.all([looking, ...claims, ...units])
      clearTimeout(grace)
      clearTimeout(filler)
    },
  }
}
