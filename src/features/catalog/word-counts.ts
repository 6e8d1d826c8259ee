import type { Db } from '../../db/database.ts'
import type { OutletRef } from './catalog.sql.ts'
import * as sql from './word-counts.sql.ts'

/** A search counts its matches up to here; beyond, the total is an estimate. */
export const countedMatches = 1_000

/** So many products are enough to tell how common a word is. */
const sampleSize = 8_000

/**
 * A word is kept if this many products of the sample have it. With fewer, chance could make a word look common that a
 * search must count exactly.
 */
const minSampled = 24

/** Counts which words are common in a store, so that searches know it in advance (decision 0055). */
export const countStoreWords = async (db: Db, outlet: OutletRef): Promise<void> => {
  const products = await sql.countListed(db, outlet)
  const step = Math.max(1, Math.round(products / sampleSize))
  // An estimate may be too high by chance, an exact count may be outdated.
  const margin = step === 1 ? 1.05 : 2
  const minProducts = Math.max(minSampled, Math.ceil((countedMatches * margin) / step))
  const counted = products < countedMatches ? [] : await sql.countWords(db.fresh, outlet, step, minProducts)
  const words = counted.map((count) => ({ ...count, products: count.products * step, named: count.named * step }))
  await db.tx(async (tx) => {
    await sql.keepWordCounts(tx, outlet.storeId, words)
    await sql.noteCounted(tx, outlet.storeId, products)
  })
}
