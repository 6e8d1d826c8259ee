import type { IncomingHttpHeaders } from 'node:http'
import type { Instrument } from '../../core/instrument.ts'

/** The account of a store at a provider. The credentials are those that the provider declares. */
export type ProviderAccount = { storeId: string; credentials: Readonly<Record<string, string>> }

/** `paymentId` is our id of a payment, `reference` the provider's, if it has one. */
export type PaymentRef = {
  paymentId: string
  reference: string | null
  orderId: string
  amountMinor: number
  currency: string
}

/** The session must not accept payments after `expiresAt`. The browser goes to `returnUrl` afterwards. */
export type Charge = PaymentRef & { orderNumber: number; expiresAt: Date; returnUrl: string }

export type StartedSession = { reference: string | null; redirectUrl: string; expiresAt: Date }

/** `open`: not paid yet. `pending`: paid, but not confirmed yet. `closed`: can no longer be paid. */
export type ProviderPaymentStatus = 'open' | 'pending' | 'success' | 'failed' | 'closed' | 'refunded'

/** A payment as its provider reports it on request. `amount` is a decimal number in `currency`, as in an event. */
export type ProviderPayment = {
  status: ProviderPaymentStatus
  amount: number
  currency: string
  instrument: Instrument
}

export const eventStatuses = ['success', 'failed', 'pending', 'refunded'] as const
export type EventStatus = (typeof eventStatuses)[number]

/** A webhook event, converted from the provider's own format. */
export type PaymentEvent = {
  /** The same for every copy of one event. */
  eventId: string
  orderId: string
  /** Our id of the payment, or the provider's. */
  transactionId: string | null
  status: EventStatus
  amount: number | null
  currency: string | null
  instrument: Instrument
}

/**
 * An authenticated webhook call. When an operator replays a stored event, `headers` is empty and `rawBody` is serialised
 * again from `body`, so signatures cannot be verified.
 */
export type WebhookCall = { headers: IncomingHttpHeaders; rawBody: Buffer; body: unknown }

/** An invalid event. The sender sees the message. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent'
}

/**
 * A payment provider. Every method must be idempotent for the same payment, since a process can die before it has stored
 * the result and call again. Methods are never called inside a transaction. A rejection means a temporary failure: the
 * call is retried later. The signal aborts at the time limit; pass it to `fetch`.
 */
export type PaymentProvider = {
  name: string
  /** The names of the credentials that a store needs at this provider. */
  credentials: readonly string[]
  /** Moves no money, so production refuses it. */
  isForTesting: boolean
  start(account: ProviderAccount, charge: Charge, signal: AbortSignal): Promise<StartedSession>
  status(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<ProviderPayment>
  /** Ends the session. `paid`: the shopper has paid already. `in_progress`: the shopper is paying right now. */
  close(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<'closed' | 'paid' | 'in_progress'>
  /** Throws `MalformedEvent`. Null if the provider sends no webhooks. */
  readWebhook: ((account: ProviderAccount, call: WebhookCall) => PaymentEvent) | null
  refund(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<'refunded' | 'pending'>
}
