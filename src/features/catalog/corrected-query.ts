import type { WrittenProduct } from '../../http/cached-products.ts'
import type { Product } from './catalog.contract.ts'
import type { Term } from './search-terms.ts'
import { fold, singularOf, wordsToIndex } from './search-words.ts'

/**
 * The query with each misspelt word replaced by its correction. Of several equally likely corrections, the one in the
 * first product is used. Null if no word was corrected or nothing was found.
 */
export const correctQuery = (
  query: string,
  terms: readonly Term[],
  first: WrittenProduct | undefined,
): string | null => {
  if (first === undefined || terms.every(({ alternatives }) => alternatives.length < 2)) return null
  const words = wordsOf(first)
  const corrections = new Map<string, string>()
  for (const { alternatives } of terms) {
    const [typed = '', ...corrected] = alternatives
    // The vocabulary has only words of letters, so a word such as `abcd9` may begin with `typed` without being in it.
    const isThere = begins(words, typed)
    const [likeliest] = corrected
    if (likeliest === undefined || isThere) continue
    const shown = corrected.find((word) => words.includes(word)) ?? corrected.find((word) => begins(words, word))
    corrections.set(typed, shown ?? likeliest)
  }
  if (corrections.size === 0) return null
  return query.trim().replaceAll(/[\p{L}\p{N}\p{M}]+/gu, (word) => corrections.get(singularOf(fold(word))) ?? word)
}

/** Products stay in memory (decision 0058), and reading their words takes a tenth of a search. */
const known = new WeakMap<WrittenProduct, readonly string[]>()

const wordsOf = (product: WrittenProduct) => {
  let words = known.get(product)
  if (words === undefined) {
    const { name, category, description }: Product = JSON.parse(product.json)
    words = wordsToIndex(name, category, description)
    known.set(product, words)
  }
  return words
}

const begins = (words: readonly string[], beginning: string) => words.some((word) => word.startsWith(beginning))
