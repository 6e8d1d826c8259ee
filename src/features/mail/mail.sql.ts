import type { Queries, Tx } from '../../db/database.ts'
import type { Deletable } from '../../db/due-rows.sql.ts'
import { literalLimit } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { MailLane, MessageName } from '../events/messages.ts'
import type { OrderSnapshot } from '../orders/order-events.ts'

/** `nextAt`: when the first mail of the store is due. `waiting`: how many are due, at most a hundred. */
export type MailingStore = { storeId: StoreId; nextAt: Date; waiting: number; isDue: boolean }

export const mailStoresPerPoll = 1000

/**
 * The next stores after `after` with mail of a lane to send, now or later. Jumps through the index from store to store, so that the
 * time depends on the number of stores, and not on the number of mails.
 */
export const findMailingStores = (db: Queries, lane: MailLane, after: StoreId) => db.many<MailingStore>`
  with recursive found as (
    (select m.store_id, m.next_at from mail m
     where m.state = 'waiting' and m.lane = ${lane} and m.store_id > ${after}
     order by m.store_id, m.next_at limit 1)
    union all
    select n.store_id, n.next_at from found f cross join lateral (
      select m.store_id, m.next_at from mail m
      where m.state = 'waiting' and m.lane = ${lane} and m.store_id > f.store_id
      order by m.store_id, m.next_at limit 1) n)
  select f.store_id as "storeId", f.next_at as "nextAt", f.next_at <= vitrine_now() as "isDue",
    (select count(*) from (
       select from mail m
       where m.store_id = f.store_id and m.lane = ${lane} and m.state = 'waiting' and m.next_at <= vitrine_now() limit 100) due) as waiting
  from found f limit ${literalLimit(mailStoresPerPoll)}`

/**
 * The same on a distributed database, which cannot jump from store to store: each server reads what waits there, from the
 * index alone. For 100,000 it took 42 ms, and 160 ms with the time asked for each.
 */
export const countMailingStores = (db: Queries, lane: MailLane, after: StoreId) => db.many<MailingStore>`
  select m.store_id as "storeId", min(m.next_at) as "nextAt", min(m.next_at) <= vitrine_now() as "isDue",
    least(count(*) filter (where m.next_at <= (select vitrine_now())), 100) as waiting
  from mail m where m.state = 'waiting' and m.lane = ${lane} and m.store_id > ${after}
  group by m.store_id order by m.store_id limit ${literalLimit(mailStoresPerPoll)}`

/**
 * `storeId` is the public id of the store, `order` the order of the event, as it was then. `customerLanguage` is the
 * present one. `isSettled`: the order was paid or cancelled since.
 */
export type QueuedMail = {
  storeNumber: StoreId
  storeId: string
  id: string
  message: MessageName
  recipient: string | null
  language: string | null
  data: Record<string, unknown>
  sealed: string | null
  attempts: number
  createdAt: Date
  order: OrderSnapshot | null
  customerLanguage: string | null
  isSettled: boolean
}

/** For an event `e` of an order. */
const isSettled = (storeId: StoreId) => sql`exists (
      select from event n where n.store_id = ${storeId} and n.subject = e.subject and n.sequence > e.sequence
        and n.type in ('order.paid', 'order.cancelled'))`

/** A claim ends after a minute, when another instance may take over. */
export const claimDueMail = (db: Queries, storeId: StoreId, lane: MailLane, limit: number) => db.many<QueuedMail>`
  with claimed as (
    update mail m set attempts = m.attempts + 1, next_at = vitrine_now() + interval '1 minute'
    where m.store_id = ${storeId} and m.id = any(array(
      select q.id from mail q
      where q.store_id = ${storeId} and q.lane = ${lane} and q.state = 'waiting' and q.next_at <= vitrine_now()
      order by q.next_at limit ${limit} for update skip locked))
    returning m.*)
  select c.store_id as "storeNumber", s.public_id as "storeId", c.id, c.message, c.recipient, c.language, c.data,
    c.sealed, c.attempts, c.created_at as "createdAt", case when e.type like 'order.%' then e.data end as "order",
    u.language as "customerLanguage", ${isSettled(storeId)} as "isSettled"
  from claimed c
  join store s on s.id = c.store_id
  left join event e on e.store_id = ${storeId} and e.id = c.event_id
  left join customer u on u.store_id = ${storeId} and e.type like 'order.%' and u.id = e.data -> 'customer' ->> 'id'
  order by c.created_at, c.id`

export type MailEnd = { state: 'sent' | 'failed' | 'skipped'; error: string; recipient: string | null }

/** Ends a mail. Its code is no longer needed. */
export const endMail = (db: Queries, storeId: StoreId, id: string, { state, error, recipient }: MailEnd) => db.run`
  update mail set state = ${state}, error = ${error}, recipient = coalesce(${recipient}, recipient), sealed = null,
    finished_at = vitrine_now()
  where store_id = ${storeId} and id = ${id} and state = 'waiting'`

export const postponeMail = (db: Queries, storeId: StoreId, id: string, delayMs: number, error: string) => db.run`
  update mail set next_at = vitrine_now() + ${delayMs}::bigint * interval '1 millisecond', error = ${error}
  where store_id = ${storeId} and id = ${id} and state = 'waiting'`

/** Locked together, so that two instances do not both send one. */
export const lockLowStockMail = (tx: Tx, storeId: StoreId) => tx.run`
  select from mail where store_id = ${storeId} and state = 'waiting' and message = 'stock.low' order by id for update`

const mailsOfTheDay = (storeId: StoreId) => sql`
  from mail o
  where o.store_id = ${storeId} and o.message = 'stock.low' and o.state in ('waiting', 'sent')
    and (o.finished_at > vitrine_now() - interval '1 day' or (o.finished_at is null and o.data ? 'isOfTheDay'))`

/**
 * Makes this the mail of the day, unless another was sent in the last 24 hours or is about to be. One that was skipped
 * or has failed does not count. Returns 0 if there is another.
 */
export const takeLowStockTurn = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update mail m set data = m.data || '{"isOfTheDay": true}'
  where m.store_id = ${storeId} and m.id = ${id} and m.state = 'waiting' and not exists (
    select ${mailsOfTheDay(storeId)} and o.id <> ${id})`

/**
 * Postpones all such mail that is not the mail of the day: to the next attempt of that mail, or to 24 hours after it was
 * sent.
 */
export const postponeLowStock = (tx: Tx, storeId: StoreId) => tx.run`
  update mail m set attempts = 0, next_at = greatest(d.until, vitrine_now() + interval '1 minute')
  from (
    select max(coalesce(o.finished_at + interval '1 day', o.next_at)) as until ${mailsOfTheDay(storeId)}) d
  where m.store_id = ${storeId} and m.state = 'waiting' and m.message = 'stock.low' and not m.data ? 'isOfTheDay'`

/** The mail of the day lists every variant that is low when it is written, so mail that waits now tells nothing more. */
export const coverOtherLowStock = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update mail set data = data || jsonb_build_object('coveredBy', ${id}::text),
    attempts = 0, next_at = vitrine_now() + interval '1 minute'
  where store_id = ${storeId} and state = 'waiting' and message = 'stock.low' and id <> ${id}`

export const skipCoveredLowStock = (db: Queries, storeId: StoreId, id: string, reason: string) => db.run`
  update mail set state = 'skipped', error = ${reason}, finished_at = vitrine_now()
  where store_id = ${storeId} and state = 'waiting' and message = 'stock.low' and data ->> 'coveredBy' = ${id}`

export type ListedMail = {
  id: string
  message: string
  recipient: string | null
  state: string
  attempts: number
  nextAt: Date | null
  error: string
  createdAt: Date
  finishedAt: Date | null
}

/** The newest mail of a store. */
export const listStoreMail = (
  db: Queries,
  storeId: StoreId,
  { state, limit }: { state: string | null; limit: number },
) => db.many<ListedMail>`
  select id, message, recipient, state, attempts, case when state = 'waiting' then next_at end as "nextAt", error,
    created_at as "createdAt", finished_at as "finishedAt"
  from mail
  where store_id = ${storeId} and ${state === null ? sql`true` : sql`state = ${state}`}
  order by created_at desc, id desc
  limit ${limit}`

/** `email` is the present address of the customer. `isPayable`: the shopper can still pay. */
export type ResendableEvent = { eventId: string; email: string | null; isPayable: boolean }

/** The newest event of this type of an order. */
export const findOrderEvent = (db: Queries, storeId: StoreId, orderId: string, type: string) =>
  db.maybeOne<ResendableEvent>`
  select e.id as "eventId", (
    select c.email from orders o join customer c on c.store_id = o.store_id and c.id = o.customer_id
    where o.store_id = ${storeId} and o.id = ${orderId}) as email,
    not ${isSettled(storeId)} and coalesce((e.data ->> 'expiresAt')::timestamptz > vitrine_now(), true) as "isPayable"
  from event e
  where e.store_id = ${storeId} and e.subject = ${orderId} and e.type = ${type}
  order by e.sequence desc limit 1`

/** Until the commit, no other transaction counts the mails of this event. */
export const lockResends = (tx: Tx, storeId: StoreId, eventId: string) => tx.run`
  select pg_advisory_xact_lock(hashtextextended(${`resend ${storeId} ${eventId}`}, 0))`

export type Resent = { id: string; message: MessageName; eventId: string; recipient: string; maxPerHour: number }

/** Returns 0 if the mail of this event was resent too often in the last hour. The first one has the id of the event. */
export const insertResent = (tx: Tx, storeId: StoreId, mail: Resent) => tx.run`
  insert into mail (store_id, id, message, event_id, recipient, next_at, created_at)
  select ${storeId}, ${mail.id}, ${mail.message}, ${mail.eventId}, ${mail.recipient}, vitrine_now(), vitrine_now()
  where (select count(*) from mail m where m.store_id = ${storeId} and m.event_id = ${mail.eventId}
    and m.id <> 'mail_' || substr(m.event_id, 5) and m.created_at > vitrine_now() - interval '1 hour') < ${mail.maxPerHour}::integer
  returning 1`

export const findMail = (db: Queries, storeId: StoreId, id: string) =>
  db.maybeOne<
    Pick<ListedMail, 'message' | 'recipient'>
  >`select message, recipient from mail where store_id = ${storeId} and id = ${id}`

const retention = sql`interval '30 days'`

export const oldMail: Deletable = {
  table: sql`mail`,
  due: sql`t.state <> 'waiting' and t.finished_at <= vitrine_now() - ${retention}`,
  age: sql`t.finished_at`,
  retention,
}
