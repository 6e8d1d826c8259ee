import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import { expiredGuestCarts } from './cleanup.sql.ts'

export const cartJobs = (db: Queries) => [deleteJob(db, 'guest-cart-cleanup', expiredGuestCarts)]
