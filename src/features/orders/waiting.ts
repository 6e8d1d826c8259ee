import { seconds } from '../../core/clock.ts'
import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { findDecided } from './waiting.sql.ts'

type Waiter = { storeId: StoreId; orderId: string; end(): void }

export type OrderWaits = {
  /** Ends when the order is decided, when the time is up, or when the service stops. */
  untilDecided(order: { storeId: StoreId; orderId: string }, mostSeconds: number): Promise<void>
  close(): void
}

const lookEveryMs = 250
const lookSeldomMs = 2_000
const mostWaiters = 5_000

/**
 * Shoppers who wait for their payment hold no connection: one look at the database serves all of them together, a few
 * times a second, and there is none when nobody waits. It asks how things are and not what has happened, so nothing can
 * be missed, whichever instance wrote it.
 */
export const createOrderWaits = (db: Queries): OrderWaits => {
  const waiters = new Set<Waiter>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const lookIn = (ms: number) => {
    timer ??= setTimeout(look, ms)
  }
  const look = async () => {
    let pauseMs = lookEveryMs
    try {
      const decided = new Set((await findDecided(db, [...waiters])).map(({ id }) => id))
      for (const waiter of [...waiters]) if (decided.has(waiter.orderId)) waiter.end()
    } catch {
      // Whoever waits will be told by their own reading, when their time is up, should the database still be away.
      pauseMs = lookSeldomMs
    }
    timer = undefined
    if (waiters.size > 0) lookIn(pauseMs)
  }

  return {
    untilDecided: ({ storeId, orderId }, mostSeconds) => {
      if (isClosed || waiters.size >= mostWaiters) return Promise.resolve()
      return new Promise((resolve) => {
        const waiter: Waiter = {
          storeId,
          orderId,
          end: () => {
            clearTimeout(patience)
            waiters.delete(waiter)
            resolve()
          },
        }
        const patience = setTimeout(waiter.end, seconds(mostSeconds))
        waiters.add(waiter)
        lookIn(lookEveryMs)
      })
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      for (const waiter of [...waiters]) waiter.end()
    },
  }
}
