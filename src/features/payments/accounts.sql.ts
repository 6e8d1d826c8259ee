import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import type { WebhookStore } from '../stores/webhook-credentials.sql.ts'

/** Encrypted; see `openCredentials`. */
export const readCredentials = async (db: Queries, storeId: StoreId, provider: string) =>
  (
    await db.maybeOne<{ credentials: string }>`
    select credentials from payment_account where store_id = ${storeId} and provider = ${provider}`
  )?.credentials

export const keepCredentials = (tx: Tx, storeId: StoreId, provider: string, sealed: string) => tx.run`
  insert into payment_account (store_id, provider, credentials, updated_at)
  values (${storeId}, ${provider}, ${sealed}, vitrine_now())
  on conflict (store_id, provider) do update set credentials = excluded.credentials, updated_at = excluded.updated_at`

/** A store with its account at this provider, in one statement because webhooks come in bursts. */
export const findStoreOfWebhook = (db: Queries, publicId: string, provider: string) => db.maybeOne<
  WebhookStore & { credentials: string }
>`
  select s.id, s.public_id as "publicId", s.payment_provider as "paymentProvider", a.credentials
  from store s join payment_account a on a.store_id = s.id and a.provider = ${provider}
  where s.public_id = ${publicId}`
