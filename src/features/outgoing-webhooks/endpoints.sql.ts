import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

export type DisabledReason = 'gone' | 'failing' | 'merchant'

export type EndpointRow = {
  id: string
  url: string
  types: string[]
  createdAt: Date
  /** The first failure since the last success. */
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: DisabledReason | null
  /** Until then, requests are also signed with the secret before the last rotation. */
  oldSecretUntil: Date | null
  /** Until then nothing is sent, because the endpoint was overloaded. */
  pausedUntil: Date | null
}

const endpointColumns = sql`w.id, w.url, w.types, w.created_at as "createdAt", w.failing_since as "failingSince",
  w.disabled_at as "disabledAt", w.disabled_reason as "disabledReason",
  case when w.old_secret_until > (select vitrine_now()) then w.old_secret_until end as "oldSecretUntil",
  case when w.paused_until > (select vitrine_now()) then w.paused_until end as "pausedUntil"`

/** Until the commit, no other transaction creates an endpoint of this store. */
export const lockEndpointCount = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock(7150425, ${storeId}::integer)`

export const countEndpoints = async (tx: Tx, storeId: StoreId) =>
  (
    await tx.one<{ count: number }>`
    select count(*) as count from webhook_endpoint where store_id = ${storeId} and deleted_at is null`
  ).count

export type NewEndpoint = { id: string; url: string; types: readonly string[]; secret: string }

export const insertEndpoint = (tx: Tx, storeId: StoreId, { id, url, types, secret }: NewEndpoint) => tx.run`
  insert into webhook_endpoint (store_id, id, url, types, secret, created_at, updated_at)
  values (${storeId}, ${id}, ${url}, ${types}, ${secret}, vitrine_now(), vitrine_now())`

export const listEndpoints = (db: Queries, storeId: StoreId) => db.many<EndpointRow>`
  select ${endpointColumns} from webhook_endpoint w
  where w.store_id = ${storeId} and w.deleted_at is null
  order by w.created_at, w.id`

export const readEndpoint = (db: Queries, storeId: StoreId, id: string) => db.maybeOne<EndpointRow>`
  select ${endpointColumns} from webhook_endpoint w
  where w.store_id = ${storeId} and w.id = ${id} and w.deleted_at is null`

/** As `readEndpoint`. Until the commit, no other transaction changes the endpoint. */
export const lockEndpoint = (tx: Tx, storeId: StoreId, id: string) => tx.maybeOne<EndpointRow>`
  select ${endpointColumns} from webhook_endpoint w
  where w.store_id = ${storeId} and w.id = ${id} and w.deleted_at is null
  for no key update`

/** The public id of the store that has this endpoint. */
export const findStoreOfEndpoint = async (db: Queries, id: string) =>
  (
    await db.maybeOne<{ storeId: string }>`
    select s.public_id as "storeId" from webhook_endpoint w join store s on s.id = w.store_id where w.id = ${id}`
  )?.storeId

/** The secret before is valid for a day longer. */
export const rotateSecret = (tx: Tx, storeId: StoreId, id: string, secret: string) => tx.maybeOne<{
  oldSecretUntil: Date | null
}>`
  update webhook_endpoint set old_secret = secret, old_secret_until = vitrine_now() + interval '24 hours',
    secret = ${secret}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${id} and deleted_at is null
  returning old_secret_until as "oldSecretUntil"`

export const enableEndpoint = (tx: Tx, storeId: StoreId, id: string) => tx.maybeOne<EndpointRow>`
  update webhook_endpoint w
  set disabled_at = null, disabled_reason = null, failing_since = null, paused_until = null,
    updated_at = vitrine_now()
  where w.store_id = ${storeId} and w.id = ${id} and w.deleted_at is null
  returning ${endpointColumns}`

/** Also forgets the secrets. The row is removed later, with its deliveries. */
export const deleteEndpoint = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update webhook_endpoint set deleted_at = vitrine_now(), disabled_at = coalesce(disabled_at, (select vitrine_now())),
    disabled_reason = coalesce(disabled_reason, 'merchant'), secret = '', old_secret = null, old_secret_until = null,
    updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${id} and deleted_at is null`

/** Nothing if it is off already, or if it has not failed for three days. Returns its URL. */
export const disableEndpoint = (tx: Tx, storeId: StoreId, id: string, reason: 'gone' | 'failing') => tx.maybeOne<{
  url: string
}>`
  update webhook_endpoint
  set disabled_at = vitrine_now(), disabled_reason = ${reason}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${id} and disabled_at is null
    and (${reason} = 'gone' or failing_since <= vitrine_now() - interval '3 days')
  returning url`
