import { existsSync } from 'node:fs'
import type { SearchIndexes } from '../../context.ts'
import type { OutletRef } from '../catalog.sql.ts'
import { indexFileOf, isBroken, isInUse, machineTimeMs, noteAsked, removeIndexFile } from './files.ts'
import { maxIndexes } from './keep-indexes.ts'
import { type OpenIndex, openIndexReader } from './read-index.ts'

/** An index says nothing about changes since it was last confirmed, and a change must be found within a second. */
const maxAgeMs = 1_000

/** How often the process that keeps the indexes learns that one is used, and a missing file is looked for. */
const everyMs = 1_000

export type OpenIndexes = SearchIndexes & {
  /** The catalog of a store has changed. Until its index has the change, the database is searched. */
  noteChange(storeId: number): void
  noteChanges(): void
  close(): void
}

type Options = {
  folder: string
  /** Smaller stores are searched in the database. 0: all are. */
  minProducts: number
  onFailure(error: unknown): void
}

/** `neededMs`: the last change that is known. What was changed before the first search is not known. */
type Opened = { storeId: number; reader: OpenIndex | null; triedMs: number; askedMs: number; neededMs: number }

/** The index files that this process reads. Another thread or process keeps them (`keepIndexes`). */
export const openSearchIndexes = ({ folder, minProducts, onFailure }: Options): OpenIndexes => {
  const opened = new Map<string, Opened>()
  let isFailing = false

  const open = (path: string, { storeId }: OutletRef, nowMs: number): Opened => {
    const longAgo = Number.NEGATIVE_INFINITY
    const index = opened.get(path) ?? { storeId, reader: null, triedMs: longAgo, askedMs: longAgo, neededMs: nowMs }
    // The last ones are the most recently used.
    opened.delete(path)
    opened.set(path, index)
    for (const [oldest, { reader }] of opened) {
      if (opened.size <= maxIndexes) break
      reader?.close()
      opened.delete(oldest)
    }
    return index
  }
  const close = (index: Opened) => {
    index.reader?.close()
    index.reader = null
  }
  /** Null if there is no index, or not one with all changes that are known. */
  const readerOf = (index: Opened, path: string, nowMs: number) => {
    const isTried = nowMs - index.triedMs < everyMs
    if (index.reader === null && !isTried) {
      index.triedMs = nowMs
      index.reader = existsSync(path) ? openIndexReader(path) : null
    }
    const { reader } = index
    if (reader === null) return null
    const confirmedMs = reader.confirmedAtMs()
    const isRecent = confirmedMs <= nowMs && nowMs - confirmedMs < maxAgeMs
    // The file may have been replaced by another.
    if (!isRecent && !isTried) close(index)
    return isRecent && confirmedMs > index.neededMs ? { reader, ageMs: nowMs - confirmedMs } : null
  }
  return {
    ask: (outlet, products, find) => {
      if (minProducts === 0 || products < minProducts) return undefined
      const nowMs = machineTimeMs()
      const path = indexFileOf(folder, outlet)
      const index = open(path, outlet, nowMs)
      try {
        if (nowMs - index.askedMs > everyMs) {
          index.askedMs = nowMs
          noteAsked(folder, outlet)
        }
        const current = readerOf(index, path, nowMs)
        if (current === null) return undefined
        const result = find(current.reader)
        isFailing = false
        return result === undefined ? undefined : { result, asOfMs: performance.now() - current.ageMs }
      } catch (error) {
        close(index)
        if (isInUse(error)) return undefined
        if (isBroken(error)) removeIndexFile(path)
        if (!isFailing) onFailure(error)
        isFailing = true
        return undefined
      }
    },
    noteChange: (storeId) => {
      for (const index of opened.values()) if (index.storeId === storeId) index.neededMs = machineTimeMs()
    },
    noteChanges: () => {
      for (const index of opened.values()) index.neededMs = machineTimeMs()
    },
    close: () => {
      for (const index of opened.values()) close(index)
    },
  }
}
