import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import * as cleanup from './cleanup.sql.ts'

export const accountJobs = (db: Queries) => [
  deleteJob(db, 'session-cleanup', cleanup.expiredSessions),
  deleteJob(db, 'otp-code-cleanup', cleanup.oldCodes),
  deleteJob(db, 'otp-request-cleanup', cleanup.oldCodeRequests),
  deleteJob(db, 'otp-count-cleanup', cleanup.oldCodeCounts),
  deleteJob(db, 'mail-token-cleanup', cleanup.expiredMailTokens),
  deleteJob(db, 'sign-in-failure-cleanup', cleanup.oldSignInFailures),
]
