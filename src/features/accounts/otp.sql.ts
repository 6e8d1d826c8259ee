import type { Queries, Tx } from '../../db/database.ts'
import { literalNumber } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { Binding } from './bound-codes.sql.ts'

/** `address`: a phone number or an email, see `Recipient`. */
export type NewCode = { address: string; codeHash: string; ttlMs: number; attempts: number; maxPerHour: number }

/** `requestedAt` is text, because a JavaScript Date would lose the microseconds. */
export type CountedRequest = { expiresAt: Date; requestedAt: string }

/**
 * Counts the request and replaces the last code, or does nothing when the hourly limit is reached. The row lock comes
 * before the count, so concurrent requests are counted one after another.
 */
export const replaceCode = (tx: Tx, storeId: StoreId, code: NewCode) =>
  tx.maybeOne<CountedRequest>`${replacement(storeId, code)}`

const replacement = (storeId: StoreId, code: NewCode) => sql`
  insert into one_time_code as kept
    (store_id, phone, code_hash, attempts_left, expires_at, requested_at, forget_at)
  select ${storeId}, ${code.address}, ${code.codeHash}, ${code.attempts},
    vitrine_now() + ${code.ttlMs} * interval '1 millisecond', array[vitrine_now()], vitrine_now() + interval '1 hour'
  on conflict (store_id, phone) do update set code_hash = excluded.code_hash, attempts_left = excluded.attempts_left,
    expires_at = excluded.expires_at, forget_at = excluded.forget_at,
    requested_at = excluded.requested_at ||
      array(select at from unnest(kept.requested_at) as at where excluded.requested_at[1] - at < interval '1 hour')
  where (
    select count(*) from unnest(kept.requested_at) as at where excluded.requested_at[1] - at < interval '1 hour'
  ) < ${literalNumber(code.maxPerHour)}
  returning expires_at as "expiresAt", requested_at[1]::text as "requestedAt"`

/** `replaceCode` and `bindCode` in one statement. Does neither when the hourly limit is reached. */
export const replaceAndBindCode = (db: Queries, storeId: StoreId, code: NewCode & Binding) =>
  db.maybeOne<CountedRequest>`
  with counted as (${replacement(storeId, code)}),
  bound as (
    insert into otp_request (store_id, phone, token_hash, code_hash, attempts_left, expires_at, forget_at)
    select ${storeId}, ${code.address}, ${code.tokenHash}, ${code.codeHash}, ${code.attempts}, "expiresAt", "expiresAt"
    from counted
    returning 1)
  select "expiresAt", "requestedAt" from counted`

/**
 * The same for a client that has signed in with a code of this address before. It has a separate count, and the code that
 * others requested stays valid.
 */
export const countKnownRequest = (
  tx: Tx,
  storeId: StoreId,
  { address, ttlMs, maxPerHour }: Pick<NewCode, 'address' | 'ttlMs' | 'maxPerHour'>,
) => tx.maybeOne<CountedRequest>`
  insert into one_time_code as kept
    (store_id, phone, attempts_left, expires_at, requested_at, known_requested_at, forget_at)
  select ${storeId}, ${address}, 0, vitrine_now(), '{}', array[vitrine_now()], vitrine_now() + interval '1 hour'
  on conflict (store_id, phone) do update set forget_at = excluded.forget_at,
    known_requested_at = excluded.known_requested_at ||
      array(select at from unnest(kept.known_requested_at) as at
        where excluded.known_requested_at[1] - at < interval '1 hour')
  where (
    select count(*) from unnest(kept.known_requested_at) as at
    where excluded.known_requested_at[1] - at < interval '1 hour'
  ) < ${literalNumber(maxPerHour)}
  returning known_requested_at[1] + ${literalNumber(ttlMs)} * interval '1 millisecond' as "expiresAt",
    known_requested_at[1]::text as "requestedAt"`

/** Seconds until the oldest request is an hour old. */
export const secondsToNextCode = async (tx: Tx, storeId: StoreId, address: string, isKnown: boolean) =>
  (
    await tx.one<{ seconds: number }>`
    select coalesce(greatest(ceil(extract(epoch from min(at) + interval '1 hour' - vitrine_now())), 1), 1)::int as seconds
    from one_time_code, unnest(case when ${isKnown} then known_requested_at else requested_at end) as at
    where store_id = ${storeId} and phone = ${address} and at > vitrine_now() - interval '1 hour'`
  ).seconds

/** Counts a message of the store in this clock hour; undefined when the cap is reached. */
export const countStoreMessage = (tx: Tx, storeId: StoreId, cap: number) => tx.maybeOne<{ hour: Date }>`
  insert into otp_hour as counted (store_id, hour, sent)
  values (${storeId}, date_trunc('hour', vitrine_now(), 'UTC'), 1)
  on conflict (store_id, hour) do update set sent = counted.sent + 1 where counted.sent < ${cap}
  returning hour`

/** Uncounts one request, and removes its code unless a newer one has replaced it. Of two equal times only one goes. */
export const uncountRequest = (
  tx: Tx,
  storeId: StoreId,
  { address, codeHash, requestedAt }: { address: string; codeHash: string; requestedAt: string },
) => tx.run`
  update one_time_code set code_hash = nullif(code_hash, ${codeHash}),
    requested_at = requested_at[:array_position(requested_at, ${requestedAt}::timestamptz) - 1]
      || requested_at[array_position(requested_at, ${requestedAt}::timestamptz) + 1:]
  where store_id = ${storeId} and phone = ${address}
    and array_position(requested_at, ${requestedAt}::timestamptz) is not null`

export const uncountKnownRequest = (
  tx: Tx,
  storeId: StoreId,
  { address, requestedAt }: { address: string; requestedAt: string },
) => tx.run`
  update one_time_code set
    known_requested_at = known_requested_at[:array_position(known_requested_at, ${requestedAt}::timestamptz) - 1]
      || known_requested_at[array_position(known_requested_at, ${requestedAt}::timestamptz) + 1:]
  where store_id = ${storeId} and phone = ${address}
    and array_position(known_requested_at, ${requestedAt}::timestamptz) is not null`

export const uncountStoreMessage = (tx: Tx, storeId: StoreId, hour: Date) => tx.run`
  update otp_hour set sent = sent - 1 where store_id = ${storeId} and hour = ${hour} and sent > 0`

/**
 * Spends an attempt and returns the hash to compare with. Runs outside a transaction, so that the attempt stays spent
 * when a later step fails.
 */
export const spendAttempt = (db: Queries, storeId: StoreId, address: string) => db.maybeOne<{ codeHash: string }>`
  update one_time_code set attempts_left = attempts_left - 1
  where store_id = ${storeId} and phone = ${address} and code_hash is not null and attempts_left > 0
    and expires_at > vitrine_now()
  returning code_hash as "codeHash"`

/** Only the first caller gets a row. */
export const consumeCode = (tx: Tx, storeId: StoreId, address: string, codeHash: string) => tx.maybeOne<{ used: true }>`
  update one_time_code set code_hash = null
  where store_id = ${storeId} and phone = ${address} and code_hash = ${codeHash}
  returning true as used`
