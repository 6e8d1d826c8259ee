import { fail } from '../../core/errors.ts'
import type { Asker } from '../context.ts'

export type HashingTurnOptions = { atOnce: number; mostWaiting: number; longestWaitMs: number }

type Waiter = { start: () => void; refuse: () => void }

/** The callers of one store that wait, each with a line of its own, and how many wait in all of them. */
type StoreLine = { waiting: number; callers: Map<string, Waiter[]> }

/**
 * Runs a few pieces of work at once. The rest wait in a line for each store and, within it, for each caller. The lines
 * are served in rotation, first between stores and then between the callers of a store, so a flood delays its sender.
 *
 * When all places are taken, the last of the longest line gives way to a newcomer from a shorter one. A line has the
 * whole room as long as nobody else needs it, and keeps nobody out.
 */
export const takeTurns = ({ atOnce, mostWaiting, longestWaitMs }: HashingTurnOptions) => {
  let working = 0
  const lines = createHashingLines()

  const enter = async (who: Asker) => {
    if (working < atOnce) {
      working++
      return
    }
    if (lines.size() >= mostWaiting && !lines.giveWayTo(who)) throw comeBackLater()
    await new Promise<void>((resolve, reject) => {
      const refuse = () => {
        clearTimeout(timer)
        reject(comeBackLater())
      }
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer)
          resolve()
        },
        refuse,
      }
      const timer = setTimeout(() => {
        lines.remove(who, waiter)
        refuse()
      }, longestWaitMs)
      lines.add(who, waiter)
    })
  }

  // The place is handed on directly, so a newcomer cannot take it before those who wait.
  const leave = () => {
    const next = lines.takeNext()
    if (next === undefined) working--
    else next.start()
  }

  return async <Result>(who: Asker, work: () => Promise<Result>): Promise<Result> => {
    await enter(who)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

const comeBackLater = () => fail('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '2' } })

const createHashingLines = () => {
  const stores = new Map<number, StoreLine>()
  let waiting = 0

  const dropEmpty = (storeId: number, line: StoreLine, client: string) => {
    if (line.callers.get(client)?.length === 0) line.callers.delete(client)
    if (line.waiting === 0) stores.delete(storeId)
  }
  const countOne = (line: StoreLine, change: 1 | -1) => {
    line.waiting += change
    waiting += change
  }

  return {
    size: () => waiting,

    add: ({ storeId, client }: Asker, waiter: Waiter) => {
      const line = stores.get(storeId) ?? { waiting: 0, callers: new Map<string, Waiter[]>() }
      stores.set(storeId, line)
      const caller = line.callers.get(client) ?? []
      line.callers.set(client, caller)
      caller.push(waiter)
      countOne(line, 1)
    },

    remove: ({ storeId, client }: Asker, waiter: Waiter) => {
      const line = stores.get(storeId)
      const caller = line?.callers.get(client)
      const place = caller?.indexOf(waiter) ?? -1
      if (line === undefined || caller === undefined || place < 0) return
      caller.splice(place, 1)
      countOne(line, -1)
      dropEmpty(storeId, line, client)
    },

    /** The first of the caller and the store that were served longest ago; both go to the end of the rotation. */
    takeNext: (): Waiter | undefined => {
      for (const [storeId, line] of stores) {
        for (const [client, caller] of line.callers) {
          const next = caller.shift()
          countOne(line, -1)
          moveToEnd(line.callers, client, caller)
          moveToEnd(stores, storeId, line)
          dropEmpty(storeId, line, client)
          return next
        }
      }
      return undefined
    },

    /** Refuses the last of the longest line, unless the newcomer would only make that line as long again. */
    giveWayTo: ({ storeId, client }: Asker): boolean => {
      const longest = longestOf(stores, (line) => line.waiting)
      if (longest === undefined) return false
      const [fullStoreId, fullLine] = longest
      const caller = longestOf(fullLine.callers, ({ length }) => length)
      if (caller === undefined) return false
      const [fullClient, waiters] = caller
      const own = stores.get(storeId)
      const isShorter =
        fullStoreId === storeId
          ? (own?.callers.get(client)?.length ?? 0) + 1 < waiters.length
          : (own?.waiting ?? 0) + 1 < fullLine.waiting
      if (!isShorter) return false
      const last = waiters.pop()
      countOne(fullLine, -1)
      dropEmpty(fullStoreId, fullLine, fullClient)
      last?.refuse()
      return true
    },
  }
}

const moveToEnd = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value) => {
  map.delete(key)
  map.set(key, value)
}

const longestOf = <Key, Value>(map: Map<Key, Value>, lengthOf: (value: Value) => number) => {
  let longest: [Key, Value] | undefined
  for (const entry of map) if (longest === undefined || lengthOf(entry[1]) > lengthOf(longest[1])) longest = entry
  return longest
}
