import { seconds } from '../../core/clock.ts'
import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { pollStoresInTurn } from '../../jobs/poll-stores.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { type MailLane, mailJobNames } from '../events/messages.ts'
import type { MailCtx } from './content.ts'
import {
  claimDueMail,
  countMailingStores,
  findMailingStores,
  mailStoresPerPoll,
  oldMail,
  type QueuedMail,
} from './mail.sql.ts'
import { postponeOrFail, sendMail } from './send-mail.ts'

export type MailServices = Omit<MailCtx, 'store'>

/** `cleanupDb` is for deletions. */
export const mailJobs = (services: MailServices, cleanupDb: Queries) => [
  mailJob(services, 'order', 8),
  mailJob(services, 'code', 4),
  mailJob(services, 'reset', 4),
  deleteJob(cleanupDb, 'mail-cleanup', oldMail),
]

/** Together the lanes have as many slots as the SMTP sender has connections, so that no mail waits in it for another. */
const mailJob = (services: MailServices, lane: MailLane, concurrency: number): JobKind<QueuedMail> => ({
  name: mailJobNames[lane],
  everyMs: seconds(1),
  concurrency,
  // Shorter than the minute of a claim, with the time that the claim itself may take.
  limitMs: seconds(45),
  findDue: pollStoresInTurn(mailStoresPerPoll, async (after) =>
    (await services.db.isDistributed())
      ? countMailingStores(services.db, lane, after)
      : findMailingStores(services.db, lane, after),
  ),
  claim: (storeId, limit) => claimDueMail(services.db, storeId, lane, limit),
  run: async (mail, signal) => {
    const store = await findStoreByPublicId(services.db, mail.storeId)
    if (store === undefined) throw new Error(`there is no store ${mail.storeId}`)
    await sendMail({ ...services, store }, mail, signal)
  },
  postpone: (mail, error) => postponeOrFail(services, mail, error),
  describe: ({ storeId, id, message, attempts }) => ({ storeId, mailId: id, message, attempt: attempts }),
})
