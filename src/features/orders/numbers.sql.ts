import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type AnswerKey, isAnswered } from '../access/idempotency.sql.ts'
import type { StoreId } from '../context.ts'

/**
 * Takes the next order number of a store, in a transaction of its own that does not wait for the disk: the row is locked
 * only for the length of this statement, and its log record comes before that of the order, so it is on the disk when the
 * order is. No row: a call with this key was answered before, and needs no number.
 */
export const takeOrderNumber = (db: Queries, storeId: StoreId, key: AnswerKey | null) => db.maybeOne<{
  number: number
}>`
  with quick as materialized (select set_config('synchronous_commit', 'off', true))
  insert into order_counter as c (store_id, last_number) select ${storeId}, 1001 from quick
  ${key === null ? sql`` : sql`where not ${isAnswered(key)}`}
  on conflict (store_id) do update set last_number = c.last_number + 1
  returning c.last_number as number`
