/** A product that a search has found. The statement sends many of them as one text, which is quicker than rows. */
export type Match = {
  seq: number
  rank: number
  priceMinor: number
  categoryId: string | null
  isInStock: boolean
  /** It has all words whole, not only words that begin with them. */
  isWhole: boolean
  /** It comes after the position of the page. Not known for the order of relevance. */
  isLater: boolean
}

/** Reads what `packed` in search.sql.ts has written. */
export const readMatches = (text: string | null): Match[] => {
  if (text === null) return []
  return text.split(',').map((record) => {
    const [seq, price, rankAndFlags, category] = record.split(' ')
    const flags = Number(rankAndFlags)
    return {
      seq: Number(seq),
      rank: flags >> 3,
      priceMinor: Number(price),
      categoryId: category || null,
      isLater: (flags & 4) !== 0,
      isWhole: (flags & 2) !== 0,
      isInStock: (flags & 1) !== 0,
    }
  })
}

export type MatchSummary = {
  total: number
  minMinor: number | null
  maxMinor: number | null
  inStock: number
  byCategory: ReadonlyMap<string, number>
}

export const summarise = (matches: readonly Match[]): MatchSummary => {
  const byCategory = new Map<string, number>()
  let [minMinor, maxMinor, inStock] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  for (const match of matches) {
    minMinor = Math.min(minMinor, match.priceMinor)
    maxMinor = Math.max(maxMinor, match.priceMinor)
    if (match.isInStock) inStock++
    if (match.categoryId !== null) byCategory.set(match.categoryId, (byCategory.get(match.categoryId) ?? 0) + 1)
  }
  const prices = matches.length === 0 ? { minMinor: null, maxMinor: null } : { minMinor, maxMinor }
  return { total: matches.length, ...prices, inStock, byCategory }
}

/** The summary of some matches, extrapolated to a known number of them. */
export const extrapolate = (summary: MatchSummary, total: number): MatchSummary => {
  const scale = (count: number) => Math.round((count * total) / Math.max(1, summary.total))
  const byCategory = new Map([...summary.byCategory].map(([id, count]) => [id, scale(count)]))
  return { ...summary, total, inStock: scale(summary.inStock), byCategory }
}

/** The best matches after a position, by relevance. */
export const chooseBest = (
  matches: readonly Match[],
  position: readonly (string | number)[] | undefined,
  limit: number,
): Match[] => {
  const [rank = Number.POSITIVE_INFINITY, seq = 0] = (position ?? []).map(Number)
  return matches
    .filter((match) => match.rank < rank || (match.rank === rank && match.seq < seq))
    .sort((a, b) => b.rank - a.rank || b.seq - a.seq)
    .slice(0, limit)
}
