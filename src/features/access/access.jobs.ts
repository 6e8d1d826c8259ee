import type { Queries } from '../../db/database.ts'
import { cleanupJob, deleteJob } from '../../jobs/cleanup-job.ts'
import * as cleanup from './cleanup.sql.ts'
import { mostKeysOfStore } from './once.ts'

export const accessJobs = (db: Queries) => [
  deleteJob(db, 'idempotency-key-cleanup', cleanup.expiredAnswers),
  cleanupJob({
    name: 'idempotency-key-limit',
    find: (exceptStores) => cleanup.findSurplusAnswers(db, mostKeysOfStore, exceptStores),
    remove: ({ storeId }) => cleanup.deleteSurplusAnswers(db, storeId, mostKeysOfStore),
  }),
]

/** Deletes guests that have no cart and no wishlist left. Listed after the jobs that delete those, for `runDue`. */
export const guestJobs = (db: Queries) => [
  cleanupJob({
    name: 'guest-cleanup',
    find: (exceptStores) => cleanup.findDueGuests(db, exceptStores),
    remove: ({ storeId, guestIds }) => cleanup.deleteDueGuests(db, storeId, guestIds),
  }),
]
