import { LRUCache } from 'lru-cache'
import { defaultCashCeilingMinor } from '../../core/cash-ceilings.ts'
import { Failure } from '../../core/errors.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import type { BoundLookup, Store, StoreId } from '../context.ts'
import { findKey, findStoreId, isListedOrigin, loadStore } from './access.sql.ts'
import { defaultLimit, type RateCounter, type Tally } from './rate-limit.ts'
import { type Scope, scopes } from './storefront.contract.ts'

export type Key = {
  id: string
  store: Store
  /** Its calls come from shoppers' browsers, so they are limited by visitor too. */
  isBrowserKey: boolean
  scopes: ReadonlySet<Scope>
  rateLimit: number
  tally: Tally
  expiresAtMs: number
  /** When it must be read again, in case a change was not heard of. */
  staleAtMs: number
}

/**
 * Keys, stores and origins, read from the database and cached. A change is announced by the database and forgotten here
 * at once; the short life of an entry covers an announcement that got lost. Callers are strangers here: what cannot be a
 * key or an origin is refused by its shape, refusals are cached within a bound, and each client has a number of misses.
 */
export type Directory = {
  key(secret: string, client: string): Key | undefined | Promise<Key | undefined>
  /** Only what is cached, and fresh. */
  knownKey(secret: string, sinceStartMs?: number): Key | undefined
  storeByPublicId(publicId: string): Promise<Store | undefined>
  isKnownOrigin(origin: string, client: string): boolean | Promise<boolean>
  forgetStore(storeId: StoreId): void
  forgetAll(): void
}

const entryLifeMs = 1_000
const mostKeys = 20_000
const mostOrigins = 20_000
const refusedBytes = 2 * 1024 * 1024

/** What `createKey` makes. */
const keyShape = /^v[sp]k_[0-9a-z]{32}$/
/** What `readOrigin` lets onto a list. */
const originShape = /^https?:\/\/(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/

export type DirectorySources = { db: Queries; counter: RateCounter; boundLookup: BoundLookup }

export const createDirectory = ({ db, counter, boundLookup }: DirectorySources): Directory => {
  // By the key as it was sent: it is hashed once to be looked up, and not again for every request.
  // A plain map, since every request looks into it and entries live for a second.
  const keys = new Map<string, Key>()
  const keepKey = (secret: string, key: Key) => {
    if (keys.size >= mostKeys) keys.clear()
    keys.set(secret, key)
  }
  const short = { ttl: entryLifeMs, ttlResolution: 100 }
  const stores = new LRUCache<StoreId, Store>({ max: 5_000, ...short })
  // With the time when each must be looked up again. One that was on a list a second ago is no guess.
  const origins = new LRUCache<string, number>({ max: mostOrigins })
  // Keys and origins that nobody has, by the bytes they take.
  const refused = new LRUCache<string, true>({
    maxSize: refusedBytes,
    sizeCalculation: (_value, text) => 100 + 2 * text.length,
    ...short,
  })
  // Equal questions that arrive together are asked once.
  const reading = new Map<string, Promise<unknown>>()
  // What was read before a change must not be cached after it.
  let changes = 0

  const remember = async <Found>(read: () => Promise<Found>, keep: (found: Found) => void) => {
    const before = changes
    const found = await read()
    if (changes === before) keep(found)
    return found
  }

  const once = <Found>(question: string, read: () => Promise<Found>): Promise<Found> => {
    let answer = reading.get(question) as Promise<Found> | undefined
    if (answer === undefined) {
      answer = read().finally(() => reading.delete(question))
      reading.set(question, answer)
    }
    return answer
  }

  const store = async (storeId: StoreId): Promise<Store> =>
    stores.get(storeId) ??
    remember(
      () => readStore(db, storeId),
      (found) => stores.set(storeId, found),
    )

  const readKey = async (secret: string): Promise<Key | undefined> => {
    const row = await findKey(db, hashSecret(secret))
    return (
      row && {
        id: row.id,
        store: await store(row.storeId),
        isBrowserKey: row.kind === 'browser',
        scopes: new Set(row.scopes as Scope[]),
        rateLimit: row.rateLimit ?? defaultLimit,
        tally: counter.tallyOf(row.id),
        expiresAtMs: row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
        staleAtMs: performance.now() + entryLifeMs,
      }
    )
  }

  const freshKey = (secret: string, sinceStartMs = performance.now()) => {
    const key = keys.get(secret)
    return key !== undefined && sinceStartMs < key.staleAtMs ? key : undefined
  }

  const findUnknownKey = (secret: string, client: string) =>
    once(secret, () => {
      const read = () => readKey(secret)
      return remember(
        // A key that was good a second ago is no guess, and its shoppers must not suffer from a guesser beside them.
        () => (keys.has(secret) ? read() : boundLookup(client, read)),
        (found) => void (found === undefined ? refuse(secret) : keepKey(secret, found)),
      )
    })

  const refuse = (text: string) => {
    keys.delete(text)
    refused.set(text, true)
  }

  const findUnknownOrigin = (origin: string, client: string) =>
    once(origin, () =>
      remember(
        async () => {
          const read = async () => (await isListedOrigin(db, origin)) || undefined
          return (await (origins.has(origin) ? read() : boundLookup(client, read))) ?? false
        },
        (listed) => {
          if (listed) return void origins.set(origin, performance.now() + entryLifeMs)
          origins.delete(origin)
          refused.set(origin, true)
        },
      ).catch((error: unknown) => {
        // No list is looked at for a client with too many misses.
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
    knownKey: freshKey,
    storeByPublicId: async (publicId) => {
      const storeId = await findStoreId(db, publicId)
      return storeId === undefined ? undefined : store(storeId)
    },
    isKnownOrigin: (origin, client) => {
      if ((origins.get(origin) ?? 0) > performance.now()) return true
      return originShape.test(origin) && !refused.has(origin) ? findUnknownOrigin(origin, client) : false
    },
    forgetStore: (storeId) => {
      changes++
      stores.delete(storeId)
      origins.clear()
      refused.clear()
      for (const [secret, key] of keys) if (key.store.id === storeId) keys.delete(secret)
    },
    forgetAll: () => {
      changes++
      stores.clear()
      origins.clear()
      refused.clear()
      keys.clear()
    },
  }
}

/** Bypasses the cache, for those who are about to change the store. */
export const findStoreByPublicId = async (db: Queries, publicId: string): Promise<Store | undefined> => {
  const storeId = await findStoreId(db, publicId)
  return storeId === undefined ? undefined : readStore(db, storeId)
}

const readStore = async (db: Queries, storeId: StoreId): Promise<Store> => {
  const { defaultOutletId, originList, ...row } = await loadStore(db, storeId)
  const defaultOutlet = row.outlets.find((outlet) => outlet.id === defaultOutletId)
  if (defaultOutlet === undefined) throw new Error(`store ${storeId} has no default outlet`)
  const codMaxValueMinor = readCashCeiling(row.codMaxValueMinor, row.currency)
  return { ...row, codMaxValueMinor, defaultOutlet, origins: new Set(originList) }
}

/** The column is null for the default of the currency, and zero for no ceiling. */
const readCashCeiling = (minor: number | null, currency: string) =>
  minor === null ? defaultCashCeilingMinor(currency) : minor || null

/** Every scope: what an internal token has. */
export const fullScope: ReadonlySet<Scope> = new Set(scopes)
