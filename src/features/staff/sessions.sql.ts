import type { Queries, Tx } from '../../db/database.ts'
import type { StaffRole } from '../access/admin.contract.ts'
import type { StoreId } from '../context.ts'

export type NewStaffSession = {
  id: string
  tokenHash: string
  staffId: string
  clientAddress: string
  userAgent: string
  ttlMs: number
}

export const insertStaffSession = (tx: Tx, session: NewStaffSession) => tx.one<{ expiresAt: Date }>`
  insert into staff_session (token_hash, id, staff_id, created_at, used_at, expires_at, client_address, user_agent)
  values (${session.tokenHash}, ${session.id}, ${session.staffId}, vitrine_now(), vitrine_now(),
    vitrine_now() + ${session.ttlMs} * interval '1 millisecond', ${session.clientAddress}, ${session.userAgent})
  returning expires_at as "expiresAt"`

export type SignedInStaff = {
  id: string
  email: string
  name: string
  hasSecondFactor: boolean
  expiresAt: Date
  /** Not used in the last minute. */
  isIdle: boolean
  /** The role in the given store. Null: none, or no store was given. */
  role: StaffRole | null
}

export const findStaffSession = (db: Queries, tokenHash: string, storeId: StoreId | null) => db.maybeOne<SignedInStaff>`
  select s.id, s.email, s.name, s.second_factor_at is not null as "hasSecondFactor", x.expires_at as "expiresAt",
    x.used_at < vitrine_now() - interval '1 minute' as "isIdle", (
      select r.role from staff_role r where r.store_id = ${storeId} and r.staff_id = s.id) as role
  from staff_session x join staff s on s.id = x.staff_id
  where x.token_hash = ${tokenHash} and x.expires_at > vitrine_now()`

export const renewStaffSession = (db: Queries, tokenHash: string, ttlMs: number) => db.maybeOne<{ expiresAt: Date }>`
  update staff_session set used_at = vitrine_now(), expires_at = vitrine_now() + ${ttlMs} * interval '1 millisecond'
  where token_hash = ${tokenHash} and expires_at > vitrine_now()
  returning expires_at as "expiresAt"`

export type ListedStaffSession = {
  id: string
  createdAt: Date
  usedAt: Date
  expiresAt: Date
  clientAddress: string
  userAgent: string
  isCurrent: boolean
}

export const listStaffSessions = (db: Queries, staffId: string, currentHash: string) => db.many<ListedStaffSession>`
  select id, created_at as "createdAt", used_at as "usedAt", expires_at as "expiresAt",
    client_address as "clientAddress", user_agent as "userAgent", token_hash = ${currentHash} as "isCurrent"
  from staff_session where staff_id = ${staffId} and expires_at > vitrine_now() order by used_at desc, id`

export const deleteStaffSession = (db: Queries, tokenHash: string) => db.run`
  delete from staff_session where token_hash = ${tokenHash}`

export const deleteStaffSessionById = (db: Queries, staffId: string, id: string) => db.run`
  delete from staff_session where staff_id = ${staffId} and id = ${id}`

/** Those of a person that were used last stay. */
export const deleteOldestSessions = (tx: Tx, staffId: string, kept: number) => tx.run`
  delete from staff_session where token_hash = any(array(
    select token_hash from staff_session where staff_id = ${staffId} order by used_at desc, id desc offset ${kept}))`

/** All sessions of a person except one (null: no exception). */
export const deleteStaffSessions = (tx: Tx, staffId: string, except: string | null) => tx.run`
  delete from staff_session where staff_id = ${staffId} and token_hash is distinct from ${except}`
