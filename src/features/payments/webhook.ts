import { hash } from 'node:crypto'
import { fail } from '../../core/errors.ts'
import { toFields } from '../../core/fields.ts'
import { readNeutralEvent } from '../../providers/payment/neutral-event.ts'
import { MalformedEvent, type PaymentEvent, type WebhookCall } from '../../providers/payment/provider.ts'
import type { WebhookStore } from '../stores/webhook-credentials.sql.ts'
import { claimPaymentEvent, finishEvent } from './inbox.sql.ts'
import { openAccount, type PaymentServices } from './providers.ts'
import { type Settlement, settlePayment } from './settlement.ts'

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
  const { provider, account } = await openAccount(ctx, name)
  const { readWebhook } = provider
  if (readWebhook === null) throw noSuchProvider()
  const { duplicate } = await receive(ctx, name, call.body, () => readWebhook(account, call))
  return { received: true, duplicate }
}

/** Fails with 404 unless `/webhook/{name}` exists. */
export const assertProviderWebhook = ({ payments }: Pick<PaymentServices, 'payments'>, name: string): void => {
  const provider = payments.providers.get(name)
  if (provider === undefined || provider.readWebhook === null || (provider.isForTesting && payments.production)) {
    throw noSuchProvider()
  }
}

const noSuchProvider = () => fail('NOT_FOUND', 'There is no such payment provider.')

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
  return settlePayment(ctx, { ...event, eventId: shorten(event.eventId), source, body })
}

/** The limit of the contract. A longer id would not fit into the index; the stored body still has it. */
const maxEventIdLength = 200
const shorten = (eventId: string) => (eventId.length <= maxEventIdLength ? eventId : hash('sha256', eventId))

/** Stores a malformed event once, under a hash of its body if its id is invalid. */
const storeMalformed = (ctx: PaymentWebhookCtx, source: string, body: unknown, detail: string): Promise<Settlement> =>
  ctx.db.tx(async (tx) => {
    const { eventId, orderId } = toFields(body)
    const event = await claimPaymentEvent(tx, ctx.store.id, {
      source,
      eventId: shorten(typeof eventId === 'string' && eventId !== '' ? eventId : hashOf(body)),
      orderId: typeof orderId === 'string' ? orderId : null,
      body: body ?? null,
    })
    if (event !== undefined) await finishEvent(tx, ctx.store.id, event.id, 'malformed', detail)
    return { duplicate: event === undefined, outcome: 'malformed', detail }
  })

const hashOf = (body: unknown) => hash('sha256', JSON.stringify(body ?? null))
