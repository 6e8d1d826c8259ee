import { erasedText } from '../../core/erased.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** A receiver may have repeated what it got. The ids of the deliveries of an event begin with that of the event. */
export const eraseAttempts = (tx: Tx, storeId: StoreId, eventIds: readonly string[]) => tx.run`
  update webhook_attempt a set answer = ${erasedText}
  from unnest(${eventIds}::text[]) n (event_id)
  where a.store_id = ${storeId} and a.answer <> ''
    and a.delivery_id > 'dlv_' || substr(n.event_id, 5) || '_' and a.delivery_id < 'dlv_' || substr(n.event_id, 5) || '_~'`
