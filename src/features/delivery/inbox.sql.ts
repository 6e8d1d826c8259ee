import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { CarrierEvent } from './delivery.contract.ts'
import type { DeliveryOutcome, ReceivedBody } from './delivery.sql.ts'

/** `body`: a text if it was erased. */
export type DeliveryInboxEvent = {
  id: number
  storeId: string
  source: ReceivedBody['source']
  eventId: string
  orderId: string | null
  outcome: DeliveryOutcome
  receivedAt: Date
  body: CarrierEvent | string
}

const columns = sql`e.id, s.public_id as "storeId", e.source, e.event_id as "eventId", e.order_id as "orderId", e.outcome,
  e.received_at as "receivedAt", e.body`

export type DeliveryEventFilter = { orderId: string | null; outcome: string | null }

/** Parts that are not asked for are left out, so that each combination has a plan of its own. */
const matching = (storeId: StoreId, { orderId, outcome }: DeliveryEventFilter) => sql`e.store_id = ${storeId}
  ${orderId === null ? sql`` : sql`and e.order_id = ${orderId}`}
  ${outcome === null ? sql`` : sql`and e.outcome = ${outcome}`}`

/** Newest first. */
export const listDeliveryEvents = (
  db: Queries,
  storeId: StoreId,
  filter: DeliveryEventFilter,
  { before, limit }: { before: number | null; limit: number },
) => db.many<DeliveryInboxEvent>`
  select ${columns} from delivery_event e join store s on s.id = e.store_id
  where ${matching(storeId, filter)} ${before === null ? sql`` : sql`and e.id < ${before}`}
  order by e.id desc limit ${limit}`

/** Counts up to `limit`. */
export const countDeliveryEvents = async (db: Queries, storeId: StoreId, filter: DeliveryEventFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (
      select from delivery_event e where ${matching(storeId, filter)} limit ${limit}) found`
  ).found

export const readDeliveryEvent = (db: Queries, id: number) => db.maybeOne<DeliveryInboxEvent>`
  select ${columns} from delivery_event e join store s on s.id = e.store_id where e.id = ${id}`

/** Locks an event that is applied again, as a copy that arrives would. */
export const lockDeliveryEvent = (tx: Tx, storeId: StoreId, id: number) => tx.run`
  select from delivery_event where store_id = ${storeId} and id = ${id} for update`
