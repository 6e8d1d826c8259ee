import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Which of these orders are no longer pending, in one lookup by primary key. */
export const findDecided = (db: Queries, orders: readonly { storeId: StoreId; orderId: string }[]) =>
  db.many<{ id: string }>`
  select o.id
  from unnest(${orders.map(({ storeId }) => storeId)}::integer[], ${orders.map(({ orderId }) => orderId)}::text[])
    as w (store_id, id)
  join orders o on o.store_id = w.store_id and o.id = w.id
  where o.status <> 'pending' or o.payment_status <> 'pending'`
