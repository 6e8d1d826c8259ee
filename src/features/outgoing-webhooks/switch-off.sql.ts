import type { Queries } from '../../db/database.ts'
import { byKey, literalLimit } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { EndedDeliveries, StoreId } from '../context.ts'

export const endedBatchSize = 1000

/**
 * Ends up to a thousand deliveries that wait for an endpoint that is off. One that is being sent gets its result first.
 * Returns how many of each endpoint.
 */
export const endDeliveries = (db: Queries, storeId: StoreId) => db.many<EndedDeliveries>`
  with ended as (
    update webhook_delivery d set state = 'failed', finished_at = vitrine_now(), is_sending = false
    where d.store_id = ${storeId} and d.id = any(array(
      select q.id from webhook_endpoint w
      cross join lateral (
        select o.id from webhook_delivery o
        where o.store_id = ${storeId} and o.endpoint_id = w.id and o.state = 'waiting'
          and not (o.is_sending and o.next_at > vitrine_now())
        limit ${literalLimit(endedBatchSize)} for update skip locked) q
      where w.store_id = ${storeId} and w.disabled_at is not null
      limit ${literalLimit(endedBatchSize)}))
    returning d.endpoint_id)
  select s.public_id as "storeId", e.endpoint_id as "endpointId", count(*) as "endedDeliveries"
  from ended e join store s on s.id = ${storeId}
  group by s.public_id, e.endpoint_id`

export type EndedStore = { storeId: StoreId; waiting: number; oldestAt: Date }

/** Stores with deliveries that wait for an endpoint that is off. `waiting` counts the endpoints. */
export const findEndedStores = (db: Queries, exceptStores: readonly number[]) => db.many<EndedStore>`
  select w.store_id as "storeId", count(*) as waiting, min(w.disabled_at)::timestamptz as "oldestAt"
  from webhook_endpoint w
  cross join ${byKey(sql`
    select from webhook_delivery d
    where d.store_id = w.store_id and d.endpoint_id = w.id and d.state = 'waiting'
      and not (d.is_sending and d.next_at > vitrine_now())`)} d
  where w.disabled_at is not null and w.store_id <> all(${exceptStores}::integer[])
  group by w.store_id order by "oldestAt" limit 1000`
