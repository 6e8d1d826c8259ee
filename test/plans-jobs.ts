import type { Db } from '../src/db/database.ts'
import { claimCategories, findStoresToReindex } from '../src/features/catalog/category-words.sql.ts'
import { readStockChanges } from '../src/features/catalog/stock-feed.sql.ts'
import { countMoves, listMoves, listStock } from '../src/features/catalog/stock-list.sql.ts'
import { refreshStoreThreshold } from '../src/features/catalog/stock-threshold.sql.ts'
import type { StoreId } from '../src/features/context.ts'
import {
  compareCustomers,
  countCustomers,
  findFewCustomers,
  listCustomers,
  readListedCustomers,
} from '../src/features/customers/customer-list.sql.ts'
import { claimErasures, findDueErasures } from '../src/features/customers/erase.sql.ts'
import { claimShipmentsToTrack, findShipmentsToTrack } from '../src/features/delivery/carrier-shipments.sql.ts'
import { eraseUnmatchedDeliveryEvents } from '../src/features/delivery/erase.sql.ts'
import { claimDueMail, findMailingStores } from '../src/features/mail/mail.sql.ts'
import { claimDueMedia, findDueMedia, isSold } from '../src/features/media/collect.sql.ts'
import { countMedia, findMediumByHash, listMedia } from '../src/features/media/media.sql.ts'
import { claimJobs, findStoresWithJobs } from '../src/features/merchant-jobs/merchant-jobs.sql.ts'
import { lockOrdersToErase } from '../src/features/orders/erase.sql.ts'
import { claimExpiredOrders, findExpiredOrders } from '../src/features/orders/expiry.sql.ts'
import { countOrdersToDo } from '../src/features/orders/order-list.ts'
import { type AttemptResult, noteAndClaimNext, noteAttempt } from '../src/features/outgoing-webhooks/attempt.sql.ts'
import { claimDeliveries, findWaitingStores, lockDueEndpoints } from '../src/features/outgoing-webhooks/claim.sql.ts'
import {
  deliveryStates,
  listDeliveries,
  resetFailedDeliveries,
} from '../src/features/outgoing-webhooks/deliveries.sql.ts'
import { endDeliveries, findEndedStores } from '../src/features/outgoing-webhooks/switch-off.sql.ts'
import { erasePaymentEvents, eraseUnmatchedPaymentEvents } from '../src/features/payments/erase.sql.ts'
import { findLeftOverEvents, listLeftOverEvents, listMismatches } from '../src/features/payments/inbox.sql.ts'
import {
  claimLatePayments,
  claimPaymentsToCheck,
  findLatePayments,
  findPaymentsToCheck,
} from '../src/features/payments/payment-jobs.sql.ts'
import { claimDueRefunds, findDueRefunds } from '../src/features/payments/refunds.sql.ts'
import { listUses, pageCoupons } from '../src/features/pricing/coupons.sql.ts'
import { addToSums, findStoresWithEntries, readTaxes } from '../src/features/reports/sales.sql.ts'
import { splitMonths } from '../src/features/reports/sales.ts'
import { countReturns } from '../src/features/returns/returns.sql.ts'
import { findChangedThresholds } from '../src/features/stores/low-stock.sql.ts'

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

const picturePath = `/media/store_1/${'f'.repeat(32)}-10x10.png`

const webhookClaim = { id: 'dlv_1', claimedUntil: new Date() }

/** `a|b`: one of the two. */
type JobStatement = [work: () => Promise<unknown>, ...indexes: string[]]

/** The list of an operator, with all combinations of its filters. */
const deliveryLists = (db: Db, storeId: StoreId): JobStatement[] =>
  [null, 'dlv_1'].flatMap((before) =>
    [null, 'whk_1'].flatMap((endpointId) =>
      [null, ...deliveryStates].map(
        (state): JobStatement => [
          () => listDeliveries(db, storeId, { endpointId, state, before, limit: 20 }),
          ...(endpointId === null && state === null
            ? ['webhook_delivery_pkey']
            : ['webhook_delivery_list', 'webhook_delivery_sending']),
        ],
      ),
    ),
  )

const everyCustomer = { from: null, to: null, hasOrders: null, isErased: false }
const withPrefix = { text: 'a', digits: ['91'] }
const newest = { after: null, isOldestFirst: false, limit: 20 }

/** The lists of customers, coupons and events of carriers, and the steps of an erasure. */
const customerStatements = (db: Db, storeId: StoreId): JobStatement[] => [
  [() => listCustomers(db, storeId, everyCustomer, newest), 'customer_by_age', 'orders_of_customer'],
  ...[true, false].flatMap((hasOrders): JobStatement[] => [
    [() => listCustomers(db, storeId, { ...everyCustomer, hasOrders }, newest), 'customer_by_orders'],
    [() => countCustomers(db, storeId, { ...everyCustomer, hasOrders }, 10_001), 'customer_by_orders'],
    [() => compareCustomers(db, storeId, withPrefix, { ...everyCustomer, hasOrders }, newest), 'customer_by_orders'],
  ]),
  [() => listCustomers(db, storeId, { ...everyCustomer, isErased: true }, newest), 'customer_erased'],
  [() => countCustomers(db, storeId, everyCustomer, 10_001), 'customer_by_age|customer_by_orders'],
  [() => compareCustomers(db, storeId, withPrefix, everyCustomer, newest), 'customer_by_age'],
  [
    () => findFewCustomers(db, storeId, withPrefix, everyCustomer, { ...newest, maxFound: 100 }),
    ...['customer_by_name', 'customer_by_contact_email', 'customer_by_phone', 'customer_by_contact_phone'],
  ],
  [() => readListedCustomers(db, storeId, ['cus_1']), 'customer_pkey', 'orders_of_customer'],
  [() => pageCoupons(db, storeId, { prefix: null, isActive: true }, { before: null, limit: 20 }), 'coupon_by_age'],
  [() => listUses(db, storeId, 'cpn_1', { before: null, limit: 20 }), 'orders_of_coupon'],
  [() => findDueErasures(db), 'erasure_due|erasure_due_of_store'],
  [() => claimErasures(db, storeId, 2), 'erasure_due_of_store|erasure_due'],
  [() => db.tx((tx) => lockOrdersToErase(tx, storeId, 'cus_1', { after: 0, limit: 50 })), 'orders_of_customer'],
  [
    () => db.tx((tx) => erasePaymentEvents(tx, storeId, ['ord_1'], ['asha'])),
    ...['payment_event_of_order', 'payment_event_waiting'],
  ],
  [() => eraseUnmatchedPaymentEvents(db, storeId, ['asha'], { after: 0, limit: 100 }), 'payment_event_unmatched'],
  [() => eraseUnmatchedDeliveryEvents(db, storeId, ['asha'], { after: 0, limit: 100 }), 'delivery_event_unmatched'],
]

/** The counts of what there is to do, besides those of lists. */
const countsToDo = (db: Db, storeId: StoreId): JobStatement[] => [
  [() => countOrdersToDo(db, { id: storeId }, 10_001), 'orders_list', 'orders_to_ship'],
  [
    () => countReturns(db, storeId, { status: 'requested', orderId: null, from: null, to: null }, 10_001),
    'order_return_by_status',
  ],
]

/** The lists of stock and of its ledger, with the filters that decide on the plan. */
const stockLists = (db: Db, storeId: StoreId): JobStatement[] => {
  const all = { outletId: null, variantId: null, sku: null, productId: null, words: null, stock: null }
  const after = { variantId: 'var_1', outletId: 1 }
  const moves = { variantId: 'var_1', outletId: null, cause: null, from: null, to: null }
  return [
    [() => listStock(db, storeId, all, { after, limit: 20 }), 'variant_pkey'],
    [() => listStock(db, storeId, { ...all, sku: 'MUG' }, { after: null, limit: 20 }), 'variant_by_sku'],
    [() => listStock(db, storeId, { ...all, stock: 'low' }, { after, limit: 20 }), 'stock_low'],
    [() => listStock(db, storeId, { ...all, stock: 'out' }, { after, limit: 20 }), 'stock_low'],
    [() => listMoves(db, storeId, moves, { before: 1, limit: 20 }), 'stock_move_pkey'],
    [() => countMoves(db, storeId, moves, 10_001), 'stock_move_pkey'],
    [() => readStockChanges(db, '700:700:'), 'stock_move_by_transaction', 'variant_pkey'],
  ]
}

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
  [() => listMismatches(db, storeId, 'ord_1'), 'payment_event_mismatched|payment_event_of_order'],
  // The planner sees little difference between the two: either finds only what is due.
  [() => findShipmentsToTrack(db), 'shipment_to_track|shipment_to_track_of_store'],
  [() => claimShipmentsToTrack(db, storeId, 4), 'shipment_to_track_of_store'],
  [() => findWaitingStores(db, 0), 'webhook_delivery_due'],
  [() => db.tx((tx) => lockDueEndpoints(tx, storeId)), 'webhook_delivery_of_endpoint'],
  [() => db.tx((tx) => claimDeliveries(tx, storeId, ['whk_1'], 4)), 'webhook_delivery_sending'],
  [() => noteAttempt(db, storeId, webhookClaim, webhookResult), 'webhook_delivery_pkey'],
  [
    () => noteAndClaimNext(db, storeId, webhookClaim, { ...webhookResult, state: 'delivered', isFailure: false }),
    ...['webhook_delivery_pkey', 'webhook_delivery_of_endpoint'],
  ],
  [() => findEndedStores(db, []), 'webhook_delivery_of_endpoint'],
  [() => endDeliveries(db, storeId), 'webhook_delivery_of_endpoint'],
  [() => db.tx((tx) => resetFailedDeliveries(tx, storeId, null, '')), 'webhook_delivery_failed'],
  ...deliveryLists(db, storeId),
  [() => findStoresWithEntries(db, []), 'sale_entry_pkey'],
  [() => addToSums(db, storeId), 'sale_entry_pkey'],
  [
    () =>
      readTaxes(db, storeId, splitMonths({ from: new Date('2026-01-01T05:00Z'), to: new Date('2026-03-09T07:00Z') })),
    'refund_by_time',
  ],
  // A table of stores is small, and a scan of it is as good.
  [() => findChangedThresholds(db)],
  [() => db.tx((tx) => refreshStoreThreshold(tx, storeId, 'var_1')), 'stock_pkey'],
  ...stockLists(db, storeId),
  ...countsToDo(db, storeId),
  [() => findStoresToReindex(db), 'category_to_reindex'],
  [() => claimCategories(db, storeId, 4), 'category_to_reindex'],
  [() => findStoresWithJobs(db), 'merchant_job_due'],
  [() => claimJobs(db, storeId, 4), 'merchant_job_due'],
  [() => findMailingStores(db, 'order', 0), 'mail_of_store_due'],
  [() => claimDueMail(db, storeId, 'order', 4), 'mail_of_store_due'],
  [() => findMailingStores(db, 'reset', 0), 'mail_of_store_due'],
  ...customerStatements(db, storeId),
  [() => findDueMedia(db), 'media_due|media_due_of_store'],
  [() => claimDueMedia(db, storeId, 4), 'media_due_of_store|media_due'],
  [() => db.tx((tx) => isSold(tx, storeId, picturePath)), 'order_line_media'],
  [() => findMediumByHash(db, storeId, 'f'.repeat(32)), 'media_store_id_hash_key'],
  [() => listMedia(db, storeId, { q: null }, { before: null, limit: 20 }), 'media_pkey'],
  [() => listMedia(db, storeId, { q: 'mug' }, { before: 'med_1', limit: 20 }), 'media_pkey'],
  [() => countMedia(db, storeId, { q: null }, 10_001)],
]
