import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** Whether the order `o` counts as a sale: once it is paid or placed for cash, unless it is cancelled. */
export const isSaleSql = sql`(o.status <> 'cancelled'
  and (o.payment_method = 'cod' or o.payment_status in ('paid', 'partially_refunded', 'refunded')))`

/** The same for an order that was read. */
export const isSale = (order: { status: string; paymentMethod: string; paymentStatus: string }): boolean =>
  order.status !== 'cancelled' &&
  (order.paymentMethod === 'cod' || ['paid', 'partially_refunded', 'refunded'].includes(order.paymentStatus))

const countedRefunds = (storeId: StoreId | Fragment, orderId: string | Fragment) => sql`from refund r
  join payment p on p.store_id = r.store_id and p.id = r.payment_id
  where r.store_id = ${storeId} and r.order_id = ${orderId} and r.status <> 'failed' and not p.is_duplicate`

/** Refunds of the order `o` that count: not those that failed, nor those of a duplicate payment. */
export const refundsSql = (storeId: StoreId | Fragment) =>
  sql`(select coalesce(sum(r.amount_minor), 0)::bigint ${countedRefunds(storeId, sql`o.id`)})`

/** The refunded tax of the refund `r`, as an entry notes it. `sign`: 1 or -1. */
const refundedTaxes = (sign: Fragment) => sql`jsonb_build_object('at', r.created_at, 'sign', ${sign}, 'taxes', r.taxes)`

/**
 * Part of the statement that writes an order: from now on it counts as a sale (1), or no longer (-1). `written` has its
 * row if that statement wrote it.
 */
export const saleEntry = (storeId: StoreId, orderId: string, written: Fragment, orders: 1 | -1): Fragment => sql`
  insert into sale_entry (store_id, order_id, orders, at, refunds_minor, refunded_taxes)
  select ${storeId}, ${orderId}, ${orders}::smallint, vitrine_now(), ${orders}::bigint * f.minor, f.taxes from ${written}
  cross join (
    select coalesce(sum(r.amount_minor), 0)::bigint as minor, jsonb_agg(${refundedTaxes(sql`${orders}::integer`)}) as taxes
    ${countedRefunds(storeId, orderId)}) f
  returning 1`

/** The same for an order that has no refund. Looking for one takes longer than writing the entry. */
export const saleWithoutRefunds = (storeId: StoreId, orderId: string, orders: 1 | -1): Fragment => sql`
  insert into sale_entry (store_id, order_id, orders, at) values (${storeId}, ${orderId}, ${orders}, vitrine_now())`

/**
 * Part of the statement that writes a refund. `changed` has its columns, and `counted`: what it adds to the refunds of
 * its order.
 */
export const refundEntry = (storeId: StoreId, changed: Fragment): Fragment => sql`
  insert into sale_entry (store_id, order_id, orders, at, refunds_minor, refunded_taxes)
  select ${storeId}, r.order_id, 0, vitrine_now(), r.counted, jsonb_build_array(${refundedTaxes(sql`sign(r.counted)`)})
  from ${changed} r
  join payment p on p.store_id = ${storeId} and p.id = r.payment_id
  join orders o on o.store_id = ${storeId} and o.id = r.order_id
  where r.counted <> 0 and not p.is_duplicate and ${isSaleSql}
  returning 1`

/** Part of the statement that counts refunded units of lines. `units`: JSON with the `id` of a line and `refunded`. */
export const refundedUnitsEntry = (storeId: StoreId, orderId: string, units: string): Fragment => sql`
  insert into sale_entry (store_id, order_id, orders, at, refunded_units)
  select ${storeId}, o.id, 0, vitrine_now(), ${units}::jsonb from orders o
  where o.store_id = ${storeId} and o.id = ${orderId} and ${isSaleSql}
  returning 1`
