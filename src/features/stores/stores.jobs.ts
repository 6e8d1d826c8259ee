import { minutes, seconds } from '../../core/clock.ts'
import type { Db } from '../../db/database.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { applyThreshold } from '../catalog/stock-threshold.ts'
import { type ChangedThreshold, findChangedThresholds, noteThresholdApplied } from './low-stock.sql.ts'

export const storeJobs = (db: Db) => [thresholdJob(db)]

/** Gives the stock rows of a large store its new threshold of low stock. Doing it twice is harmless, so nothing is claimed. */
const thresholdJob = (db: Db): JobKind<ChangedThreshold> => {
  const found = new Map<number, ChangedThreshold>()
  return {
    name: 'low-stock-threshold',
    everyMs: seconds(5),
    // One of them for each store.
    concurrency: 2,
    limitMs: minutes(10),
    findDue: async () => {
      const due = await findChangedThresholds(db)
      found.clear()
      for (const store of due) found.set(store.storeId, store)
      return due
    },
    claim: async (storeId) => {
      const store = found.get(storeId)
      found.delete(storeId)
      return store === undefined ? [] : [store]
    },
    run: async ({ storeId, threshold }, signal) => {
      if (await applyThreshold(db, storeId, signal)) await noteThresholdApplied(db, storeId, threshold)
    },
    describe: ({ storeId }) => ({ storeNumber: storeId }),
  }
}
