import type { Queries } from '../../db/database.ts'
import { notByIndex } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { ClaimedDelivery } from './claim.sql.ts'
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
    with noted as (
      update webhook_delivery set state = ${result.state}, attempts = attempts + 1, is_sending = false,
        next_at = vitrine_now() + ${result.retryInMs}::double precision * interval '1 millisecond',
        finished_at = case when ${result.state} <> 'waiting' then vitrine_now() end
      where store_id = ${storeId} and id = ${claim.id} and state = 'waiting'
        and ${notByIndex(sql`is_sending`)} and next_at = ${claim.claimedUntil}
      returning endpoint_id),
    logged as (
      insert into webhook_attempt (store_id, delivery_id, at, status, duration_ms, error, answer)
      select ${storeId}, ${claim.id}, vitrine_now(), ${result.status}::integer, ${result.durationMs}::integer,
        ${result.error}, ${result.answer}
      from noted),
    endpoint as (
      update webhook_endpoint w set
        failing_since = case
          when ${result.state} = 'delivered' then null
          when ${result.isFailure} then coalesce(w.failing_since, vitrine_now())
          else w.failing_since end,
        paused_until = case
          when ${result.pauseMs}::double precision > 0 then greatest(w.paused_until,
            vitrine_now() + ${result.pauseMs}::double precision * interval '1 millisecond')
          else w.paused_until end
      from noted n
      where w.store_id = ${storeId} and w.id = n.endpoint_id
        and (${result.pauseMs}::double precision > 0
          or case when w.failing_since is null then ${result.isFailure} else ${result.state} = 'delivered' end))
    select count(*) as noted from noted`
  ).noted

type ClaimKey = Pick<ClaimedDelivery, 'id' | 'claimedUntil'>
