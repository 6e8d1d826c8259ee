import { LRUCache } from 'lru-cache'
import { fail } from '../../core/errors.ts'
import type { LimitLookups } from '../context.ts'
import { secondsToNextWindow, windowOf } from './rate-limit.ts'

const maxMissesPerMinute = 60
const maxClients = 20_000

/**
 * Limits the misses of each client per minute, so that guessing credentials cannot load the database. Each lookup
 * counts as a miss when it starts, because a client can start any number at once. A hit or an error is uncounted.
 */
export const createLookupLimit = (now: () => number): LimitLookups => {
  const clients = new LRUCache<string, { window: number; misses: number }>({ max: maxClients })

  return async (client, lookUp) => {
    const window = windowOf(now())
    let counted = clients.get(client)
    if (counted?.window !== window) {
      counted = { window, misses: 0 }
      clients.set(client, counted)
    }
    if (counted.misses >= maxMissesPerMinute) {
      throw fail('RATE_LIMITED', 'Rate limit exceeded: too many requests with invalid credentials.', {
        headers: { 'retry-after': String(secondsToNextWindow(now())) },
      })
    }
    counted.misses++
    const found = await lookUp().catch((error: unknown) => {
      counted.misses--
      throw error
    })
    if (found !== undefined) counted.misses--
    return found
  }
}
