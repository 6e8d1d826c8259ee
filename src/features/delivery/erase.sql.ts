import { erasedText, sqlPatternOf } from '../../core/erased.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { matchesPattern } from '../../db/matches-pattern.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

const erasedBody = sql`to_jsonb(${erasedText}::text)`

export const eraseDeliveryEvents = (tx: Tx, storeId: StoreId, orderIds: readonly string[]) => tx.run`
  update delivery_event e set body = ${erasedBody}
  where e.store_id = ${storeId} and e.order_id = any(${orderIds}::text[])`

/** For an event that arrived after the customer was erased. */
export const eraseDeliveryEvent = (tx: Tx, storeId: StoreId, eventId: string) => tx.run`
  update delivery_event e set body = ${erasedBody} where e.store_id = ${storeId} and e.event_id = ${eventId}`

/** A label shows the address. The tracking number stays, for questions to the carrier. */
export const eraseLabels = (tx: Tx, storeId: StoreId, orderIds: readonly string[]) => tx.run`
  update shipment s set label_url = ''
  where s.store_id = ${storeId} and s.order_id = any(${orderIds}::text[]) and s.label_url <> ''`

/** The next events without an order, of which those are erased that hold one of the values. */
export const eraseUnmatchedDeliveryEvents = (
  db: Queries,
  storeId: StoreId,
  values: readonly string[],
  { after, limit }: { after: number; limit: number },
) => db.one<{ scanned: number; last: number | null }>`
  with batch as materialized (
    select e.id, e.body from delivery_event e
    where e.store_id = ${storeId} and e.order_id is null and e.id > ${after}
    order by e.id limit ${limit}),
  erased as (
    update delivery_event e set body = ${erasedBody}
    from batch b
    where e.store_id = ${storeId} and e.id = b.id and ${matchesPattern(sql`b.body::text`, sqlPatternOf(values))})
  select count(*) as scanned, max(id) as last from batch`
