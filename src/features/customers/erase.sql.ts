import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** What an erasure looks for. `emails` and `phones` are also in `values`, in lower case. */
export type Personal = { values: string[]; emails: string[]; phones: string[] }

export type Erasure = {
  customerId: string
  /** Null after the first pass. */
  personal: Personal | null
  step: number
  lastNumber: number
  finishedAt: Date | null
}

const erasureColumns = sql`e.customer_id as "customerId", e.personal, e.step, e.last_number as "lastNumber",
  e.finished_at as "finishedAt"`

/** Claimed for a minute by the caller, who carries it out. */
export const insertErasure = (tx: Tx, storeId: StoreId, customerId: string, personal: Personal) => tx.run`
  insert into erasure (store_id, customer_id, personal, requested_at, due_at)
  values (${storeId}, ${customerId}, ${JSON.stringify(personal)}::jsonb, vitrine_now(),
    vitrine_now() + interval '1 minute')`

export const readErasure = (db: Queries, storeId: StoreId, customerId: string) => db.maybeOne<Erasure>`
  select ${erasureColumns} from erasure e where e.store_id = ${storeId} and e.customer_id = ${customerId}`

/** Two instances never work on the same step. */
export const lockErasure = (tx: Tx, storeId: StoreId, customerId: string) => tx.maybeOne<Erasure>`
  select ${erasureColumns} from erasure e where e.store_id = ${storeId} and e.customer_id = ${customerId} for update`

export const noteStep = (tx: Tx, storeId: StoreId, { customerId, step, lastNumber, personal }: Erasure) => tx.run`
  update erasure set step = ${step}, last_number = ${lastNumber},
    personal = ${personal === null ? null : JSON.stringify(personal)}::jsonb
  where store_id = ${storeId} and customer_id = ${customerId}`

/** The values are no longer needed, and gone. */
export const endFirstPass = (tx: Tx, storeId: StoreId, customerId: string, step: number, pauseMs: number) => tx.run`
  update erasure set personal = null, step = ${step}, last_number = 0,
    due_at = vitrine_now() + ${pauseMs}::bigint * interval '1 millisecond'
  where store_id = ${storeId} and customer_id = ${customerId}`

export const finishErasure = (tx: Tx, storeId: StoreId, customerId: string) => tx.run`
  update erasure set finished_at = vitrine_now(), due_at = null
  where store_id = ${storeId} and customer_id = ${customerId}`

/** For a job to go on with it now. */
export const releaseErasure = (tx: Tx, storeId: StoreId, customerId: string) => tx.run`
  update erasure set due_at = vitrine_now()
  where store_id = ${storeId} and customer_id = ${customerId} and due_at is not null`

export const findDueErasures = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select e.store_id as "storeId", count(*) as waiting, min(e.due_at) as "oldestAt" from erasure e
  where e.due_at <= vitrine_now()
  group by e.store_id order by "oldestAt" limit 1000`

export type DueErasure = { storeNumber: StoreId; storeId: string; customerId: string; attempt: number }

/** Other instances skip them until the claim expires after a minute. */
export const claimErasures = (db: Queries, storeId: StoreId, limit: number) => db.many<DueErasure>`
  with claimed as (
    update erasure c set due_at = vitrine_now() + interval '1 minute', attempts = c.attempts + 1
    where c.store_id = ${storeId} and c.customer_id = any(array(
      select e.customer_id from erasure e where e.store_id = ${storeId} and e.due_at <= vitrine_now()
      order by e.due_at limit ${limit} for update skip locked))
    returning c.store_id, c.customer_id, c.attempts)
  select c.store_id as "storeNumber", s.public_id as "storeId", c.customer_id as "customerId", c.attempts as attempt
  from claimed c join store s on s.id = c.store_id`

/** Doubles the delay after each failure, up to an hour. */
export const postponeErasure = (db: Queries, { storeNumber, customerId, attempt }: DueErasure) => db.run`
  update erasure set due_at = vitrine_now() + least(power(2, least(${attempt}::integer, 6)), 60) * interval '1 minute'
  where store_id = ${storeNumber} and customer_id = ${customerId} and due_at is not null`
