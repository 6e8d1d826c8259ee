import { seconds } from '../core/clock.ts'
import { createLru } from '../core/lru.ts'
import type { PermitAnswer, PermitAsk, PermitPlace, PermitReturn, PermitUse } from './permit-messages.ts'

/**
 * All workers together get in advance at most an eighth of what is left, and lookups the half of it. A worker can hold two
 * blocks.
 */
const blockShare = { key: 8, client: 8, lookup: 2 }
const minBlock = 2
const maxClients = 100_000

/** A worker that does not answer a recall in this time is busy, and what it holds counts as used until it answers. */
const maxRecallMs = 250
/** Longer than a lookup waits for its connection. */
const maxWaitMs = seconds(12)

export type PermitTell = {
  answer(worker: number, answers: readonly PermitAnswer[]): void
  recall(worker: number, place: PermitPlace): void
}

type Pending = { worker: number; asked: PermitAsk }

/** The permits of one id in one minute. */
type Pool = {
  place: PermitPlace
  /** Permits that are used or with a worker. */
  total: number
  /** At most so many permits may come back from each worker. */
  held: Map<number, number>
  /** Workers that have not yet answered a recall. */
  recalled: Set<number>
  /** Workers that have not answered in time. */
  silent: Set<number>
  /** In the order of their arrival. */
  pending: Pending[]
  /** Lookups: workers return permits as they come back. */
  isScarce: boolean
  timer: NodeJS.Timeout | undefined
}

/**
 * Grants permits to workers, for each id and minute no more than the limit. Before a call is refused, workers return what
 * they have not used, so no call is refused below the limit either. What a worker held that has ended counts as used.
 */
export const createPermitKeeper = (workers: number, tell: PermitTell, recallMs = maxRecallMs) => {
  const pools = createPools()
  let answers = new Map<number, PermitAnswer[]>()

  const answer = ({ worker, asked }: Pending, pool: Pool, granted: number, refused = 0, isFinal = false) => {
    const total = pool.total - heldByOthers(pool, worker)
    const message = { ask: asked.ask, granted, total, refused, isFinal, isScarce: pool.isScarce }
    const waiting = answers.get(worker)
    if (waiting === undefined) answers.set(worker, [message])
    else waiting.push(message)
  }

  const grant = (pending: Pending, pool: Pool, calls: number, refused = 0) => {
    const { worker, asked } = pending
    // Without a block while others wait, who might need it.
    const mayHaveBlock = !pool.isScarce && pool.pending.length < 2
    const block = mayHaveBlock ? blockOf(asked, pool.total + calls, workers) : 0
    pool.total += calls + block
    const mayReturn = asked.use === 'lookup' ? calls + block : block
    setHeld(pool, worker, (pool.held.get(worker) ?? 0) + mayReturn)
    answer(pending, pool, calls + block, refused, refused > 0 && pool.silent.size === 0)
  }

  /** False: it must wait. */
  const settle = (pending: Pending, pool: Pool): boolean => {
    const { calls, limit } = pending.asked
    const left = Math.max(0, limit - pool.total)
    if (calls <= left) grant(pending, pool, calls)
    // What is granted may come back, so the others are not refused yet.
    else if (pending.asked.use === 'lookup' && left > 0) grant(pending, pool, left)
    else if (pool.held.size === 0) grant(pending, pool, left, calls - left)
    else return false
    return true
  }

  const settlePending = (pool: Pool) => {
    if (pool.recalled.size > 0) return
    clearTimeout(pool.timer)
    while (pool.pending[0] !== undefined && settle(pool.pending[0], pool)) pool.pending.shift()
    if (pool.pending.length > 0) waitForReturns(pool)
  }

  /** Lookups that are underway are awaited. Everything else is returned at once. */
  const waitForReturns = (pool: Pool) => {
    if (pool.isScarce) {
      pool.timer = setTimeout(refusePending, maxWaitMs, pool).unref()
      return
    }
    pool.isScarce = pool.place.use === 'lookup'
    pool.recalled = new Set(pool.held.keys())
    for (const worker of pool.recalled) tell.recall(worker, pool.place)
    pool.timer = setTimeout(goOnWithoutSilent, recallMs, pool).unref()
  }

  const goOnWithoutSilent = (pool: Pool) => {
    pool.silent = new Set([...pool.silent, ...pool.recalled])
    for (const worker of pool.recalled) pool.held.delete(worker)
    pool.recalled = noWorkers
    settlePending(pool)
    send()
  }

  const refusePending = (pool: Pool) => {
    for (const pending of pool.pending.splice(0)) answer(pending, pool, 0, pending.asked.calls)
    send()
  }

  const send = () => {
    const sent = answers
    answers = new Map()
    for (const [worker, list] of sent) tell.answer(worker, list)
  }

  return {
    receive: (worker: number, asks: readonly PermitAsk[]) => {
      for (const asked of asks) {
        const pool = pools.find(asked)
        const pending = { worker, asked }
        // A recall that is underway asks for these permits too.
        setHeld(pool, worker, asked.held)
        if (pool.pending.length > 0) {
          if (asked.calls === 0) answer(pending, pool, 0)
          else pool.pending.push(pending)
        } else if (!settle(pending, pool)) {
          pool.pending.push(pending)
          waitForReturns(pool)
        }
      }
      send()
    },
    takeBack: (worker: number, { returned, used, answersRecall, ...place }: PermitReturn) => {
      const pool = pools.peek(place)
      if (pool === undefined) return
      pool.total = Math.max(0, pool.total - returned)
      setHeld(pool, worker, (pool.held.get(worker) ?? 0) - returned - used)
      if (answersRecall) {
        pool.recalled.delete(worker)
        pool.silent.delete(worker)
      }
      settlePending(pool)
      send()
    },
    forget: (worker: number) => {
      for (const pool of pools.all()) {
        pool.held.delete(worker)
        pool.recalled.delete(worker)
        pool.silent.delete(worker)
        pool.pending = pool.pending.filter((pending) => pending.worker !== worker)
        settlePending(pool)
      }
      send()
    },
  }
}

const setHeld = (pool: Pool, worker: number, held: number) => {
  if (held > 0) pool.held.set(worker, held)
  else pool.held.delete(worker)
}

const heldByOthers = ({ held }: Pool, worker: number) =>
  [...held].reduce((sum, [other, permits]) => (other === worker ? sum : sum + permits), 0)

/** Small beside what is left, so `RateLimit-Remaining` is nearly right, and single permits close to the limit. */
const blockOf = ({ use, ahead, limit }: PermitAsk, total: number, workers: number) => {
  const block = Math.min(ahead, Math.floor((limit - total) / (blockShare[use] * workers)))
  return block < minBlock ? 0 : block
}

/** The pools of the last two windows. */
const createPools = () => {
  type Pools = { ofKeys: Map<string, Pool>; ofClients: ReturnType<typeof createLru<string, Pool>> }
  const windows = new Map<number, Pools>()
  const open = (window: number): Pools => {
    const pools = { ofKeys: new Map(), ofClients: createLru<string, Pool>(maxClients) }
    windows.set(window, pools)
    const [oldest] = windows.keys()
    if (windows.size > 2 && oldest !== undefined) windows.delete(oldest)
    return pools
  }
  const pick = ({ ofKeys, ofClients }: Pools, use: PermitUse) => (use === 'key' ? ofKeys : ofClients)
  return {
    find: ({ use, id, window }: PermitPlace): Pool => {
      const pools = pick(windows.get(window) ?? open(window), use)
      let pool = pools.get(id)
      if (pool === undefined) {
        pool = newPool({ use, id, window })
        pools.set(id, pool)
      }
      return pool
    },
    /** Does not open a window that is over. */
    peek: ({ use, id, window }: PermitPlace): Pool | undefined => {
      const pools = windows.get(window)
      return pools && pick(pools, use).get(id)
    },
    all: () => [...windows.values()].flatMap(({ ofKeys, ofClients }) => [...ofKeys.values(), ...ofClients.values()]),
  }
}

/** Shared by all pools, which saves half of the memory of many clients. Nothing is ever added to it. */
const noWorkers = new Set<number>()

const newPool = (place: PermitPlace): Pool => ({
  place,
  total: 0,
  held: new Map(),
  recalled: noWorkers,
  silent: noWorkers,
  pending: [],
  isScarce: false,
  timer: undefined,
})
