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

const [space, zero] = [32, 48]

/** Reads what `packed` in search.sql.ts has written. Splitting the text took more than three times as long. */
export const readMatches = (text: string | null): Match[] => {
  const matches: Match[] = []
  if (text === null) return matches
  let at = 0
  const readNumber = () => {
    let number = 0
    for (;;) {
      const code = text.charCodeAt(at++)
      // Not a number at the end of the text.
      if (!(code > space)) return number
      number = number * 10 + (code - zero)
    }
  }
  while (at < text.length) {
    const seq = readNumber()
    const priceMinor = readNumber()
    const flags = readNumber()
    const comma = text.indexOf(',', at)
    const end = comma === -1 ? text.length : comma
    matches.push({
      seq,
      rank: flags >> 3,
      priceMinor,
      categoryId: text.slice(at, end) || null,
      isLater: (flags & 4) !== 0,
      isWhole: (flags & 2) !== 0,
      isInStock: (flags & 1) !== 0,
    })
    at = end + 1
  }
  return matches
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
  const start = { rank, seq }
  const best: Match[] = []
  for (const match of matches) {
    const last = best[limit - 1]
    if (!isBetter(start, match) || (last !== undefined && !isBetter(match, last))) continue
    const place = best.findIndex((other) => isBetter(match, other))
    best.splice(place === -1 ? best.length : place, 0, match)
    if (best.length > limit) best.pop()
  }
  return best
}

type Place = Pick<Match, 'rank' | 'seq'>

const isBetter = (one: Place, other: Place) => one.rank > other.rank || (one.rank === other.rank && one.seq > other.seq)

/** The first matches in an order. */
export const chooseFirst = (
  matches: readonly Match[],
  order: (one: Match, other: Match) => number,
  limit: number,
): Match[] => {
  const first: Match[] = []
  for (const match of matches) {
    const last = first[limit - 1]
    if (last !== undefined && order(last, match) <= 0) continue
    const place = first.findIndex((other) => order(match, other) < 0)
    first.splice(place === -1 ? first.length : place, 0, match)
    if (first.length > limit) first.pop()
  }
  return first
}
