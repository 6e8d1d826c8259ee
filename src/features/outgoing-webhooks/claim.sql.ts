import type { Queries, Tx } from '../../db/database.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** `nextAt`: when the first delivery of the store is due. `waiting`: how many are due, at most a hundred. */
export type WaitingStore = { storeId: StoreId; nextAt: Date; waiting: number; isDue: boolean }

export const storesPerPoll = 1000

/**
 * The next stores after `after` with something to send, now or later. Jumps through the index from store to store, so
 * that the time depends on the number of stores, and not on the number of deliveries.
 */
export const findWaitingStores = (db: Queries, after: StoreId) => db.many<WaitingStore>`
  with recursive found as (
    (select d.store_id, d.next_at from webhook_delivery d
     where d.state = 'waiting' and d.store_id > ${after}
     order by d.store_id, d.next_at limit 1)
    union all
    select n.store_id, n.next_at from found f cross join lateral (
      select d.store_id, d.next_at from webhook_delivery d
      where d.state = 'waiting' and d.store_id > f.store_id
      order by d.store_id, d.next_at limit 1) n)
  select f.store_id as "storeId", f.next_at as "nextAt", f.next_at <= vitrine_now() as "isDue",
    (select count(*) from (
       select from webhook_delivery d
       where d.state = 'waiting' and d.store_id = f.store_id and d.next_at <= vitrine_now() limit 100) due) as waiting
  from found f limit ${literalLimit(storesPerPoll)}`

/**
 * The same on a distributed database, which cannot jump from store to store: each server reads what waits there, from the
 * index alone. For 100,000 it took 42 ms, and 160 ms with the time asked for each.
 */
export const countWaitingStores = (db: Queries, after: StoreId) => db.many<WaitingStore>`
  select d.store_id as "storeId", min(d.next_at) as "nextAt", min(d.next_at) <= vitrine_now() as "isDue",
    least(count(*) filter (where d.next_at <= (select vitrine_now())), 100) as waiting
  from webhook_delivery d where d.state = 'waiting' and d.store_id > ${after}
  group by d.store_id order by d.store_id limit ${literalLimit(storesPerPoll)}`

/**
 * What is due for an endpoint, the oldest first. Compares and sorts by both columns, so that the planner takes the index
 * of the endpoint: when few deliveries wait, it sees no difference between the indexes, and it keeps its plan after a
 * million have come to wait.
 */
export const dueFor = (storeId: StoreId, endpointId: unknown) => sql`
    select d.id, d.next_at from webhook_delivery d
    where d.store_id = ${storeId} and d.state = 'waiting'
      and (d.endpoint_id, d.next_at) >= (${endpointId}, '-infinity'::timestamptz)
      and (d.endpoint_id, d.next_at) <= (${endpointId}, vitrine_now())
    order by d.endpoint_id, d.next_at`

/**
 * The endpoints of a store that something is due for. Locked, so that no other instance claims for them; those that
 * another instance has locked are left out.
 */
export const lockDueEndpoints = (tx: Tx, storeId: StoreId) => tx.many<{ id: string }>`
  select w.id from webhook_endpoint w
  cross join lateral (${dueFor(storeId, sql`w.id`)} limit 1) d
  where w.store_id = ${storeId} and w.disabled_at is null and coalesce(w.paused_until <= vitrine_now(), true)
  for no key update of w skip locked`

export type ClaimedDelivery = {
  id: string
  endpointId: string
  attempts: number
  /** Until then no other instance takes it over. Identifies the claim. */
  claimedUntil: Date
  url: string
  secret: string
  oldSecret: string | null
  /** The endpoint has failed for three days. */
  isFailingLong: boolean
  /** Null if it was deleted. */
  event: ClaimedEvent | null
}

export type ClaimedEvent = {
  id: string
  type: string
  subject: string
  sequence: number
  data: unknown
  createdAt: string
  /** The trace of the request that recorded it (decision 0050). */
  trace: string | null
}

/**
 * Add it to a `from`: the transaction then does not wait until the disk has it. If the database crashes just then, its
 * deliveries are made again, as after every crash. Waiting took most of the time of a delivery.
 */
export const withoutWaiting = sql`cross join set_config('synchronous_commit', 'off', true)`

/** Claims the deliveries in `due`. */
export const claimDue = (storeId: StoreId) => sql`
    update webhook_delivery d
    set is_sending = true, next_at = date_trunc('milliseconds', vitrine_now()) + interval '40 seconds'
    where d.store_id = ${storeId} and d.id = any(array(select id from due))
    returning d.id, d.endpoint_id, d.event_id, d.attempts, d.next_at`

/** Reads what is needed to send the deliveries in `claimed`. */
export const showClaimed = (storeId: StoreId) => sql`
  select c.id, c.endpoint_id as "endpointId", c.attempts, c.next_at as "claimedUntil", w.url, w.secret,
    case when w.old_secret_until > vitrine_now() then w.old_secret end as "oldSecret",
    coalesce(w.failing_since <= vitrine_now() - interval '3 days', false) as "isFailingLong",
    case when e.id is not null then json_build_object('id', e.id, 'type', e.type, 'subject', e.subject,
      'sequence', e.sequence, 'data', e.data, 'createdAt', e.created_at, 'trace', e.trace) end as event
  from claimed c
  join webhook_endpoint w on w.store_id = ${storeId} and w.id = c.endpoint_id
  left join event e on e.store_id = ${storeId} and e.id = c.event_id`

/**
 * Claims what is due for these endpoints, which are locked, for 40 seconds. At most two deliveries of an endpoint are
 * being sent at any time, by all instances together, and only one while the endpoint fails.
 */
export const claimDeliveries = (tx: Tx, storeId: StoreId, endpointIds: readonly string[], limit: number) =>
  tx.many<ClaimedDelivery>`
  with free as (
    select w.id, case when w.failing_since is null then 2 else 1 end - (
      select count(*) from webhook_delivery s
      where s.store_id = ${storeId} and s.endpoint_id = w.id and s.state = 'waiting' and s.is_sending
        and s.next_at > vitrine_now()) as slots
    from webhook_endpoint w where w.store_id = ${storeId} and w.id = any(${endpointIds}::text[])),
  due as (
    select q.id from free f
    cross join lateral (${dueFor(storeId, sql`f.id`)} limit greatest(f.slots, 0) for update skip locked) q
    order by q.next_at limit ${limit}),
  claimed as (${claimDue(storeId)})
  select c.* from (${showClaimed(storeId)}) c ${withoutWaiting}`
