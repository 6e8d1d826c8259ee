import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import { oldEvents } from './cleanup.sql.ts'

/** Runs after the cleanup of deliveries, which keep their event. */
export const eventJobs = (db: Queries) => [deleteJob(db, 'event-cleanup', oldEvents)]
