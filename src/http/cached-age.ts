/** Times are results of `performance.now()`. */
type Cached = {
  madeAtMs: number
  /** When its read began. */
  beganAtMs: number
  /** The products whose stock it shows. Null: not known, so no report of changes says anything about it. */
  products: readonly string[] | null
}

/** What is confirmed again and again is still made anew after this time. */
const maxKeptMs = 60_000

/** Says how long something that was read may be shown: for `maxAgeMs` after it was made or last confirmed. */
export const trackAge = (maxAgeMs: number) => {
  let confirmed = { sinceMs: Number.POSITIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY }
  return {
    isFresh: ({ madeAtMs, beganAtMs, products }: Cached, nowMs: number) =>
      nowMs - madeAtMs < maxAgeMs ||
      (products !== null &&
        beganAtMs > confirmed.sinceMs &&
        nowMs - confirmed.untilMs < maxAgeMs &&
        nowMs - madeAtMs < maxKeptMs),
    /** All changes between these times have been reported. */
    confirm: (sinceMs: number, untilMs: number) => {
      confirmed = { sinceMs, untilMs }
    },
  }
}
