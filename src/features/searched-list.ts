import type { CountedMatches } from './admin-list.ts'

/**
 * What an index finds, with one more than `maxFound` if there are more. Only up to that: `ids` of all that match and are in
 * the filter, in the sequence of the list, of which the first `passed` are not behind the position. `atLeast`: how many of
 * more than that are certainly in the list.
 */
export type FewMatches<Id> = { found: number; ids: readonly Id[]; passed: number; atLeast?: number }

/** What matches among the next rows of a list. `reached`: the last that was compared; null if the list has no others. */
export type ComparedMatches<Id, Key> = { ids: readonly Id[]; reached: Key | null }

export type SearchSource<Id, Key> = {
  maxFound: number
  readFew(after: Key | null): Promise<FewMatches<Id>>
  /** Compares the next `limit` rows. */
  compareFirst(after: Key | null, limit: number): Promise<ComparedMatches<Id, Key>>
  /** Compares as many as a request has time for. */
  compareNext(after: Key): Promise<ComparedMatches<Id, Key>>
}

/** How many rows are compared first, for each of a page: enough for what a tenth of all have. */
const comparedForOne = 15
const usualPage = 20

/**
 * A search in a list, with limited work. If few rows match, all of them are read. Otherwise the next rows of the list are
 * compared with the search. If they are not enough for a page, it stays short, and the next one goes on from there.
 */
export const openSearch = <Id, Key>({ maxFound, readFew, compareFirst, compareNext }: SearchSource<Id, Key>) => {
  // A page and its count are asked for together, and share what is read.
  let few: Promise<FewMatches<Id>> | undefined
  let first: Promise<ComparedMatches<Id, Key>> | undefined

  const readFirst = (limit: number) => {
    first = compareFirst(null, limit * comparedForOne)
    return first
  }
  const find = async (after: Key | null, limit: number): Promise<ComparedMatches<Id, Key>> => {
    few = readFew(after)
    const { found, ids, passed } = await few
    if (found <= maxFound) return { ids: ids.slice(passed, passed + limit), reached: null }
    const near = await (after === null ? readFirst(limit) : compareFirst(after, limit * comparedForOne))
    if (near.ids.length >= limit) return { ids: near.ids.slice(0, limit), reached: null }
    if (near.reached === null) return near
    const far = await compareNext(near.reached)
    const all = [...near.ids, ...far.ids]
    return { ids: all.slice(0, limit), reached: all.length >= limit ? null : far.reached }
  }
  /** Of a search that finds many, only what matches at the beginning of the list. */
  const count = async (): Promise<CountedMatches> => {
    few ??= readFew(null)
    const { found, ids, atLeast = 0 } = await few
    if (found <= maxFound) return { found: ids.length, isExact: true }
    const near = await (first ?? readFirst(usualPage))
    if (near.reached === null) return { found: near.ids.length, isExact: true }
    return { found: Math.max(near.ids.length, atLeast), isExact: false }
  }
  return { find, count }
}
