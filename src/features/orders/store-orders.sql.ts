import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { OrderRow } from './orders.sql.ts'

export type ListedOrder = Pick<
  OrderRow,
  | 'id'
  | 'number'
  | 'status'
  | 'paymentStatus'
  | 'paymentMethod'
  | 'deliveryStatus'
  | 'needsAttention'
  | 'totalMinor'
  | 'currency'
  | 'customerId'
  | 'createdAt'
> & { customer: string }

/** `isFlagged`: only orders that need attention. */
export type OrderFilter = { status: string | null; isFlagged: boolean; limit: number }

/** The newest orders of a store, for its operator. */
export const listStoreOrders = (
  db: Queries,
  storeId: StoreId,
  { status, isFlagged, limit }: OrderFilter,
) => db.many<ListedOrder>`
  select o.id, o.number, o.status, o.payment_status as "paymentStatus", o.payment_method as "paymentMethod",
    o.delivery_status as "deliveryStatus", o.needs_attention as "needsAttention", o.total_minor as "totalMinor",
    o.currency, o.customer_id as "customerId", o.created_at as "createdAt", c.name as customer
  from orders o
  join customer c on c.store_id = o.store_id and c.id = o.customer_id
  where o.store_id = ${storeId} and ${status === null ? sql`true` : sql`o.status = ${status}`}
    and ${isFlagged ? sql`o.needs_attention is not null` : sql`true`}
  order by o.number desc
  limit ${limit}`

export type OrderMatch = { orderId: string; storeId: string; storeName: string }

/** `storeId` is the public id; null searches all stores. */
export const findOrderById = (db: Queries, orderId: string, storeId: string | null) => db.many<OrderMatch>`
  select o.id as "orderId", s.public_id as "storeId", s.name as "storeName"
  from orders o join store s on s.id = o.store_id
  where o.id = ${orderId} and (${storeId}::text is null or s.public_id = ${storeId})`

/** Order numbers are unique within a store only. Five matches are enough for an error that lists the stores. */
export const findOrdersByNumber = (db: Queries, number: number, storeId: string | null) => db.many<OrderMatch>`
  select o.id as "orderId", s.public_id as "storeId", s.name as "storeName"
  from store s
  cross join lateral (select o.id from orders o where o.store_id = s.id and o.number = ${number} limit 1) o
  where ${storeId}::text is null or s.public_id = ${storeId}
  order by s.id
  limit 5`
