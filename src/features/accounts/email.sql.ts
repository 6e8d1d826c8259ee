import type { Queries } from '../../db/database.ts'
import { literalNumber } from '../../db/plan-hints.ts'
import type { StoreId } from '../context.ts'

/** `who` is the email of a sign-in, or `signedIn(customerId)` when a signed-in customer re-enters the password. */
export type FailureLimit = { storeId: StoreId; who: string; windowMs: number; maxFailures: number }

/** Seconds until the account can be tried again; undefined when it is not locked. */
export const secondsLocked = async (db: Queries, lock: FailureLimit) =>
  (
    await db.maybeOne<{ seconds: number }>`
    select greatest(ceil(extract(epoch from min(at) + ${lock.windowMs} * interval '1 millisecond' - vitrine_now())), 1)::int
      as seconds
    from sign_in_failure, unnest(failed_at) as at
    where store_id = ${lock.storeId} and email = ${lock.who}
      and at > vitrine_now() - ${lock.windowMs} * interval '1 millisecond'
    having count(*) >= ${lock.maxFailures}`
  )?.seconds

/**
 * Counts an attempt as failed before the password is checked, or does nothing when the limit is reached. The row lock
 * comes before the count, so concurrent attempts are counted one after another.
 */
export const countFailure = (db: Queries, lock: FailureLimit) => db.maybeOne<{ counted: true }>`
  insert into sign_in_failure as kept (store_id, email, failed_at, forget_at)
  select ${lock.storeId}, ${lock.who}, array[vitrine_now()], vitrine_now() + ${lock.windowMs} * interval '1 millisecond'
  on conflict (store_id, email) do update set forget_at = excluded.forget_at,
    failed_at = excluded.failed_at || array(
      select at from unnest(kept.failed_at) as at
      where excluded.failed_at[1] - at < ${literalNumber(lock.windowMs)} * interval '1 millisecond'
    )
  where (
    select count(*) from unnest(kept.failed_at) as at
    where excluded.failed_at[1] - at < ${literalNumber(lock.windowMs)} * interval '1 millisecond'
  ) < ${literalNumber(lock.maxFailures)}
  returning true as counted`

/**
 * Not the email, so that guesses at sign-in do not lock out a signed-in customer. Upper case, because normalised emails
 * are lower case and cannot collide.
 */
export const signedIn = (customerId: string) => `CUSTOMER ${customerId}`

export const clearFailures = (db: Queries, storeId: StoreId, who: string) => db.run`
  delete from sign_in_failure where store_id = ${storeId} and email = ${who}`
