import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type EventToErase = { id: string; data: unknown }

/** The events of orders or customers. */
export const listEventsToErase = (tx: Tx, storeId: StoreId, subjects: readonly string[]) => tx.many<EventToErase>`
  select e.id, e.data from event e where e.store_id = ${storeId} and e.subject = any(${subjects}::text[])`

export const replaceEventData = (tx: Tx, storeId: StoreId, events: readonly EventToErase[]) => tx.run`
  update event e set data = n.data
  from json_to_recordset(${JSON.stringify(events)}::json) as n (id text, data json)
  where e.store_id = ${storeId} and e.id = n.id`
