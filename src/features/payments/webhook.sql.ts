import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export const findWebhookSecret = async (db: Queries, storeId: StoreId, username: string) =>
  (
    await db.maybeOne<{ secretHash: string }>`
    select secret_hash as "secretHash" from webhook_credential
    where store_id = ${storeId} and kind = 'payment' and username = ${username}`
  )?.secretHash
