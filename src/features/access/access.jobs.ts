import type { Queries } from '../../db/database.ts'
import { cleanupJob, deleteJob } from '../../jobs/cleanup-job.ts'
import * as cleanup from './cleanup.sql.ts'
import { maxKeysPerStore } from './idempotency.ts'

export const accessJobs = (db: Queries) => [
  deleteJob(db, 'idempotency-key-cleanup', cleanup.expiredAnswers),
  cleanupJob({
    name: 'idempotency-key-limit',
    find: (exceptStores) => cleanup.findSurplusAnswers(db, maxKeysPerStore, exceptStores),
    remove: ({ storeId }) => cleanup.deleteSurplusAnswers(db, storeId, maxKeysPerStore),
  }),
]

/** Deletes guests without a cart or wishlist. Must come after the jobs that delete those: `runDue` runs jobs in order. */
export const guestJobs = (db: Queries) => [
  cleanupJob({
    name: 'guest-cleanup',
    find: (exceptStores) => cleanup.findDueGuests(db, exceptStores),
    remove: ({ storeId, guestIds }) => cleanup.deleteDueGuests(db, storeId, guestIds),
  }),
]
