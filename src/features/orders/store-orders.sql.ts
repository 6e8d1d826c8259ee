import type { Queries } from '../../db/database.ts'

export type OrderMatch = { orderId: string; storeId: string; storeName: string }

/** `storeId` is the public id; null searches all stores. */
export const findOrderById = (db: Queries, orderId: string, storeId: string | null) => db.many<OrderMatch>`
  select o.id as "orderId", s.public_id as "storeId", s.name as "storeName"
  from orders o join store s on s.id = o.store_id
  where o.id = ${orderId} and (${storeId}::text is null or s.public_id = ${storeId})`

/** Order numbers are unique within a store only. Five matches are enough for an error that lists the stores. */
export const findOrdersByNumber = (db: Queries, number: number, storeId: string | null) => db.many<OrderMatch>`
  select o.id as "orderId", s.public_id as "storeId", s.name as "storeName"
  from store s join orders o on o.store_id = s.id and o.number = ${number}
  where ${storeId}::text is null or s.public_id = ${storeId}
  order by s.id
  limit 5`
