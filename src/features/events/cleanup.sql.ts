import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'

const retention = sql`interval '30 days'`

/**
 * Not while a delivery or a waiting mail needs the event. Deliveries of an event are found by their id, which begins
 * with that of the event.
 */
export const oldEvents: Deletable = {
  table: sql`event`,
  due: sql`t.created_at <= vitrine_now() - ${retention}`,
  unused: (storeId) => sql`not exists (
      select from webhook_delivery d where d.store_id = ${storeId}
        and d.id > 'dlv_' || substr(t.id, 5) || '_' and d.id < 'dlv_' || substr(t.id, 5) || '_~')
    and not exists (
      select from mail m where m.store_id = ${storeId} and m.event_id = t.id and m.state = 'waiting')`,
  age: sql`t.created_at`,
  retention,
}
