import { minutes } from '../../core/clock.ts'
import type { Fields } from '../../core/fields.ts'
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
import { razorpayWebhook, readRazorpayInstrument, readRazorpayRefundStatus } from './razorpay-webhook.ts'

/** Razorpay payment links: the shopper pays on a page of Razorpay. */
export const createRazorpay = (origin: string): PaymentProvider => {
  const call = callRazorpay(origin)
  return {
    name: 'razorpay',
    credentials: ['keyId', 'keySecret', 'webhookSecret'],
    isForTesting: false,
    sessionMs: minutes(25),
    minSessionMs: minutes(16),
    holdMs: minutes(30),
    takesCustomer: true,
    canRefundPart: true,
    refuseAmount,
    referenceOf: () => null,
    refundReferenceOf: () => null,
    start: async (account, charge, signal) => {
      const answer = await call(account, signal, {
        method: 'POST',
        path: '/payment_links',
        json: linkOf(account, charge),
      })
      const link = isReferenceTaken(answer) ? await recoverLink(call, account, charge, signal) : accepted(answer)
      const redirectUrl = readText(link, 'short_url')
      if (redirectUrl === '') throw new ProviderUnavailable('Razorpay answered without an address to pay at.')
      return {
        reference: readText(link, 'id'),
        redirectUrl,
        expiresAt: readTime(link, 'expire_by') ?? charge.expiresAt,
      }
    },
    status: async (account, payment, signal) => {
      const link = await readLink(call, account, payment, signal)
      return providerPaymentOf(payment, link, await readMoney(call, account, link, signal))
    },
    close: async (account, payment, signal) => {
      const id = payment.reference ?? readText(await readLink(call, account, payment, signal), 'id')
      if (id === '') return 'closed'
      const answer = await call(account, signal, { method: 'POST', path: `${linkPath(id)}/cancel`, json: {} })
      if (answer.status < 300 && readText(answer.body, 'status') === 'cancelled') return 'closed'
      // Only a link in the status `created` can be cancelled, so this one has ended in another way.
      const { status } = providerPaymentOf(
        payment,
        await readLink(call, account, { ...payment, reference: id }, signal),
        {},
      )
      if (status === 'success') return 'paid'
      return status === 'closed' ? 'closed' : 'in_progress'
    },
    refund: (account, payment, refund, signal) => refundAtRazorpay(call, account, payment, refund, signal),
    check: async (account, signal) => {
      accepted(await call(account, signal, { method: 'GET', path: '/payments?count=1' }))
      return `Razorpay accepted the key (${isTestAccount(account) ? 'test' : 'live'} mode).`
    },
    isTestAccount,
    webhook: razorpayWebhook,
    readReturn: (query) => ({
      ...noNames,
      paymentId: query.razorpay_payment_link_reference_id ?? null,
      reference: query.razorpay_payment_link_id ?? null,
    }),
  }
}

const isTestAccount = ({ credentials }: ProviderAccount) => (credentials.keyId ?? '').startsWith('rzp_test_')

type RazorpayRequest = {
  method: 'GET' | 'POST'
  path: string
  json?: unknown
  headers?: Readonly<Record<string, string>>
}
type CallRazorpay = (account: ProviderAccount, signal: AbortSignal, request: RazorpayRequest) => Promise<ProviderAnswer>

const callRazorpay =
  (origin: string): CallRazorpay =>
  ({ credentials: { keyId, keySecret } }, signal, { method, path, json, headers }) =>
    callProviderApi({
      provider: 'Razorpay',
      method,
      url: `${origin}/v1${path}`,
      headers: {
        authorization: `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      signal,
    })

const messageOf = ({ status, body }: ProviderAnswer) =>
  `Razorpay: ${readText(fieldsAt(body, 'error'), 'description') || `answered with ${status}.`}`

const accepted = (answer: ProviderAnswer): Fields => {
  const { status, body } = answer
  if (status < 300) return body
  throw toProviderError(messageOf(answer), { status, code: readText(fieldsAt(body, 'error'), 'code') })
}

const linkPath = (id: string) => `/payment_links/${encodeURIComponent(id)}`

const linkOf = ({ storeId }: ProviderAccount, charge: Charge) => {
  const { orderId, paymentId, customer } = charge
  return {
    amount: charge.amountMinor,
    currency: charge.currency,
    accept_partial: false,
    reference_id: paymentId,
    description: `${charge.storeName}, order ${charge.orderNumber}`,
    customer: {
      ...(customer.name === '' ? {} : { name: customer.name }),
      ...(customer.email === '' ? {} : { email: customer.email }),
      ...(customer.phone === '' ? {} : { contact: customer.phone }),
    },
    notify: { sms: false, email: false },
    reminder_enable: false,
    expire_by: Math.floor(charge.expiresAt.getTime() / 1000),
    notes: { orderId, paymentId, storeId },
    callback_url: charge.returnUrl,
    callback_method: 'get',
  }
}

/** An earlier call with this payment has made the link, and its answer was lost. */
const isReferenceTaken = ({ status, body }: ProviderAnswer) => {
  const description = readText(fieldsAt(body, 'error'), 'description')
  return status === 400 && /reference.?id/i.test(description) && /already|exists|unique/i.test(description)
}

const recoverLink = async (call: CallRazorpay, account: ProviderAccount, charge: Charge, signal: AbortSignal) => {
  const link = await findLink(call, account, charge.paymentId, signal)
  if (link === undefined || readText(link, 'status') !== 'created') {
    throw new SessionLost('Razorpay has made a payment link for this payment before, and it cannot be paid any more.')
  }
  return link
}

/** That the list can be filtered by the reference is not documented, so each row is compared. */
const findLink = async (call: CallRazorpay, account: ProviderAccount, paymentId: string, signal: AbortSignal) => {
  const path = `/payment_links?reference_id=${encodeURIComponent(paymentId)}`
  const links = readList(accepted(await call(account, signal, { method: 'GET', path })), 'payment_links')
  return links.find((link) => readText(link, 'reference_id') === paymentId)
}

const readLink = async (
  call: CallRazorpay,
  account: ProviderAccount,
  { reference, paymentId }: PaymentRef,
  signal: AbortSignal,
): Promise<Fields> => {
  if (reference === null) return (await findLink(call, account, paymentId, signal)) ?? {}
  return accepted(await call(account, signal, { method: 'GET', path: linkPath(reference) }))
}

/** The payment that has paid a link, with its card or UPI id. */
const readMoney = async (call: CallRazorpay, account: ProviderAccount, link: Fields, signal: AbortSignal) => {
  const id = transactionOf(link)
  if (readText(link, 'status') !== 'paid' || id === null) return {}
  return accepted(await call(account, signal, { method: 'GET', path: `/payments/${encodeURIComponent(id)}` }))
}

const transactionOf = (link: Fields): string | null => {
  const payments = readList(link, 'payments')
  const captured = payments.find((payment) => readText(payment, 'status') === 'captured') ?? payments[0]
  return captured === undefined ? null : readTextOrNull(captured, 'payment_id')
}

const providerPaymentOf = (payment: PaymentRef, link: Fields, money: Fields): ProviderPayment => {
  const currency = readText(link, 'currency') || payment.currency
  const isPaid = readText(link, 'status') === 'paid'
  const amount = readDecimal(link, isPaid ? 'amount_paid' : 'amount') ?? payment.amountMinor
  return {
    status: statuses.get(readText(link, 'status')) ?? 'open',
    amount: toWire(amount, currency),
    currency,
    transaction: transactionOf(link),
    instrument: readRazorpayInstrument(money),
  }
}

const statuses = new Map<string, ProviderPayment['status']>([
  ['created', 'open'],
  ['partially_paid', 'pending'],
  ['paid', 'success'],
  ['expired', 'closed'],
  ['cancelled', 'closed'],
])

const refundAtRazorpay = async (
  call: CallRazorpay,
  account: ProviderAccount,
  payment: PaymentRef,
  refund: RefundRef,
  signal: AbortSignal,
): Promise<RefundResult> => {
  const id = payment.transaction ?? transactionOf(await readLink(call, account, payment, signal))
  if (id === null) throw new ProviderRecordMissing(`Razorpay names no payment for ${payment.paymentId}.`)
  const path = `/payments/${encodeURIComponent(id)}`
  const made = refund.isRepeated ? await findRefund(call, account, path, refund, signal) : undefined
  if (made !== undefined) return refundResultOf(made)
  if (refund.isMade) throw new ProviderRecordMissing(`Razorpay does not list the refund ${refund.reference}.`)
  const { refundId, amountMinor } = refund
  const answer = await call(account, signal, {
    method: 'POST',
    path: `${path}/refund`,
    headers: { 'x-refund-idempotency': refundId },
    json: { amount: amountMinor, speed: 'normal', receipt: refundId, notes: { refundId, orderId: payment.orderId } },
  })
  if (isRefundRefused(answer.status)) {
    // An earlier try, whose answer was lost, may have made the refund.
    const earlier = await findRefund(call, account, path, refund, signal)
    if (earlier !== undefined) return refundResultOf(earlier)
    return { status: 'failed', reference: null, detail: messageOf(answer), isRefused: true }
  }
  return refundResultOf(accepted(answer))
}

const findRefund = async (
  call: CallRazorpay,
  account: ProviderAccount,
  path: string,
  { refundId, reference }: RefundRef,
  signal: AbortSignal,
): Promise<Fields | undefined> => {
  const list = accepted(await call(account, signal, { method: 'GET', path: `${path}/refunds?count=100` }))
  return readList(list, 'items').find(
    (refund) =>
      readText(refund, 'id') === reference ||
      readText(refund, 'receipt') === refundId ||
      readText(fieldsAt(refund, 'notes'), 'refundId') === refundId,
  )
}

const refundResultOf = (refund: Fields): RefundResult => ({
  status: readRazorpayRefundStatus(readText(refund, 'status')),
  reference: readTextOrNull(refund, 'id'),
  detail: '',
})

const minPaise = 100

const refuseAmount = (amountMinor: number, currency: string): string | null => {
  if (currency === 'INR' && amountMinor < minPaise) return 'Razorpay takes payments from ₹1.00 on.'
  const exponent = currencyExponent(currency)
  if (exponent === 3 && amountMinor % 10 !== 0) {
    return `Razorpay cannot charge a total in ${currency} whose last decimal is not 0.`
  }
  return exponent > 3 ? `Razorpay payments are not supported in ${currency}.` : null
}
