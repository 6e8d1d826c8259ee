import type { WordCount } from './word-counts.sql.ts'

/** Shorter beginnings are not searched, longer ones begin few words. */
const beginningLengths = [2, 3, 4, 5, 6]

/** With more different words than this, the rarest so far are forgotten. */
const maxTallied = 200_000

/**
 * Counts in how many products of a sample each word is. `prefixLength`: every entry is a word with so many characters in
 * front, of which the last is a mark: `~` for any word of a product, `^` for a word of its name.
 */
export const createTally = (prefixLength: number) => {
  const counts = new Map<string, number>()
  let sampled = 0
  let limit = maxTallied
  const forgetRare = () => {
    for (const [entry, count] of counts) if (count === 1) counts.delete(entry)
    limit = Math.max(maxTallied, 2 * counts.size)
  }
  return {
    add: (entries: readonly string[]) => {
      sampled++
      for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1)
      if (counts.size > limit) forgetRare()
    },
    /**
     * The words that more than `minimum` of all `products` have. A word that a search must count exactly must not look
     * common by chance: with 1,000 products among a million, about 40 of 40,000 have it, and one such word in a thousand
     * would be in 60.
     */
    listCommon: (products: number, minimum: number): WordCount[] => {
      const scale = products / Math.max(1, sampled)
      const margin = scale < 1.5 ? 1.05 : 1.5
      const enough = Math.max(24, (minimum * margin) / scale)
      const outlet = [...counts.keys()][0]?.slice(0, prefixLength - 1) ?? ''
      return [...counts].flatMap(([entry, count]) => {
        if (count < enough || entry[prefixLength - 1] !== '~') return []
        const word = entry.slice(prefixLength)
        const named = counts.get(`${outlet}^${word}`) ?? 0
        return [{ word, products: Math.round(count * scale), named: Math.round(named * scale) }]
      })
    },
  }
}

/** The beginnings of the words of a product, each once. Words that begin in the same way are neighbours. */
export const beginningsOf = (entries: readonly string[], prefixLength: number): string[] => {
  const beginnings: string[] = []
  let previous = ''
  for (const entry of entries) {
    for (const length of beginningLengths) {
      const end = prefixLength + length
      if (entry.length < end) break
      const beginning = entry.slice(0, end)
      // Half of a character that takes two units is no text.
      if (!previous.startsWith(beginning) && beginning.isWellFormed()) beginnings.push(beginning)
    }
    previous = entry
  }
  return beginnings
}
