import { hash } from 'node:crypto'
import { Failure, fail } from '../../core/errors.ts'
import { toFields } from '../../core/fields.ts'
import { parseRawBody, type RawBody } from '../../http/body.ts'
import { readNeutralEvent } from '../../providers/payment/neutral-event.ts'
import { MalformedEvent, type PaymentEvent, type WebhookCall } from '../../providers/payment/provider.ts'
import { isErasedOrder } from '../orders/erase.sql.ts'
import type { WebhookStore } from '../stores/webhook-credentials.sql.ts'
import { erasePaymentEvent } from './erase.sql.ts'
import { claimPaymentEvent, finishEvent } from './inbox.sql.ts'
import { applyWaitingEvents } from './inbox.ts'
import { readPaymentById } from './payments.sql.ts'
import type { PaymentServices } from './providers.ts'
import { reconcilePayment } from './reconcile.ts'
import { type Settlement, settlePayment } from './settlement.ts'
import { noSuchProvider } from './webhook-access.ts'

/** Has only those fields of the store that settling a payment needs. */
export type PaymentWebhookCtx = PaymentServices & { store: WebhookStore }

export type ReceivedReport = { received: boolean; duplicate: boolean }

/** The inbox source of events from `POST /webhook/payment`. */
export const neutralSource = 'payment'

/** Receives an event in the neutral format. An event that cannot be applied is stored and then refused. */
export const receivePaymentEvent = async (ctx: PaymentWebhookCtx, body: unknown): Promise<ReceivedReport> => {
  const { outcome, detail, duplicate } = await receive(ctx, neutralSource, body, readNeutralEvent)
  if (outcome === 'malformed') throw fail('BAD_REQUEST', detail)
  if (outcome === 'unknown_order') throw fail('NOT_FOUND', detail)
  if (outcome === 'mismatch') throw fail('CONFLICT', detail)
  return { received: true, duplicate }
}

/** Receives an event in the provider's own format. Never refuses it, since the provider would repeat it for days. */
export const receiveProviderEvent = async (
  ctx: PaymentWebhookCtx,
  name: string,
  call: WebhookCall,
): Promise<ReceivedReport> => {
  const webhook = ctx.payments.providers.get(name)?.webhook
  if (!webhook) throw noSuchProvider()
  const read = () => webhook.read(call)
  const { duplicate, outcome } = await receive(ctx, name, call.body, read)
  if (outcome === 'applied' && webhook.lacksInstrument) readInstrumentSoon(ctx, read())
  return { received: true, duplicate }
}

const maxKeptLength = 100_000

/**
 * Stores an authenticated body that no event can be read from, before it is refused, so that an operator can look at it.
 * A body that is JSON can be replayed.
 */
export const keepUnreadable = async (
  ctx: PaymentWebhookCtx,
  name: string,
  { headers, rawBody }: Omit<WebhookCall, 'body'>,
): Promise<void> => {
  const isJson = /^application\/json *(;|$)/i.test(headers['content-type'] ?? '')
  const value = tryParse({ bytes: rawBody, isJson: true })
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isJson && isObject) return
  const text = rawBody.toString().replaceAll('\0', '').slice(0, maxKeptLength).toWellFormed()
  await storeMalformed(
    ctx,
    name,
    value ?? text,
    isObject ? 'The content type is not JSON.' : 'The body is not a JSON object.',
  )
}

const tryParse = (raw: RawBody): unknown => {
  try {
    return parseRawBody(raw)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const maxDetailReads = 4

/**
 * The provider waits for the answer, so this runs after it. In a burst of webhooks, and after an error, the details come
 * later, by a job.
 */
const readInstrumentSoon = (ctx: PaymentWebhookCtx, event: PaymentEvent): void => {
  const { detailReads } = ctx.payments
  if (detailReads.running >= maxDetailReads) return
  detailReads.running++
  readInstrument(ctx, event)
    .catch(() => {})
    .finally(() => detailReads.running--)
}

/** Asks the provider what a payment was made with. */
const readInstrument = async (ctx: PaymentWebhookCtx, event: PaymentEvent) => {
  if (event.type !== 'payment' || event.status !== 'success' || event.names.paymentId === null) return
  const payment = await readPaymentById(ctx.db, ctx.store.id, event.names.paymentId)
  if (payment !== undefined) await reconcilePayment(ctx, payment)
}

const receive = async (
  ctx: PaymentWebhookCtx,
  source: string,
  body: unknown,
  read: (body: unknown) => PaymentEvent,
): Promise<Settlement> => {
  let event: PaymentEvent
  try {
    event = read(body)
  } catch (error) {
    if (!(error instanceof MalformedEvent)) throw error
    return storeMalformed(ctx, source, body, error.message)
  }
  const settlement = await settlePayment(ctx, { ...event, eventId: shorten(event.eventId), source, body })
  await applyWaitingEvents(ctx, { names: event.names, outcome: settlement.outcome })
  return settlement
}

/** The limit of the contract. A longer id would not fit into the index; the stored body still has it. */
const maxEventIdLength = 200
const shorten = (eventId: string) => (eventId.length <= maxEventIdLength ? eventId : hash('sha256', eventId))

/** Stores a malformed event once, under a hash of its body if its id is invalid. */
const storeMalformed = (ctx: PaymentWebhookCtx, source: string, body: unknown, detail: string): Promise<Settlement> =>
  ctx.db.tx(async (tx) => {
    const { eventId, orderId } = toFields(body)
    const event = await claimPaymentEvent(tx, ctx.store.id, {
      transaction: null,
      source,
      eventId: shorten(typeof eventId === 'string' && eventId !== '' ? eventId : hashOf(body)),
      orderId: typeof orderId === 'string' ? orderId : null,
      body: body ?? null,
    })
    if (event !== undefined) {
      await finishEvent(tx, ctx.store.id, event.id, 'malformed', detail)
      const isErased = typeof orderId === 'string' && (await isErasedOrder(tx, ctx.store.id, orderId))
      if (isErased) await erasePaymentEvent(tx, ctx.store.id, event.id)
    }
    return { duplicate: event === undefined, outcome: 'malformed', detail }
  })

const hashOf = (body: unknown) => hash('sha256', JSON.stringify(body ?? null))
