import type { Db } from './db/database.ts'
import { accessJobs, guestJobs } from './features/access/access.jobs.ts'
import { accountJobs } from './features/accounts/accounts.jobs.ts'
import { makeResetToken, makeVerifyToken } from './features/accounts/mail-links.ts'
import { cartJobs } from './features/cart/cart.jobs.ts'
import { bulkJobType, runBulkStep } from './features/catalog/bulk-change.ts'
import { catalogCleanup, catalogJobs } from './features/catalog/catalog.jobs.ts'
import { exportJobType, runExportStep } from './features/catalog/import/export-job.ts'
import { importJobType, runImport } from './features/catalog/import/import-job.ts'
import type { Services } from './features/context.ts'
import { customerJobs } from './features/customers/customers.jobs.ts'
import { deliveryJobs } from './features/delivery/delivery.jobs.ts'
import { eventJobs } from './features/events/events.jobs.ts'
import type { MailLinks } from './features/mail/content.ts'
import { mailJobs } from './features/mail/mail.jobs.ts'
import { mediaJobs } from './features/media/media.jobs.ts'
import { inSteps, merchantJobs } from './features/merchant-jobs/merchant-jobs.jobs.ts'
import { outgoingWebhookJobs } from './features/outgoing-webhooks/outgoing-webhooks.jobs.ts'
import { paymentJobs } from './features/payments/payment.jobs.ts'
import { reportJobs } from './features/reports/reports.jobs.ts'
import { staffJobs } from './features/staff/staff.jobs.ts'
import { storeJobs } from './features/stores/stores.jobs.ts'
import { wishlistJobs } from './features/wishlist/wishlist.jobs.ts'
import type { JobKind } from './jobs/job-kind.ts'

/** Every kind of job. `runDue` runs them in this order: guests are deleted after their carts and wishlists. */
export const listJobKinds = (services: Services, db: Db): JobKind<unknown>[] => {
  const cleanup = db.forWork('cleanup')
  return [
    ...paymentJobs({ ...services, db: db.forWork('jobs') }, cleanup),
    ...storeJobs(cleanup),
    ...deliveryJobs({ ...services, db: db.forWork('jobs') }, cleanup),
    ...catalogJobs(db.forWork('jobs')),
    ...catalogCleanup(cleanup),
    ...merchantJobs(db.forWork('jobs'), cleanup, {
      [bulkJobType]: inSteps(runBulkStep),
      [importJobType]: runImport,
      [exportJobType]: inSteps(runExportStep),
    }),
    ...outgoingWebhookJobs({ ...services, db: db.forWork('messages') }, cleanup),
    ...reportJobs(cleanup),
    ...eventJobs(cleanup),
    ...mailJobs({ ...services, db: db.forWork('messages'), links: mailLinksOf(db.forWork('messages')) }, cleanup),
    ...mediaJobs({ ...services, db: cleanup }),
    ...accountJobs(cleanup),
    ...customerJobs(db.forWork('jobs')),
    ...staffJobs(cleanup),
    ...accessJobs(cleanup),
    ...cartJobs(cleanup),
    ...wishlistJobs(cleanup),
    ...guestJobs(cleanup),
  ]
}

const mailLinksOf = (db: Db): MailLinks => ({
  reset: (store, email) => makeResetToken(db, store, email),
  verify: (store, email, customerId) => makeVerifyToken(db, store, { email, customerId }),
})
