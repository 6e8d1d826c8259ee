import type { Queries } from '../../db/database.ts'
import { literalNumber } from '../../db/plan-hints.ts'
import type { Author, StoreId } from '../context.ts'

/** `who`: an email, or `code` and the id of a person whose password was right. */
export type StaffFailureLimit = { who: string; windowMs: number; maxFailures: number }

/** Seconds until another attempt is allowed; undefined when one is allowed now. */
export const secondsStaffLocked = async (db: Queries, { who, windowMs, maxFailures }: StaffFailureLimit) =>
  (
    await db.maybeOne<{ seconds: number }>`
    select greatest(ceil(extract(epoch from min(at) + ${windowMs} * interval '1 millisecond' - vitrine_now())), 1)::int
      as seconds
    from staff_sign_in_failure, unnest(failed_at) as at
    where who = ${who} and at > vitrine_now() - ${windowMs} * interval '1 millisecond'
    having count(*) >= ${maxFailures}`
  )?.seconds

/** Counts an attempt as failed before it is checked, or does nothing when the limit is reached. */
export const countStaffFailure = (db: Queries, { who, windowMs, maxFailures }: StaffFailureLimit) => db.maybeOne<{
  counted: true
}>`
  insert into staff_sign_in_failure as kept (who, failed_at, forget_at)
  select ${who}, array[vitrine_now()], vitrine_now() + ${windowMs} * interval '1 millisecond'
  on conflict (who) do update set forget_at = excluded.forget_at,
    failed_at = excluded.failed_at || array(
      select at from unnest(kept.failed_at) as at
      where excluded.failed_at[1] - at < ${literalNumber(windowMs)} * interval '1 millisecond')
  where (
    select count(*) from unnest(kept.failed_at) as at
    where excluded.failed_at[1] - at < ${literalNumber(windowMs)} * interval '1 millisecond') < ${literalNumber(maxFailures)}
  returning true as counted`

export const clearStaffFailures = (db: Queries, who: string) => db.run`
  delete from staff_sign_in_failure where who = ${who}`

export const listStoresOfEmail = (db: Queries, email: string) => db.many<{ storeId: StoreId }>`
  select r.store_id as "storeId" from staff s join staff_role r on r.staff_id = s.id
  where s.email = ${email} order by r.store_id`

/** Notes a failed sign-in in the audit log of a store, if the person works for it. Does not wait for the disk. */
export const insertFailedSignIn = (
  db: Queries,
  storeId: StoreId,
  { email, auditId, reason }: { email: string; auditId: string; reason: string },
  { clientAddress, requestId }: Pick<Author, 'clientAddress' | 'requestId'>,
) => db.run`
  insert into audit (store_id, id, at, actor_kind, actor_id, actor_name, client_address, request_id, action, resource,
    resource_id, changes)
  select ${storeId}, ${auditId}, date_trunc('milliseconds', vitrine_now()), 'staff', s.id, s.name, ${clientAddress},
    ${requestId}, 'session.refused', 'session', s.id,
    json_build_object('reason', json_build_object('before', null, 'after', ${reason}::text))
  from staff s join staff_role r on r.staff_id = s.id and r.store_id = ${storeId} cross join set_config('synchronous_commit', 'off', true)
  where s.email = ${email}
  returning 1`
