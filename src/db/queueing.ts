import { type Failure, fail } from '../core/errors.ts'
import type { OnDisconnect } from '../core/on-disconnect.ts'

/**
 * Fair use of the connection pool (decision 0021). Two rules apply before a connection is taken: transactions with the
 * same name run one at a time (`createQueues`), and each store or kind of work has a maximum number of connections
 * (`shareConnections`). So neither one shopper nor one store can hold all connections.
 */

export type WaitOptions = {
  /** After this time in one queue, work is refused with 503. */
  maxWaitMs: number
}

/** How long the work of one request may still wait, in all its queues together. */
export type Patience = {
  leftMs(): number
  /** Waits at the same time count once. Call what it returns when the wait ends. */
  beginWait(): () => void
  /** Its caller was sent a part of the answer, and goes on reading. */
  renew(): void
}

/**
 * Without it, a request that needs the database ten times could wait ten times as long as one that needs it once, and its
 * caller gives up before the answer comes.
 */
export const createPatience = (maxMs: number, now = () => performance.now()): Patience => {
  let spentMs = 0
  let waits = 0
  let since = 0
  return {
    leftMs: () => Math.max(0, maxMs - spentMs - (waits > 0 ? now() - since : 0)),
    beginWait: () => {
      if (waits++ === 0) since = now()
      return () => {
        if (--waits === 0) spentMs += now() - since
      }
    },
    renew: () => {
      spentMs = 0
      since = now()
    },
  }
}

export type Caller = { onDisconnect: OnDisconnect; patience: Patience }

/** For jobs and commands. Each of their waits is limited by itself. */
export const noCaller: Caller = {
  onDisconnect: () => () => {},
  patience: { leftMs: () => Number.POSITIVE_INFINITY, beginWait: () => () => {}, renew: () => {} },
}

type Waiter = { go(): void; refuse(failure: Failure): void }

/** The database is unreachable, out of connections, shutting down or too slow. The caller may try again. */
export const unavailable = (cause: unknown): Failure =>
  fail('SERVICE_UNAVAILABLE', undefined, { cause, headers: { 'retry-after': '1' } })

const waitedTooLong = () => unavailable(new Error('timed out while waiting in a queue for the database'))
const tooManyWait = () => unavailable(new Error('too many requests are waiting for a database connection'))
/** No one receives this answer. It is a 400 and not a 5xx, so that disconnects are not logged as errors. */
const callerDisconnected = () => fail('BAD_REQUEST', 'The client disconnected before the request was processed.')

/** Waits in a queue until admitted, until the time limit, or until the caller disconnects. */
const wait = (queue: Set<Waiter>, maxWaitMs: number, caller: Caller, onLeave?: () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      stopListening()
      endWait()
      queue.delete(waiter)
    }
    // A wait can be ended twice, for example by admission and by a disconnect. Only the first counts.
    const waiter: Waiter = {
      go: () => {
        if (!queue.has(waiter)) return
        end()
        resolve()
      },
      refuse: (failure) => {
        if (!queue.has(waiter)) return
        end()
        onLeave?.()
        reject(failure)
      },
    }
    queue.add(waiter)
    const timer = setTimeout(() => waiter.refuse(waitedTooLong()), Math.min(maxWaitMs, caller.patience.leftMs()))
    const endWait = caller.patience.beginWait()
    const stopListening = caller.onDisconnect(() => waiter.refuse(callerDisconnected()))
  })

/** Transactions that may wait for one shopper or one cart. Beyond that, requests are refused with 429. */
export const maxQueued = 500

type RunInQueues = <Result>(names: readonly string[], caller: Caller, work: () => Promise<Result>) => Promise<Result>

/** Runs the work of each name one at a time, first in, first out. Queues are entered in the order of `names`. */
export const createQueues = ({ maxWaitMs }: WaitOptions) => {
  // A name has an entry while work runs under it. The set holds the work that waits.
  const queues = new Map<string, Set<Waiter>>()
  let waiting = 0

  const enter = async (name: string, caller: Caller) => {
    const queue = queues.get(name)
    if (queue === undefined) return void queues.set(name, new Set())
    if (queue.size >= maxQueued) {
      throw fail('RATE_LIMITED', 'Too many changes at once for one shopper or cart. Wait for the answers.', {
        headers: { 'retry-after': '1' },
      })
    }
    waiting++
    try {
      await wait(queue, maxWaitMs, caller)
    } finally {
      waiting--
    }
  }
  // The entry stays while it is handed to the next waiter, so that new work cannot jump the queue.
  const leave = (name: string) => {
    const next = queues.get(name)?.values().next().value
    if (next === undefined) queues.delete(name)
    else next.go()
  }

  const runInQueues: RunInQueues = async (names, caller, work) => {
    const [name, ...others] = names
    if (name === undefined) return work()
    await enter(name, caller)
    try {
      return await runInQueues(others, caller, work)
    } finally {
      leave(name)
    }
  }
  return { runInQueues, waiting: () => waiting }
}

/** The connections that one store, or one kind of work, may hold at once. */
export type ConnectionShare = { name: string; max: number; mayUseReserve: boolean }

/** `common`: all connections but the reserve. `maxPerStore`: those that one store may hold. */
export const splitPool = (size: number) => {
  // Reserved for health checks and key lookups, which every request needs first.
  const reserved = size === 1 ? 0 : Math.max(1, Math.floor(size / 5))
  const common = size - reserved
  return { common, maxPerStore: Math.max(1, Math.floor(common / 2)) }
}

/** Work that belongs to no store. `public`: routes that do not know the store yet. `messages`: webhooks and mail. */
export type Work = 'health' | 'keys' | 'public' | 'waits' | 'jobs' | 'messages' | 'cleanup'

export const sharesOfWork = (maxPerStore: number): Record<Work, ConnectionShare> => {
  const half = Math.max(1, Math.floor(maxPerStore / 2))
  return {
    health: { name: 'health', max: 1, mayUseReserve: true },
    keys: { name: 'keys', max: maxPerStore, mayUseReserve: true },
    public: { name: 'public', max: maxPerStore, mayUseReserve: false },
    jobs: { name: 'jobs', max: half, mayUseReserve: false },
    messages: { name: 'messages', max: half, mayUseReserve: false },
    waits: { name: 'waits', max: 1, mayUseReserve: false },
    cleanup: { name: 'cleanup', max: half, mayUseReserve: false },
  }
}

export type ShareOptions = WaitOptions & { size: number; maxWaiting: number }

type ActiveShare = ConnectionShare & { held: number; waiting: Set<Waiter> }

/** Grants the use of connections. No share exceeds its maximum, and shares that wait are served round-robin. */
export const shareConnections = ({ size, maxWaiting, maxWaitMs }: ShareOptions) => {
  const { common } = splitPool(size)
  const shares = new Map<string, ActiveShare>()
  // In the order in which they are served.
  const waitingShares = new Set<ActiveShare>()
  let held = 0
  let waiting = 0

  const activate = (share: ConnectionShare): ActiveShare => {
    let open = shares.get(share.name)
    if (open === undefined) {
      open = { ...share, held: 0, waiting: new Set() }
      shares.set(share.name, open)
    }
    return open
  }
  const tidy = (share: ActiveShare) => {
    if (share.waiting.size > 0) return
    waitingShares.delete(share)
    if (share.held === 0) shares.delete(share.name)
  }
  const hasRoom = (share: ActiveShare) => share.held < share.max && held < (share.mayUseReserve ? size : common)
  const take = (share: ActiveShare) => {
    share.held++
    held++
  }

  /** A share that was served moves to the end. */
  const serve = () => {
    for (const share of waitingShares) {
      if (held >= size) return
      if (!hasRoom(share)) continue
      const next = share.waiting.values().next().value
      waitingShares.delete(share)
      waiting--
      take(share)
      next?.go()
      if (share.waiting.size > 0) waitingShares.add(share)
    }
  }

  /** With too many requests waiting, refuses the newest of the longest queue, so that one store cannot block others. */
  const makeRoomFor = (share: ActiveShare) => {
    if (waiting < maxWaiting) return
    const longest = [...waitingShares].reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a))
    if (longest.waiting.size <= share.waiting.size + 1) {
      tidy(share)
      throw tooManyWait()
    }
    ;[...longest.waiting].at(-1)?.refuse(tooManyWait())
  }

  const enter = async (share: ConnectionShare, caller: Caller): Promise<ActiveShare> => {
    const mine = activate(share)
    if (mine.waiting.size === 0 && hasRoom(mine)) {
      take(mine)
      return mine
    }
    makeRoomFor(mine)
    waitingShares.add(mine)
    waiting++
    await wait(mine.waiting, maxWaitMs, caller, () => {
      waiting--
      tidy(mine)
    })
    return mine
  }
  const leave = (share: ActiveShare) => {
    share.held--
    held--
    tidy(share)
    if (waiting > 0) serve()
  }

  return { enter, leave, waiting: () => waiting }
}
