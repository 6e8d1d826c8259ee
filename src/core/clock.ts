/** Time is passed in, so that a test can move it. `offsetMs` also moves the database's clock (see db/database.ts). */
export type Clock = {
  now(): number
  offsetMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), offsetMs: () => 0 }

/** Runs along with the system clock, displaced by what a test has added so far. */
export const movableClock = () => {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    offsetMs: () => offset,
    advance: (ms: number) => {
      offset += ms
    },
  }
}

export const seconds = (n: number) => n * 1000
export const minutes = (n: number) => n * 60_000
export const hours = (n: number) => n * 3_600_000
export const days = (n: number) => n * 86_400_000
