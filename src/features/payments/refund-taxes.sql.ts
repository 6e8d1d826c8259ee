import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import type { RefundedItem, TaxOfRate } from './refunds.sql.ts'

/** What was paid for a line, with its tax. `rate` is in percent. */
export type PaidLine = { id: string; quantity: number; paidMinor: number; taxMinor: number; rate: number }

export type CountedRefund = { id: string; amountMinor: number; items: RefundedItem[]; taxes: TaxOfRate[] }

/** `refunds`: those that count for the order, oldest first. */
export type TaxedOrder = { totalMinor: number; lines: PaidLine[]; refunds: CountedRefund[] }

export const readTaxedOrder = (db: Queries, storeId: StoreId, orderId: string) => db.maybeOne<TaxedOrder>`
  select o.total_minor as "totalMinor", (
    select coalesce(json_agg(json_build_object('id', l.id, 'quantity', l.quantity, 'rate', l.tax_rate,
      'taxMinor', l.tax_minor, 'paidMinor', l.line_total_minor - l.discount_minor
        + case when o.tax_included then 0 else l.tax_minor end) order by l.position), '[]')
    from order_line l where l.store_id = ${storeId} and l.order_id = o.id) as lines, (
    select coalesce(json_agg(json_build_object('id', r.id, 'amountMinor', r.amount_minor, 'items', r.items,
      'taxes', r.taxes) order by r.created_at, r.id), '[]')
    from refund r join payment p on p.store_id = r.store_id and p.id = r.payment_id
    where r.store_id = ${storeId} and r.order_id = o.id and r.status <> 'failed' and not p.is_duplicate) as refunds
  from orders o where o.store_id = ${storeId} and o.id = ${orderId}`
