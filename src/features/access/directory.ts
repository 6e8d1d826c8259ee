import { LRUCache } from 'lru-cache'
import { defaultCashLimitMinor } from '../../core/cash-limits.ts'
import { Failure } from '../../core/errors.ts'
import { createLru } from '../../core/lru.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import type { LimitLookups, Store, StoreId } from '../context.ts'
import { findKey, findStoreId, isListedOrigin, loadStore } from './access.sql.ts'
import { defaultLimit, type RateCounter, type Tally } from './rate-limit.ts'
import { type Scope, scopes } from './storefront.contract.ts'

export type Key = {
  id: string
  store: Store
  /** Calls come from shoppers' browsers, so they are also limited per visitor. */
  isBrowserKey: boolean
  scopes: ReadonlySet<Scope>
  rateLimit: number
  tally: Tally
  expiresAtMs: number
  /** When to read the key and its store again, in case a change notification was lost. */
  staleAtMs: number
}

/**
 * A cache of keys, stores and origins. A database notification invalidates entries at once; the short TTL covers lost
 * notifications. Callers are not authenticated yet, so their cost is bounded: malformed keys and origins are refused
 * without a lookup, the cache of refusals has a size limit, and misses are limited per client.
 */
export type Directory = {
  key(secret: string, client: string): Key | undefined | Promise<Key | undefined>
  /** The key if it is cached and fresh. Never reads the database. */
  cachedKey(secret: string, sinceStartMs?: number): Key | undefined
  storeByPublicId(publicId: string): Promise<Store | undefined>
  isKnownOrigin(origin: string, client: string): boolean | Promise<boolean>
  /** Whether no change of the store was announced since it was read here. */
  isCurrent(store: Store): boolean
  invalidateStore(storeId: StoreId): void
  invalidateAll(): void
}

const entryTtlMs = 1_000
const maxKeys = 20_000
const maxOrigins = 20_000
const maxRefusedBytes = 2 * 1024 * 1024
/** Beyond this, all stores count as changed once. Their answers are then not kept until they are read anew. */
const maxChangedStores = 10_000

/** The format of `createKey`. */
const keyShape = /^v[sp]k_[0-9a-z]{32}$/
/** The format of `readOrigin`. */
const originShape = /^https?:\/\/(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/

export type DirectorySources = { db: Queries; counter: RateCounter; limitLookups: LimitLookups }

export const createDirectory = ({ db, counter, limitLookups }: DirectorySources): Directory => {
  // Stale keys and origins stay: looking them up again does not count as a guess.
  // Keyed by the plain key, so that requests with a cached key are not hashed.
  // A plain Map instead of an LRU: every request reads it, and entries expire after a second.
  const keys = new Map<string, Key>()
  const cacheKey = (secret: string, key: Key) => {
    if (keys.size >= maxKeys) keys.clear()
    keys.set(secret, key)
  }
  const short = { ttl: entryTtlMs, ttlResolution: 100 }
  const stores = createLru<StoreId, Store>(5_000)
  // With the time when each was read.
  const origins = createLru<string, number>(maxOrigins)
  // Unknown keys and origins, limited by size in bytes.
  const refused = new LRUCache<string, true>({
    maxSize: maxRefusedBytes,
    sizeCalculation: (_value, text) => 100 + 2 * text.length,
    ...short,
  })
  // Concurrent identical lookups share one query.
  const reading = new Map<string, Promise<unknown>>()
  // A result that was read before an invalidation is stale after it.
  let invalidations = 0
  let invalidatedAtMs = 0
  // The number of the last invalidation; for each store that was read, how many there were before, and when that was.
  const lastInvalidation = new Map<StoreId, number>()
  let lastOfAll = 0
  const readOf = new WeakMap<Store, { invalidationsBefore: number; atMs: number }>()
  const readAtOf = (store: Store) => readOf.get(store)?.atMs ?? Number.NEGATIVE_INFINITY
  const countInvalidation = () => {
    invalidations++
    invalidatedAtMs = performance.now()
  }
  const changeAll = () => {
    lastInvalidation.clear()
    lastOfAll = invalidations
  }

  const readAndCache = async <Found>(
    read: () => Promise<Found>,
    cache: (found: Found, isFresh: boolean, began: { invalidationsBefore: number; atMs: number }) => void,
  ): Promise<Found> => {
    const began = { invalidationsBefore: invalidations, atMs: performance.now() }
    const found = await read()
    cache(found, invalidations === began.invalidationsBefore, began)
    return found
  }

  const shareRead = <Found>(id: string, read: () => Promise<Found>): Promise<Found> => {
    let result = reading.get(id) as Promise<Found> | undefined
    if (result === undefined) {
      result = read().finally(() => reading.delete(id))
      reading.set(id, result)
    }
    return result
  }

  const store = async (storeId: StoreId): Promise<Store> => {
    const known = stores.get(storeId)
    if (known !== undefined && performance.now() < readAtOf(known) + entryTtlMs) return known
    return readAndCache(
      () => readStore(db, storeId),
      (found, isFresh, began) => {
        readOf.set(found, began)
        if (isFresh) stores.set(storeId, found)
      },
    )
  }

  const readKey = async (secret: string): Promise<Key | undefined> => {
    const beganAtMs = performance.now()
    const row = await findKey(db, hashSecret(secret))
    if (row === undefined) return undefined
    const rateLimit = row.rateLimit ?? defaultLimit
    const itsStore = await store(row.storeId)
    return {
      id: row.id,
      store: itsStore,
      isBrowserKey: row.kind === 'browser',
      scopes: new Set(row.scopes as Scope[]),
      rateLimit,
      tally: counter.tallyOf(row.id, rateLimit),
      expiresAtMs: row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      staleAtMs: Math.min(beganAtMs, readAtOf(itsStore)) + entryTtlMs,
    }
  }

  const freshKey = (secret: string, sinceStartMs = performance.now()) => {
    const key = keys.get(secret)
    return key !== undefined && sinceStartMs < key.staleAtMs ? key : undefined
  }

  const findUnknownKey = (secret: string, client: string) =>
    shareRead(secret, () => {
      const read = () => readKey(secret)
      return readAndCache(
        // A key that was valid a second ago is not a guess: it must work for clients that reached the miss limit.
        () => (keys.has(secret) ? read() : limitLookups(client, read)),
        (found, isFresh) => {
          if (found !== undefined) return cacheKey(secret, isFresh ? found : { ...found, staleAtMs: 0 })
          keys.delete(secret)
          if (isFresh) refused.set(secret, true)
        },
      )
    })

  const findUnknownOrigin = (origin: string, client: string) =>
    shareRead(origin, () =>
      readAndCache(
        async () => {
          const read = async () => (await isListedOrigin(db, origin)) || undefined
          return (await (origins.has(origin) ? read() : limitLookups(client, read))) ?? false
        },
        (listed, isFresh) => {
          if (listed) return void origins.set(origin, isFresh ? performance.now() : 0)
          origins.delete(origin)
          if (isFresh) refused.set(origin, true)
        },
      ).catch((error: unknown) => {
        // A client over the miss limit gets "not listed" without a lookup.
        if (error instanceof Failure && error.code === 'RATE_LIMITED') return false
        throw error
      }),
    )

  return {
    key: (secret, client) => {
      const known = freshKey(secret)
      if (known !== undefined) return known
      return keyShape.test(secret) && !refused.has(secret) ? findUnknownKey(secret, client) : undefined
    },
    cachedKey: freshKey,
    storeByPublicId: async (publicId) => {
      const storeId = await findStoreId(db, publicId)
      return storeId === undefined ? undefined : store(storeId)
    },
    isKnownOrigin: (origin, client) => {
      const readAtMs = origins.get(origin) ?? 0
      if (readAtMs > invalidatedAtMs && performance.now() < readAtMs + entryTtlMs) return true
      return originShape.test(origin) && !refused.has(origin) ? findUnknownOrigin(origin, client) : false
    },
    isCurrent: (store) =>
      (readOf.get(store)?.invalidationsBefore ?? -1) >= (lastInvalidation.get(store.id) ?? lastOfAll),
    invalidateStore: (storeId) => {
      countInvalidation()
      if (lastInvalidation.size >= maxChangedStores) changeAll()
      lastInvalidation.set(storeId, invalidations)
      stores.delete(storeId)
      refused.clear()
      for (const key of keys.values()) if (key.store.id === storeId) key.staleAtMs = 0
    },
    invalidateAll: () => {
      countInvalidation()
      changeAll()
      stores.clear()
      refused.clear()
      for (const key of keys.values()) key.staleAtMs = 0
    },
  }
}

/** Bypasses the cache, for use cases that change the store. */
export const findStoreByPublicId = async (db: Queries, publicId: string): Promise<Store | undefined> => {
  const storeId = await findStoreId(db, publicId)
  return storeId === undefined ? undefined : readStore(db, storeId)
}

export const readStore = async (db: Queries, storeId: StoreId): Promise<Store> => {
  const { defaultOutletId, originList, ...row } = await loadStore(db, storeId)
  const defaultOutlet = row.outlets.find((outlet) => outlet.id === defaultOutletId)
  if (defaultOutlet === undefined) throw new Error(`store ${storeId} has no default outlet`)
  const codMaxValueMinor = readCashLimit(row.codMaxValueMinor, row.currency)
  return { ...row, codMaxValueMinor, defaultOutlet, origins: new Set(originList) }
}

/** The column is null for the default of the currency, 0 for no limit. */
const readCashLimit = (minor: number | null, currency: string) =>
  minor === null ? defaultCashLimitMinor(currency) : minor || null

/** The scopes of an internal token. */
export const fullScope: ReadonlySet<Scope> = new Set(scopes)
