import { minutes, seconds } from '../../core/clock.ts'
import type { Db, Queries, Tx } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { Store } from '../context.ts'
import { expireFile, oldJobFiles } from './job-files.sql.ts'
import * as sql from './merchant-jobs.sql.ts'
import { merchantJobName } from './merchant-jobs.ts'

export type Step = sql.Progress & { isFinished: boolean }

/** Does the next part of a job, in a transaction of a second or so. The caller notes the progress in it. */
export type JobStep = (tx: Tx, store: Store, job: sql.MerchantJob) => Promise<Step>

/** `ended` finishes the job. */
export type NotedProgress = sql.Progress & { ended?: 'done' | 'failed' }

export type RunningJob = {
  /** For the work of this store. */
  db: Db
  store: Store
  job: sql.MerchantJob
  /** Other jobs have their turn, or the instance stops. The job goes on later. */
  mustPause(): boolean
  /** Notes the progress in the transaction of the work. Throws `JobLost` if this instance may not go on. */
  note(tx: Tx, progress: NotedProgress): Promise<void>
}

/** Works on a job until it is finished or must pause. */
export type JobWork = (running: RunningJob) => Promise<void>

/** The job was cancelled, or its claim has expired and another instance has it. */
export class JobLost extends Error {
  override name = 'JobLost'
}

export const inSteps =
  (step: JobStep): JobWork =>
  async ({ db, store, job, mustPause, note }) => {
    for (let current = job; !mustPause(); ) {
      const { isFinished, ...progress } = await db.tx(async (tx) => {
        const made = await step(tx, store, current)
        await note(tx, { ...made, ...(made.isFinished ? { ended: 'done' } : {}) })
        return made
      })
      if (isFinished) return
      current = { ...current, ...progress, faults: [] }
    }
  }

const maxAttempts = 5

/** A turn of a job. Long enough that opening a large file again is a small part of it. */
const turnMs = minutes(1)

/** `works` has a function for each type of job. */
export const merchantJobs = (db: Db, cleanupDb: Queries, works: Readonly<Record<string, JobWork>>) => [
  merchantJob(db, works),
  deleteJob(cleanupDb, 'merchant-job-cleanup', sql.oldMerchantJobs),
  deleteJob(cleanupDb, 'job-file-cleanup', oldJobFiles),
]

const merchantJob = (db: Db, works: Readonly<Record<string, JobWork>>): JobKind<sql.ClaimedJob> => ({
  name: merchantJobName,
  everyMs: seconds(1),
  concurrency: 4,
  // A claim lasts a minute, and every note renews it.
  limitMs: turnMs + seconds(30),
  findDue: () => sql.findStoresWithJobs(db),
  claim: (storeId, limit) => sql.claimJobs(db, storeId, limit),
  run: async (claimed, signal, isStopping) => {
    const { storeId, storePublicId, id, type } = claimed
    const work = works[type]
    if (work === undefined) throw new Error(`there is no job of type ${type}`)
    const ofStore = db.forStore(storeId)
    const job = await sql.findJob(ofStore, storeId, id)
    const store = await findStoreByPublicId(ofStore, storePublicId)
    if (job === undefined || store === undefined) throw new Error(`there is no job ${id} or no store ${storePublicId}`)
    const endAt = Date.now() + turnMs
    const mustPause = () => signal.aborted || isStopping() || Date.now() > endAt
    try {
      await work({ db: ofStore, store, job, mustPause, note: (tx, progress) => noteStep(tx, claimed, progress) })
    } catch (error) {
      if (error instanceof JobLost) return
      throw error
    }
    await sql.postponeJob(ofStore, storeId, id, 0)
  },
  postpone: ({ storeId, id, attempts }) =>
    attempts >= maxAttempts
      ? sql.giveUpJob(db, storeId, id, serviceFault)
      : sql.postponeJob(db, storeId, id, minutes(1) * attempts),
  describe: ({ storePublicId, id, type, attempts }) => ({ storeId: storePublicId, jobId: id, type, attempt: attempts }),
})

const serviceFault = { line: 0, field: 'job', message: 'could not be finished because of an error of the service' }

/** The row is locked first: a cancelled job does no further step, and two instances never do the same one. */
const noteStep = async (tx: Tx, claimed: sql.ClaimedJob, { ended, ...progress }: NotedProgress) => {
  const { storeId, id } = claimed
  const job = await sql.lockRunningJob(tx, claimed)
  if (job === undefined) throw new JobLost(`job ${id} was cancelled or taken over`)
  await sql.noteProgress(tx, storeId, id, progress)
  if (ended === undefined) return
  await sql.finishJob(tx, storeId, id, ended)
  await expireFile(tx, storeId, id)
}
