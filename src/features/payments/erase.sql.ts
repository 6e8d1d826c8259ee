import { erasedText, sqlPatternOf } from '../../core/erased.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { matchesPattern } from '../../db/matches-pattern.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** A body as a provider sent it may hold anything, so nothing of it stays. What it has changed is in the order. */
const erasedBody = sql`to_jsonb(${erasedText}::text)`

const erasedDetail = (values: readonly string[]) =>
  sql`case when ${matchesPattern(sql`e.detail`, sqlPatternOf(values))} then ${erasedText} else e.detail end`

/** Events of the orders, also those that named only the payment and wait for it. */
export const erasePaymentEvents = (tx: Tx, storeId: StoreId, orderIds: readonly string[], values: readonly string[]) =>
  tx.run`
  update payment_event e set body = ${erasedBody}, detail = ${erasedDetail(values)}
  where e.store_id = ${storeId} and e.id = any(array(
    select o.id from payment_event o where o.store_id = ${storeId} and o.order_id = any(${orderIds}::text[])
      and length(o.order_id) <= 100
    union
    select w.id from payment p
    join payment_event w on w.store_id = ${storeId} and w.transaction_ref = p.transaction_ref
    where p.store_id = ${storeId} and p.order_id = any(${orderIds}::text[])))`

/** For an event that arrived after the customer was erased. */
export const erasePaymentEvent = (tx: Tx, storeId: StoreId, id: number) => tx.run`
  update payment_event e set body = ${erasedBody} where e.store_id = ${storeId} and e.id = ${id}`

export const eraseRefundTexts = (tx: Tx, storeId: StoreId, orderIds: readonly string[], values: readonly string[]) =>
  tx.run`
  update refund r set
    reason = case when ${matchesPattern(sql`r.reason`, sqlPatternOf(values))} then ${erasedText} else r.reason end,
    detail = case when ${matchesPattern(sql`r.detail`, sqlPatternOf(values))} then ${erasedText} else r.detail end
  where r.store_id = ${storeId} and r.order_id = any(${orderIds}::text[])
    and (${matchesPattern(sql`r.reason`, sqlPatternOf(values))} or ${matchesPattern(sql`r.detail`, sqlPatternOf(values))})`

export type Scanned = { scanned: number; last: number | null }

/** The next events of no known order, of which those are erased that hold one of the values. */
export const eraseUnmatchedPaymentEvents = (
  db: Queries,
  storeId: StoreId,
  values: readonly string[],
  { after, limit }: { after: number; limit: number },
) => db.one<Scanned>`
  with batch as materialized (
    select e.id, e.body, e.detail from payment_event e
    where e.store_id = ${storeId} and (e.order_id is null or e.outcome in ('unknown_order', 'malformed'))
      and e.id > ${after}
    order by e.id limit ${limit}),
  erased as (
    update payment_event e set body = ${erasedBody}, detail = ${erasedDetail(values)}
    from batch b
    where e.store_id = ${storeId} and e.id = b.id
      and (${matchesPattern(sql`b.body::text`, sqlPatternOf(values))} or ${matchesPattern(sql`b.detail`, sqlPatternOf(values))}))
  select count(*) as scanned, max(id) as last from batch`
