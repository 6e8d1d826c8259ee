import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { RefundStatus } from '../../providers/payment/provider.ts'
import type { StoreId } from '../context.ts'
import { refundEntry } from '../reports/sale-entries.sql.ts'
import type { DueStoreRow } from './payment-jobs.sql.ts'

export type RefundedItem = { id: string; quantity: number }

/** In percent. The base is without the tax. */
export type TaxOfRate = { rate: number; baseMinor: number; taxMinor: number }

export type RefundRow = {
  id: string
  orderId: string
  paymentId: string
  amountMinor: number
  status: RefundStatus
  reference: string | null
  reason: string
  items: RefundedItem[]
  /** Null: the units that were not shipped go back to stock. */
  restock: boolean | null
  /** The units that went back to stock. */
  restocked: RefundedItem[]
  /** Failed because the provider refused the call. A later report of the refund counts. */
  isRefused: boolean
  attempts: number
}

const refundColumns = sql`r.id, r.order_id as "orderId", r.payment_id as "paymentId", r.amount_minor as "amountMinor",
  r.status, r.reference, r.reason, r.items, r.restock, r.restocked, r.is_refused as "isRefused", r.attempts`

/** All refunds of a locked order, oldest first. */
export const lockRefunds = (tx: Tx, storeId: StoreId, orderId: string) => tx.many<RefundRow>`
  select ${refundColumns} from refund r
  where r.store_id = ${storeId} and r.order_id = ${orderId}
  order by r.created_at, r.id
  for update`

export type NewRefund = Omit<RefundRow, 'restocked' | 'isRefused' | 'attempts'> & {
  detail: string
  taxes: readonly TaxOfRate[]
}

/** A pending refund is due at once. */
export const insertRefund = (tx: Tx, storeId: StoreId, refund: NewRefund) => tx.one<RefundRow>`
  with r as (insert into refund (store_id, id, order_id, payment_id, amount_minor, status, reference, reason, detail, items,
    restock, taxes, due_at, created_at, updated_at)
  values (${storeId}, ${refund.id}, ${refund.orderId}, ${refund.paymentId}, ${refund.amountMinor}, ${refund.status},
    ${refund.reference}, ${refund.reason}, ${refund.detail}, ${JSON.stringify(refund.items)}::jsonb, ${refund.restock},
    ${JSON.stringify(refund.taxes)}::jsonb,
    ${refund.status === 'pending' ? sql`vitrine_now()` : sql`null`}, vitrine_now(), vitrine_now())
    returning *, case when status = 'failed' then 0 else amount_minor end as counted),
  sale as (${refundEntry(storeId, sql`r`)})
  select ${refundColumns} from r`

/** `taxes` undefined: unchanged. */
export type RefundState = Pick<RefundRow, 'status' | 'reference' | 'isRefused'> & {
  detail: string
  taxes?: readonly TaxOfRate[]
}

/** Of a locked refund. A pending one stays due, or becomes due again. */
export const writeRefund = (tx: Tx, storeId: StoreId, id: string, state: RefundState) => tx.run`
  with before as materialized (select status from refund where store_id = ${storeId} and id = ${id}),
  written as (
    update refund set status = ${state.status}, reference = coalesce(${state.reference}, reference),
      detail = ${state.detail}, is_refused = ${state.isRefused},
      taxes = coalesce(${state.taxes === undefined ? null : JSON.stringify(state.taxes)}::jsonb, taxes), updated_at = vitrine_now(),
      due_at = case when ${state.status} = 'pending' then coalesce(due_at, (select vitrine_now())) end
    where store_id = ${storeId} and id = ${id}
    returning *)
  ${refundEntry(
    storeId,
    sql`(
    select w.*, w.amount_minor * ((b.status = 'failed')::integer - (w.status = 'failed')::integer) as counted
    from written w, before b)`,
  )}`

/** Of a locked refund. */
export const noteRestocked = (tx: Tx, storeId: StoreId, id: string, restocked: readonly RefundedItem[]) => tx.run`
  update refund set restocked = ${JSON.stringify(restocked)}::jsonb where store_id = ${storeId} and id = ${id}`

/** `storeNumber` is the internal key of the store, `storeId` its public id. */
export type DueRefund = RefundRow & { storeNumber: StoreId; storeId: string }

export const findDueRefunds = (db: Queries) => db.many<DueStoreRow>`
  select store_id as "storeId", count(*) as waiting, min(due_at) as "oldestAt"
  from refund where due_at <= vitrine_now()
  group by store_id order by "oldestAt" limit 1000`

const claimed = sql`
    returning r.store_id as "storeNumber", ${refundColumns})
  select c.*, s.public_id as "storeId" from claimed c join store s on s.id = c."storeNumber"`

/** Other instances skip these refunds until the claim expires after a minute. */
export const claimDueRefunds = (db: Queries, storeId: StoreId, limit: number) => db.many<DueRefund>`
  with claimed as (
    update refund r set attempts = r.attempts + 1, due_at = vitrine_now() + interval '1 minute'
    where r.store_id = ${storeId} and r.id = any(array(
      select q.id from refund q where q.store_id = ${storeId} and q.due_at <= vitrine_now()
      order by q.due_at limit ${limit} for update skip locked))
  ${claimed}`

/** The same for one refund, whose caller waits for it, even if it is not due yet. */
export const claimRefund = (db: Queries, storeId: StoreId, id: string) => db.maybeOne<DueRefund>`
  with claimed as (
    update refund r set attempts = r.attempts + 1, due_at = vitrine_now() + interval '1 minute'
    where r.store_id = ${storeId} and r.id = ${id} and r.due_at is not null
  ${claimed}`

/** Doubles the delay with each attempt, up to a day. No effect on a refund that is decided or claimed again. */
export const postponeRefund = (db: Queries, { storeNumber, id, attempts }: DueRefund) => db.run`
  update refund
  set due_at = vitrine_now() + least(power(2, least(${attempts}::integer - 1, 12)), 1440) * interval '1 minute'
  where store_id = ${storeNumber} and id = ${id} and due_at is not null and attempts = ${attempts}`

/** Ends a claim, so that the refund job goes on at once. */
export const releaseRefund = (db: Queries, { storeNumber, id, attempts }: DueRefund) => db.run`
  update refund set due_at = vitrine_now()
  where store_id = ${storeNumber} and id = ${id} and due_at is not null and attempts = ${attempts}`
