import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

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
