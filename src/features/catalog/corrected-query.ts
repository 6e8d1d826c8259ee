import type { Product } from './catalog.contract.ts'
import type { Term } from './search.sql.ts'
import { fold, singularOf, wordsToIndex } from './search-words.ts'

/**
 * The query as it was understood: each misspelt word replaced by what it was taken for. A word may have been taken for
 * several that are as likely; the one that the first product has is told. Null when no word was corrected, and when
 * nothing was found, since then no correction helped.
 */
export const correctQuery = (query: string, terms: readonly Term[], first: Product | undefined): string | null => {
  if (first === undefined || terms.every(({ alternatives }) => alternatives.length < 2)) return null
  const words = wordsToIndex(first.name, first.category, first.description)
  const corrections = new Map<string, string>()
  for (const { alternatives } of terms) {
    const [typed = '', ...corrected] = alternatives
    // A word with a digit, such as `abcd9`, may begin so although the store's list of words, all letters, has none.
    const isThere = begins(words, typed)
    const [likeliest] = corrected
    if (likeliest === undefined || isThere) continue
    const shown = corrected.find((word) => words.includes(word)) ?? corrected.find((word) => begins(words, word))
    corrections.set(typed, shown ?? likeliest)
  }
  if (corrections.size === 0) return null
  return query.trim().replaceAll(/[\p{L}\p{N}\p{M}]+/gu, (word) => corrections.get(singularOf(fold(word))) ?? word)
}

const begins = (words: readonly string[], beginning: string) => words.some((word) => word.startsWith(beginning))
