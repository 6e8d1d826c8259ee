import { seconds } from '../../core/clock.ts'
import type { Db, Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import type { OutletRef } from './catalog.sql.ts'
import { type CategoryToReindex, claimCategories, findStoresToReindex } from './category-words.sql.ts'
import { reindexCategory } from './category-words.ts'
import { oldListingChanges } from './listing-change.sql.ts'
import { claimStoreToCount, findStoresToCount } from './word-counts.sql.ts'
import { countStoreWords } from './word-counts.ts'

export const catalogCleanup = (db: Queries) => [deleteJob(db, 'listing-change-cleanup', oldListingChanges)]

export const catalogJobs = (db: Db): [JobKind<CategoryToReindex>, JobKind<OutletRef>] => [
  {
    name: 'category-words',
    everyMs: seconds(1),
    concurrency: 2,
    // Shorter than the minute of a claim. What is left is claimed again.
    limitMs: seconds(40),
    findDue: () => findStoresToReindex(db),
    claim: (storeId, limit) => claimCategories(db, storeId, limit),
    run: (category, signal) => reindexCategory(db.forStore(category.storeId), category, signal),
    describe: ({ storeId, categoryId }) => ({ store: storeId, categoryId }),
  },
  {
    name: 'word-counts',
    everyMs: seconds(10),
    concurrency: 2,
    // Shorter than the two minutes of a claim.
    limitMs: seconds(60),
    findDue: () => findStoresToCount(db),
    claim: (storeId) => claimStoreToCount(db, storeId),
    run: (outlet, signal) => countStoreWords(db.forStore(outlet.storeId), outlet, signal),
    describe: ({ storeId }) => ({ store: storeId }),
  },
]
