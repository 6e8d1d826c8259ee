import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import type { WebhookStore } from '../stores/webhook-credentials.sql.ts'

/** Encrypted; see `openCredentials`. */
export const readCredentials = async (db: Queries, storeId: StoreId, provider: string) =>
  (
    await db.maybeOne<{ credentials: string }>`
    select credentials from payment_account where store_id = ${storeId} and provider = ${provider}`
  )?.credentials

/** With when the provider last accepted them. */
export const readAccountRow = (db: Queries, storeId: StoreId, provider: string) => db.maybeOne<{
  credentials: string
  checkedAt: Date | null
}>`
  select credentials, checked_at as "checkedAt" from payment_account
  where store_id = ${storeId} and provider = ${provider}`

/** Credentials that have changed and were not tried count as not checked. */
export const keepCredentials = (
  tx: Tx,
  storeId: StoreId,
  provider: string,
  { sealed, isChecked, isChanged }: { sealed: string; isChecked: boolean; isChanged: boolean },
) => tx.run`
  insert into payment_account as a (store_id, provider, credentials, checked_at, updated_at)
  values (${storeId}, ${provider}, ${sealed}, case when ${isChecked} then vitrine_now() end, vitrine_now())
  on conflict (store_id, provider) do update set credentials = excluded.credentials, updated_at = excluded.updated_at,
    checked_at = case when ${isChanged || isChecked} then excluded.checked_at else a.checked_at end`

export const noteChecked = (tx: Tx, storeId: StoreId, provider: string) => tx.run`
  update payment_account set checked_at = vitrine_now() where store_id = ${storeId} and provider = ${provider}`

/** A store with its account at this provider, in one statement because webhooks come in bursts. */
export const findStoreOfWebhook = (db: Queries, publicId: string, provider: string) => db.maybeOne<
  WebhookStore & { credentials: string }
>`
  select s.id, s.public_id as "publicId", s.payment_provider as "paymentProvider", a.credentials
  from store s join payment_account a on a.store_id = s.id and a.provider = ${provider}
  where s.public_id = ${publicId}`
