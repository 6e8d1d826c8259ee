import { createStoreCaches } from '../core/store-caches.ts'
import { trackAge } from './cached-age.ts'
import type { AnswerCache, AnswerCacheOptions } from './cached-answers.ts'

/** A product as lists show it, in JSON. `seq` is its number in the store. */
export type WrittenProduct = { seq: number; id: string; json: string }

type Outlet = { storeId: number; outletId: number }

export type ShownProducts = {
  /** By number. A product that is not listed any more is missing. */
  products: ReadonlyMap<number, WrittenProduct>
  /** When the oldest of them was read: a result of `performance.now()`. */
  asOfMs: number
}

export type ProductCache = Pick<AnswerCache, 'invalidateProducts' | 'invalidateStore' | 'invalidateAll' | 'confirm'> & {
  /** `read` is called once, for the products that are not in memory, or too old. */
  find(
    outlet: Outlet,
    seqs: readonly number[],
    read: (missing: readonly number[]) => Promise<readonly WrittenProduct[]>,
  ): Promise<ShownProducts>
}

type CachedProduct = WrittenProduct & { madeAtMs: number; beganAtMs: number; products: readonly string[] }
/** How often products were invalidated: a read that began before may be stale. */
type OfStore = { changes: number }

/**
 * Products that were shown lately, so that a list, a search or another page of either reads only which products it shows.
 * Each is as new as an answer in the cache (decision 0058).
 */
export const createProductCache = ({ maxBytes, maxAgeMs }: AnswerCacheOptions): ProductCache => {
  const age = trackAge(maxAgeMs)
  const caches = createStoreCaches<CachedProduct, OfStore>({
    ...{ maxBytes, sizeOf },
    more: () => ({ changes: 0 }),
  })
  return {
    find: async ({ storeId, outletId }, seqs, read) => {
      const cache = caches.open(storeId)
      const beganAtMs = performance.now()
      const products = new Map<number, WrittenProduct>()
      const missing: number[] = []
      let asOfMs = beganAtMs
      for (const seq of seqs) {
        const known = cache.values.get(keyOf(outletId, seq))
        if (known === undefined || !age.isFresh(known, beganAtMs)) missing.push(seq)
        else {
          products.set(seq, known)
          asOfMs = Math.min(asOfMs, known.beganAtMs)
        }
      }
      if (missing.length === 0) return { products, asOfMs }
      const { changes } = cache.more
      for (const product of await read(missing)) {
        products.set(product.seq, product)
        if (caches.find(storeId) !== cache || cache.more.changes !== changes) continue
        const id = copyText(product.id)
        caches.put(storeId, keyOf(outletId, product.seq), {
          ...{ seq: product.seq, id, json: copyText(product.json), products: [id] },
          ...{ madeAtMs: beganAtMs, beganAtMs },
        })
      }
      return { products, asOfMs }
    },
    invalidateProducts: (storeId, products) => {
      const cache = caches.find(storeId)
      if (cache === undefined) return
      cache.more.changes++
      for (const [key, { id }] of cache.byKey) if (products.has(id)) cache.values.delete(key)
    },
    invalidateStore: caches.drop,
    invalidateAll: caches.dropAll,
    confirm: age.confirm,
  }
}

const keyOf = (outletId: number, seq: number) => `${outletId} ${seq}`

/** Part of a larger text, which it would keep in memory as a whole. */
const copyText = (text: string) => Buffer.from(text).toString()

/** Texts beyond Latin letters have two bytes a character. */
const sizeOf = ({ json }: CachedProduct, key: string) => 2 * json.length + key.length + 300
