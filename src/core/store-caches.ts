import { LRUCache } from 'lru-cache'

type CacheKey = string | number

/** `byKey` has the same entries as `values`, the LRU order, for reads that leave the order as it is: a Map is faster. */
export type StoreCache<Value extends object, More, Key extends CacheKey = string> = {
  values: LRUCache<Key, Value>
  byKey: Map<Key, Value>
  /** What its user needs to know about it. */
  more: More
}

export type StoreCaches<Value extends object, More, Key extends CacheKey = string> = {
  find(store: number): StoreCache<Value, More, Key> | undefined
  open(store: number): StoreCache<Value, More, Key>
  /** Into the cache that the store has now. */
  put(store: number, key: Key, value: Value): void
  drop(store: number): void
  /** Most of many stores have nothing in memory. */
  dropEmpty(store: number): void
  dropAll(): void
  bytes(): number
  stats(): { entries: number; bytes: number }
}

type Options<Value, More, Key> = {
  maxBytes: number
  sizeOf(value: Value, key: Key): number
  more(): More
}

/** `level`: the power of two that its size has reached; -1 if it is empty. */
type Sized<Cache> = Cache & { bytes: number; level: number }

const levelOf = (bytes: number) => (bytes === 0 ? -1 : 31 - Math.clz32(bytes))

/** Of caches of about the same size, so many are compared. */
const comparedCaches = 8

/**
 * An LRU cache for each store. All share `maxBytes`: at the limit, one of the largest caches evicts its least recently used
 * value, so a busy store evicts its own values before those of other stores. Caches are kept by the order of magnitude of
 * their size, so that finding a large one takes the same time with any number of stores.
 */
export const createStoreCaches = <Value extends object, More, Key extends CacheKey = string>({
  maxBytes,
  sizeOf,
  more,
}: Options<Value, More, Key>): StoreCaches<Value, More, Key> => {
  type Cache = Sized<StoreCache<Value, More, Key>>
  const caches = new Map<number, Cache>()
  const levels = Array.from({ length: 32 }, () => new Set<Cache>())
  let bytes = 0

  const resize = (cache: Cache, added: number) => {
    bytes += added
    cache.bytes += added
    const level = levelOf(cache.bytes)
    if (level === cache.level) return
    levels[cache.level]?.delete(cache)
    levels[level]?.add(cache)
    cache.level = level
  }
  const create = (store: number): Cache => {
    const byKey = new Map<Key, Value>()
    const values = new LRUCache<Key, Value>({
      maxSize: maxBytes,
      sizeCalculation: sizeOf,
      dispose: (value, key) => {
        byKey.delete(key)
        resize(cache, -sizeOf(value, key))
        if (caches.get(store) === cache) dropEmpty(store)
      },
    })
    const cache: Cache = { values, byKey, more: more(), bytes: 0, level: -1 }
    return cache
  }
  const findLarge = () => {
    let large: Cache | undefined
    let compared = 0
    for (const cache of levels.findLast(({ size }) => size > 0) ?? []) {
      if (large === undefined || cache.bytes > large.bytes) large = cache
      if (++compared === comparedCaches) break
    }
    return large
  }
  const dropEmpty = (store: number) => {
    if (caches.get(store)?.bytes === 0) caches.delete(store)
  }
  const drop = (store: number) => {
    const cache = caches.get(store)
    caches.delete(store)
    cache?.values.clear()
  }

  return {
    find: (store) => caches.get(store),
    open: (store) => {
      let cache = caches.get(store)
      if (cache === undefined) {
        cache = create(store)
        caches.set(store, cache)
      }
      return cache
    },
    put: (store, key, value) => {
      const cache = caches.get(store)
      if (cache === undefined) return
      const size = sizeOf(value, key)
      // The LRU cache would refuse it, and no eviction could make room.
      if (size > maxBytes) return void cache.values.delete(key)
      resize(cache, size)
      cache.values.set(key, value)
      cache.byKey.set(key, value)
      while (bytes > maxBytes) findLarge()?.values.pop()
    },
    drop,
    dropEmpty,
    dropAll: () => {
      for (const store of [...caches.keys()]) drop(store)
    },
    bytes: () => bytes,
    stats: () => {
      let entries = 0
      for (const { values } of caches.values()) entries += values.size
      return { entries, bytes }
    },
  }
}
