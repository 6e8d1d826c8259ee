/** Pause between two looks while there is work, so that a steady flow of it costs a few looks a second. */
const spacingMs = 200

/** Looks for work on a timer, and earlier when asked to. One look at a time. */
export const createLooks = (everyMs: number, look: () => Promise<void>) => {
  let isStarted = false
  let isWanted = false
  let lookedAtMs = 0
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined

  const lookIn = (ms: number) => {
    if (!isStarted) return
    clearTimeout(timer)
    timer = setTimeout(now, ms)
    timer.unref()
  }
  const now = () => {
    looking ??= run().finally(() => {
      looking = undefined
      // Jitter, or instances that started together would always look together.
      lookIn(isWanted ? spacingMs : everyMs * (0.5 + Math.random()))
    })
    return looking
  }
  const run = () => {
    lookedAtMs = Date.now()
    isWanted = false
    return look()
  }

  return {
    start: () => {
      isStarted = true
      lookIn(everyMs * Math.random())
    },
    now,
    soon: () => {
      isWanted = true
      if (looking === undefined) lookIn(Math.max(0, lookedAtMs + spacingMs - Date.now()))
    },
    /** Resolves when the look under way has ended. */
    stop: async () => {
      isStarted = false
      clearTimeout(timer)
      await looking
    },
  }
}
