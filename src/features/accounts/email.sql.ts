import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** `who` is the email of a sign-in, or `signedIn` of a customer who is asked for the password again. */
export type Lock = { storeId: StoreId; who: string; windowMs: number; mostFailures: number }

/** How long an account must wait; undefined when it may be tried. */
export const secondsLocked = async (db: Queries, lock: Lock) =>
  (
    await db.maybeOne<{ seconds: number }>`
    select greatest(ceil(extract(epoch from min(at) + ${lock.windowMs} * interval '1 millisecond' - vitrine_now())), 1)::int
      as seconds
    from sign_in_failure, unnest(failed_at) as at
    where store_id = ${lock.storeId} and email = ${lock.who}
      and at > vitrine_now() - ${lock.windowMs} * interval '1 millisecond'
    having count(*) >= ${lock.mostFailures}`
  )?.seconds

/**
 * Counts an attempt as failed before it is known to be, or does nothing when there were too many. The row is locked
 * before its failures are counted, so attempts that arrive together are counted one after the other.
 */
export const countFailure = (db: Queries, lock: Lock) => db.maybeOne<{ counted: true }>`
  insert into sign_in_failure as kept (store_id, email, failed_at, forget_at)
  values (${lock.storeId}, ${lock.who}, array[vitrine_now()],
    vitrine_now() + ${lock.windowMs} * interval '1 millisecond')
  on conflict (store_id, email) do update set forget_at = excluded.forget_at,
    failed_at = excluded.failed_at || array(
      select at from unnest(kept.failed_at) as at
      where at > vitrine_now() - ${lock.windowMs} * interval '1 millisecond'
    )
  where (
    select count(*) from unnest(kept.failed_at) as at
    where at > vitrine_now() - ${lock.windowMs} * interval '1 millisecond'
  ) < ${lock.mostFailures}
  returning true as counted`

/** Not the email: strangers who guess at it must not lock its customer out. Capitals, since no email in use has any. */
export const signedIn = (customerId: string) => `CUSTOMER ${customerId}`

export const forgetFailures = (db: Queries, storeId: StoreId, who: string) => db.run`
  delete from sign_in_failure where store_id = ${storeId} and email = ${who}`
