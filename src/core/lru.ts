import { LRUCache } from 'lru-cache'

type LruOptions = { ttl?: number; ttlResolution?: number }

/**
 * An LRU cache of at most `maxEntries`. It grows as it fills: with `max`, lru-cache allocates all entries when it is
 * created, which took two thirds of the time to start a service.
 */
export const createLru = <Key extends {}, Value extends {}>(maxEntries: number, options: LruOptions = {}) =>
  new LRUCache<Key, Value>({ maxSize: maxEntries, sizeCalculation: () => 1, ...options })
