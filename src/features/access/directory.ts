import { LRUCache } from 'lru-cache'
import { defaultCashCeilingMinor } from '../../core/cash-ceilings.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import { type Scope, scopes } from '../../http/endpoint.ts'
import type { Recognised } from '../../http/fast-lane.ts'
import type { Store, StoreId } from '../context.ts'
import { findKey, findStoreId, isListedOrigin, loadStore } from './access.sql.ts'
import { defaultLimit, type RateCounter, type Tally } from './rate-limit.ts'

export type Key = {
  id: string
  store: Store
  kind: 'server' | 'browser'
  scopes: ReadonlySet<Scope>
  rateLimit: number
  tally: Tally
  expiresAtMs: number
  /** When it must be read again, in case a change was not heard of. */
  staleAtMs: number
  /** What the gate has worked out for its plainest request, kept for the next one. */
  pass?: Recognised
}

/**
 * Keys, stores and origins, read from the database and remembered. A change is announced by the database and forgotten
 * here at once; the short life of an entry covers an announcement that got lost.
 */
export type Directory = {
  key(secret: string): Key | undefined | Promise<Key | undefined>
  /** Only what is in memory, and fresh. */
  knownKey(secret: string, sinceStartMs?: number): Key | undefined
  storeByPublicId(publicId: string): Promise<Store | undefined>
  isKnownOrigin(origin: string): boolean | Promise<boolean>
  forgetStore(storeId: StoreId): void
  forgetAll(): void
}

const entryLifeMs = 1_000
const mostKeys = 20_000

export const createDirectory = (db: Queries, counter: RateCounter): Directory => {
  // By the key as it was sent: it is hashed once to be looked up, and not again for every request.
  // A plain map, since every request looks into it and entries live for a second.
  const keys = new Map<string, Key>()
  const keepKey = (secret: string, key: Key) => {
    if (keys.size >= mostKeys) keys.clear()
    keys.set(secret, key)
  }
  const stores = new LRUCache<StoreId, Store>({ max: 5_000, ttl: entryLifeMs, ttlResolution: 100 })
  const origins = new LRUCache<string, boolean>({ max: 20_000, ttl: entryLifeMs, ttlResolution: 100 })
  // What was read before a change must not be remembered after it.
  let changes = 0

  const remember = async <Found>(read: () => Promise<Found>, keep: (found: Found) => void) => {
    const before = changes
    const found = await read()
    if (changes === before) keep(found)
    return found
  }

  const store = async (storeId: StoreId): Promise<Store> =>
    stores.get(storeId) ??
    remember(
      () => readStore(db, storeId),
      (found) => stores.set(storeId, found),
    )

  const readKey = async (hash: string): Promise<Key | undefined> => {
    const row = await findKey(db, hash)
    return (
      row && {
        id: row.id,
        store: await store(row.storeId),
        kind: row.kind,
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

  return {
    key: (secret) =>
      freshKey(secret) ??
      remember(
        () => readKey(hashSecret(secret)),
        (found) => found && keepKey(secret, found),
      ),
    knownKey: freshKey,
    storeByPublicId: async (publicId) => {
      const storeId = await findStoreId(db, publicId)
      return storeId === undefined ? undefined : store(storeId)
    },
    isKnownOrigin: (origin) =>
      origins.get(origin) ??
      remember(
        () => isListedOrigin(db, origin),
        (listed) => origins.set(origin, listed),
      ),
    forgetStore: (storeId) => {
      changes++
      stores.delete(storeId)
      origins.clear()
      for (const [secret, key] of keys) if (key.store.id === storeId) keys.delete(secret)
    },
    forgetAll: () => {
      changes++
      stores.clear()
      origins.clear()
      keys.clear()
    },
  }
}

/** Past every memory, for those who are about to change it. */
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
