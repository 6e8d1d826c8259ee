import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StaffRole } from '../access/admin.contract.ts'
import type { Store, StoreId } from '../context.ts'

export type StaffRow = {
  id: string
  email: string
  name: string
  passwordHash: string | null
  /** The encrypted secret, and when it was confirmed. */
  secondFactor: string | null
  secondFactorAt: Date | null
}

const columns = sql`s.id, s.email, s.name, s.password_hash as "passwordHash", s.second_factor as "secondFactor",
  s.second_factor_at as "secondFactorAt"`

export const findStaffByEmail = (db: Queries, email: string) => db.maybeOne<StaffRow>`
  select ${columns} from staff s where s.email = ${email}`

export const findStaff = (db: Queries, staffId: string) => db.maybeOne<StaffRow>`
  select ${columns} from staff s where s.id = ${staffId}`

/** Changes of a person's credentials, sessions and links wait for each other. */
export const lockStaff = (tx: Tx, staffId: string) => tx.maybeOne<StaffRow>`
  select ${columns} from staff s where s.id = ${staffId} for update`

/** The new person, or the one who has this email already. */
export const insertStaff = (tx: Tx, { id, email, name }: Pick<StaffRow, 'id' | 'email' | 'name'>) => tx.one<StaffRow>`
  insert into staff as s (id, email, name, created_at) values (${id}, ${email}, ${name}, vitrine_now())
  on conflict (email) do update set email = excluded.email
  returning ${columns}`

export const updateStaffName = (tx: Tx, staffId: string, name: string) => tx.run`
  update staff set name = ${name} where id = ${staffId}`

export const updateStaffPassword = (tx: Tx, staffId: string, passwordHash: string) => tx.run`
  update staff set password_hash = ${passwordHash} where id = ${staffId}`

export type StoreOfStaff = { storeNumber: StoreId; id: string; name: string; role: StaffRole } & Pick<
  Store,
  'currency' | 'locale' | 'timezone'
>

export const listStoresOf = (db: Queries, staffId: string) => db.many<StoreOfStaff>`
  select t.id as "storeNumber", t.public_id as id, t.name, r.role, t.currency, t.locale, t.timezone
  from staff_role r join store t on t.id = r.store_id
  where r.staff_id = ${staffId} order by t.name, t.id`

/** The store that a person works for longest. Whoever adds an account to another store must not change its mail. */
export const findFirstStoreOf = (db: Queries, staffId: string) => db.maybeOne<{ id: StoreId }>`
  select store_id as id from staff_role where staff_id = ${staffId} order by created_at, store_id limit 1`

export type Member = {
  id: string
  email: string
  name: string
  role: StaffRole
  hasPassword: boolean
  hasSecondFactor: boolean
  usedAt: Date | null
  createdAt: Date
}

/** The staff of a store. `usedAt`: when they last used a session that is still open. */
export const listMembers = (db: Queries, storeId: StoreId, staffId: string | null = null) => db.many<Member>`
  select s.id, s.email, s.name, r.role, s.password_hash is not null as "hasPassword",
    s.second_factor_at is not null as "hasSecondFactor", r.created_at as "createdAt", (
      select max(x.used_at) from staff_session x where x.staff_id = s.id) as "usedAt"
  from staff_role r join staff s on s.id = r.staff_id
  where r.store_id = ${storeId} ${staffId === null ? sql`` : sql`and r.staff_id = ${staffId}`}
  order by s.email`

/** Changes of the roles of a store wait for each other, so that it never loses its last owner. */
export const lockRoles = (tx: Tx, storeId: StoreId) => tx.many<{ staffId: string; role: StaffRole }>`
  select staff_id as "staffId", role from staff_role where store_id = ${storeId} order by staff_id for update`

/** Nothing if the person has a role in this store already. */
export const insertRole = (tx: Tx, storeId: StoreId, staffId: string, role: StaffRole) => tx.maybeOne<{
  role: StaffRole
}>`
  insert into staff_role (store_id, staff_id, role, created_at)
  values (${storeId}, ${staffId}, ${role}, vitrine_now())
  on conflict do nothing
  returning role`

export const updateRole = (tx: Tx, storeId: StoreId, staffId: string, role: StaffRole) => tx.run`
  update staff_role set role = ${role} where store_id = ${storeId} and staff_id = ${staffId}`

export const deleteRole = (tx: Tx, storeId: StoreId, staffId: string) => tx.run`
  delete from staff_role where store_id = ${storeId} and staff_id = ${staffId}`

export type LinkKind = 'password' | 'sign_in'

export const insertLink = (tx: Tx, staffId: string, kind: LinkKind, tokenHash: string, ttlMs: number) => tx.run`
  insert into staff_link (token_hash, staff_id, kind, expires_at)
  values (${tokenHash}, ${staffId}, ${kind}, vitrine_now() + ${ttlMs} * interval '1 millisecond')`

export const findLinkOwner = (db: Queries, kind: LinkKind, tokenHash: string) => db.maybeOne<{ staffId: string }>`
  select staff_id as "staffId" from staff_link
  where token_hash = ${tokenHash} and kind = ${kind} and expires_at > vitrine_now()`

/** Only the first caller deletes a row. */
export const consumeLink = (tx: Tx, kind: LinkKind, tokenHash: string) => tx.run`
  delete from staff_link where token_hash = ${tokenHash} and kind = ${kind} and expires_at > vitrine_now()`

export const deleteLinks = (tx: Tx, staffId: string) => tx.run`
  delete from staff_link where staff_id = ${staffId}`

export const updateSecondFactor = (tx: Tx, staffId: string, sealed: string | null) => tx.run`
  update staff set second_factor = ${sealed}, second_factor_at = null, second_factor_step = null where id = ${staffId}`

export const confirmSecondFactor = (tx: Tx, staffId: string, step: number) => tx.run`
  update staff set second_factor_at = vitrine_now(), second_factor_step = ${step} where id = ${staffId}`

/** No effect if the code of this step, or a later one, was used already. */
export const useCodeStep = (db: Queries, staffId: string, step: number) => db.run`
  update staff set second_factor_step = ${step}
  where id = ${staffId} and coalesce(second_factor_step < ${step}, true)`

export const replaceRecoveryCodes = (tx: Tx, staffId: string, hashes: readonly string[]) => tx.run`
  with gone as (delete from staff_recovery_code where staff_id = ${staffId} and code_hash <> all(${hashes}::text[]))
  insert into staff_recovery_code (staff_id, code_hash) select ${staffId}, hash from unnest(${hashes}::text[]) hash
  returning 1`

/** Only the first caller deletes a row. */
export const consumeRecoveryCode = (db: Queries, staffId: string, codeHash: string) => db.run`
  delete from staff_recovery_code where staff_id = ${staffId} and code_hash = ${codeHash}`
