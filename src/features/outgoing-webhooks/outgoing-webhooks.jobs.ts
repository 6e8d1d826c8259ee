import { seconds } from '../../core/clock.ts'
import { createLru } from '../../core/lru.ts'
import type { Queries } from '../../db/database.ts'
import { cleanupJob, deleteJob } from '../../jobs/cleanup-job.ts'
import { FollowedBy, type JobKind } from '../../jobs/job-kind.ts'
import { pollStoresInTurn } from '../../jobs/poll-stores.ts'
import { readStore } from '../access/directory.ts'
import type { OutgoingWebhooks, Store, StoreId } from '../context.ts'
import { countWaitingStores, findWaitingStores, storesPerPoll } from './claim.sql.ts'
import { deletedEndpoints, oldWebhookAttempts, oldWebhookDeliveries } from './cleanup.sql.ts'
import { attemptDelivery, claimDueDeliveries, type DueDelivery, type WebhookServices } from './deliver.ts'
import { endDeliveries, findEndedStores } from './switch-off.sql.ts'

/** `cleanupDb` is for deletions. */
export const outgoingWebhookJobs = (services: WebhookServices, cleanupDb: Queries) => [
  webhookJob(services),
  switchedOffJob(cleanupDb, services.webhooks),
  deleteJob(cleanupDb, 'webhook-attempt-cleanup', oldWebhookAttempts),
  deleteJob(cleanupDb, 'webhook-delivery-cleanup', oldWebhookDeliveries),
  deleteJob(cleanupDb, 'webhook-endpoint-cleanup', deletedEndpoints),
]

/** Sends events to endpoints. An item is one attempt. */
const webhookJob = (services: WebhookServices): JobKind<DueDelivery> => {
  const storeOf = rememberStores(services.db)
  return {
    name: 'webhook',
    everyMs: seconds(1),
    // The endpoints of one store take at most 40 of these: twenty endpoints, and two requests to each.
    concurrency: 256,
    // A request has 15 seconds. With the 15 seconds of the claim it is within the 40 seconds of a claim.
    limitMs: seconds(25),
    // An endpoint takes two at a time.
    claimsAgain: true,
    findDue: pollStoresInTurn(storesPerPoll, async (after) =>
      (await services.db.isDistributed())
        ? countWaitingStores(services.db, after)
        : findWaitingStores(services.db, after),
    ),
    claim: async (storeId, limit) => {
      const claimed = await claimDueDeliveries(services.db, storeId, limit)
      if (claimed.length === 0) return []
      const store = await storeOf(storeId)
      const firstClaimedMs = performance.now()
      return claimed.map((delivery) => ({ ...delivery, store, firstClaimedMs }))
    },
    run: async (claim, signal, isStopping) => {
      const next = await attemptDelivery(services, claim, signal, isStopping)
      return next && new FollowedBy(next)
    },
    traceOf: ({ event }) => event?.trace ?? null,
    describe: ({ store, endpointId, id, event, attempts }) => ({
      ...{ storeId: store.publicId, endpointId },
      deliveryId: id,
      eventId: event?.id ?? '',
      attempt: attempts + 1,
    }),
  }
}

/** A busy store is claimed a hundred times a second, and its settings rarely change. */
const rememberStores = (db: Queries) => {
  const stores = createLru<StoreId, Promise<Store>>(1000, { ttl: seconds(1) })
  return (storeId: StoreId): Promise<Store> => {
    const known = stores.get(storeId)
    if (known !== undefined) return known
    const read = readStore(db, storeId)
    stores.set(storeId, read)
    read.catch(() => stores.delete(storeId))
    return read
  }
}

/**
 * Ends deliveries whose endpoint is off: those of a deleted endpoint, and the rest of a long queue of one that was
 * switched off.
 */
const switchedOffJob = (db: Queries, { onEnded }: Pick<OutgoingWebhooks, 'onEnded'>) =>
  cleanupJob({
    name: 'webhook-switched-off',
    find: (exceptStores) => findEndedStores(db, exceptStores),
    remove: async ({ storeId }) => {
      const ended = await endDeliveries(db, storeId)
      for (const one of ended) onEnded(one)
      return ended.reduce((sum, { endedDeliveries }) => sum + endedDeliveries, 0)
    },
  })
