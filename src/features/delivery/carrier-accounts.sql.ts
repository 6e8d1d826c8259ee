import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Encrypted. */
export const readCarrierCredentials = async (db: Queries, storeId: StoreId, carrier: string) =>
  (
    await db.maybeOne<{ credentials: string }>`
    select credentials from carrier_account where store_id = ${storeId} and carrier = ${carrier}`
  )?.credentials

export const saveCarrierCredentials = (tx: Tx, storeId: StoreId, carrier: string, sealed: string) => tx.run`
  insert into carrier_account (store_id, carrier, credentials, updated_at)
  values (${storeId}, ${carrier}, ${sealed}, vitrine_now())
  on conflict (store_id, carrier) do update set credentials = excluded.credentials, updated_at = excluded.updated_at`

export const listCarrierNames = async (db: Queries, storeId: StoreId) =>
  (
    await db.many<{ carrier: string }>`
    select carrier from carrier_account where store_id = ${storeId} order by carrier`
  ).map(({ carrier }) => carrier)
