import type { Queries } from '../../db/database.ts'
import { cleanupJob } from '../../jobs/cleanup-job.ts'
import { countExpired, deleteExpiredLinks, deleteExpiredStaffSessions, deleteOldStaffFailures } from './cleanup.sql.ts'

/** Staff belong to no store. Jobs take turns by store, and this one has the number 0, which no store has. */
const noStore = 0

export const staffJobs = (db: Queries) => [
  cleanupJob({
    name: 'staff-cleanup',
    find: async (exceptStores) => {
      const { waiting, oldestAt } = await countExpired(db)
      return oldestAt === null || exceptStores.includes(noStore) ? [] : [{ storeId: noStore, waiting, oldestAt }]
    },
    remove: async () =>
      (await deleteExpiredStaffSessions(db)) + (await deleteExpiredLinks(db)) + (await deleteOldStaffFailures(db)),
  }),
]
