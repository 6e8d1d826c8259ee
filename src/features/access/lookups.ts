import { fail } from '../../core/errors.ts'
import { createLru } from '../../core/lru.ts'
import type { Counter, LimitLookups, LimitSubjects } from '../context.ts'
import { createLocalCounter, secondsToNextWindow, windowMs, windowOf } from './rate-limit.ts'

export const maxMissesPerMinute = 60
const maxClients = 20_000
/** Lookups of one client that wait. More are refused. */
export const maxWaitingLookups = 2_000

/** Ends a lookup. */
export type LeaveLookup = (isMiss: boolean) => void

/**
 * Where lookups of a client wait for their turn: a lookup that is underway may become a miss, so as many run at once as
 * there are misses left in this minute.
 */
export type LookupPlaces = {
  /** `missed`: the misses are used up. `crowded`: too many lookups wait. */
  enter(client: string, nowMs: number): Promise<LeaveLookup | 'missed' | 'crowded'>
}

/**
 * Limits the misses of each client per minute, so that guessing credentials cannot load the database. Lookups beyond the
 * number of misses that are left wait: a provider sends genuine webhooks in bursts, and none of them is refused.
 */
export const createLookupLimit = (now: () => number, places = createLocalPlaces(now)): LimitLookups => {
  const refusal = (reason: string) =>
    fail('RATE_LIMITED', `Rate limit exceeded: ${reason}.`, {
      headers: { 'retry-after': String(secondsToNextWindow(now())) },
    })
  return async (client, lookUp) => {
    const leave = await places.enter(client, now())
    if (leave === 'missed') throw refusal('too many requests with invalid credentials')
    if (leave === 'crowded') throw refusal('too many requests at once')
    let isMiss = false
    try {
      const found = await lookUp()
      isMiss = found === undefined
      return found
    } finally {
      leave(isMiss)
    }
  }
}

type Client = { window: number; misses: number; underway: number; waiting: (() => void)[] }

/** Counts in this process. */
const createLocalPlaces = (now: () => number): LookupPlaces => {
  const clients = createLru<string, Client>(maxClients)

  const findClient = (name: string): Client => {
    const known = clients.get(name) ?? { window: 0, misses: 0, underway: 0, waiting: [] }
    clients.set(name, known)
    return known
  }

  const leave = (client: Client, isMiss: boolean) => {
    client.underway--
    if (isMiss) client.misses++
    // At the limit nothing will end that could wake the rest, and all of them are refused.
    const woken = client.misses >= maxMissesPerMinute ? client.waiting.length : 1
    for (const wake of client.waiting.splice(0, woken)) wake()
  }

  return {
    enter: async (name) => {
      const client = findClient(name)
      for (;;) {
        const window = windowOf(now())
        if (client.window !== window) Object.assign(client, { window, misses: 0 })
        if (client.misses >= maxMissesPerMinute) return 'missed'
        if (client.misses + client.underway < maxMissesPerMinute) break
        if (client.waiting.length >= maxWaitingLookups) return 'crowded'
        await new Promise<void>((resolve) => client.waiting.push(resolve))
      }
      client.underway++
      return (isMiss) => leave(client, isMiss)
    },
  }
}

/**
 * Limits misses by client and subject, such as the store that a webhook is for. For the client as a whole the subjects
 * count: providers call from the same addresses for all stores, and a store with a wrong secret stops no other.
 */
export const createSubjectLimit = (
  limit: LimitLookups,
  now: () => number,
  counter: Counter = createLocalCounter(),
): LimitSubjects => {
  const isFirstMiss = async (both: string) => (await counter.count(`missed:${both}`, windowMs, now())) === 1
  return async (client, subject, lookUp) => {
    const both = `${client} ${subject}`
    return limit(both, async () => {
      const result = await limit(client, async () => {
        const found = await lookUp()
        return found === undefined && (await isFirstMiss(both)) ? undefined : { found }
      })
      return result?.found
    })
  }
}
