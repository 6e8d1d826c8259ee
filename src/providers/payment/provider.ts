import type { IncomingHttpHeaders } from 'node:http'
import { minutes } from '../../core/clock.ts'
import type { Instrument } from '../../core/instrument.ts'

/** A store's account at a provider. */
export type ProviderAccount = { storeId: string; credentials: Readonly<Record<string, string>> }

export type PaymentRef = {
  paymentId: string
  /** The provider's id of the session; null until it is known. */
  reference: string | null
  /** The provider's id of the money it took, where that differs from the session. Null until it is paid. */
  transaction: string | null
  orderId: string
  amountMinor: number
  currency: string
}

/** Empty where the store does not know it. */
export type ChargedCustomer = { id: string; name: string; email: string; phone: string }

/** `expiresAt` stays the same when the call is made again, so that the provider recognises a repeated request. */
export type Charge = PaymentRef & {
  orderNumber: number
  storeName: string
  customer: ChargedCustomer
  expiresAt: Date
  returnUrl: string
}

export type StartedSession = { reference: string | null; redirectUrl: string; expiresAt: Date }

/** `open`: can be paid. `pending`: the shopper has paid and the result is not known yet. `closed`: cannot be paid any more. */
export type ProviderPaymentStatus = 'open' | 'pending' | 'success' | 'failed' | 'closed' | 'refunded'

/** `amount` is a decimal number in `currency`, as in an event. */
export type ProviderPayment = {
  status: ProviderPaymentStatus
  amount: number
  currency: string
  transaction: string | null
  instrument: Instrument
}

export type RefundRef = {
  refundId: string
  /** The provider's id of the refund; null until it is known. */
  reference: string | null
  amountMinor: number
  /** The provider has reported it, so it is only read, never made. */
  isMade: boolean
  /** An earlier call may have made it. */
  isRepeated: boolean
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed'

/**
 * `detail` says why it failed, in the provider's words. `isRefused`: the provider refused the call and does not list the
 * refund, so `failed` is a conclusion, and a later report of the refund is right.
 */
export type RefundResult = { status: RefundStatus; reference: string | null; detail: string; isRefused?: boolean }

/** How an event names its payment. At least one is set. */
export type PaymentNames = {
  orderId: string | null
  paymentId: string | null
  reference: string | null
  transaction: string | null
}

export type PaymentReport = {
  type: 'payment'
  status: 'success' | 'failed' | 'pending'
  amount: number | null
  currency: string | null
  instrument: Instrument
}

/** `refundId` is null for a refund that was made outside Vitrine, for example in the provider's dashboard. */
export type ReportedRefund = {
  refundId: string | null
  reference: string | null
  status: RefundStatus
  amount: number
  currency: string
  detail: string
}

/** Some providers report all refunds of a payment with each event. */
export type RefundReport = { type: 'refund'; refunds: readonly ReportedRefund[] }

export type DisputeReport = { type: 'dispute'; state: 'opened' | 'won' | 'lost' | 'updated'; detail: string }

/** An event without a meaning for Vitrine. It is stored and has no effect. */
export type OtherReport = { type: 'other'; name: string }

export type EventMeaning = { names: PaymentNames } & (PaymentReport | RefundReport | DisputeReport | OtherReport)

/** A provider's event in one shape. `eventId` is the same each time the provider sends the event. */
export type PaymentEvent = { eventId: string } & EventMeaning

/** When an operator replays a stored event, `headers` is empty and `rawBody` is made from `body`. */
export type WebhookCall = { headers: IncomingHttpHeaders; rawBody: Buffer; body: unknown }

/** The message is shown to the sender. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent'
}

/**
 * The provider cannot give the address of a session that it made or may have made before. Nobody has that address, so
 * nobody can pay there, and the caller starts a new payment.
 */
export class SessionLost extends Error {
  override name = 'SessionLost'
}

/**
 * The provider answers, but does not show a payment or a refund that it should have. The call is repeated later. Calls for
 * other payments may succeed, so it does not count as an outage.
 */
export class ProviderRecordMissing extends Error {
  override name = 'ProviderRecordMissing'
}

/** Other statuses leave the refund pending: they are about the account or the moment, not about this refund. */
export const isRefundRefused = (status: number) => status === 400 || status === 402 || status === 404

export type ProviderWebhook = {
  /**
   * How the provider names the store: `path` is `/webhook/{provider}/{storeId}`; `header` is `/webhook/{provider}` with
   * `X-Store-Id`.
   */
  storeIn: 'path' | 'header'
  /** Null: the provider uses the webhook credentials of the store, as `/webhook/payment` does. */
  isGenuine: ((account: ProviderAccount, call: Omit<WebhookCall, 'body'>, nowMs: number) => boolean) | null
  /** Events do not say what was paid with, so the status is read after a payment. */
  lacksInstrument?: true
  /** Throws MalformedEvent. */
  read(call: WebhookCall): PaymentEvent
}

export type Closing = 'closed' | 'paid' | 'in_progress'

/**
 * A payment provider. Each call can be repeated with the same payment and has no second effect, because the process may
 * die before it has stored the answer. No call is made inside a transaction. A call that rejects with ProviderRefused is
 * not worth repeating; any other rejection means that the effect is unknown, and the call is repeated later. The signal
 * aborts at the time limit.
 */
export type PaymentProvider = {
  name: string
  /** Names of the credentials a store must set, and of those it may set. */
  credentials: readonly string[]
  optionalCredentials?: readonly string[]
  /** Production refuses it. */
  isForTesting: boolean
  /** A session ends before the units of its order are released. */
  sessionMs: number
  /** The provider refuses a shorter session. */
  minSessionMs: number
  holdMs: number
  /** Whether the customer's name, e-mail and phone are passed to `start`. */
  takesCustomer: boolean
  canRefundPart: boolean
  /** A page stays payable after a failed payment and after `close`, until the provider ends it by itself. */
  cannotClose?: true
  /** Why this amount cannot be charged, as a sentence for the shopper; null when it can. */
  refuseAmount(amountMinor: number, currency: string): string | null
  /** The reference that `start` will give the session, if it is known before the call. */
  referenceOf(paymentId: string): string | null
  /** The same for a refund. */
  refundReferenceOf(refundId: string): string | null
  start(account: ProviderAccount, charge: Charge, signal: AbortSignal): Promise<StartedSession>
  /** Only a repeated `start` finds a session whose answer was lost, so it is made before such a session is closed. */
  isFoundByStart?: true
  status(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<ProviderPayment>
  /** Ends the session so that it cannot be paid. `paid`: it was too late. `in_progress`: the shopper is paying. */
  close(account: ProviderAccount, payment: PaymentRef, signal: AbortSignal): Promise<Closing>
  /** Makes a refund, or reads the refund that an earlier call has made. */
  refund(account: ProviderAccount, payment: PaymentRef, refund: RefundRef, signal: AbortSignal): Promise<RefundResult>
  /** Reads something with the credentials and says what the provider answered. Throws ProviderRefused if they are wrong. */
  check(account: ProviderAccount, signal: AbortSignal): Promise<string>
  /** Whether payments with these credentials move no money. Left out: the credentials do not tell. */
  isTestAccount?(account: ProviderAccount): boolean
  webhook: ProviderWebhook | null
  /** The names of the payment in the query that the provider appends to the return address. Nothing else is read from it. */
  readReturn(query: Readonly<Record<string, string | undefined>>): PaymentNames
  /** False if the query of a return lacks the signature that this account's provider makes. */
  isReturnGenuine?(account: ProviderAccount, query: Readonly<Record<string, string | undefined>>): boolean
  /** The return address must answer with a page instead of a redirect. */
  refusesRedirect?: true
}

/** Session and hold of a provider that can make sessions of any length. */
export const usualSession = { sessionMs: minutes(25), minSessionMs: minutes(1), holdMs: minutes(30) }

export const noNames: PaymentNames = { orderId: null, paymentId: null, reference: null, transaction: null }
