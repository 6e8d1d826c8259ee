/** Minimum time between polls while there is work, so that a steady flow of work costs a few polls a second. */
const spacingMs = 200

/** Polls on a timer, and earlier on request. One poll at a time. */
export const createPoller = (everyMs: number, poll: () => Promise<void>) => {
  let isStarted = false
  let isWanted = false
  let polledAtMs = 0
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined

  const pollIn = (ms: number) => {
    if (!isStarted) return
    clearTimeout(timer)
    timer = setTimeout(now, ms)
    timer.unref()
  }
  const now = () => {
    polling ??= run().finally(() => {
      polling = undefined
      // Jitter, so that instances that started together do not poll together.
      pollIn(isWanted ? spacingMs : everyMs * (0.5 + Math.random()))
    })
    return polling
  }
  const run = () => {
    polledAtMs = Date.now()
    isWanted = false
    return poll()
  }

  return {
    start: () => {
      isStarted = true
      pollIn(everyMs * Math.random())
    },
    now,
    soon: () => {
      isWanted = true
      if (polling === undefined) pollIn(Math.max(0, polledAtMs + spacingMs - Date.now()))
    },
    /** Resolves when the current poll has ended. */
    stop: async () => {
      isStarted = false
      clearTimeout(timer)
      await polling
    },
  }
}
