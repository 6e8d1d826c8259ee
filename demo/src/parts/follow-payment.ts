import { isVitrineError, type Order, shop } from '../shop.ts'

const maxPauseMs = 10_000

/**
 * Reads an order until its payment is decided, by long polling. An API that is busy or about to stop answers early or
 * not at all; then this pauses before the next read, longer each time.
 */
export const followPayment = async (
  id: string,
  { signal, readsFirst = false, onRead }: { signal: AbortSignal; readsFirst?: boolean; onRead?: (now: Order) => void },
): Promise<Order> => {
  if (readsFirst) {
    // Without waiting, so that a payment that is already decided is shown at once.
    const now = await shop.showOrder({ id }, { signal })
    onRead?.(now)
    if (!isUndecided(now)) return now
  }
  for (let failedReads = 0; ; ) {
    const startedAt = performance.now()
    let retryAfterMs = 0
    try {
      const now = await shop.showOrder({ id, wait: 20 }, { signal })
      onRead?.(now)
      if (!isUndecided(now)) return now
      failedReads = performance.now() - startedAt < 1_000 ? failedReads + 1 : 0
    } catch (error) {
      if (signal.aborted || !isVitrineError(error) || !isTransient(error.status)) throw error
      failedReads++
      retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000
    }
    if (failedReads > 0) await pause(Math.max(retryAfterMs, Math.min(maxPauseMs, 500 * 2 ** failedReads)), signal)
  }
}

const isUndecided = (order: Order) => order.status === 'pending' && order.paymentStatus === 'pending'

/** No answer, a busy service or a server error: the next read may succeed. */
const isTransient = (status: number) => status < 400 || status === 429 || status >= 500

/** Also resolves on abort; the next call then throws. */
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
