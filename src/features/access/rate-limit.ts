export const windowMs = 60_000
export const defaultLimit = 60

/** Counts one call of one key: how many it has made in this minute, this one included. */
export type Tally = (nowMs: number) => number | Promise<number>

export type RateCounter = {
  /** The tally of a key, to be kept beside the key: a lookup less for every request. */
  tallyOf(keyId: string): Tally
  close(): Promise<void>
}

/** Whole minutes of the clock, the same for all keys and all instances. */
export const windowOf = (nowMs: number) => Math.floor(nowMs / windowMs)

export const secondsToNextWindow = (nowMs: number) => Math.ceil((windowMs - (nowMs % windowMs)) / 1000)

/** Counts in this process. Asked again for the same key, it goes on counting where it was. */
export const createLocalCounter = () => {
  const tallies = new Map<string, (nowMs: number) => number>()
  return {
    tallyOf: (keyId: string) => {
      let tally = tallies.get(keyId)
      if (tally === undefined) {
        tally = newTally()
        tallies.set(keyId, tally)
      }
      return tally
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
