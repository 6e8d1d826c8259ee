import type { IncomingHttpHeaders } from 'node:http'
import type { Instrument } from '../../core/instrument.ts'

/** A store at a provider. The credentials are those that the provider asks for by name. */
export type ProviderAccount = { storeId: string; credentials: Readonly<Record<string, string>> }

/** A payment as we and the provider name it. `reference` is the provider's name for it, where it has one. */
export type PaymentRef = {
  paymentId: string
  reference: string | null
  orderId: string
  amountMinor: number
  currency: string
}

/** `expiresAt`: nobody can pay any more from then on. `returnUrl`: where the browser goes afterwards. */
export type Charge = PaymentRef & { orderNumber: number; expiresAt: Date; returnUrl: string }

export type StartedSession = { reference: string | null; redirectUrl: string; expiresAt: Date }

/** `open`: nobody has paid yet. `pending`: somebody has, and it is not decided. `closed`: nobody can any more. */
export type StandingStatus = 'open' | 'pending' | 'success' | 'failed' | 'closed' | 'refunded'

/** What a provider says when it is asked. `amount` is a decimal number in `currency`, as in an event. */
export type Standing = { status: StandingStatus; amount: number; currency: string; instrument: Instrument }

export const eventStatuses = ['success', 'failed', 'pending', 'refunded'] as const
export type EventStatus = (typeof eventStatuses)[number]

/** What a provider reports by itself, whatever its own format is. */
export type PaymentEvent = {
  /** The same for every repetition of one event. */
  eventId: string
  orderId: string
  /** Our id of the payment, or the provider's name for it. */
  transactionId: string | null
  status: EventStatus
  amount: number | null
  currency: string | null
  instrument: Instrument
}

/**
 * A webhook whose caller is authenticated. When an operator replays a kept event, `headers` is empty and `rawBody` is
 * written anew from `body`, so no signature fits it.
 */
export type WebhookCall = { headers: IncomingHttpHeaders; rawBody: Buffer; body: unknown }

/** An event that cannot be understood. The message is for the one who sends such events. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent'
}

/**
 * Who takes payments. Every call may be made again with the same payment and then has no second effect, since a process
 * can die before it has noted the answer. None is made inside a transaction. A call that rejects has failed for reasons
 * that may pass, and is tried again later. The signal aborts at the time limit; pass it to `fetch`.
 */
export type PaymentProvider = {
  name: string
  /** What a store has to tell about itself before it can be paid through this provider. */
  credentials: readonly string[]
  /** For trying out only: production refuses it. */
  isForTesting: boolean
  start(account: ProviderAccount, charge: Charge, signal: AbortSignal): Promise<StartedSession>
  status(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<Standing>
  /** Sees to it that nobody can pay any more. `paid`: too late. `in_progress`: somebody is just paying. */
  close(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<'closed' | 'paid' | 'in_progress'>
  /** Throws MalformedEvent. Null when its events come by no webhook. */
  readWebhook: ((account: ProviderAccount, call: WebhookCall) => PaymentEvent) | null
  refund(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<'refunded' | 'pending'>
}
