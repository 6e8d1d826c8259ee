import type { Clock } from '../../core/clock.ts'

export const windowMs = 60_000
export const defaultLimit = 60

/** How often a key has called in the current minute, this call included. */
export type RateCounter = {
  count(keyId: string): number | Promise<number>
  close(): Promise<void>
}

/** Whole minutes of the clock, the same for all keys and all instances. */
export const windowOf = (clock: Clock) => Math.floor(clock.now() / windowMs)

export const secondsToNextWindow = (clock: Clock) => Math.ceil((windowMs - (clock.now() % windowMs)) / 1000)

/** Counts in this process. Nothing outlives its minute, so memory is bounded by the keys that call in one. */
export const createLocalCounter = (clock: Clock) => {
  let window = windowOf(clock)
  let counts = new Map<string, number>()
  return {
    count: (keyId: string) => {
      const now = windowOf(clock)
      if (now !== window) {
        window = now
        counts = new Map()
      }
      const count = (counts.get(keyId) ?? 0) + 1
      counts.set(keyId, count)
      return count
    },
    close: async () => {},
  } satisfies RateCounter
}
