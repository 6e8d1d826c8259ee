import { minutes, seconds } from '../../core/clock.ts'
import type { Db } from '../../db/database.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import * as sql from './erase.sql.ts'
import { carryOut, erasureJob } from './erase.ts'

/** Goes on with erasures that a request has not finished, and looks again at those that it has. */
export const customerJobs = (db: Db): JobKind<sql.DueErasure>[] => [
  {
    name: erasureJob,
    everyMs: minutes(1),
    concurrency: 2,
    // Shorter than the minute of a claim, with the time that the claim itself may take.
    limitMs: seconds(45),
    findDue: () => sql.findDueErasures(db),
    claim: (storeId, limit) => sql.claimErasures(db, storeId, limit),
    run: async ({ storeId, customerId }, signal, isStopping) => {
      const store = await findStoreByPublicId(db, storeId)
      if (store === undefined) throw new Error(`there is no store ${storeId}`)
      const until = performance.now() + workMs
      const isToStop = () => signal.aborted || isStopping() || performance.now() >= until
      await carryOut({ db, store }, customerId, isToStop)
    },
    postpone: (erasure) => sql.postponeErasure(db, erasure),
    describe: ({ storeId, customerId, attempt }) => ({ storeId, customerId, attempt }),
  },
]

/** The rest follows when the claim has expired. */
const workMs = seconds(30)
