import type { Queries } from '../../db/database.ts'
import { cleanupJob } from '../../jobs/cleanup-job.ts'
import type { StoreId } from '../context.ts'
import { addToSums, countStoresWithEntries, entriesPerBatch, findStoresWithEntries } from './sales.sql.ts'

/** Adds new sales to the sums that reports read. Until then reports read them one by one. */
export const reportJobs = (db: Queries) => [
  cleanupJob({
    name: 'sales-sums',
    find: async (exceptStores) =>
      (await db.isDistributed()) ? countStoresWithEntries(db, exceptStores) : findStoresWithEntries(db, exceptStores),
    remove: ({ storeId }) => addAll(db, storeId),
  }),
]

const maxBatches = 40

const addAll = async (db: Queries, storeId: StoreId): Promise<number> => {
  let sum = 0
  for (let batch = 0; batch < maxBatches; batch++) {
    const { added } = await addToSums(db, storeId)
    sum += added
    if (added < entriesPerBatch) break
  }
  return sum
}
