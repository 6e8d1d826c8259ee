import { minutes, seconds } from '../core/clock.ts'
import type { Queries } from '../db/database.ts'
import { type Deletable, type DueRows, deleteDueRows, findDueRows } from '../db/due-rows.sql.ts'
import type { DueStore, JobKind } from './job-kind.ts'

export type Cleanup<Found extends DueStore> = {
  name: string
  /** The oldest due rows by store, except those of `exceptStores`. */
  find(exceptStores: readonly number[]): Promise<readonly Found[]>
  /** Deletes rows of one store and returns how many. */
  remove(found: Found): Promise<number>
}

const maxPauseMs = minutes(60)

/** A job that deletes expired rows. An item is one batch of one store. */
export const cleanupJob = <Found extends DueStore>({ name, find, remove }: Cleanup<Found>): JobKind<Found> => {
  const everyMs = minutes(1)
  const found = new Map<number, Found>()
  /** Stores whose rows could not be deleted. They are skipped for a while, because their rows would fill every batch. */
  const paused = new Map<number, { untilMs: number; pauseMs: number }>()
  const pause = (storeId: number) => {
    const pauseMs = Math.min((paused.get(storeId)?.pauseMs ?? everyMs / 2) * 2, maxPauseMs)
    paused.set(storeId, { untilMs: Date.now() + pauseMs, pauseMs })
  }
  return {
    name,
    everyMs,
    concurrency: 4,
    limitMs: seconds(30),
    findDue: async () => {
      const now = Date.now()
      const except = [...paused].filter(([, { untilMs }]) => untilMs > now).map(([storeId]) => storeId)
      const due = await find(except)
      found.clear()
      for (const rows of due) found.set(rows.storeId, rows)
      return due
    },
    // Deleting twice is harmless, so instances need no claim in the database.
    claim: async (storeId) => {
      const rows = found.get(storeId)
      found.delete(storeId)
      return rows === undefined ? [] : [rows]
    },
    run: async (rows) => {
      if ((await remove(rows)) > 0) return paused.delete(rows.storeId)
      // The rows are locked, or another instance has deleted them.
      paused.set(rows.storeId, { untilMs: Date.now() + everyMs, pauseMs: everyMs })
    },
    postpone: async ({ storeId }) => pause(storeId),
    describe: ({ storeId, waiting }) => ({ storeNumber: storeId, rows: waiting }),
  }
}

/** A cleanup job for rows that are found by their age alone. */
export const deleteJob = (db: Queries, name: string, rows: Deletable): JobKind<DueRows> =>
  cleanupJob({
    name,
    find: (exceptStores) => findDueRows(db, rows, exceptStores),
    remove: ({ storeId, rowIds }) => deleteDueRows(db, rows, storeId, rowIds),
  })
