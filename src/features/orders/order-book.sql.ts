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

/** The newest orders of a store, for those who run it. */
export const listStoreOrders = (
  db: Queries,
  storeId: StoreId,
  { status, limit }: { status: string | null; limit: number },
) => db.many<ListedOrder>`
  select o.id, o.number, o.status, o.payment_status as "paymentStatus", o.payment_method as "paymentMethod",
    o.delivery_status as "deliveryStatus", o.needs_attention as "needsAttention", o.total_minor as "totalMinor",
    o.currency, o.customer_id as "customerId", o.created_at as "createdAt", c.name as customer
  from orders o
  join customer c on c.store_id = o.store_id and c.id = o.customer_id
  where o.store_id = ${storeId} and ${status === null ? sql`true` : sql`o.status = ${status}`}
  order by o.number desc
  limit ${limit}`
