import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export const insertSession = (tx: Tx, storeId: StoreId, tokenHash: string, customerId: string, ttlMs: number) =>
  tx.one<{ expiresAt: Date }>`
  insert into session (store_id, token_hash, customer_id, created_at, expires_at)
  values (${storeId}, ${tokenHash}, ${customerId}, vitrine_now(), vitrine_now() + ${ttlMs} * interval '1 millisecond')
  returning expires_at as "expiresAt"`

/** Deletes all sessions of a customer except one (null: no exception). */
export const deleteSessions = (db: Queries, storeId: StoreId, customerId: string, except: string | null) => db.run`
  delete from session
  where store_id = ${storeId} and customer_id = ${customerId} and token_hash is distinct from ${except}`

export const deleteSession = (db: Queries, storeId: StoreId, tokenHash: string) => db.run`
  delete from session where store_id = ${storeId} and token_hash = ${tokenHash}`
