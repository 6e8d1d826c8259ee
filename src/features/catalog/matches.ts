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

/** Counts matches, without their categories. */
export const openSummary = () => {
  let [total, minMinor, maxMinor, inStock] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  return {
    add: (priceMinor: number, isInStock: boolean) => {
      total++
      if (priceMinor < minMinor) minMinor = priceMinor
      if (priceMinor > maxMinor) maxMinor = priceMinor
      if (isInStock) inStock++
    },
    total: () => total,
    end: (byCategory: ReadonlyMap<string, number>): MatchSummary => {
      const prices = total === 0 ? { minMinor: null, maxMinor: null } : { minMinor, maxMinor }
      return { total, ...prices, inStock, byCategory }
    },
  }
}

export const summarise = (matches: readonly Match[]): MatchSummary => {
  const summary = openSummary()
  const byCategory = new Map<string, number>()
  for (const { priceMinor, isInStock, categoryId } of matches) {
    summary.add(priceMinor, isInStock)
    if (categoryId !== null) byCategory.set(categoryId, (byCategory.get(categoryId) ?? 0) + 1)
  }
  return summary.end(byCategory)
}

/** The summary of some matches, extrapolated to a known number of them. */
export const extrapolate = (summary: MatchSummary, total: number): MatchSummary => {
  const scale = (count: number) => Math.round((count * total) / Math.max(1, summary.total))
  const byCategory = new Map([...summary.byCategory].map(([id, count]) => [id, scale(count)]))
  return { ...summary, total, inStock: scale(summary.inStock), byCategory }
}

/** What the orders of matches compare. */
export type Place = Pick<Match, 'rank' | 'priceMinor' | 'seq'>
export type MatchOrder = (one: Place, other: Place) => number

export const byRelevance: MatchOrder = (one, other) => other.rank - one.rank || other.seq - one.seq

/** Keeps the first of all that are added in an order, so many at most. With `start`, only those behind it. */
export const openFirst = <Item extends Place>(order: MatchOrder, limit: number, start?: Place) => {
  const first: Item[] = []
  return {
    add: (item: Item) => {
      const last = first[limit - 1]
      if ((last !== undefined && order(last, item) <= 0) || (start !== undefined && order(start, item) >= 0)) return
      const place = first.findIndex((other) => order(item, other) < 0)
      first.splice(place === -1 ? first.length : place, 0, item)
      if (first.length > limit) first.pop()
    },
    end: () => first,
  }
}

/** The best matches after a position, by relevance. */
export const chooseBest = (
  matches: readonly Match[],
  position: readonly (string | number)[] | undefined,
  limit: number,
): Match[] => {
  const [rank = 0, seq = 0] = (position ?? []).map(Number)
  const best = openFirst<Match>(byRelevance, limit, position && { rank, seq, priceMinor: 0 })
  for (const match of matches) best.add(match)
  return best.end()
}
