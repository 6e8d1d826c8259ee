import { isVitrineError, type Order, shop } from '../shop.ts'

const longestPauseMs = 10_000

/**
 * Asks for an order until its payment is decided. The API keeps an answer back until there is news. One that is busy or
 * about to stop answers early or not at all, so this pauses by itself then, longer each time.
 */
export const followPayment = async (
  id: string,
  {
    signal,
    isFirstLook = false,
    onLook,
  }: { signal: AbortSignal; isFirstLook?: boolean; onLook?: (now: Order) => void },
): Promise<Order> => {
  if (isFirstLook) {
    // A short one, so that who decided to pay later is told so at once.
    const now = await shop.showOrder({ id }, { signal })
    onLook?.(now)
    if (!isUndecided(now)) return now
  }
  for (let inVain = 0; ; ) {
    const askedAt = performance.now()
    let retryAfterMs = 0
    try {
      const now = await shop.showOrder({ id, wait: 20 }, { signal })
      onLook?.(now)
      if (!isUndecided(now)) return now
      inVain = performance.now() - askedAt < 1_000 ? inVain + 1 : 0
    } catch (error) {
      if (signal.aborted || !isVitrineError(error) || !isPassing(error.status)) throw error
      inVain++
      retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000
    }
    if (inVain > 0) await pause(Math.max(retryAfterMs, Math.min(longestPauseMs, 500 * 2 ** inVain)), signal)
  }
}

const isUndecided = (order: Order) => order.status === 'pending' && order.paymentStatus === 'pending'

/** No answer, a busy service or a broken one: all of them may be over the next time. */
const isPassing = (status: number) => status < 400 || status === 429 || status >= 500

/** Ends with an abort too; the next call then says so. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
