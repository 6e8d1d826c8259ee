import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** `type` is for programs, `message` for people. */
export type TimelineEntry = { type: string; message: string }

/** A part of the statement that writes the order. */
export const insertEntries = (storeId: StoreId, orderId: string, entries: readonly TimelineEntry[]) => {
  const [only, ...others] = entries
  if (only !== undefined && others.length === 0) {
    return sql`
  insert into order_event (store_id, order_id, at, type, message)
  values (${storeId}, ${orderId}, vitrine_now(), ${only.type}, ${only.message})`
  }
  return sql`
  insert into order_event (store_id, order_id, at, type, message)
  select ${storeId}, ${orderId}, vitrine_now(), e.type, e.message
  from rows from (jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (type text, message text))
    with ordinality as e (type, message, n)
  order by e.n`
}
