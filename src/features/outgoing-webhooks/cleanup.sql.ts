import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'

const retention = sql`interval '30 days'`
const endpointRetention = sql`interval '40 days'`

export const oldWebhookAttempts: Deletable = {
  table: sql`webhook_attempt`,
  due: sql`t.at <= vitrine_now() - ${retention}`,
  age: sql`t.at`,
  retention,
}

export const oldWebhookDeliveries: Deletable = {
  table: sql`webhook_delivery`,
  due: sql`t.state <> 'waiting' and t.finished_at <= vitrine_now() - ${retention}`,
  age: sql`t.finished_at`,
  retention,
}

/** Its deliveries ended when it was deleted, and are gone by then. */
export const deletedEndpoints: Deletable = {
  table: sql`webhook_endpoint`,
  due: sql`t.deleted_at <= vitrine_now() - ${endpointRetention}`,
  age: sql`t.deleted_at`,
  retention: endpointRetention,
}
