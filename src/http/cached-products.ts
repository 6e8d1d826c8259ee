import { createStoreCaches } from '../core/store-caches.ts'
import { trackAge } from './cached-age.ts'
import type { AnswerCache, AnswerCacheOptions } from './cached-answers.ts'

/** A product as lists show it, in JSON. `seq` is its number in the store; `fingerprint` is a hash of the JSON. */
export type WrittenProduct = { seq: number; id: string; json: string; fingerprint: string }

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
  ): ShownProducts | Promise<ShownProducts>
}

type CachedProduct = WrittenProduct & {
  asOfMs: number
  products: readonly string[]
  /** When it was moved to the front of the LRU order. */
  touchedAtMs: number
}
type OfStore = {
  /** How often products were invalidated: a read that began before may be stale. */
  changes: number
  /** Numbers of outlets, in the order in which they were first used. */
  outlets: Map<number, number>
}

/** A product that is shown more often stays where it is in the LRU order: moving it took longer than finding it. */
const touchEveryMs = 1_000

/**
 * Products that were shown lately, so that a list, a search or another page of either reads only which products it shows.
 * Each is as new as an answer in the cache (decision 0058).
 */
export const createProductCache = ({ maxBytes, maxAgeMs }: AnswerCacheOptions): ProductCache => {
  const age = trackAge(maxAgeMs)
  const caches = createStoreCaches<CachedProduct, OfStore, number>({
    ...{ maxBytes, sizeOf },
    more: () => ({ changes: 0, outlets: new Map() }),
  })
  /** Without a promise for what is in memory. */
  const readMissing = async (
    { storeId, outletId }: Outlet,
    { products, asOfMs }: ShownProducts & { products: Map<number, WrittenProduct> },
    read: () => Promise<readonly WrittenProduct[]>,
    beganAtMs: number,
  ): Promise<ShownProducts> => {
    const cache = caches.open(storeId)
    const { changes } = cache.more
    for (const product of await read()) {
      products.set(product.seq, product)
      if (caches.find(storeId) !== cache || cache.more.changes !== changes) continue
      const id = copyText(product.id)
      caches.put(storeId, firstKeyOf(cache.more, outletId) + product.seq, {
        ...{ seq: product.seq, id, json: copyText(product.json), fingerprint: product.fingerprint, products: [id] },
        ...{ asOfMs: beganAtMs, touchedAtMs: beganAtMs },
      })
    }
    return { products, asOfMs }
  }
  return {
    find: (outlet, seqs, read) => {
      const cache = caches.open(outlet.storeId)
      const firstKey = firstKeyOf(cache.more, outlet.outletId)
      const beganAtMs = performance.now()
      const products = new Map<number, WrittenProduct>()
      const missing: number[] = []
      let asOfMs = beganAtMs
      for (const seq of seqs) {
        const key = firstKey + seq
        const known = cache.byKey.get(key)
        if (known === undefined || !age.isFresh(known, beganAtMs)) {
          missing.push(seq)
          continue
        }
        if (beganAtMs - known.touchedAtMs > touchEveryMs) {
          known.touchedAtMs = beganAtMs
          cache.values.get(key)
        }
        products.set(seq, known)
        asOfMs = Math.min(asOfMs, known.asOfMs)
      }
      const found = { products, asOfMs }
      return missing.length === 0 ? found : readMissing(outlet, found, () => read(missing), beganAtMs)
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

/** More than any store has products. Keys of 100,000 outlets are still exact numbers. */
const keysOfOutlet = 2 ** 36

/** The keys of an outlet are numbers, which take less time than texts: its first key and the number of the product. */
const firstKeyOf = ({ outlets }: OfStore, outletId: number) => {
  let place = outlets.get(outletId)
  if (place === undefined) {
    place = outlets.size
    outlets.set(outletId, place)
  }
  return place * keysOfOutlet
}

/** Part of a larger text, which it would keep in memory as a whole. */
const copyText = (text: string) => Buffer.from(text).toString()

/** Texts beyond Latin letters have two bytes a character. */
const sizeOf = ({ json }: CachedProduct) => 2 * json.length + 400
