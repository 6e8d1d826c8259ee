import { setTimeout } from 'node:timers/promises'
import { minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { createLru } from '../../core/lru.ts'
import type { Counter, LimitLookups } from '../context.ts'
import { createLocalCounter, secondsToNextWindow, windowMs } from './rate-limit.ts'

const maxMissesPerMinute = 60
const maxClients = 20_000
/** Lookups of one client that wait. More are refused. */
const maxWaiting = 2_000

/** Lookups that are underway in other processes are not known here, so a lookup tries again for this long. */
const otherProcesses = { tries: 20, pauseMs: 25 }

type Client = { underway: number; waiting: (() => void)[] }

/**
 * Limits the misses of each client per minute, so that guessing credentials cannot load the database. A lookup that is
 * underway may become a miss, so as many run at once as there are misses left, and the others wait: a provider sends
 * genuine webhooks in bursts, and none of them is refused. Each lookup is counted first, and uncounted unless it misses.
 */
export const createLookupLimit = (now: () => number, counter: Counter = createLocalCounter()): LimitLookups => {
  const clients = createLru<string, Client>(maxClients)

  const findClient = (name: string): Client => {
    const known = clients.get(name) ?? { underway: 0, waiting: [] }
    clients.set(name, known)
    return known
  }

  const refusal = (reason: string) =>
    fail('RATE_LIMITED', `Rate limit exceeded: ${reason}.`, {
      headers: { 'retry-after': String(secondsToNextWindow(now())) },
    })

  /** Returns a function that uncounts the lookup. */
  const start = async (name: string, client: Client): Promise<() => void | Promise<void>> => {
    const counted = `lookup:${name}`
    for (let tries = 0; ; ) {
      const nowMs = now()
      const count = counter.count(counted, windowMs, nowMs)
      const isShared = count instanceof Promise
      if ((await count) <= maxMissesPerMinute) {
        client.underway++
        return () => counter.uncount(counted, windowMs, nowMs)
      }
      await counter.uncount(counted, windowMs, nowMs)
      if (client.underway > 0) {
        if (client.waiting.length >= maxWaiting) throw refusal('too many requests at once')
        await new Promise<void>((resolve) => client.waiting.push(resolve))
      } else if (isShared && tries++ < otherProcesses.tries) {
        await setTimeout(otherProcesses.pauseMs)
      } else {
        throw refusal('too many requests with invalid credentials')
      }
    }
  }

  const end = (client: Client, hasPlace: boolean) => {
    client.underway--
    // Without anything underway nothing would wake the rest.
    const woken = client.underway === 0 ? client.waiting.length : hasPlace ? 1 : 0
    for (const wake of client.waiting.splice(0, woken)) wake()
  }

  return async (name, lookUp) => {
    const client = findClient(name)
    const uncount = await start(name, client)
    let isMiss = false
    try {
      const found = await lookUp()
      isMiss = found === undefined
      return found
    } finally {
      if (!isMiss) await uncount()
      end(client, !isMiss)
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
