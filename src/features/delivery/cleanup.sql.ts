import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'

const retention = sql`interval '180 days'`

/** Only applied events. Events that matched no order stay for an operator to look at. */
export const oldDeliveryEvents: Deletable = {
  table: sql`delivery_event`,
  due: sql`t.received_at <= vitrine_now() - ${retention} and t.outcome in ('applied', 'stale', 'after_delivery')`,
  age: sql`t.received_at`,
  retention,
}
