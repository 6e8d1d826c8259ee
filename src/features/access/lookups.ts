import { minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { createLru } from '../../core/lru.ts'
import type { LimitLookups } from '../context.ts'
import { secondsToNextWindow, windowOf } from './rate-limit.ts'

const maxMissesPerMinute = 60
const maxClients = 20_000
/** Lookups of one client that wait. More are refused. */
const maxWaiting = 2_000

type Client = { window: number; misses: number; underway: number; waiting: (() => void)[] }

/**
 * Limits the misses of each client per minute, so that guessing credentials cannot load the database. A lookup that is
 * underway may become a miss, so as many run at once as there are misses left, and the others wait: a provider sends
 * genuine webhooks in bursts, and none of them is refused.
 */
export const createLookupLimit = (now: () => number): LimitLookups => {
  const clients = createLru<string, Client>(maxClients)

  const findClient = (name: string): Client => {
    const known = clients.get(name) ?? { window: 0, misses: 0, underway: 0, waiting: [] }
    clients.set(name, known)
    return known
  }

  const refusal = (reason: string) =>
    fail('RATE_LIMITED', `Rate limit exceeded: ${reason}.`, {
      headers: { 'retry-after': String(secondsToNextWindow(now())) },
    })

  const start = async (client: Client): Promise<void> => {
    const window = windowOf(now())
    if (client.window !== window) Object.assign(client, { window, misses: 0 })
    if (client.misses >= maxMissesPerMinute) throw refusal('too many requests with invalid credentials')
    if (client.misses + client.underway >= maxMissesPerMinute) {
      if (client.waiting.length >= maxWaiting) throw refusal('too many requests at once')
      await new Promise<void>((resolve) => client.waiting.push(resolve))
      return start(client)
    }
    client.underway++
  }

  const end = (client: Client) => {
    client.underway--
    // At the limit nothing will end that could wake the rest, and all of them are refused.
    const woken = client.misses >= maxMissesPerMinute ? client.waiting.length : 1
    for (const wake of client.waiting.splice(0, woken)) wake()
  }

  return async (name, lookUp) => {
    const client = findClient(name)
    await start(client)
    try {
      const found = await lookUp()
      if (found === undefined) client.misses++
      return found
    } finally {
      end(client)
    }
  }
}

/**
 * Limits misses by client and subject, such as the store that a webhook is for. For the client as a whole the subjects
 * count: providers call from the same addresses for all stores, and a store with a wrong secret stops no other.
 */
export const createSubjectLimit = (limit: LimitLookups) => {
  const missed = createLru<string, true>(maxClients, { ttl: minutes(1) })
  return async <Found>(client: string, subject: string, lookUp: () => Promise<Found | undefined>) => {
    const both = `${client} ${subject}`
    return limit(both, async () => {
      const result = await limit(client, async () => {
        const found = await lookUp()
        const isFirstMiss = found === undefined && !missed.has(both)
        if (isFirstMiss) missed.set(both, true)
        return isFirstMiss ? undefined : { found }
      })
      return result?.found
    })
  }
}
