import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type ListedPayment = {
  id: string
  provider: string
  status: string
  amountMinor: number
  currency: string
  reference: string | null
  createdAt: Date
  updatedAt: Date
}

/** All payments of an order, oldest first. */
export const listPayments = (db: Queries, storeId: StoreId, orderId: string) => db.many<ListedPayment>`
  select id, provider, status, amount_minor as "amountMinor", currency, reference, created_at as "createdAt",
    updated_at as "updatedAt"
  from payment
  where store_id = ${storeId} and order_id = ${orderId}
  order by created_at, id`
