type Cached = {
  /** When the read of its oldest part began: a result of `performance.now()`. */
  asOfMs: number
  /** The products whose stock it shows. Null: not known, so no report of changes says anything about it. */
  products: readonly string[] | null
}

/** What is confirmed again and again is still made anew after this time. */
const maxKeptMs = 60_000

/** Says how long something that was read may be shown: for `maxAgeMs` after it was read or last confirmed. */
export const trackAge = (maxAgeMs: number) => {
  let confirmed = { sinceMs: Number.POSITIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY }
  return {
    isFresh: ({ asOfMs, products }: Cached, nowMs: number) =>
      nowMs - asOfMs < maxAgeMs ||
      (products !== null &&
        asOfMs > confirmed.sinceMs &&
        nowMs - confirmed.untilMs < maxAgeMs &&
        nowMs - asOfMs < maxKeptMs),
    /** All changes between these times have been reported. */
    confirm: (sinceMs: number, untilMs: number) => {
      confirmed = { sinceMs, untilMs }
    },
  }
}
