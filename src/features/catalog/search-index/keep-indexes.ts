import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../../db/database.ts'
import type { OutletRef } from '../catalog.sql.ts'
import { type AskedIndex, forgetIndex, indexFileOf, isBroken, isInUse, listAsked, removeIndexFile } from './files.ts'
import { keepIndex } from './keep-index.ts'
import { isBlockFull } from './written-index.ts'

/** How often it is asked which indexes are wanted. */
const everyMs = 250

/** An index is kept for this time after a search has asked for it. */
const wantedMs = 10 * 60_000

/** Another store gets the place of one that was not asked for in this time. */
const idleMs = 60 * 60_000

/** So many files at most, for all stores together. */
export const maxIndexes = 16

const [firstPauseMs, maxPauseMs] = [1_000, 60_000]

export type IndexLog = (level: 'info' | 'warn', fields: object, message: string) => void

type Options = { folder: string; db: Db; signal: AbortSignal; log: IndexLog }

/** Keeps the indexes that searches ask for, until none was asked for lately. */
export const keepIndexes = async ({ folder, db, signal, log }: Options): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const lock = await lockFolder(folder, signal)
  const kept = new Map<string, Promise<void>>()
  let alone: Promise<unknown> = Promise.resolve()
  const runAlone = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = alone.then(work, work)
    alone = result
    return result
  }
  const keep = async (outlet: OutletRef, path: string) => {
    const isWanted = () => !signal.aborted && listWanted(folder).some((one) => indexFileOf(folder, one.outlet) === path)
    for (let pauseMs = firstPauseMs; isWanted(); pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await keepIndex({
          ...{ db, outlet, path, signal, isWanted, runAlone },
          onReady: (built) => {
            pauseMs = firstPauseMs
            if (built.products > 0) log('info', { store: outlet.storeId, ...built }, 'search index is up to date')
          },
        })
      } catch (error) {
        if (signal.aborted) return
        if (isBroken(error) || isBlockFull(error)) removeIndexFile(path)
        log(
          'warn',
          { err: error, store: outlet.storeId },
          'search index not kept, the database is searched; trying again',
        )
        await pause(pauseMs, undefined, { signal })
      }
    }
  }
  try {
    while (!signal.aborted) {
      const wanted = listWanted(folder)
      if (wanted.length === 0 && kept.size === 0) return
      for (const { outlet } of wanted) {
        const path = indexFileOf(folder, outlet)
        if (kept.has(path) || !makeRoom(folder, path, kept)) continue
        const keeping = keep(outlet, path).catch(() => {})
        kept.set(
          path,
          keeping.finally(() => kept.delete(path)),
        )
      }
      await pause(everyMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    await Promise.all(kept.values())
    lock?.close()
  }
}

const isRecent = ({ askedAtMs }: AskedIndex, withinMs: number) => Date.now() - askedAtMs < withinMs

export const listWanted = (folder: string) => listAsked(folder).filter((asked) => isRecent(asked, wantedMs))

/** Removes the file that was not asked for the longest. False if all of them are in use, or being made. */
const makeRoom = (folder: string, path: string, kept: ReadonlyMap<string, unknown>): boolean => {
  if (existsSync(path)) return true
  const hasPlace = (other: string) => kept.has(other) || existsSync(other)
  const files = listAsked(folder).filter(({ outlet }) => hasPlace(indexFileOf(folder, outlet)))
  if (files.length < maxIndexes) return true
  const last = files.at(-1)
  if (last === undefined || isRecent(last, idleMs)) return false
  forgetIndex(folder, last.outlet)
  return true
}

/** One process writes the files of a folder. Another waits until it ends. */
const lockFolder = async (folder: string, signal: AbortSignal): Promise<DatabaseSync | undefined> => {
  while (!signal.aborted) {
    const lock = new DatabaseSync(join(folder, 'writer.lock'), { timeout: 0 })
    try {
      lock.exec('begin exclusive')
      return lock
    } catch (error) {
      lock.close()
      if (!isInUse(error)) throw error
      await pause(firstPauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
