import { LRUCache } from 'lru-cache'
import { fail } from '../../core/errors.ts'
import type { BoundLookup } from '../context.ts'
import { secondsToNextWindow, windowOf } from './rate-limit.ts'

const mostMissesAMinute = 60
const mostClients = 20_000

/**
 * Callers prove who they are by a lookup in the database, and those who try at random find nothing. So many such misses
 * a minute are looked up for one client, and then no more. A miss counts from the beginning of its lookup, since any
 * number of them can begin together; a hit is taken back.
 */
export const createBoundLookup = (now: () => number): BoundLookup => {
  const clients = new LRUCache<string, { window: number; misses: number }>({ max: mostClients })

  return async (client, lookUp) => {
    const window = windowOf(now())
    let counted = clients.get(client)
    if (counted?.window !== window) {
      counted = { window, misses: 0 }
      clients.set(client, counted)
    }
    if (counted.misses >= mostMissesAMinute) {
      throw fail('RATE_LIMITED', 'Rate limit exceeded: too many requests with credentials that are not valid.', {
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
