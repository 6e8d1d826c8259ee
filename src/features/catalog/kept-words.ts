import type { KeptWord, SearchWords, StoreId } from '../context.ts'
import { keepBriefly } from './kept-briefly.ts'
import { findFarLookalikes, findLookalikes, lookUpWords } from './search-terms.sql.ts'
import { closestWords, isNear } from './search-words.ts'

/** `drop` and `dropAll`: words may have been added. */
export type KeptSearchWords = SearchWords & { drop(storeId: StoreId): void; dropAll(): void }

/**
 * Keeps what is known of the words of queries for a moment. Many searches ask for the same words, and looking them up takes
 * ten times as long as finding the products in an index file.
 */
export const keepSearchWords = (): KeptSearchWords => {
  const kept = keepBriefly<KeptWord>()
  return {
    lookUp: async (db, storeId, words) => {
      const { values, asOfMs } = kept.open(storeId)
      const missing = words.filter((word) => !values.has(word))
      if (missing.length > 0) {
        const found = await lookUpWords(db, storeId, missing)
        for (const known of found.words) values.set(known.word, { ...known, products: found.products })
        kept.noteAdded(missing.length)
      }
      return { words: words.flatMap((word) => values.get(word) ?? []), asOfMs }
    },
    correct: async (db, storeId, word) => {
      const { values } = kept.open(storeId)
      const known = values.get(word)
      if (known?.corrections !== undefined) return known.corrections
      const close = closestWords(word, await findLookalikes(db, storeId, word))
      const isFound = close.some((candidate) => isNear(word, candidate)) || word.length < 6
      const corrections = isFound ? close : closestWords(word, await findFarLookalikes(db, storeId, word))
      if (known !== undefined) known.corrections = corrections
      return corrections
    },
    drop: kept.drop,
    dropAll: kept.dropAll,
  }
}
