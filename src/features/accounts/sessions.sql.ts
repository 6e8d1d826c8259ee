import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type SessionRow = { expiresAt: Date }

/** Nothing if the customer was erased. The lock makes an erasure come before, and be seen here, or end the session. */
export const insertSession = (tx: Tx, storeId: StoreId, tokenHash: string, customerId: string, ttlMs: number) =>
  tx.maybeOne<SessionRow>`
  with owner as (
    select id from customer where store_id = ${storeId} and id = ${customerId} and erased_at is null for no key update)
  insert into session (store_id, token_hash, customer_id, created_at, expires_at)
  select ${storeId}, ${tokenHash}, id, vitrine_now(), vitrine_now() + ${ttlMs} * interval '1 millisecond' from owner
  returning expires_at as "expiresAt"`

/** Deletes all sessions of a customer except one (null: no exception). */
export const deleteSessions = (db: Queries, storeId: StoreId, customerId: string, except: string | null) => db.run`
  delete from session
  where store_id = ${storeId} and customer_id = ${customerId} and token_hash is distinct from ${except}`

export const deleteSession = (db: Queries, storeId: StoreId, tokenHash: string) => db.run`
  delete from session where store_id = ${storeId} and token_hash = ${tokenHash}`
