import { minutes, seconds } from '../../core/clock.ts'
import type { Db, Queries, Tx } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { Store } from '../context.ts'
import * as sql from './merchant-jobs.sql.ts'
import { merchantJobName } from './merchant-jobs.ts'

export type Step = sql.Progress & { isFinished: boolean }

/** Does the next part of a job, in a transaction of a second or so. The caller notes the progress in it. */
export type JobStep = (tx: Tx, store: Store, job: sql.MerchantJob) => Promise<Step>

const maxAttempts = 5

/** `steps` has a function for each type of job. */
export const merchantJobs = (db: Db, cleanupDb: Queries, steps: Readonly<Record<string, JobStep>>) => [
  merchantJob(db, steps),
  deleteJob(cleanupDb, 'merchant-job-cleanup', sql.oldMerchantJobs),
]

const merchantJob = (db: Db, steps: Readonly<Record<string, JobStep>>): JobKind<sql.ClaimedJob> => ({
  name: merchantJobName,
  everyMs: seconds(1),
  concurrency: 4,
  // Shorter than the minute of a claim. Each step renews the claim, and what is left is claimed again.
  limitMs: seconds(40),
  findDue: () => sql.findStoresWithJobs(db),
  claim: (storeId, limit) => sql.claimJobs(db, storeId, limit),
  run: async (claimed, signal, isStopping) => {
    const ofStore = db.forStore(claimed.storeId)
    const step = steps[claimed.type]
    if (step === undefined) throw new Error(`there is no job of type ${claimed.type}`)
    const endAt = Date.now() + seconds(30)
    while (!signal.aborted) {
      const isFinished = await ofStore.tx((tx) => runStep(tx, step, claimed))
      if (isFinished) return
      if (isStopping() || Date.now() > endAt) return sql.postponeJob(ofStore, claimed.storeId, claimed.id, 0)
    }
  },
  postpone: ({ storeId, id, attempts }) =>
    attempts >= maxAttempts
      ? sql.finishJob(db, storeId, id, 'failed')
      : sql.postponeJob(db, storeId, id, minutes(1) * attempts),
  describe: ({ storePublicId, id, type, attempts }) => ({ storeId: storePublicId, jobId: id, type, attempt: attempts }),
})

/** The row is locked first: a cancelled job does no further step, and two instances never do the same one. */
const runStep = async (tx: Tx, step: JobStep, { storeId, storePublicId, id }: sql.ClaimedJob): Promise<boolean> => {
  const job = await sql.lockRunningJob(tx, storeId, id)
  if (job === undefined) return true
  const store = await findStoreByPublicId(tx, storePublicId)
  if (store === undefined) throw new Error(`there is no store ${storePublicId}`)
  const { isFinished, ...progress } = await step(tx, store, job)
  await sql.noteProgress(tx, storeId, id, progress)
  if (isFinished) await sql.finishJob(tx, storeId, id, 'done')
  return isFinished
}
