import { hash } from 'node:crypto'
import { createStoreCaches } from '../core/store-caches.ts'
import { createAskedKeys } from './asked-keys.ts'
import { trackAge } from './cached-age.ts'
import type { Endpoint } from './endpoint.ts'

/** An answer that is ready to send: its headers, and its text in up to three encodings, each made on first use. */
export type CachedAnswer = {
  text: string
  /** Of the text in UTF-8. */
  byteLength: number
  etag: string
  headers: Readonly<Record<string, string>>
  /** Undefined for pages and files. */
  endpoint: Endpoint | undefined
  /** When the read of its oldest part began. */
  asOfMs: number
  /** The products whose stock it shows. Null: not known, so it is too old after `maxAgeMs` in any case. */
  products: readonly string[] | null
  ready?: ReadyAnswer
  gzip?: Buffer | Promise<Buffer>
  br?: Buffer | Promise<Buffer>
}

/**
 * What is the same whenever the fast lane sends an answer, made when it is first sent. Texts have a character for each byte.
 */
export type ReadyAnswer = { headers: readonly string[]; text?: string; compressed: { gzip?: string; br?: string } }

export type AnswerDetails = {
  headers?: CachedAnswer['headers'] | undefined
  endpoint?: Endpoint | undefined
  products?: CachedAnswer['products'] | undefined
  /** When the oldest part of it was read, if some parts were in memory. */
  asOfMs?: number | undefined
  /** Equal only for equal texts, if it is shorter than the text. */
  fingerprint?: string | undefined
}

export const makeCachedAnswer = (
  text: string,
  {
    headers = {},
    endpoint,
    products = null,
    asOfMs = Number.POSITIVE_INFINITY,
    fingerprint = text,
  }: AnswerDetails = {},
): CachedAnswer => ({
  text,
  byteLength: Buffer.byteLength(text),
  etag: `W/"${hash('sha256', fingerprint, 'base64url').slice(0, 27)}"`,
  headers,
  endpoint,
  asOfMs,
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

/** `maxAgeMs`: how old an answer may be, counted from when it was read or last confirmed. */
export type AnswerCacheOptions = { maxBytes: number; maxAgeMs: number }

/** A read that is under way, with the products that have changed since it began. */
type Filling = { answer?: Promise<CachedAnswer> | undefined; changed: Set<string>; isAskedAgain: boolean }

/** While the cache is smaller than this part of its limit, it keeps every answer. */
const freePart = 1 / 8

/**
 * Answers of stores that share `maxBytes`, each as new as `maxAgeMs` says. Most addresses of searches and deep pages are
 * requested once, so beyond `freePart` an answer is kept only if it was asked for before. Keeping all of them would evict
 * those that are asked for often, and collecting them as garbage took a fifth of the processor time of a list.
 */
export const createAnswerCache = ({ maxBytes, maxAgeMs }: AnswerCacheOptions): AnswerCache => {
  const caches = createStoreCaches<CachedAnswer, Map<string, Filling>>({ maxBytes, sizeOf, more: () => new Map() })
  const age = trackAge(maxAgeMs)
  const wasAsked = createAskedKeys()
  let hits = 0
  let misses = 0

  return {
    get: (store, key, nowMs = performance.now()) => {
      // Reads do not update the LRU order: an answer in use is made again, and that does.
      const answer = caches.find(store)?.byKey.get(key)
      if (answer === undefined || !age.isFresh(answer, nowMs)) return undefined
      hits++
      return answer
    },
    fill: (store, key, make) => {
      const cache = caches.open(store)
      const filling = cache.more
      const pending = filling.get(key)
      if (pending?.answer !== undefined) {
        pending.isAskedAgain = true
        return pending.answer
      }
      misses++
      const started: Filling = { changed: new Set(), isAskedAgain: wasAsked(store, key) }
      filling.set(key, started)
      const beganAtMs = performance.now()
      const run = async () => {
        try {
          const made = await make()
          made.asOfMs = Math.min(made.asOfMs, beganAtMs)
          const isWorthKeeping = started.isAskedAgain || caches.bytes() < maxBytes * freePart
          // After an invalidation since the read began the answer may be stale.
          const isStale = caches.find(store) !== cache || showsAny(made, started.changed)
          if (isWorthKeeping && !isStale) caches.put(store, key, made)
          return made
        } finally {
          filling.delete(key)
          // Old copies of the map, which are made often, would keep it until they are collected.
          started.answer = undefined
          if (filling.size === 0 && caches.find(store) === cache) caches.dropEmpty(store)
        }
      }
      started.answer = run()
      return started.answer
    },
    invalidateProducts: (store, products) => {
      const cache = caches.find(store)
      if (cache === undefined) return
      for (const [key, answer] of cache.byKey) if (showsAny(answer, products)) cache.values.delete(key)
      for (const { changed } of cache.more.values()) for (const product of products) changed.add(product)
    },
    invalidateStore: caches.drop,
    invalidateAll: caches.dropAll,
    confirm: age.confirm,
    asked: () => hits + misses,
    stats: () => ({ ...caches.stats(), hits, misses }),
  }
}

const showsAny = (answer: CachedAnswer, products: ReadonlySet<string>) =>
  answer.products?.some((product) => products.has(product)) ?? false

/** Estimates the memory of an answer: its compressed forms, their text copies in the fast lane, and the map entries. */
const sizeOf = (answer: CachedAnswer, key: string) =>
  answer.byteLength * 3 + key.length + 40 * (answer.products?.length ?? 0) + 400
