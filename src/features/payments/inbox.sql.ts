import { erasedText } from '../../core/erased.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

export type PaymentOutcome =
  | 'applied'
  | 'ignored'
  | 'no_effect'
  | 'duplicate_payment'
  | 'mismatch'
  | 'unknown_order'
  | 'malformed'

/** What an event has changed. */
export type Applied = { outcome: PaymentOutcome; detail: string }

/**
 * `transaction` is kept for events that name no known order. `expected`: what the event will most likely change, so that it
 * is written once.
 */
export type NewPaymentEvent = {
  source: string
  eventId: string
  orderId: string | null
  transaction: string | null
  body: unknown
  expected?: Applied | undefined
}

/**
 * Claims an event for this transaction. Undefined if it was applied before. An event that could not be applied is
 * claimed again, since its order may exist by now or may have been corrected. Concurrent copies of one event wait here
 * until the first transaction ends.
 */
export const claimPaymentEvent = (tx: Tx, storeId: StoreId, event: NewPaymentEvent) => tx.maybeOne<{ id: number }>`
  insert into payment_event as e (store_id, provider, event_id, order_id, transaction_ref, body, received_at, outcome,
    detail)
  values (${storeId}, ${event.source}, ${event.eventId}, ${event.orderId},
    ${event.orderId === null ? event.transaction : null}, ${JSON.stringify(event.body)}::jsonb, vitrine_now(), ${event.expected?.outcome ?? 'claimed'},
    ${event.expected?.detail ?? ''})
  on conflict (store_id, provider, event_id) do update
  set order_id = excluded.order_id, transaction_ref = excluded.transaction_ref, body = excluded.body,
    outcome = excluded.outcome, detail = excluded.detail
  where e.outcome in ('unknown_order', 'mismatch', 'malformed')
  returning e.id`

export const finishEvent = (tx: Tx, storeId: StoreId, id: number, outcome: PaymentOutcome, detail: string) => tx.run`
  update payment_event set outcome = ${outcome}, detail = ${detail} where store_id = ${storeId} and id = ${id}`

export type InboxEvent = {
  id: number
  storeId: string
  source: string
  eventId: string
  orderId: string | null
  outcome: PaymentOutcome
  detail: string
  receivedAt: Date
  body: unknown
}

const eventColumns = sql`e.id, s.public_id as "storeId", e.provider as source, e.event_id as "eventId",
  e.order_id as "orderId", e.outcome, e.detail, e.received_at as "receivedAt", e.body`

/** Newest first. */
export const listEvents = (
  db: Queries,
  storeId: StoreId,
  { before = null, limit, ...filter }: EventFilter & { before?: number | null; limit: number },
) => db.many<InboxEvent>`
  select ${eventColumns} from payment_event e join store s on s.id = e.store_id
  where ${matching(storeId, filter)} and ${before === null ? sql`true` : sql`e.id < ${before}`}
  order by e.id desc
  limit ${limit}`

export type EventFilter = { orderId: string | null; outcome: string | null }

const matching = (storeId: StoreId, { orderId, outcome }: EventFilter) => sql`e.store_id = ${storeId}
  and ${orderId === null ? sql`true` : sql`e.order_id = ${orderId}`}
  and ${outcome === null ? sql`true` : sql`e.outcome = ${outcome}`}`

/** Counts up to `limit`. */
export const countEvents = async (db: Queries, storeId: StoreId, filter: EventFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (
      select from payment_event e where ${matching(storeId, filter)} limit ${limit}) found`
  ).found

export const readEvent = (db: Queries, id: number) => db.maybeOne<InboxEvent>`
  select ${eventColumns} from payment_event e join store s on s.id = e.store_id where e.id = ${id}`

/** The body was replaced when its customer was erased, so that it cannot be applied again. */
const isErased = sql`e.body = to_jsonb(${erasedText}::text)`

/** Events that named a payment before it was known. */
export const listWaitingEvents = (db: Queries, storeId: StoreId, transaction: string) => db.many<InboxEvent>`
  select ${eventColumns} from payment_event e join store s on s.id = e.store_id
  where e.store_id = ${storeId} and e.transaction_ref = ${transaction} and e.outcome = 'unknown_order'
    and not ${isErased}
  order by e.id limit 100`

/** Events whose payment is known by now, which were not applied because the process died in between. */
const paymentOf = (storeId: StoreId | Fragment) =>
  byKey(sql`select from payment p where p.store_id = ${storeId} and p.transaction_ref = e.transaction_ref`)
const isLeftOver = sql`e.transaction_ref is not null and e.outcome = 'unknown_order' and not ${isErased}`

export const findLeftOverEvents = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select e.store_id as "storeId", count(*) as waiting, min(e.received_at) as "oldestAt"
  from payment_event e cross join ${paymentOf(sql`e.store_id`)} p where ${isLeftOver}
  group by e.store_id order by "oldestAt" limit 1000`

export const listLeftOverEvents = (db: Queries, storeId: StoreId, limit: number) => db.many<InboxEvent>`
  select ${eventColumns} from payment_event e join store s on s.id = e.store_id cross join ${paymentOf(storeId)} p
  where e.store_id = ${storeId} and ${isLeftOver}
  order by e.id limit ${limit}`

/** Refunds that the provider reported while too little of the payment seemed to be left. */
export const listMismatches = (db: Queries, storeId: StoreId, orderId: string) => db.many<InboxEvent>`
  select ${eventColumns} from payment_event e join store s on s.id = e.store_id
  where e.store_id = ${storeId} and e.order_id = ${orderId} and e.outcome = 'mismatch' and not ${isErased}
  order by e.id limit 100`

/** Locks an event that is replayed. Its order may be known by now. */
export const lockEvent = (tx: Tx, storeId: StoreId, id: number, orderId: string | null) => tx.run`
  update payment_event
  set order_id = ${orderId}, transaction_ref = case when ${orderId}::text is null then transaction_ref end
  where store_id = ${storeId} and id = ${id}`
