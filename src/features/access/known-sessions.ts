import { createLru } from '../../core/lru.ts'
import type { KnownSessions } from '../context.ts'

const maxKnown = 10_000

/**
 * Remembers whose sessions are, by the hashes of their tokens. A session never changes its customer, but may have ended: what
 * is known here is only what to look for while the database is asked whether it is valid.
 */
export const createKnownSessions = (): KnownSessions => {
  const known = createLru<string, string>(maxKnown)
  const nameOf = (storeId: number, sessionHash: string) => `${storeId} ${sessionHash}`
  return {
    find: (storeId, sessionHash) => known.get(nameOf(storeId, sessionHash)),
    note: (storeId, sessionHash, customerId) => void known.set(nameOf(storeId, sessionHash), customerId),
    forget: (storeId, sessionHash) => void known.delete(nameOf(storeId, sessionHash)),
  }
}
