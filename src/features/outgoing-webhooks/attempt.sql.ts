import type { Queries } from '../../db/database.ts'
import { notByIndex } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { type ClaimedDelivery, claimDue, dueFor, showClaimed, withoutWaiting } from './claim.sql.ts'
import type { DeliveryState } from './deliveries.sql.ts'

export type AttemptResult = {
  state: DeliveryState
  /** The delay until the next attempt. Only of a delivery that still waits. */
  retryInMs: number
  /** The endpoint has failed. */
  isFailure: boolean
  /** For how long nothing more is sent to the endpoint. */
  pauseMs: number
  /** Null if there was no answer. */
  status: number | null
  durationMs: number
  /** Empty if it succeeded. */
  error: string
  /** The beginning of the answer. */
  answer: string
}

/**
 * Ends a claim with its result, adds the attempt to the log, and notes whether the endpoint works and whether it has asked
 * for a pause. No effect if the claim has ended. Returns how many attempts were noted.
 */
export const noteAttempt = async (db: Queries, storeId: StoreId, claim: ClaimKey, result: AttemptResult) =>
  (
    await db.one<{ noted: number }>`
    with ${note(storeId, claim, result)}
    select count(*) as noted from noted ${withoutWaiting}`
  ).noted

/**
 * The same for an attempt that succeeded, and claims the delivery that is due next for the endpoint in its place. One
 * statement, because these round trips are most of the time of a delivery. Claims nothing if the claim is about to expire:
 * another instance may have taken its place.
 */
export const noteAndClaimNext = async (
  db: Queries,
  storeId: StoreId,
  claim: ClaimKey,
  result: AttemptResult,
): Promise<{ noted: number; next: ClaimedDelivery | undefined }> => {
  const { noted, ...next } = await db.one<{ noted: number } & (ClaimedDelivery | { id: null })>`
    with ${note(storeId, claim, result)},
    working as (
      select w.id from noted n join webhook_endpoint w on w.store_id = ${storeId} and w.id = n.endpoint_id
      where w.disabled_at is null and w.failing_since is null and coalesce(w.paused_until <= vitrine_now(), true)
        and ${claim.claimedUntil} > vitrine_now() + interval '5 seconds'),
    due as (
      select q.id from working f cross join lateral (${dueFor(storeId, sql`f.id`)} limit 1 for update skip locked) q),
    claimed as (${claimDue(storeId)})
    select n.noted, c.* from (select count(*) as noted from noted ${withoutWaiting}) n
    left join (${showClaimed(storeId)}) c on true`
  return { noted, next: next.id === null ? undefined : next }
}

type ClaimKey = Pick<ClaimedDelivery, 'id' | 'claimedUntil'>

const note = (storeId: StoreId, claim: ClaimKey, result: AttemptResult) => sql`
    noted as (
      update webhook_delivery set state = ${result.state}, attempts = attempts + 1, is_sending = false,
        next_at = vitrine_now() + ${result.retryInMs}::double precision * interval '1 millisecond',
        finished_at = case when ${result.state} <> 'waiting' then (select vitrine_now()) end
      where store_id = ${storeId} and id = ${claim.id} and state = 'waiting'
        and ${notByIndex(sql`is_sending`)} and next_at = ${claim.claimedUntil}
      returning endpoint_id),
    logged as (
      insert into webhook_attempt (store_id, delivery_id, at, status, duration_ms, error, answer)
      select ${storeId}, ${claim.id}, vitrine_now(), ${result.status}::integer, ${result.durationMs}::integer,
        ${result.error}, ${result.answer}
      from noted returning 1),
    endpoint as (
      update webhook_endpoint w set
        failing_since = case
          when ${result.state} = 'delivered' then null
          when ${result.isFailure} then coalesce(w.failing_since, (select vitrine_now()))
          else w.failing_since end,
        paused_until = case
          when ${result.pauseMs}::double precision > 0 then greatest(w.paused_until, (
            select vitrine_now() + ${result.pauseMs}::double precision * interval '1 millisecond'))
          else w.paused_until end
      from noted n
      where w.store_id = ${storeId} and w.id = n.endpoint_id
        and (${result.pauseMs}::double precision > 0
          or case when w.failing_since is null then ${result.isFailure} else ${result.state} = 'delivered' end))`
