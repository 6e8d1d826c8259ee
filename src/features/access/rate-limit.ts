import { fail } from '../../core/errors.ts'
import { createLru } from '../../core/lru.ts'
import type { Counter, StoreCtx, StoreId } from '../context.ts'

export const windowMs = 60_000
export const defaultLimit = 60

/** Counts one call of a key and returns the new count for this minute. */
export type Tally = (nowMs: number) => number | Promise<number>

export type RateCounter = Counter & {
  /** The tally of a key with this limit. Callers keep it with the key, which saves a lookup per request. */
  tallyOf(keyId: string, limit: number): Tally
  close(): Promise<void>
}

/** The number of the fixed window. Windows are aligned to the clock, so all keys and instances share them. */
export const windowOf = (nowMs: number, lengthMs = windowMs) => Math.floor(nowMs / lengthMs)

export const secondsToNextWindow = (nowMs: number, lengthMs = windowMs) =>
  Math.ceil((lengthMs - (nowMs % lengthMs)) / 1000)

/** How often one client or customer may perform `action` in a window. Each action has its own counts. */
export type Limit = { action: string; max: number; windowMs: number; text: string }

/**
 * Counts an action of `who` (a client address or a shopper) in this store, and throws RATE_LIMITED beyond the limit.
 * Returns a function that uncounts it, for actions that turn out not to be limited.
 */
export const limitRate = async (
  { store, counter, clock }: Pick<StoreCtx, 'counter' | 'clock'> & { store: { id: StoreId } },
  who: string,
  { action, max, windowMs: lengthMs, text }: Limit,
): Promise<() => void | Promise<void>> => {
  const nowMs = clock.now()
  const id = `${action}:${store.id}:${who}`
  const count = await counter.count(id, lengthMs, nowMs)
  if (count <= max) return () => counter.uncount(id, lengthMs, nowMs)
  const retryAfter = String(secondsToNextWindow(nowMs, lengthMs))
  throw fail('RATE_LIMITED', text, { headers: { 'retry-after': retryAfter } })
}

const maxCounts = 100_000

/** Counts in this process. */
export const createLocalCounter = () => {
  const tallies = new Map<string, (nowMs: number) => number>()
  // The ids contain client addresses, so anonymous callers can create any number of them.
  const counts = createLru<string, { window: number; count: number }>(maxCounts)
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
    uncount: (id: string, lengthMs: number, nowMs: number) => {
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
