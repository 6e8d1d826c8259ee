import { seconds } from '../../core/clock.ts'
import type { Db } from '../../db/database.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { type CategoryToReindex, claimCategories, findStoresToReindex } from './category-words.sql.ts'
import { reindexCategory } from './category-words.ts'

export const catalogJobs = (db: Db): [JobKind<CategoryToReindex>] => [
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
]
