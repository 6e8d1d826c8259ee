import type { Db } from '../../db/database.ts'
import type { OutletRef } from './catalog.sql.ts'
import * as sql from './word-counts.sql.ts'

/** A search counts its matches up to here; beyond, the total is an estimate. */
export const countedMatches = 1_000

/** So many products are enough to tell how common a word is. Beginnings are more, and need not be known as well. */
const sampledForWords = 40_000
const sampledForBeginnings = 8_000

/** Counts which words are common in a store, so that searches know it in advance (decision 0057). */
export const countStoreWords = async (db: Db, outlet: OutletRef): Promise<void> => {
  const products = await sql.countListed(db, outlet)
  const isSmall = products < countedMatches
  const words = isSmall ? [] : await countIn(products, sampledForWords, (sample) => sql.countWords(db, outlet, sample))
  const beginnings = isSmall
    ? []
    : await countIn(products, sampledForBeginnings, (sample) => sql.countBeginnings(db, outlet, sample))
  await db.tx(async (tx) => {
    await sql.keepWordCounts(tx, outlet.storeId, [...words, ...beginnings])
    await sql.noteWordsCounted(tx, outlet.storeId, products)
  })
}

/**
 * Counts in a sample and extrapolates. A word that a search must count exactly must not look common by chance: with 1,000
 * products among a million, about 40 of the sample have it, and one word in a thousand would be in 60.
 */
const countIn = async (
  products: number,
  sampleSize: number,
  count: (sample: sql.Sample) => Promise<sql.WordCount[]>,
): Promise<sql.WordCount[]> => {
  const step = Math.max(1, Math.round(products / sampleSize))
  const margin = step === 1 ? 1.05 : 1.5
  const minProducts = Math.max(24, Math.ceil((countedMatches * margin) / step))
  const counted = await count({ step, minProducts })
  return counted.map((word) => ({ ...word, products: word.products * step, named: word.named * step }))
}
