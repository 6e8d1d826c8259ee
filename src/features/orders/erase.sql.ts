import { erasedText, sqlPatternOf } from '../../core/erased.ts'
import type { Instrument } from '../../core/instrument.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { matchesPattern } from '../../db/matches-pattern.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { PostalAddress } from './order.contract.ts'

/**
 * Orders of a customer that still need the address or the money of the customer: unpaid ones that hold stock, those that
 * are not shipped or delivered, and those with a refund under way. A paid order of files alone needs neither.
 */
export const listUnfinishedOrders = (db: Queries, storeId: StoreId, customerId: string) => db.many<{
  number: number
}>`
  select o.number from orders o
  where o.store_id = ${storeId} and o.customer_id = ${customerId} and (
    o.status in ('pending', 'out_for_delivery')
    or o.status = 'paid' and exists (
      select from order_line l where l.store_id = ${storeId} and l.order_id = o.id and l.digital is null
        and l.refunded < l.quantity)
    or exists (select from refund r where r.store_id = ${storeId} and r.order_id = o.id and r.status = 'pending'))
  order by o.number limit 10`

export type OrderToErase = {
  id: string
  number: number
  shippingAddress: PostalAddress | null
  billingAddress: PostalAddress | null
  payment: Instrument | null
  note: string
}

/** The next orders of a customer, locked: reports about them wait, and see afterwards that they are erased. */
export const lockOrdersToErase = (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  { after, limit }: { after: number; limit: number },
) => tx.many<OrderToErase>`
  select o.id, o.number, o.shipping_address as "shippingAddress", o.billing_address as "billingAddress", o.payment, o.note
  from orders o
  where o.store_id = ${storeId} and o.customer_id = ${customerId} and o.number > ${after}
  order by o.number limit ${limit}
  for update`

export const listErasedOrders = (
  db: Queries,
  storeId: StoreId,
  customerId: string,
  { after, limit }: { after: number; limit: number },
) => db.many<{ id: string; number: number }>`
  select o.id, o.number from orders o
  where o.store_id = ${storeId} and o.customer_id = ${customerId} and o.number > ${after}
  order by o.number limit ${limit}`

/** Every text of an object, except the country and what is empty. */
const erasedAddress = (address: Fragment) => sql`(
    select jsonb_object_agg(key, case when key = 'country' or value = '""' then value else to_jsonb(${erasedText}::text) end)
    from jsonb_each(${address}))`

const erasedIfSet = (value: Fragment) => sql`case when ${value} = '' then '' else ${erasedText} end`

/**
 * Amounts, tax, lines and states stay. `(select case …)`: a distributed database refuses `jsonb_build_object` in `case`
 * outside of a query (decision 0053).
 */
export const eraseOrders = (tx: Tx, storeId: StoreId, orderIds: readonly string[]) => tx.run`
  update orders o set erased_at = coalesce(o.erased_at, (select vitrine_now())), request_hash = ${erasedText}, language = null,
    note = ${erasedIfSet(sql`o.note`)},
    shipping_address = case when o.shipping_address is not null then ${erasedAddress(sql`o.shipping_address`)} end,
    billing_address = case when o.billing_address is not null then ${erasedAddress(sql`o.billing_address`)} end,
    payment = (select case when o.payment is not null then o.payment || jsonb_build_object(
      'last4', ${erasedIfSet(sql`coalesce(o.payment ->> 'last4', '')`)},
      'upiId', ${erasedIfSet(sql`coalesce(o.payment ->> 'upiId', '')`)}) end)
  where o.store_id = ${storeId} and o.id = any(${orderIds}::text[])`

/** Entries that people or providers wrote may name the customer. */
export const eraseTimeline = (tx: Tx, storeId: StoreId, orderIds: readonly string[], values: readonly string[]) =>
  tx.run`
  update order_event e set message = ${erasedText}
  where e.store_id = ${storeId} and e.order_id = any(${orderIds}::text[]) and ${matchesPattern(sql`e.message`, sqlPatternOf(values))}`

/** What staff have written about orders. */
export const eraseNotes = (tx: Tx, storeId: StoreId, orderIds: readonly string[]) => tx.run`
  update order_note set text = ${erasedText} where store_id = ${storeId} and order_id = any(${orderIds}::text[])`

/** The orders are no longer found by the name, email or phone. */
export const deleteSearchTerms = (tx: Tx, storeId: StoreId, numbers: readonly number[]) => tx.run`
  delete from order_search where store_id = ${storeId} and number = any(${numbers}::integer[])`

/** Of a customer who was erased. */
export const isErasedOrder = async (db: Queries, storeId: StoreId, orderId: string) =>
  (
    await db.one<{ erased: boolean }>`
    select exists (
      select from orders where store_id = ${storeId} and id = ${orderId} and erased_at is not null) as erased`
  ).erased
