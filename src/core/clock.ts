/** Time is passed in, so that tests can move it. `offsetMs` also moves the clock of the database (db/database.ts). */
export type Clock = {
  now(): number
  offsetMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), offsetMs: () => 0 }

/** The system clock plus an offset that tests advance. */
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
