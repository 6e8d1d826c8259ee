import type { Queries } from '../../db/database.ts'
import { cleanupJob } from '../../jobs/cleanup-job.ts'
import { deleteDueWishlistItems, findDueWishlistItems } from './cleanup.sql.ts'

export const wishlistJobs = (db: Queries) => [
  cleanupJob({
    name: 'guest-wishlist-cleanup',
    find: (exceptStores) => findDueWishlistItems(db, exceptStores),
    remove: ({ storeId, itemIds }) => deleteDueWishlistItems(db, storeId, itemIds),
  }),
]
