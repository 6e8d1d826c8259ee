import { minutes, seconds } from '../../core/clock.ts'
import type { Queries } from '../../db/database.ts'
import { deleteJob } from '../../jobs/cleanup-job.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import * as sql from './carrier-shipments.sql.ts'
import { type CarrierCtx, carrierJobLimitMs } from './carriers.ts'
import { oldDeliveryEvents } from './cleanup.sql.ts'
import { trackShipment } from './shipment-actions.ts'

type TrackingServices = Omit<CarrierCtx, 'store' | 'carrierCalls'>

/** `cleanupDb` is for deletions. */
export const deliveryJobs = (services: TrackingServices, cleanupDb: Queries) => [
  trackingJob(services),
  deleteJob(cleanupDb, 'delivery-event-cleanup', oldDeliveryEvents),
]

/** Asks carriers about shipments under way that no webhook has come for, in case webhooks were lost. */
const trackingJob = (services: TrackingServices): JobKind<sql.DueShipment> => ({
  name: 'tracking',
  everyMs: minutes(1),
  concurrency: 4,
  // Shorter than the minute of a claim, with the time that the claim itself may take.
  limitMs: seconds(45),
  findDue: () => sql.findShipmentsToTrack(services.db),
  claim: (storeId, limit) => sql.claimShipmentsToTrack(services.db, storeId, limit),
  run: async ({ storeId, id }, signal) => {
    const store = await findStoreByPublicId(services.db, storeId)
    if (store === undefined) throw new Error(`there is no store ${storeId}`)
    await trackShipment({ ...services, store, carrierCalls: { limitMs: carrierJobLimitMs, signal } }, id)
  },
  postpone: (shipment) => sql.postponeTracking(services.db, shipment),
  describe: ({ storeId, orderId, id, attempt }) => ({ storeId, orderId, shipmentId: id, attempt }),
})
