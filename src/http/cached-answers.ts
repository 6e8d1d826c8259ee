import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Endpoint } from './endpoint.ts'

/** An answer that is ready to send: its headers, and its bytes in up to three encodings, each made on first use. */
export type CachedAnswer = {
  body: Buffer
  etag: string
  headers: Readonly<Record<string, string>>
  /** Undefined for pages and files. */
  endpoint: Endpoint | undefined
  madeAtMs: number
  /** When its read began. */
  beganAtMs: number
  /** The products whose stock it shows. Null: not known, so it is too old after `maxAgeMs` in any case. */
  products: readonly string[] | null
  gzip?: Buffer | Promise<Buffer>
  br?: Buffer | Promise<Buffer>
}

export type AnswerDetails = Partial<Pick<CachedAnswer, 'headers' | 'endpoint' | 'products'>>

export const makeCachedAnswer = (
  text: string,
  { headers = {}, endpoint, products = null }: AnswerDetails = {},
): CachedAnswer => ({
  body: Buffer.from(text),
  etag: `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`,
  headers,
  endpoint,
  madeAtMs: performance.now(),
  beganAtMs: Number.NEGATIVE_INFINITY,
  products,
})

export type AnswerCache = {
  /** `nowMs`: the result of `performance.now()`, if the caller has it already. */
  get(store: number, key: string, nowMs?: number): CachedAnswer | undefined
  /** Calls `make` once for all concurrent requests of a key. */
  fill(store: number, key: string, make: () => Promise<CachedAnswer>): Promise<CachedAnswer>
  /** Drops the answers that show one of these products. */
  invalidateProducts(store: number, products: ReadonlySet<string>): void
  invalidateStore(store: number): void
  invalidateAll(): void
  /** All changes between these times, results of `performance.now()`, have been reported by the calls above. */
  confirm(sinceMs: number, untilMs: number): void
  /** How many answers were asked for so far. */
  asked(): number
  stats(): { entries: number; bytes: number; hits: number; misses: number }
}

/** `maxAgeMs`: how old an answer may be, counted from when it was made or last confirmed. */
export type AnswerCacheOptions = { maxBytes: number; maxAgeMs: number }

/** A read that is under way, with the products that have changed since it began. */
type Filling = { answer: Promise<CachedAnswer>; changed: Set<string> }

/** `byKey` has the same entries as `answers`, the LRU order. Every request reads it, and a plain Map is faster. */
type StoreCache = {
  answers: LRUCache<string, CachedAnswer>
  byKey: Map<string, CachedAnswer>
  filling: Map<string, Filling>
}

/**
 * Each store has its own LRU cache. All caches share `maxBytes`: at the limit, the largest cache evicts its least recently
 * used answer, so a busy store evicts its own answers before those of other stores.
 */
export const createAnswerCache = ({ maxBytes, maxAgeMs }: AnswerCacheOptions): AnswerCache => {
  const caches = new Map<number, StoreCache>()
  let bytes = 0
  let hits = 0
  let misses = 0
  let confirmed = { sinceMs: Number.POSITIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY }

  const openStoreCache = (store: number) => {
    let cache = caches.get(store)
    if (cache === undefined) {
      const byKey = new Map<string, CachedAnswer>()
      cache = { answers: createLru(byKey), byKey, filling: new Map() }
      caches.set(store, cache)
    }
    return cache
  }
  const createLru = (byKey: Map<string, CachedAnswer>) =>
    new LRUCache<string, CachedAnswer>({
      maxSize: maxBytes,
      sizeCalculation: sizeOf,
      dispose: (answer, key) => {
        bytes -= sizeOf(answer, key)
        byKey.delete(key)
      },
    })
  const put = (cache: StoreCache, key: string, answer: CachedAnswer) => {
    const size = sizeOf(answer, key)
    // The LRU cache would refuse it, and no eviction could make room.
    if (size > maxBytes) return void cache.answers.delete(key)
    bytes += size
    cache.answers.set(key, answer)
    cache.byKey.set(key, answer)
    while (bytes > maxBytes) largest().answers.pop()
  }
  const largest = () =>
    [...caches.values()].reduce((a, b) => (b.answers.calculatedSize > a.answers.calculatedSize ? b : a))
  const drop = (store: number) => {
    const cache = caches.get(store)
    caches.delete(store)
    cache?.answers.clear()
  }

  return {
    get: (store, key, nowMs = performance.now()) => {
      // Reads do not update the LRU order: an answer in use is made again, and that does.
      const answer = caches.get(store)?.byKey.get(key)
      if (answer === undefined) return undefined
      const isFresh =
        nowMs - answer.madeAtMs < maxAgeMs ||
        (answer.products !== null &&
          answer.beganAtMs > confirmed.sinceMs &&
          nowMs - confirmed.untilMs < maxAgeMs &&
          nowMs - answer.madeAtMs < maxKeptMs)
      if (!isFresh) return undefined
      hits++
      return answer
    },
    fill: (store, key, make) => {
      const cache = openStoreCache(store)
      const pending = cache.filling.get(key)
      if (pending !== undefined) return pending.answer
      misses++
      const changed = new Set<string>()
      const beganAtMs = performance.now()
      const answer = make()
        .then((made) => {
          made.beganAtMs = beganAtMs
          // After an invalidation since the read began the answer may be stale.
          if (caches.get(store) === cache && !showsAny(made, changed)) put(cache, key, made)
          return made
        })
        .finally(() => cache.filling.delete(key))
      cache.filling.set(key, { answer, changed })
      return answer
    },
    invalidateProducts: (store, products) => {
      const cache = caches.get(store)
      if (cache === undefined) return
      for (const [key, answer] of cache.byKey) if (showsAny(answer, products)) cache.answers.delete(key)
      for (const { changed } of cache.filling.values()) for (const product of products) changed.add(product)
    },
    invalidateStore: drop,
    invalidateAll: () => {
      for (const store of [...caches.keys()]) drop(store)
    },
    confirm: (sinceMs, untilMs) => {
      confirmed = { sinceMs, untilMs }
    },
    asked: () => hits + misses,
    stats: () => {
      let entries = 0
      for (const { answers } of caches.values()) entries += answers.size
      return { entries, bytes, hits, misses }
    },
  }
}

/** An answer that is confirmed again and again is still made anew after this time. */
const maxKeptMs = 60_000

const showsAny = (answer: CachedAnswer, products: ReadonlySet<string>) =>
  answer.products?.some((product) => products.has(product)) ?? false

/** Estimates the memory of an answer: its compressed forms, their text copies in the fast lane, and the map entries. */
const sizeOf = (answer: CachedAnswer, key: string) =>
  answer.body.byteLength * 3 + key.length + 40 * (answer.products?.length ?? 0) + 400
