import type { Queries } from '../../db/database.ts'
import { cleanupJob } from '../../jobs/cleanup-job.ts'
import { deleteDueWishes, findDueWishes } from './cleanup.sql.ts'

export const wishlistJobs = (db: Queries) => [
  cleanupJob({
    name: 'guest-wishlist-cleanup',
    find: (exceptStores) => findDueWishes(db, exceptStores),
    remove: ({ storeId, wishIds }) => deleteDueWishes(db, storeId, wishIds),
  }),
]
