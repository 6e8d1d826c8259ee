import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import { oldDeliveryEvents } from './cleanup.sql.ts'

export const deliveryJobs = (db: Queries) => [deleteJob(db, 'delivery-event-cleanup', oldDeliveryEvents)]
