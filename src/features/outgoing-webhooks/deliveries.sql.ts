import type { Queries, Tx } from '../../db/database.ts'
import { byKey, literalLimit } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { testEventType } from '../events/events.contract.ts'

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

export type DeliveryRow = {
  id: string
  endpointId: string
  eventId: string
  /** Null if the event was deleted. */
  type: string | null
  state: DeliveryState
  attempts: number
  /** When it is tried next. */
  nextAt: Date
  createdAt: Date
  finishedAt: Date | null
  lastAttempt: LastAttempt | null
}

/** `status` is null if there was no answer. `error` is empty if it succeeded. */
export type LastAttempt = { at: string; status: number | null; durationMs: number; error: string; answer: string }

export type DeliveryFilter = {
  endpointId: string | null
  state: DeliveryState | null
  /** Only deliveries that are older than this one. */
  before: string | null
  limit: number
}

/** Shows the deliveries whose ids `page` selects, newest first. Looks them up by key, so that no whole table is joined. */
const showDeliveries = (storeId: StoreId, page: Fragment) => sql`
  select d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", e.type, d.state, d.attempts, d.next_at as "nextAt",
    d.created_at as "createdAt", d.finished_at as "finishedAt",
    (select json_build_object('at', a.at, 'status', a.status, 'durationMs', a.duration_ms, 'error', a.error,
       'answer', a.answer)
     from webhook_attempt a where a.store_id = ${storeId} and a.delivery_id = d.id
     order by a.at desc limit 1) as "lastAttempt"
  from (${page}) p
  cross join ${byKey(sql`select d.* from webhook_delivery d where d.store_id = ${storeId} and d.id = p.id`)} d
  left join ${byKey(sql`select e.type from event e where e.store_id = ${storeId} and e.id = d.event_id`)} e on true
  order by d.id desc`

export const listDeliveries = (db: Queries, storeId: StoreId, filter: DeliveryFilter) => db.many<DeliveryRow>`
  ${showDeliveries(storeId, findDeliveries(storeId, filter))}`

/** Counts up to the limit of the filter. */
export const countDeliveries = async (db: Queries, storeId: StoreId, filter: DeliveryFilter) =>
  (await db.one<{ found: number }>`select count(*) as found from (${findDeliveries(storeId, filter)}) found`).found

const findDeliveries = (storeId: StoreId, { endpointId, state, before, limit }: DeliveryFilter): Fragment => {
  const older = before === null ? sql`true` : sql`d.id < ${before}`
  const newest = sql`order by d.id desc limit ${limit}`
  if (endpointId === null && state === null) {
    return sql`select d.id from webhook_delivery d where d.store_id = ${storeId} and ${older} ${newest}`
  }
  // Merges the newest of each endpoint and state. Reading all deliveries until enough match takes a second per million.
  const endpoints =
    endpointId === null
      ? sql`select w.id from webhook_endpoint w where w.store_id = ${storeId}`
      : sql`select ${endpointId}::text as id`
  return sql`
    select d.id from (${endpoints}) w
    cross join unnest(${state === null ? deliveryStates : [state]}::text[]) s (state)
    cross join lateral (
      (select d.id from webhook_delivery d
       where d.store_id = ${storeId} and d.endpoint_id = w.id and d.state = s.state and not d.is_sending and ${older}
       ${newest})
      union all
      select d.id from webhook_delivery d
      where d.store_id = ${storeId} and d.endpoint_id = w.id and d.state = 'waiting' and d.is_sending and ${older}
        and s.state = 'waiting') d
    ${newest}`
}

export const readDelivery = (db: Queries, storeId: StoreId, id: string) => db.maybeOne<DeliveryRow>`
  ${showDeliveries(storeId, sql`select ${id}::text as id`)}`

/** Goes before everything that waits for the endpoint: a person waits for the result of a test. */
export const insertTestDelivery = (
  tx: Tx,
  storeId: StoreId,
  { id, endpointId, eventId }: { id: string; endpointId: string; eventId: string },
) => tx.run`
  insert into webhook_delivery (store_id, id, endpoint_id, event_id, next_at, created_at)
  values (${storeId}, ${id}, ${endpointId}, ${eventId}, vitrine_now() - interval '1 year', vitrine_now())`

const asNew = sql`state = 'waiting', attempts = 0, next_at = vitrine_now(), is_sending = false, finished_at = null`

/** Nothing while it is being sent, or if its event was deleted. */
export const resetDelivery = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update webhook_delivery d set ${asNew}
  where d.store_id = ${storeId} and d.id = ${id}
    and not (d.state = 'waiting' and d.is_sending and d.next_at > vitrine_now())
    and exists (select from event e where e.store_id = ${storeId} and e.id = d.event_id)`

export const resetBatchSize = 1000

/**
 * Up to a thousand failed deliveries of endpoints that are on, oldest first, after `after`. Without tests, whose result
 * nobody waits for any more. Returns their ids.
 */
export const resetFailedDeliveries = (tx: Tx, storeId: StoreId, endpointId: string | null, after: string) => tx.many<{
  id: string
}>`
  update webhook_delivery d set ${asNew}
  where d.store_id = ${storeId} and d.id = any(array(
    select q.id from webhook_delivery q
    join webhook_endpoint w on w.store_id = q.store_id and w.id = q.endpoint_id and w.disabled_at is null
    join event e on e.store_id = q.store_id and e.id = q.event_id and e.type <> ${testEventType}
    where q.store_id = ${storeId} and q.state = 'failed' and q.id > ${after}
      and (${endpointId}::text is null or q.endpoint_id = ${endpointId})
    order by q.id limit ${literalLimit(resetBatchSize)} for update of q skip locked))
  returning d.id`
