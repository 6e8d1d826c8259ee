import { LRUCache } from 'lru-cache'

/** `byKey` has the same entries as `values`, the LRU order, for reads that leave the order as it is: a Map is faster. */
export type StoreCache<Value extends object, More> = {
  values: LRUCache<string, Value>
  byKey: Map<string, Value>
  /** What its user needs to know about it. */
  more: More
}

export type StoreCaches<Value extends object, More> = {
  find(store: number): StoreCache<Value, More> | undefined
  open(store: number): StoreCache<Value, More>
  put(cache: StoreCache<Value, More>, key: string, value: Value): void
  drop(store: number): void
  dropAll(): void
  stats(): { entries: number; bytes: number }
}

type Options<Value, More> = {
  maxBytes: number
  sizeOf(value: Value, key: string): number
  more(): More
}

/**
 * An LRU cache for each store. All share `maxBytes`: at the limit, the largest cache evicts its least recently used value,
 * so a busy store evicts its own values before those of other stores.
 */
export const createStoreCaches = <Value extends object, More>({
  maxBytes,
  sizeOf,
  more,
}: Options<Value, More>): StoreCaches<Value, More> => {
  const caches = new Map<number, StoreCache<Value, More>>()
  let bytes = 0

  const create = (): StoreCache<Value, More> => {
    const byKey = new Map<string, Value>()
    const values = new LRUCache<string, Value>({
      maxSize: maxBytes,
      sizeCalculation: sizeOf,
      dispose: (value, key) => {
        bytes -= sizeOf(value, key)
        byKey.delete(key)
      },
    })
    return { values, byKey, more: more() }
  }
  const largest = () =>
    [...caches.values()].reduce((a, b) => (b.values.calculatedSize > a.values.calculatedSize ? b : a))
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
        cache = create()
        caches.set(store, cache)
      }
      return cache
    },
    put: (cache, key, value) => {
      const size = sizeOf(value, key)
      // The LRU cache would refuse it, and no eviction could make room.
      if (size > maxBytes) return void cache.values.delete(key)
      bytes += size
      cache.values.set(key, value)
      cache.byKey.set(key, value)
      while (bytes > maxBytes) largest().values.pop()
    },
    drop,
    dropAll: () => {
      for (const store of [...caches.keys()]) drop(store)
    },
    stats: () => {
      let entries = 0
      for (const { values } of caches.values()) entries += values.size
      return { entries, bytes }
    },
  }
}
