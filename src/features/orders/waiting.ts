import { seconds } from '../../core/clock.ts'
import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { findDecided } from './waiting.sql.ts'

type Waiter = { storeId: StoreId; orderId: string; end(): void }

export type OrderWaits = {
  /** Resolves when the order is decided, when the time is up, or when the service stops. */
  untilDecided(order: { storeId: StoreId; orderId: string }, maxSeconds: number): Promise<void>
  close(): void
}

const pollEveryMs = 250
const pollAfterErrorMs = 2_000
const maxWaiters = 5_000

/**
 * Requests that wait for a payment hold no database connection: one query serves all of them, four times a second, and
 * none is sent without waiters. It reads the current state rather than notifications, so no change is missed, whichever
 * instance wrote it.
 */
export const createOrderWaits = (db: Queries): OrderWaits => {
  const waiters = new Set<Waiter>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const pollIn = (ms: number) => {
    timer ??= setTimeout(poll, ms)
  }
  const poll = async () => {
    let pauseMs = pollEveryMs
    try {
      const decided = new Set((await findDecided(db, [...waiters])).map(({ id }) => id))
      for (const waiter of [...waiters]) if (decided.has(waiter.orderId)) waiter.end()
    } catch {
      // Each waiting request reads its order when its time is up, and reports the error if the database is still down.
      pauseMs = pollAfterErrorMs
    }
    timer = undefined
    if (waiters.size > 0) pollIn(pauseMs)
  }

  return {
    untilDecided: ({ storeId, orderId }, maxSeconds) => {
      if (isClosed || waiters.size >= maxWaiters) return Promise.resolve()
      return new Promise((resolve) => {
        const waiter: Waiter = {
          storeId,
          orderId,
          end: () => {
            clearTimeout(timeout)
            waiters.delete(waiter)
            resolve()
          },
        }
        const timeout = setTimeout(waiter.end, seconds(maxSeconds))
        waiters.add(waiter)
        pollIn(pollEveryMs)
      })
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      for (const waiter of [...waiters]) waiter.end()
    },
  }
}
