import type { Queries } from '../src/db/database.ts'
import type { StoreId } from '../src/features/context.ts'
import { claimShipmentsToTrack, findShipmentsToTrack } from '../src/features/delivery/carrier-shipments.sql.ts'
import { claimExpiredOrders, findExpiredOrders } from '../src/features/orders/expiry.sql.ts'
import { findLeftOverEvents, listLeftOverEvents, listMismatches } from '../src/features/payments/inbox.sql.ts'
import {
  claimLatePayments,
  claimPaymentsToCheck,
  findLatePayments,
  findPaymentsToCheck,
} from '../src/features/payments/payment-jobs.sql.ts'
import { claimDueRefunds, findDueRefunds } from '../src/features/payments/refunds.sql.ts'

type JobStatement = [work: () => Promise<unknown>, ...indexes: string[]]

/** How jobs find due work by its time and claim the work of a store, with the indexes that they use. */
export const jobStatements = (db: Queries, storeId: StoreId): JobStatement[] => [
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
]
