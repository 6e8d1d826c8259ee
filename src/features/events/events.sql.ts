import { saveTrace } from '../../core/tracing.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { type EventType, mailedEventTypes } from './events.contract.ts'
import type { DirectMessage, MailLane } from './messages.ts'

/** Selects `subject`, `data`, and as `has_recipient` whether a mail about it has a reader. */
export type Snapshot = { rows: Fragment }

export type NewEvent = { id: string; type: EventType; subject: string; sequence: number }

/** What follows from an event. */
export type Queued = { kind: 'delivery' | 'mail' }

/**
 * Writes events, and in the same statement what follows from them: a delivery for each endpoint that subscribes to the
 * type, and a mail if the snapshot has a recipient. Returns a row for each delivery and mail.
 */
export const insertEvents = (
  tx: Tx,
  storeId: StoreId,
  events: readonly NewEvent[],
  snapshot: Snapshot,
) => tx.many<Queued>`
  with snapshot as materialized (${snapshot.rows}),
  made as (
    insert into event (store_id, id, type, subject, sequence, data, created_at, trace)
    select ${storeId}, n.id, n.type, n.subject, n.sequence, s.data, vitrine_now(), ${saveTrace()}
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as n (id text, type text, subject text, sequence integer)
    join snapshot s on s.subject = n.subject
    returning id, type, subject),
  deliveries as (
    insert into webhook_delivery (store_id, id, endpoint_id, event_id, next_at, created_at)
    select ${storeId}, 'dlv_' || substr(m.id, 5) || '_' || substr(w.id, 5), w.id, m.id, vitrine_now(), vitrine_now()
    from made m join webhook_endpoint w on w.store_id = ${storeId} and w.disabled_at is null
      and w.types && array[m.type, split_part(m.type, '.', 1) || '.*']
    returning 1),
  mails as (
    insert into mail (store_id, id, message, event_id, next_at, created_at)
    select ${storeId}, 'mail_' || substr(m.id, 5), t.message, m.id, vitrine_now(), vitrine_now()
    from made m join snapshot s on s.subject = m.subject and s.has_recipient
    cross join lateral (select case m.type when 'stock.out' then 'stock.low' else m.type end as message) t
    where t.message = any(${mailedEventTypes}::text[])
    returning 1)
  select 'delivery' as kind from deliveries union all select 'mail' from mails`

/** `insertEvents` for one event whose data are known. Without the joins it takes half of the time. */
export const insertEvent = (
  tx: Tx,
  storeId: StoreId,
  { id, type, subject, sequence }: NewEvent,
  data: Readonly<Record<string, unknown>>,
  hasRecipient: boolean,
) => {
  const mails = sql`,
  mails as (
    insert into mail (store_id, id, message, event_id, next_at, created_at)
    values (${storeId}, ${`mail_${id.slice(4)}`}, ${type}, ${id}, vitrine_now(), vitrine_now()))`
  const isMailed = hasRecipient && mailedEventTypes.some((mailed) => mailed === type)
  return tx.many<Queued>`
  with made as (
    insert into event (store_id, id, type, subject, sequence, data, created_at, trace)
    values (${storeId}, ${id}, ${type}, ${subject}, ${sequence}, ${JSON.stringify(data)}::json, vitrine_now(),
      ${saveTrace()})),
  deliveries as (
    insert into webhook_delivery (store_id, id, endpoint_id, event_id, next_at, created_at)
    select ${storeId}, ${`dlv_${id.slice(4)}_`} || substr(w.id, 5), w.id, ${id}, vitrine_now(), vitrine_now()
    from webhook_endpoint w
    where w.store_id = ${storeId} and w.disabled_at is null and w.types && ${[type, groupOf(type)]}::text[]
    returning 1)${isMailed ? mails : sql``}
  select 'delivery' as kind from deliveries${isMailed ? sql` union all select 'mail'` : sql``}`
}

/** order.* for order.paid. */
const groupOf = (type: EventType) => `${type.split('.')[0]}.*`

export type NewMail = {
  id: string
  message: DirectMessage
  recipient: string
  language: string | null
  data: Readonly<Record<string, unknown>>
  sealed: string | null
}

/** Until the commit, no other transaction counts the mails to this address. */
export const lockRecipient = (tx: Tx, storeId: StoreId, recipient: string) => tx.run`
  select pg_advisory_xact_lock(hashtextextended(${`mail ${storeId} ${recipient}`}, 0))`

/** Seconds until another mail of this kind may be sent to the address; undefined if it may be sent now. */
export const secondsToNextMail = async (
  tx: Tx,
  storeId: StoreId,
  { recipient, message }: Pick<NewMail, 'recipient' | 'message'>,
  maxPerHour: number,
) =>
  (
    await tx.maybeOne<{ seconds: number }>`
    select greatest(ceil(extract(epoch from min(created_at) + interval '1 hour' - vitrine_now())), 1)::integer as seconds
    from mail
    where store_id = ${storeId} and recipient = ${recipient} and message = ${message}
      and created_at > vitrine_now() - interval '1 hour'
    having count(*) >= ${maxPerHour}`
  )?.seconds

export const insertMail = (db: Queries, storeId: StoreId, lane: MailLane, mail: NewMail) => db.run`
  insert into mail (store_id, id, message, lane, recipient, language, data, sealed, next_at, created_at)
  values (${storeId}, ${mail.id}, ${mail.message}, ${lane}, ${mail.recipient}, ${mail.language},
    ${JSON.stringify(mail.data)}::jsonb, ${mail.sealed}, vitrine_now(), vitrine_now())`

/** Its only subject is itself. */
export const insertTestEvent = (
  tx: Tx,
  storeId: StoreId,
  { id, type, data }: { id: string; type: string; data: Readonly<Record<string, unknown>> },
) => tx.run`
  insert into event (store_id, id, type, subject, sequence, data, created_at)
  values (${storeId}, ${id}, ${type}, ${id}, 1, ${JSON.stringify(data)}::json, vitrine_now())`
