import { erasedText } from '../../core/erased.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** That a mail was sent stays. Mail that waits is not sent, and mail that is being sent notes no result any more. */
const erased = sql`recipient = case when m.recipient is not null then ${erasedText} end, data = '{}', sealed = null,
    error = case when m.error = '' then '' else ${erasedText} end,
    finished_at = coalesce(m.finished_at, (select vitrine_now())),
    state = case when m.state = 'waiting' then 'skipped' else m.state end`

export const eraseMailOfEvents = (tx: Tx, storeId: StoreId, eventIds: readonly string[]) => tx.run`
  update mail m set ${erased} where m.store_id = ${storeId} and m.event_id = any(${eventIds}::text[])`

/** Mail that tells of no event, such as codes and links. */
export const eraseMailTo = (db: Queries, storeId: StoreId, recipients: readonly string[]) => db.run`
  update mail m set ${erased} where m.store_id = ${storeId} and m.recipient = any(${recipients}::text[])`
