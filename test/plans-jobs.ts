import type { Db } from '../src/db/database.ts'
import type { StoreId } from '../src/features/context.ts'
import { claimShipmentsToTrack, findShipmentsToTrack } from '../src/features/delivery/carrier-shipments.sql.ts'
import { claimDueMail, findMailingStores } from '../src/features/mail/mail.sql.ts'
import { claimExpiredOrders, findExpiredOrders } from '../src/features/orders/expiry.sql.ts'
import { type AttemptResult, noteAttempt } from '../src/features/outgoing-webhooks/attempt.sql.ts'
import { claimDeliveries, findWaitingStores, lockDueEndpoints } from '../src/features/outgoing-webhooks/claim.sql.ts'
import { listDeliveries, resetFailedDeliveries } from '../src/features/outgoing-webhooks/deliveries.sql.ts'
import { endDeliveries, findEndedStores } from '../src/features/outgoing-webhooks/switch-off.sql.ts'
import { findLeftOverEvents, listLeftOverEvents, listMismatches } from '../src/features/payments/inbox.sql.ts'
import {
  claimLatePayments,
  claimPaymentsToCheck,
  findLatePayments,
  findPaymentsToCheck,
} from '../src/features/payments/payment-jobs.sql.ts'
import { claimDueRefunds, findDueRefunds } from '../src/features/payments/refunds.sql.ts'

const webhookResult: AttemptResult = {
  ...{
    state: 'waiting',
    retryInMs: 1,
    isFailure: true,
    pauseMs: 0,
    status: null,
    durationMs: 1,
    error: 'no',
    answer: '',
  },
}

type JobStatement = [work: () => Promise<unknown>, ...indexes: string[]]

/** How jobs find due work by its time and claim the work of a store, with the indexes that they use. */
export const jobStatements = (db: Db, storeId: StoreId): JobStatement[] => [
  [() => findExpiredOrders(db), 'orders_due'],
  [() => claimExpiredOrders(db, storeId, 4), 'orders_due_of_store'],
  [() => findDueRefunds(db), 'refund_due'],
  [() => claimDueRefunds(db, storeId, 4), 'refund_due_of_store'],
  [() => findPaymentsToCheck(db), 'payment_to_ask'],
  [() => claimPaymentsToCheck(db, storeId, 4), 'payment_to_ask_of_store'],
  [() => findLatePayments(db)],
  [() => claimLatePayments(db, storeId, 4), 'payment_to_check_late_of_store'],
  [() => findLeftOverEvents(db)],
  [() => listLeftOverEvents(db, storeId, 4), 'payment_event_waiting'],
  [() => listMismatches(db, storeId, 'ord_1'), 'payment_event_mismatched'],
  [() => findShipmentsToTrack(db), 'shipment_to_track'],
  [() => claimShipmentsToTrack(db, storeId, 4), 'shipment_to_track_of_store'],
  [() => findWaitingStores(db, 0), 'webhook_delivery_due'],
  [() => db.tx((tx) => lockDueEndpoints(tx, storeId)), 'webhook_delivery_of_endpoint'],
  [() => db.tx((tx) => claimDeliveries(tx, storeId, ['whk_1'], 4)), 'webhook_delivery_sending'],
  [() => noteAttempt(db, storeId, { id: 'dlv_1', claimedUntil: new Date() }, webhookResult), 'webhook_delivery_pkey'],
  [() => findEndedStores(db, []), 'webhook_delivery_of_endpoint'],
  [() => endDeliveries(db, storeId), 'webhook_delivery_of_endpoint'],
  [() => db.tx((tx) => resetFailedDeliveries(tx, storeId, null, '')), 'webhook_delivery_failed'],
  [() => listDeliveries(db, storeId, { endpointId: null, state: 'failed', before: null, limit: 20 })],
  [() => listDeliveries(db, storeId, { endpointId: null, state: null, before: null, limit: 20 })],
  [() => findMailingStores(db, 'order', 0), 'mail_of_store_due'],
  [() => claimDueMail(db, storeId, 'order', 4), 'mail_of_store_due'],
  [() => findMailingStores(db, 'reset', 0), 'mail_of_store_due'],
]
