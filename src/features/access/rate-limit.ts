import { LRUCache } from 'lru-cache'
import { fail } from '../../core/errors.ts'
import type { Counter, StoreCtx } from '../context.ts'

export const windowMs = 60_000
export const defaultLimit = 60

/** Counts one call of one key: how many it has made in this minute, this one included. */
export type Tally = (nowMs: number) => number | Promise<number>

export type RateCounter = Counter & {
  /** The tally of a key, to be kept beside the key: a lookup less for every request. */
  tallyOf(keyId: string): Tally
  close(): Promise<void>
}

/** Whole minutes of the clock (or longer windows), the same for all keys and all instances. */
export const windowOf = (nowMs: number, lengthMs = windowMs) => Math.floor(nowMs / lengthMs)

export const secondsToNextWindow = (nowMs: number, lengthMs = windowMs) =>
  Math.ceil((lengthMs - (nowMs % lengthMs)) / 1000)

/** How often one client or customer may do something in a window. `action` keeps the counts of limits apart. */
export type Limit = { action: string; most: number; windowMs: number; text: string }

/**
 * Counts one more action of `who` (a client address, a customer) in this store, and refuses the one too many. Answers
 * with a way to take the count back, for an action that turns out not to be one of those that are limited.
 */
export const limitRate = async (
  { store, counter, clock }: Pick<StoreCtx, 'store' | 'counter' | 'clock'>,
  who: string,
  { action, most, windowMs: lengthMs, text }: Limit,
): Promise<() => void | Promise<void>> => {
  const nowMs = clock.now()
  const id = `${action}:${store.id}:${who}`
  const count = await counter.count(id, lengthMs, nowMs)
  if (count <= most) return () => counter.giveBack(id, lengthMs, nowMs)
  const retryAfter = String(secondsToNextWindow(nowMs, lengthMs))
  throw fail('RATE_LIMITED', text, { headers: { 'retry-after': retryAfter } })
}

const mostCounts = 100_000

/** Counts in this process. Asked again for the same key, it goes on counting where it was. */
export const createLocalCounter = () => {
  const tallies = new Map<string, (nowMs: number) => number>()
  // Strangers choose these ids, so only the latest are kept.
  const counts = new LRUCache<string, { window: number; count: number }>({ max: mostCounts })
  return {
    tallyOf: (keyId: string) => {
      let tally = tallies.get(keyId)
      if (tally === undefined) {
        tally = newTally()
        tallies.set(keyId, tally)
      }
      return tally
    },
    count: (id: string, lengthMs: number, nowMs: number) => {
      const window = windowOf(nowMs, lengthMs)
      const known = counts.get(id)
      if (known?.window === window) return ++known.count
      counts.set(id, { window, count: 1 })
      return 1
    },
    giveBack: (id: string, lengthMs: number, nowMs: number) => {
      const known = counts.get(id)
      if (known?.window === windowOf(nowMs, lengthMs) && known.count > 0) known.count--
    },
    close: async () => {},
  } satisfies RateCounter
}

const newTally = () => {
  let window = 0
  let count = 0
  return (nowMs: number) => {
    const now = windowOf(nowMs)
    if (now !== window) {
      window = now
      count = 0
    }
    return ++count
  }
}
