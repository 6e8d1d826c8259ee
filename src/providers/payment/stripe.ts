import { minutes, seconds } from '../../core/clock.ts'
import type { Fields } from '../../core/fields.ts'
import type { Instrument } from '../../core/instrument.ts'
import { currencyExponent, toWire } from '../../core/money.ts'
import { callProviderApi, type ProviderAnswer, ProviderUnavailable, toProviderError } from '../http.ts'
import { fieldsAt, readDecimal, readList, readText, readTextOrNull, readTime } from '../read-fields.ts'
import {
  type Charge,
  isRefundRefused,
  noNames,
  type PaymentProvider,
  type PaymentRef,
  type ProviderAccount,
  type ProviderPayment,
  ProviderRecordMissing,
  type RefundRef,
  type RefundResult,
  SessionLost,
} from './provider.ts'
import { readStripeRefundStatus, stripeWebhook } from './stripe-webhook.ts'

const apiVersion = '2026-10-28.endive'
/** Three keys: a remembered server error uses one up. */
const maxKeys = 3

/** Stripe Checkout Sessions: the shopper pays on a page of Stripe. */
export const createStripe = (origin: string): PaymentProvider => {
  const call = callStripe(origin)
  return {
    name: 'stripe',
    credentials: ['secretKey', 'webhookSecret'],
    isForTesting: false,
    // Stripe's minimum is 30 minutes from the moment it receives the request, and the end is sent in whole seconds.
    sessionMs: minutes(31),
    minSessionMs: minutes(30) + seconds(15),
    holdMs: minutes(36),
    takesCustomer: true,
    canRefundPart: true,
    refuseAmount,
    referenceOf: () => null,
    refundReferenceOf: () => null,
    isFoundByStart: true,
    start: async (account, charge, signal) => {
      const session = await createSession(call, account, charge, signal)
      const redirectUrl = readText(session, 'url')
      // Replayed after it was paid or expired, a session has no page any more.
      if (redirectUrl === '') throw new SessionLost('The session of this payment has ended.')
      return {
        reference: readText(session, 'id'),
        redirectUrl,
        expiresAt: readTime(session, 'expires_at') ?? charge.expiresAt,
      }
    },
    status: async (account, payment, signal) => {
      // Without an id the answer to `start` was lost, and the address of the page with it: nobody can pay there.
      if (payment.reference === null) return providerPaymentOf(payment, {})
      return providerPaymentOf(payment, await readSession(call, account, payment.reference, signal))
    },
    close: async (account, payment, signal) => {
      if (payment.reference === null) return 'closed'
      const path = `/checkout/sessions/${encodeURIComponent(payment.reference)}`
      const answer = await call(account, signal, { method: 'POST', path: `${path}/expire`, form: {} })
      if (answer.status < 300) return 'closed'
      // Only an open session can expire, so this one has ended in another way.
      const { status } = providerPaymentOf(payment, await readSession(call, account, payment.reference, signal))
      if (status === 'success') return 'paid'
      return status === 'closed' || status === 'failed' ? 'closed' : 'in_progress'
    },
    refund: (account, payment, refund, signal) => refundAtStripe(call, account, payment, refund, signal),
    check: async (account, signal) => {
      accepted(await call(account, signal, { method: 'GET', path: '/checkout/sessions?limit=1' }))
      return `Stripe accepted the secret key (${isTestAccount(account) ? 'test' : 'live'} mode).`
    },
    isTestAccount,
    webhook: stripeWebhook,
    readReturn: ({ orderId }) => ({ ...noNames, orderId: orderId ?? null }),
  }
}

const isTestAccount = ({ credentials }: ProviderAccount) => /^[rs]k_test_/.test(credentials.secretKey ?? '')

type StripeRequest = { method: 'GET' | 'POST'; path: string; form?: Record<string, string>; key?: string }
type CallStripe = (account: ProviderAccount, signal: AbortSignal, request: StripeRequest) => Promise<ProviderAnswer>

const callStripe =
  (origin: string): CallStripe =>
  ({ credentials }, signal, { method, path, form, key }) =>
    callProviderApi({
      provider: 'Stripe',
      method,
      url: `${origin}/v1${path}`,
      headers: {
        authorization: `Bearer ${credentials.secretKey}`,
        'stripe-version': apiVersion,
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
      signal,
    })

const accepted = (answer: ProviderAnswer): Fields => {
  const { status, body } = answer
  if (status < 300) return body
  throw toProviderError(messageOf(answer), { status, code: errorOf(body).code })
}

const messageOf = ({ status, body }: ProviderAnswer) => `Stripe: ${errorOf(body).message || `answered with ${status}.`}`

const errorOf = (body: Fields) => {
  const error = fieldsAt(body, 'error')
  return { message: readText(error, 'message'), code: readText(error, 'code'), type: readText(error, 'type') }
}

const keysOf = (name: string) =>
  Array.from({ length: maxKeys }, (_, index) => (index === 0 ? name : `${name}-${index + 1}`))

/** Stripe repeats a server error for as long as it remembers the key. */
const isRemembered = ({ status, headers }: ProviderAnswer) => status >= 500 && headers['idempotent-replayed'] === 'true'

const isKeyError = ({ body }: ProviderAnswer) => errorOf(body).type === 'idempotency_error'

/**
 * Creates one session, however often it is called. A key is used up by a server error, and by a request that has changed,
 * for example when the customer has another e-mail address by now. Both mean that no page was handed out, so the next key
 * is tried. A conflict means that the same request is still running, so its key is kept.
 */
const createSession = async (call: CallStripe, account: ProviderAccount, charge: Charge, signal: AbortSignal) => {
  const request = { method: 'POST', path: '/checkout/sessions', form: sessionForm(account, charge) } as const
  for (const key of keysOf(`start-${charge.paymentId}`)) {
    const answer = await call(account, signal, { ...request, key })
    const isUsedUp = isRemembered(answer) || (isKeyError(answer) && answer.status !== 409)
    if (!isUsedUp) return accepted(answer)
  }
  throw allKeysUsed()
}

const allKeysUsed = () => new ProviderUnavailable('Stripe answered every attempt with an error.')

const sessionForm = ({ storeId }: ProviderAccount, charge: Charge): Record<string, string> => {
  const { orderId, paymentId, orderNumber, storeName, customer, returnUrl } = charge
  const back = `${returnUrl}?orderId=${encodeURIComponent(orderId)}`
  const description = `${storeName}, order ${orderNumber}`
  const form: Record<string, string> = {
    mode: 'payment',
    'line_items[0][price_data][currency]': charge.currency.toLowerCase(),
    'line_items[0][price_data][unit_amount]': String(charge.amountMinor),
    'line_items[0][price_data][product_data][name]': description,
    'line_items[0][quantity]': '1',
    success_url: back,
    cancel_url: back,
    client_reference_id: paymentId,
    expires_at: String(Math.floor(charge.expiresAt.getTime() / 1000)),
    'payment_intent_data[description]': description,
  }
  if (customer.email !== '') form.customer_email = customer.email
  for (const [name, value] of Object.entries({ orderId, paymentId, storeId })) {
    form[`metadata[${name}]`] = value
    form[`payment_intent_data[metadata][${name}]`] = value
  }
  return form
}

const readSession = async (call: CallStripe, account: ProviderAccount, id: string, signal: AbortSignal) => {
  const path = `/checkout/sessions/${encodeURIComponent(id)}?expand[]=payment_intent.latest_charge`
  return accepted(await call(account, signal, { method: 'GET', path }))
}

const providerPaymentOf = (payment: PaymentRef, session: Fields): ProviderPayment => {
  const currency = readText(session, 'currency').toUpperCase() || payment.currency
  const intent = fieldsAt(session, 'payment_intent')
  const charge = fieldsAt(intent, 'latest_charge')
  return {
    status: statusOf(session, intent),
    amount: toWire(readDecimal(session, 'amount_total') ?? payment.amountMinor, currency),
    currency,
    transaction: readTextOrNull(intent, 'id'),
    instrument: instrumentOf(fieldsAt(charge, 'payment_method_details'), readText(charge, 'id')),
  }
}

const statusOf = (session: Fields, intent: Fields): ProviderPayment['status'] => {
  const status = readText(session, 'status')
  if (status === 'expired') return 'closed'
  if (status !== 'complete') return 'open'
  if (readText(session, 'payment_status') !== 'unpaid') return 'success'
  // A delayed method such as a bank debit: the page is complete and the money may still fail to come.
  const hasFailed = ['requires_payment_method', 'canceled'].includes(readText(intent, 'status'))
  return hasFailed ? 'failed' : 'pending'
}

const instrumentOf = (details: Fields, reference: string): Instrument => ({
  method: readText(details, 'type'),
  last4: readText(fieldsAt(details, 'card'), 'last4'),
  upiId: readText(fieldsAt(details, 'upi'), 'vpa'),
  reference,
})

const refundAtStripe = async (
  call: CallStripe,
  account: ProviderAccount,
  payment: PaymentRef,
  refund: RefundRef,
  signal: AbortSignal,
): Promise<RefundResult> => {
  const intent = payment.transaction ?? (await findIntent(call, account, payment, signal))
  // Stripe forgets an idempotency key after a day, so a repeated refund is looked up first.
  const made = refund.isRepeated ? await findRefund(call, account, intent, refund, signal) : undefined
  if (made !== undefined) return refundResultOf(made)
  if (refund.isMade) throw new ProviderRecordMissing(`Stripe does not list the refund ${refund.reference}.`)
  const form = {
    payment_intent: intent,
    amount: String(refund.amountMinor),
    'metadata[refundId]': refund.refundId,
    'metadata[orderId]': payment.orderId,
  }
  for (const key of keysOf(`refund-${refund.refundId}`)) {
    const answer = await call(account, signal, { method: 'POST', path: '/refunds', form, key })
    // The form never changes, so an error about the key says nothing about the refund.
    if (isKeyError(answer)) throw new ProviderUnavailable(messageOf(answer))
    const isRefused = isRefundRefused(answer.status)
    if (!isRefused && !isRemembered(answer)) return refundResultOf(accepted(answer))
    // An earlier try may have made it, even one that was answered with a server error.
    const earlier = await findRefund(call, account, intent, refund, signal)
    if (earlier !== undefined) return refundResultOf(earlier)
    if (isRefused) return { status: 'failed', reference: null, detail: messageOf(answer), isRefused }
  }
  throw allKeysUsed()
}

const findIntent = async (call: CallStripe, account: ProviderAccount, payment: PaymentRef, signal: AbortSignal) => {
  const session = payment.reference && (await readSession(call, account, payment.reference, signal))
  const intent = session ? readText(fieldsAt(session, 'payment_intent'), 'id') : ''
  if (intent === '') throw new ProviderRecordMissing(`Stripe names no payment intent for ${payment.paymentId}.`)
  return intent
}

const findRefund = async (
  call: CallStripe,
  account: ProviderAccount,
  intent: string,
  { refundId, reference }: RefundRef,
  signal: AbortSignal,
): Promise<Fields | undefined> => {
  const path = `/refunds?payment_intent=${encodeURIComponent(intent)}&limit=100`
  const refunds = readList(accepted(await call(account, signal, { method: 'GET', path })), 'data')
  return refunds.find(
    (refund) => readText(refund, 'id') === reference || readText(fieldsAt(refund, 'metadata'), 'refundId') === refundId,
  )
}

const refundResultOf = (refund: Fields): RefundResult => ({
  status: readStripeRefundStatus(readText(refund, 'status')),
  reference: readTextOrNull(refund, 'id'),
  detail: readText(refund, 'failure_reason'),
})

/** Stripe takes these as whole units although ISO 4217 gives them decimals, or the other way round. */
const uncertain = new Set(['ISK', 'MGA', 'UGX', 'UYI', 'IQD', 'LYD', 'CLF', 'UYW'])

const refuseAmount = (amountMinor: number, currency: string): string | null => {
  if (uncertain.has(currency)) return `Stripe payments are not supported in ${currency}.`
  const isExact = currencyExponent(currency) !== 3 || amountMinor % 10 === 0
  return isExact ? null : `Stripe cannot charge a total in ${currency} whose last decimal is not 0.`
}
