import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { ReturnStatus } from './return.contract.ts'

export type ReturnedItem = { id: string; quantity: number }

export type ReturnRow = {
  id: string
  orderId: string
  orderNumber: number
  currency: string
  status: ReturnStatus
  items: ReturnedItem[]
  reason: string
  answer: string
  byCustomer: boolean
  restocked: boolean | null
  refundId: string | null
  refundMinor: number | null
  refundStatus: 'pending' | 'succeeded' | 'failed' | null
  /** The refund is an amount, so its units do not count as refunded. */
  isRefundedByAmount: boolean
  createdAt: Date
  updatedAt: Date
  /** The creation time as text: a JavaScript Date would lose the microseconds. */
  position: string
}

const columns = sql`t.id, t.order_id as "orderId", o.number as "orderNumber", o.currency, t.status, t.items, t.reason, t.answer,
  t.by_customer as "byCustomer", t.restocked, t.refund_id as "refundId", r.amount_minor as "refundMinor",
  r.status as "refundStatus", coalesce(r.items = '[]' and r.status <> 'failed', false) as "isRefundedByAmount",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.created_at::text as position`

const joined = sql`order_return t
  join orders o on o.store_id = t.store_id and o.id = t.order_id
  left join refund r on r.store_id = t.store_id and r.id = t.refund_id`

export const findReturn = (db: Queries, storeId: StoreId, id: string) => db.maybeOne<ReturnRow>`
  select ${columns} from ${joined} where t.store_id = ${storeId} and t.id = ${id}`

/** Oldest first. */
export const listReturnsOfOrder = (db: Queries, storeId: StoreId, orderId: string) => db.many<ReturnRow>`
  select ${columns} from ${joined} where t.store_id = ${storeId} and t.order_id = ${orderId}
  order by t.created_at, t.id`

export type ReturnFilter = { status: ReturnStatus | null; orderId: string | null; from: Date | null; to: Date | null }

/** Parts that are not asked for are left out, so that each combination has a plan of its own. */
const matching = (storeId: StoreId, filter: ReturnFilter): Fragment => sql`t.store_id = ${storeId}
  ${filter.status === null ? sql`` : sql`and t.status = ${filter.status}`}
  ${filter.orderId === null ? sql`` : sql`and t.order_id = ${filter.orderId}`}
  ${filter.from === null ? sql`` : sql`and t.created_at >= ${filter.from}`}
  ${filter.to === null ? sql`` : sql`and t.created_at < ${filter.to}`}`

/** Newest first. */
export const listReturns = (
  db: Queries,
  storeId: StoreId,
  filter: ReturnFilter,
  { before, limit }: { before: { at: string; id: string } | null; limit: number },
) => db.many<ReturnRow>`
  select ${columns} from ${joined}
  where ${matching(storeId, filter)}
    ${before === null ? sql`` : sql`and (t.created_at, t.id) < (${before.at}::timestamptz, ${before.id})`}
  order by t.created_at desc, t.id desc limit ${limit}`

export const countReturns = async (db: Queries, storeId: StoreId, filter: ReturnFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (select from order_return t where ${matching(storeId, filter)} limit ${limit}) found`
  ).found

export type NewReturn = Pick<ReturnRow, 'id' | 'orderId' | 'status' | 'items' | 'reason' | 'byCustomer'>

export const insertReturn = (tx: Tx, storeId: StoreId, one: NewReturn) => tx.run`
  insert into order_return (store_id, id, order_id, status, items, reason, by_customer, created_at, updated_at)
  values (${storeId}, ${one.id}, ${one.orderId}, ${one.status}, ${JSON.stringify(one.items)}::jsonb, ${one.reason},
    ${one.byCustomer}, vitrine_now(), vitrine_now())`

export type ReturnChange = Partial<Pick<ReturnRow, 'status' | 'answer' | 'restocked' | 'refundId'>>

/** Of a locked order. */
export const writeReturn = (tx: Tx, storeId: StoreId, id: string, change: ReturnChange) => tx.run`
  update order_return set status = coalesce(${change.status ?? null}, status), answer = coalesce(${change.answer ?? null}, answer),
    restocked = coalesce(${change.restocked ?? null}, restocked), refund_id = coalesce(${change.refundId ?? null}, refund_id),
    updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${id}`

/** How many days ago a locked order was delivered. Null: it is not delivered. */
export const daysSinceDelivery = async (tx: Tx, storeId: StoreId, orderId: string) =>
  (
    await tx.one<{ days: number | null }>`
    select (extract(epoch from vitrine_now() - o.delivered_at) / 86400)::float8 as days
    from orders o where o.store_id = ${storeId} and o.id = ${orderId}`
  ).days
