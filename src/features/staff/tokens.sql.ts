import type { Queries, Tx } from '../../db/database.ts'
import type { Permission } from '../access/admin.contract.ts'
import type { StoreId } from '../context.ts'

export type TokenRow = {
  id: string
  name: string
  permissions: Permission[]
  createdAt: Date
  expiresAt: Date | null
  usedAt: Date | null
}

const tokenLock = 7150431

/** One transaction at a time counts and creates tokens of a store. */
export const lockTokens = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock(${tokenLock}::integer, ${storeId}::integer)`

/** Nothing if the store has `maxTokens` already. */
export const insertToken = (
  tx: Tx,
  storeId: StoreId,
  token: Pick<TokenRow, 'id' | 'name' | 'permissions' | 'expiresAt'> & { tokenHash: string },
  maxTokens: number,
) => tx.maybeOne<TokenRow>`
  insert into admin_token as a (store_id, id, name, token_hash, permissions, created_at, expires_at)
  select ${storeId}, ${token.id}, ${token.name}, ${token.tokenHash}, ${token.permissions}::text[], vitrine_now(),
    ${token.expiresAt}::timestamptz
  where (select count(*) from admin_token k where k.store_id = ${storeId} and k.revoked_at is null) < ${maxTokens}
  returning a.id, a.name, a.permissions, a.created_at as "createdAt", a.expires_at as "expiresAt", a.used_at as "usedAt"`

export const listTokens = (db: Queries, storeId: StoreId) => db.many<TokenRow>`
  select id, name, permissions, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"
  from admin_token where store_id = ${storeId} and revoked_at is null order by id desc`

/** Nothing if there is no such token, or if it was revoked. */
export const revokeTokenRow = (tx: Tx, storeId: StoreId, id: string) => tx.maybeOne<{ name: string }>`
  update admin_token set revoked_at = vitrine_now()
  where store_id = ${storeId} and id = ${id} and revoked_at is null
  returning name`

/** By its hash, which is the only lookup that does not know the store yet. */
export const findToken = (db: Queries, tokenHash: string) => db.maybeOne<
  Pick<TokenRow, 'id' | 'name' | 'permissions'> & { storeId: StoreId; isIdle: boolean }
>`
  select store_id as "storeId", id, name, permissions,
    coalesce(used_at < vitrine_now() - interval '1 minute', true) as "isIdle"
  from admin_token
  where token_hash = ${tokenHash} and revoked_at is null and coalesce(expires_at > vitrine_now(), true)`

export const noteTokenUse = (db: Queries, storeId: StoreId, id: string) => db.run`
  update admin_token set used_at = vitrine_now() where store_id = ${storeId} and id = ${id}`
