import { createStoreCaches } from '../core/store-caches.ts'
import { trackAge } from './cached-age.ts'
import type { AnswerCache, AnswerCacheOptions } from './cached-answers.ts'

/** A product as lists show it, in JSON. */
export type WrittenProduct = { id: string; json: string }

type Outlet = { storeId: number; outletId: number }

export type ShownProducts = {
  /** By id. A product that is not listed any more is missing. */
  products: ReadonlyMap<string, string>
  /** When the oldest of them was read: a result of `performance.now()`. */
  asOfMs: number
}

export type ProductCache = Pick<AnswerCache, 'invalidateProducts' | 'invalidateStore' | 'invalidateAll' | 'confirm'> & {
  /** `read` is called once, for the products that are not in memory, or too old. */
  find(
    outlet: Outlet,
    ids: readonly string[],
    read: (missing: readonly string[]) => Promise<readonly WrittenProduct[]>,
  ): Promise<ShownProducts>
}

type CachedProduct = { json: string; madeAtMs: number; beganAtMs: number; products: readonly string[] }
/** `changes` counts what was invalidated: a read that began before may be stale. */
type OfStore = { outlets: Set<number>; changes: number }

/**
 * Products that were shown lately, so that a list, a search or another page of either reads only which products it shows.
 * Each is as new as an answer in the cache (decision 0058).
 */
export const createProductCache = ({ maxBytes, maxAgeMs }: AnswerCacheOptions): ProductCache => {
  const age = trackAge(maxAgeMs)
  const caches = createStoreCaches<CachedProduct, OfStore>({
    ...{ maxBytes, sizeOf },
    more: () => ({ outlets: new Set(), changes: 0 }),
  })
  return {
    find: async ({ storeId, outletId }, ids, read) => {
      const cache = caches.open(storeId)
      const beganAtMs = performance.now()
      const products = new Map<string, string>()
      const missing: string[] = []
      let asOfMs = beganAtMs
      for (const id of ids) {
        const known = cache.values.get(keyOf(outletId, id))
        if (known === undefined || !age.isFresh(known, beganAtMs)) missing.push(id)
        else {
          products.set(id, known.json)
          asOfMs = Math.min(asOfMs, known.beganAtMs)
        }
      }
      if (missing.length === 0) return { products, asOfMs }
      const { changes } = cache.more
      cache.more.outlets.add(outletId)
      const found = await read(missing)
      for (const { id, json } of found) products.set(id, json)
      if (caches.find(storeId) === cache && cache.more.changes === changes) {
        for (const { id, json } of found) {
          caches.put(cache, keyOf(outletId, id), {
            json: copyText(json),
            madeAtMs: beganAtMs,
            beganAtMs,
            products: [id],
          })
        }
      }
      return { products, asOfMs }
    },
    invalidateProducts: (storeId, products) => {
      const cache = caches.find(storeId)
      if (cache === undefined) return
      cache.more.changes++
      for (const outletId of cache.more.outlets) for (const id of products) cache.values.delete(keyOf(outletId, id))
    },
    invalidateStore: caches.drop,
    invalidateAll: caches.dropAll,
    confirm: age.confirm,
  }
}

const keyOf = (outletId: number, id: string) => `${outletId} ${id}`

/** Part of a larger text, which it would keep in memory as a whole. */
const copyText = (text: string) => Buffer.from(text).toString()

/** Texts beyond Latin letters have two bytes a character. */
const sizeOf = ({ json }: CachedProduct, key: string) => 2 * json.length + key.length + 300
