import { type Clock, seconds } from '../../core/clock.ts'
import type { Db } from '../../db/database.ts'
import type { OutgoingWebhooks, Store, StoredEvent, StoreId } from '../context.ts'
import { testEventType } from '../events/events.contract.ts'
import { type AttemptResult, noteAndClaimNext, noteAttempt } from './attempt.sql.ts'
import { type ClaimedDelivery, type ClaimedEvent, claimDeliveries, lockDueEndpoints } from './claim.sql.ts'
import { placeOf } from './endpoints.ts'
import { writeEventBody } from './event-body.ts'
import { pauseAfterMs, readRetryAfterMs, retryDelayMs } from './schedule.ts'
import { sendWebhookRequest, type WebhookAnswer } from './send-webhook-request.ts'
import { switchOff } from './switch-off.ts'

export type WebhookServices = { db: Db; clock: Clock; webhooks: OutgoingWebhooks }

/** A claimed delivery with its store. `firstClaimedMs`: when the first of its chain was claimed. */
export type DueDelivery = ClaimedDelivery & { store: Store; firstClaimedMs: number }

/** How long deliveries of an endpoint follow each other in one slot before other stores have their turn. */
const maxChainMs = seconds(1)

/**
 * Locking the endpoints and counting what is being sent to them are two statements: the second must see what other
 * instances have committed before the lock.
 */
export const claimDueDeliveries = (db: Db, storeId: StoreId, limit: number): Promise<ClaimedDelivery[]> =>
  db.tx(async (tx) => {
    const endpoints = await lockDueEndpoints(tx, storeId)
    if (endpoints.length === 0) return []
    return claimDeliveries(
      tx,
      storeId,
      endpoints.map(({ id }) => id),
      limit,
    )
  })

/**
 * Makes one attempt and notes its result. A failure of the receiver is a result; rejects if something else failed.
 * Returns the next delivery to the same endpoint, if one is due and the service is not stopping.
 */
export const attemptDelivery = async (
  services: WebhookServices,
  claim: DueDelivery,
  signal: AbortSignal,
  isStopping = () => false,
): Promise<DueDelivery | undefined> => {
  const { clock, webhooks } = services
  const request = await prepare(services, claim)
  if (!('fault' in request)) {
    const answer = await sendWebhookRequest(webhooks, { ...request, nowMs: clock.now() }, signal)
    return conclude(services, claim, answer, isStopping)
  }
  const answer = { status: null, headers: {}, durationMs: 0, error: request.fault, answer: '', isOwnFault: true }
  await conclude(services, claim, answer)
  if (request.cause !== undefined) throw request.cause
  return undefined
}

/** What is sent, or why this service cannot send it. */
type Prepared = { url: string; eventId: string; body: string; secrets: string[] } | { fault: string; cause?: unknown }

const prepare = async ({ webhooks }: WebhookServices, claim: DueDelivery): Promise<Prepared> => {
  const { url, event } = claim
  if (event === null) return { fault: 'The event was deleted.' }
  const secrets = [claim.secret, claim.oldSecret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => webhooks.secrets.open(sealed, placeOf(claim.store, claim.endpointId)))
    .filter((secret) => secret !== null)
  if (secrets.length === 0) return { fault: 'The secret of the endpoint cannot be read. Rotate it.' }
  try {
    return { url, eventId: event.id, body: await writeBody(webhooks, claim.store, toStored(event)), secrets }
  } catch (cause) {
    return { fault: 'The event cannot be shown.', cause }
  }
}

const writeBody = async (webhooks: OutgoingWebhooks, store: Store, event: StoredEvent): Promise<string> => {
  const data = event.type === testEventType ? event.data : await webhooks.showEvent(store, event)
  return writeEventBody(store.publicId, event, data)
}

const toStored = ({ createdAt, trace: _, ...event }: ClaimedEvent): StoredEvent => ({
  ...event,
  createdAt: new Date(createdAt),
})

const conclude = async (
  services: WebhookServices,
  claim: DueDelivery,
  answer: WebhookAnswer,
  isStopping = () => false,
): Promise<DueDelivery | undefined> => {
  const { db, clock } = services
  const { store, endpointId } = claim
  const { status, durationMs, error, answer: text, isOwnFault } = answer
  // A test says nothing about the endpoint either: the merchant may still be building it.
  const isFailure = error !== '' && !isOwnFault && claim.event?.type !== testEventType
  const retryAfterMs = readRetryAfterMs(answer.headers['retry-after'], clock.now())
  const result = {
    ...decide(claim, answer, retryAfterMs),
    ...{ isFailure, pauseMs: isFailure ? pauseAfterMs(status, retryAfterMs) : 0 },
    ...{ status, durationMs, error, answer: text },
  }
  const reason = switchOffReason(claim, status, isFailure)
  const isChained = error === '' && !isStopping() && performance.now() - claim.firstClaimedMs < maxChainMs
  const { noted, next } = isChained
    ? await noteAndClaimNext(db, store.id, claim, result)
    : { noted: await noteAttempt(db, store.id, claim, result), next: undefined }
  // Another instance has taken over, and notes its own result.
  if (noted === 0) return undefined
  if (result.state === 'failed') giveUp(services, claim)
  if (reason !== null) await switchOff(services, store, endpointId, reason)
  return next && { ...next, store, firstClaimedMs: claim.firstClaimedMs }
}

/** After a quiet time, the first failure of a single event is not yet a reason: it is tried again first. */
const switchOffReason = (claim: ClaimedDelivery, status: number | null, isFailure: boolean) => {
  if (!isFailure) return null
  if (status === 410) return 'gone'
  return claim.isFailingLong && claim.attempts > 0 ? 'failing' : null
}

/** A test is tried once: the person who asked for it is waiting for its result. */
const decide = (
  { attempts, event }: ClaimedDelivery,
  { status, error }: WebhookAnswer,
  retryAfterMs: number,
): Pick<AttemptResult, 'state' | 'retryInMs'> => {
  if (error === '') return { state: 'delivered', retryInMs: 0 }
  const isLast = event === null || event.type === testEventType || status === 410
  const retryInMs = isLast ? null : retryDelayMs(attempts + 1, retryAfterMs)
  return retryInMs === null ? { state: 'failed', retryInMs: 0 } : { state: 'waiting', retryInMs }
}

const giveUp = ({ webhooks }: WebhookServices, { store, endpointId, id, event }: DueDelivery) =>
  webhooks.onGivenUp({ storeId: store.publicId, endpointId, deliveryId: id, eventId: event?.id ?? '' })
